"""Structure by rule: titles, years, genres and what is not wanted, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strata.core import filters
from strata.core.types import Document, Plan, Query
from strata.enhance.lookup import Lookup
from strata.enhance.negations import negations
from strata.enhance.parts import genre_named, genres_in, people_in, setting_in
from strata.enhance.structure import LONGEST, Structure
from strata.enhance.titles import mentions
from strata.enhance.years import years_in
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace


def asked(ws: Workspace, text: str) -> tuple[Query, dict[str, object]]:
    q = Structure()(Query(text), ws)
    return q, ws.drain()[2]


def labels(ws: Workspace, q: Query) -> set[str]:
    return {ws.corpus.label(doc) for doc in q.exclude}


@pytest.fixture
def lookup(films: Workspace) -> Lookup:
    return Lookup(films.corpus, films.index)


def test_what_is_compared_with_is_left_out_and_its_genres_are_wanted(films: Workspace) -> None:
    q, facts = asked(films, "something like Alien")
    assert labels(films, q) == {"(18) Alien (1979)"} and facts["left_out"] == ["(18) Alien (1979)"]
    wanted = films.corpus.vector_text(Document(0, "Alien", "", {"genres": ["Science Fiction", "Horror"]}))
    assert q.meaning == wanted == facts["meaning"]
    assert facts["by_rule"] is True and facts["provider"] is None
    found = run(Plan(retrieve=(BM25(),), enhance=Structure()), Query("something like Alien"), films).final
    assert found.place(films.corpus.find("Alien")) is None and found.place(films.corpus.find("Aliens"))


def test_the_golden_exclusions(films: Workspace) -> None:
    q, facts = asked(films, "films like Jaws, but not about a shark")
    assert labels(films, q) == {"(273) Jaws (1975)"}
    assert "shark" not in q.text and "shark" not in q.meaning
    assert facts["fields"]["without"] == ["shark"]  # type: ignore[index]
    q, _ = asked(films, "fairy-tale princess film, but not animated")
    assert q.where == ("genres!=Animation",) and q.text == "fairy-tale princess film"


def test_all_fields_at_once(films: Workspace) -> None:
    text = "I'm looking for a quiet drama by Akira Kurosawa set in Tokyo, not too violent, before 1960, not Ikiru"
    q, facts = asked(films, text)
    fields = facts["fields"]
    assert fields == {
        "genres": ["Drama"], "mood": ["quiet"], "themes": [], "people": ["Akira Kurosawa"], "like": [],
        "without": ["Ikiru", "violent"], "setting": "in Tokyo", "years": {"from": None, "to": 1959},
    }  # fmt: skip
    assert q.text == "a quiet drama by Akira Kurosawa set in Tokyo" == facts["meaning"] and q.meaning == ""
    assert q.where == ("year<=1959",) == tuple(facts["where"])  # type: ignore[arg-type]
    assert {films.corpus.title(doc) for doc in q.exclude} == {"Ikiru"}


def test_the_meaning_is_written_as_the_catalogue_writes_its_documents(films: Workspace) -> None:
    q, _ = asked(films, "romcoms like Notting Hill with a bookshop")
    liked = films.corpus.document(films.corpus.find("Notting Hill")).fields["genres"]
    genres = list(dict.fromkeys(["Romantic Comedy", *liked]))
    wanted = Document(0, "Notting Hill", "romcoms with a bookshop", {"genres": genres})
    assert q.meaning == films.corpus.vector_text(wanted)


def test_what_was_asked_before_is_kept(films: Workspace) -> None:
    q = Structure()(
        Query("something like Alien", exclude=frozenset({3}), where=("year>=1950",), variants=("x",)), films
    )
    assert q.where == ("year>=1950",) and q.exclude == {3, films.corpus.find("Alien")} and q.variants == ("x",)


@pytest.mark.parametrize(
    ("text", "titles", "wanted"),
    [
        ("something like alien", ["Alien"], "like"),
        ("films similar to the matrix", ["The Matrix"], "like"),
        ("films similar to Matrix", ["The Matrix"], "like"),
        ("reminds me of Dracula (1931)", ["Dracula (1931)"], "like"),
        ("I loved Monsters Inc and toy story", ["Monsters, Inc.", "Toy Story"], "like"),
        ("in the style of The Godfather", ["The Godfather"], "like"),
        ("scary, like Alien, Aliens and The Thing", ["Alien", "Aliens", "The Thing"], "like"),
        ("à la casablanca", ["Casablanca"], "like"),
        ("movies like Up or Her", ["Up", "Her"], "like"),
        ("“Alien” but funny", ["Alien"], "like"),
        ("not unlike Wall-E", ["WALL-E"], "like"),
        ("a monster movie without Godzilla", ["Godzilla"], "without"),
        ("nothing like Star Wars", ["Star Wars"], "without"),
        ("but not Jaws 2", ["Jaws 2"], "without"),
    ],
)
def test_titles_after_words_that_announce_them(lookup: Lookup, text: str, titles: list[str], wanted: str) -> None:
    found = mentions(text, lookup)
    assert [one.title for one in found] == titles and {one.wanted for one in found} == {wanted}
    assert all(one.docs and text[one.start : one.end] for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Alien", "up in the air with her", "movies like up", "something like it", "people like us", "a boy like her",
        "an old man like Lincoln", "acts like a hero", "a dog that feels like Heat", "not up to it", "without her",
        "the thing about Jaws", "creatures such as prisoners",
    ],
)  # fmt: skip
def test_plain_words_are_no_titles(lookup: Lookup, text: str) -> None:
    assert mentions(text, lookup) == []


def test_a_title_of_several_films_means_them_all_unless_a_year_is_named(films: Workspace, lookup: Lookup) -> None:
    (one,) = mentions("something like Godzilla", lookup)
    assert len(one.docs) > 1
    (one,) = mentions("something like Godzilla (1954) but new", lookup)
    assert [films.corpus.label(doc)[-6:] for doc in one.docs] == ["(1954)"]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("comedies from the 80s", 1980, 1989),
        ("before 1960", None, 1959),
        ("a heist movie in 1994", 1994, 1994),
        ("between 1990 and 2000", 1990, 2000),
        ("between 2000 and 1990", 1990, 2000),
        ("late nineties horror", 1995, 1999),
        ("since 2010", 2010, None),
        ("pre-1960 westerns", None, 1959),
        ("made after 1999 but before 2005", 2000, 2004),
        ("from 1985 onwards", 1985, None),
        ("from the 60s or 70s", 1960, 1979),
        ("until the 70s", None, 1979),
        ("00s comedy", 2000, 2009),
        ("after 2010 but before 1990", None, None),
        ("in 1942 a spy falls in love", None, None),
        ("a woman in her thirties", None, None),
        ("set in the 80s", None, None),
        ("not from the 80s", None, None),
        ("2001: a space odyssey", None, None),
        ("wonder woman 1984", None, None),
        ("summer of 1994", None, None),
        ("", None, None),
    ],
)
def test_years(text: str, first: int | None, last: int | None) -> None:
    years = years_in(text)
    assert (years.first, years.last) == (first, last)


def test_years_are_filters_only_where_the_catalogue_has_them(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    ws = workspace(catalogue("a comedy of the sea", "a film from the 80s about whales"))
    q, facts = asked(ws, "whale comedies from the 80s, not animated")
    assert q.where == () and "80s" in q.text and "80s" in str(facts["meaning"])
    assert facts["fields"]["years"] == {"from": 1980, "to": 1989}  # type: ignore[index]
    assert run(Plan(retrieve=(BM25(),), enhance=Structure()), Query("whales from the 80s"), ws).final.docs.size


@pytest.mark.parametrize(
    ("text", "what", "genre", "meant"),
    [
        ("a film without sharks", "sharks", None, True),
        ("no animation please", "animation", "Animation", True),
        ("isn't a comedy", "comedy", "Comedy", True),
        ("a comedy with no romance", "romance", "Romance", True),
        ("a war film but no sci-fi", "sci-fi", "Science Fiction", True),
        ("non-violent western", "violent", None, True),
        ("horror, not too scary", "scary", None, True),
        ("Aaron's profile, but don't mention Moses.", "Moses", None, True),
        ("Aarhus (excluding the role of “Denmark”)", "role of “Denmark”", None, True),
        ("a man without memory", "memory", None, False),
    ],
)
def test_what_is_not_wanted(lookup: Lookup, text: str, what: str, genre: str | None, meant: bool) -> None:
    (found,) = negations(text, lookup)
    assert (found.what, found.genre, found.meant) == (what, genre, meant)


@pytest.mark.parametrize(
    "text",
    ["girls are not supposed to ride", "in almost no time", "no one can hear you scream", "not only a thriller", "not",
     "everybody dies except one girl", "no!", "they do not want to grow up"],
)  # fmt: skip
def test_no_negation_of_a_film(lookup: Lookup, text: str) -> None:
    assert not [one for one in negations(text, lookup) if one.meant]


def test_a_plot_keeps_its_negations(films: Workspace) -> None:
    text = "a man without memory, hunting a killer"
    q, facts = asked(films, text)
    assert q.text == facts["meaning"] == text
    assert facts["fields"]["without"] == ["memory"]  # type: ignore[index]


def test_a_genre_that_is_wanted_is_not_ruled_out(films: Workspace) -> None:
    q, _ = asked(films, "a horror comedy that is not a comedy")
    assert q.where == ()


def test_genres_are_the_catalogues_own(lookup: Lookup) -> None:
    assert next(iter(lookup.genres)) == "Drama" and lookup.genres["Drama"] > 200
    assert [g for _, _, g in genres_in("animated romantic comedies and whodunits", lookup)] == [
        "Animation", "Romantic Comedy", "Mystery"
    ]  # fmt: skip
    assert genre_named("music", lookup) == "Music" and genre_named("musicals", lookup) == "Musical"
    assert genre_named("", lookup) is None and genre_named("quokka", lookup) is None


def test_people_and_settings(lookup: Lookup) -> None:
    assert people_in("scary movie with sigourney weaver", lookup) == ["Sigourney Weaver"]
    assert people_in("something by Kurosawa or Hitchcock", lookup) == ["Akira Kurosawa", "Alfred Hitchcock"]
    assert people_in("a bear with marmalade by the sea", lookup) == []
    assert (
        setting_in("a comedy set in one spooky house in a snowstorm: the guests")
        == "in one spooky house in a snowstorm"
    )
    assert setting_in("it takes place on a train, mostly") == "on a train" and setting_in("a set of knives") == ""


@pytest.mark.parametrize("text", ["", "🙂", "not", "like", "the of", "ペンギンの映画", "x" * (LONGEST + 1)])
def test_what_says_nothing_stays(films: Workspace, text: str) -> None:
    q, _ = asked(films, text)
    assert q.text == text and q.where == () and q.exclude == frozenset()


def test_other_languages_are_left_alone_and_that_is_said(films: Workspace) -> None:
    text = "una comedia como Alien, pero no de los años 80"
    assert Structure()(Query(text), films) == Query(text)
    notices, _, facts = films.drain()
    assert "English" in notices[0] and facts["by_rule"] is True


PIECES = [
    "films like", "Alien", "Jaws", "but not", "without", "(", ")", '"', "from the 80s", "before 1960", "not animated",
    "comedy", "set in", "Paris", "by", "Akira Kurosawa", "and", ",", "excluding", "nothing like", "The Thing", "1979",
]  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=9))
def test_any_request_gives_a_query_that_can_be_run(films: Workspace, pieces: list[str]) -> None:
    q, facts = asked(films, " ".join(pieces))
    assert [filters.parse(condition).field in films.corpus.fields for condition in q.where].count(False) == 0
    assert all(0 <= doc < len(films.corpus) for doc in q.exclude)
    assert len(q.exclude) == len(facts["left_out"])  # type: ignore[arg-type]
    assert "\n" not in q.text and q.text.strip() == q.text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=80))
def test_any_text_gives_a_query(films: Workspace, text: str) -> None:
    q, _ = asked(films, text)
    assert isinstance(q.text, str) and isinstance(q.meaning, str)
