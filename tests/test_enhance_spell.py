"""Spelling by rule: what is corrected, and above all what is not."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strata.core.analysis import spans, stopwords, tokens
from strata.core.language import is_english
from strata.core.types import Plan, Query
from strata.enhance import correct, vocabulary
from strata.enhance.near import Nearby, enough, most_edits, skeleton
from strata.enhance.spell import Spell, differing
from strata.enhance.vocabulary import encoder_words, is_word
from strata.errors import ArtefactError, UsageError
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.semantic.chunks import Chunks

PENGUINS = "pengiuns walking acros antartica documentry"


def spelled(ws: Workspace, text: str) -> str:
    return Spell()(Query(text), ws).text


@pytest.fixture
def zoo(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Workspace:
    return workspace(
        catalogue(
            {
                "id": 1,
                "title": "March of the Penguins",
                "description": "Penguins walk across Antarctica, a documentary.",
            },
            {"id": 2, "title": "Star Wars", "description": "A farm boy joins a war in space. Penguin suits are rare."},
            {"id": 3, "title": "Amélie", "description": "A waitress in Paris repairs other people's lives."},
            {"id": 4, "title": "Solaris", "description": "A psychologist visits a station near an ocean planet."},
            {"id": 5, "title": "The Hobbit", "description": "Dwarfs and a hobbit want treasure. Old habits die hard."},
            {"id": 6, "title": "Пингвины", "description": "Пингвины в Антарктиде."},
        )
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (PENGUINS, "penguins walk across antarctica documentary".replace("walk ", "walking ")),
        ("Pengiuns and PENGIUNS, or pengiuns!", "Penguins and PENGUINS, or penguins!"),
        ("starwars", "star wars"),
        ("pen guins", "penguins"),
        ("pen-guins", "penguins"),
        ("amelei in psris", "amelie in paris"),
        ("thier planet", "their planet"),
        ("hobit and dwarfs want treasure", "hobbit and dwarfs want treasure"),
        ("пингвимы", "пингвины"),
        ("🐧 pengiun 🐧", "🐧 penguin 🐧"),
    ],
)
def test_misspelt_words_become_the_catalogues(zoo: Workspace, written: str, meant: str) -> None:
    assert spelled(zoo, written) == meant


@pytest.mark.parametrize(
    "text",
    [
        "penguins walking across Antarctica",
        "penguin",  # one of the catalogue's, though "penguins" is more frequent
        "cute weird variety",  # in no document, and words all the same
        "snowstorm unwrapped cartoonish riverbank",  # made of words
        "dont cant wont",
        "2001 80s r2d2 3pengiuns",
        "qqqqq zxcvbn",
        "xy",
        "",
        "🙂 …!",
        "企鹅 ペンギン",
    ],
)
def test_what_is_a_word_or_near_to_none_stays(zoo: Workspace, text: str) -> None:
    assert spelled(zoo, text) == text
    assert zoo.drain()[2] == {"by_rule": True, "provider": None, "model": None, "changed": []}


def test_the_facts_say_what_was_changed_once_each(zoo: Workspace) -> None:
    Spell()(Query("pengiuns, pengiuns on starwars"), zoo)
    assert zoo.drain()[2]["changed"] == [["pengiuns", "penguins"], ["starwars", "star wars"]]


def test_other_languages_are_left_alone_and_that_is_said(zoo: Workspace) -> None:
    text = "una película de los pengiunos en la Antártida"
    assert spelled(zoo, text) == text
    assert "English" in zoo.drain()[0][0]
    assert is_english("La La Land") and is_english("das boot and the u-boat war")
    assert not is_english("dos hermanos pobres tienen que compartir un solo par de zapatos")


def test_the_rest_of_the_request_decides_between_near_words(films: Workspace) -> None:
    index, stop = films.index, stopwords()
    near = {n.word: n for n in Nearby(index, stop, 2).to("hobit")}
    assert near["habit"].distance == near["hobbit"].distance == 1
    assert spelled(films, "hobit and dwarfs steal a dragon's treasure").startswith("hobbit")


def test_the_lesson_of_the_penguins(films: Workspace) -> None:
    """design.md, lesson 4: keyword none → 1st, fused → 1st."""
    plan = Plan(retrieve=(BM25(), Chunks()), fuse=RRF(), enhance=None)
    march = films.corpus.titled("March of the Penguins")[0]
    before = run(plan, Query(PENGUINS), films)
    assert before.lists[0].output.place(march) is None and before.final.place(march) != 1
    after = run(Plan(retrieve=plan.retrieve, fuse=RRF(), enhance=Spell()), Query(PENGUINS), films)
    assert [step.output.place(march) for step in after.rankings] == [1, 1, 1]
    assert ["pengiuns", "penguins"] in after.steps[0].facts["changed"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_known_words_are_never_changed_and_twice_is_once(films: Workspace, seed: int) -> None:
    rng = random.Random(seed)
    words = films.index.surfaces
    chosen = [words[rng.randrange(len(words))] for _ in range(4)] + rng.sample(sorted(stopwords()), 2)
    broken = []
    for word in chosen:
        at = rng.randrange(len(word))
        broken += [word, word[:at] + rng.choice("abcdefghijklmnop") + word[at + 1 :]] if rng.random() < 0.5 else [word]
    text = " ".join(broken)
    once = spelled(films, text)
    assert spelled(films, once) == once
    films.drain()
    Spell()(Query(text), films)
    for written, _ in films.drain()[2]["changed"]:
        unknown = [w for w in tokens(written) if w not in stopwords() and films.index.term_of(w) is None]
        assert unknown, written  # of two words that were joined one was in no document
    unchanged = [w for w in tokens(text) if w in stopwords() or films.index.term_of(w) is not None]
    lost = set(unchanged) - set(tokens(once))
    assert all(any(w in tokens(old) for old, _ in differing(text, once) if " " in old) for w in lost)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=60))
def test_any_text_gives_a_text_and_twice_is_once(zoo: Workspace, text: str) -> None:
    once = spelled(zoo, text)
    assert spelled(zoo, once) == once


def test_more_unknown_words_than_are_looked_at(zoo: Workspace) -> None:
    many = " ".join(f"qqq{chr(97 + i % 26)}{chr(97 + i // 26)}zz" for i in range(correct.LOOKED_AT + 5))
    assert spelled(zoo, many) == many
    assert f"only the first {correct.LOOKED_AT}" in zoo.drain()[0][0]


def test_a_long_request_takes_no_longer_for_its_repeats(zoo: Workspace) -> None:
    assert spelled(zoo, "pengiuns swim " * 5000) == "penguins swim " * 5000


def test_without_the_encoders_words_it_is_said(zoo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ArtefactError("the weights were found nowhere")

    monkeypatch.setattr("strata.encoders.weights.find", missing)
    assert spelled(zoo, "pengiuns") == "penguins"
    assert "no list of English words" in zoo.drain()[0][0]


def test_the_encoders_words_are_words(films: Workspace) -> None:
    known = encoder_words(films)
    assert len(known) > 20_000 and {"cute", "weird"} <= known and "pengiuns" not in known
    assert all(len(word) > 2 and word.isalpha() for word in known)


@pytest.mark.parametrize("word", ["hogs", "orcas", "weirdly", "chasing", "hopping", "rewatch", "lockdown", "plotless"])
def test_words_made_of_words(films: Workspace, word: str) -> None:
    assert is_word(
        word, films.index, frozenset({"hog", "orca", "weird", "chase", "hop", "watch", "lock", "down", "plot"})
    )


@pytest.mark.parametrize("word", ["penguinss", "chaseing", "hopp", "acrosed", "boxxxed", "unhop"])
def test_misspellings_that_look_made(zoo: Workspace, word: str) -> None:
    assert not is_word(word, zoo.index, frozenset({"penguins", "chase", "hop", "box"}))


def test_how_far_a_word_may_be() -> None:
    assert [most_edits("x" * n, 2) for n in (1, 2, 3, 5, 6, 20)] == [0, 0, 1, 1, 2, 2]
    assert most_edits("xxxxxxxx", 1) == 1
    assert skeleton("emporer") == skeleton("emperor") == "mpr"


def test_three_letters_are_only_exchanged(zoo: Workspace) -> None:
    near = {n.word: n for n in Nearby(zoo.index, stopwords(), 2).to("teh")}
    assert enough("teh", near["the"]) and not enough("thf", near["the"])
    assert spelled(zoo, "teh hobbit") == "the hobbit"


def test_near_words_are_the_brute_force_ones(zoo: Workspace) -> None:
    """Against a plain optimal string alignment distance, over every word of the catalogue and the stop list."""
    words = [zoo.index.surfaces[i] for i in range(len(zoo.index.surfaces))]
    for wrong in ("pengiuns", "antartica", "waitres", "hobit", "planef"):
        found = {(n.word, n.distance) for n in Nearby(zoo.index, stopwords(), 2).to(wrong)}
        most = most_edits(wrong, 2)
        wanted = {(w, osa(wrong, w)) for w in words if osa(wrong, w) <= most}
        wanted |= {(w, 1) for w in stopwords() if osa(wrong, w) == 1}
        assert found == wanted


def osa(a: str, b: str) -> int:
    row = [list(range(len(b) + 1))] + [[i + 1] + [0] * len(b) for i in range(len(a))]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            row[i][j] = min(row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                row[i][j] = min(row[i][j], row[i - 2][j - 2] + 1)
    return row[-1][-1]


def test_one_edit_at_most_when_asked(zoo: Workspace) -> None:
    assert Spell(1)(Query("antarticaa"), zoo).text == "antarticaa"
    assert Spell(2)(Query("antarticaa"), zoo).text == "antarctica"
    for wrong in (0, 3):
        with pytest.raises(UsageError):
            Spell(wrong)


def test_an_empty_catalogue_has_nothing_to_correct_to(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    ws = workspace(catalogue({"id": 1, "title": "", "description": ""}))
    assert spelled(ws, "pengiuns") == "pengiuns"


def test_words_of_a_length_are_those_of_the_list(films: Workspace) -> None:
    words = list(films.index.surfaces)
    assert films.index.surfaces.sized(5, 6) == [w for w in words if 5 <= len(w.encode()) <= 6]
    assert films.index.surfaces.sized(900, 1000) == []


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("a b c", "a x c", [["b", "x"]]),
        ("star-wars, now", "starwars, now", [["star wars", "starwars"]]),
        ("a b", "a b", []),
        ("one", "one more", [["", "more"]]),
        ("one two", "two", [["one", ""]]),
    ],
)
def test_differing_words(before: str, after: str, wanted: list[list[str]]) -> None:
    assert differing(before, after) == wanted


def test_stored_words_stay_folded(films: Workspace) -> None:
    assert vocabulary.CONTRACTED.isdisjoint({"don't"}) and all(spans(w)[0][2] == w for w in vocabulary.CONTRACTED)
