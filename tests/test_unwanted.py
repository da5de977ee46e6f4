"""What a request rules out: lists, people, genres, titles that only sound so; nothing of it searched for or lost."""

from __future__ import annotations

import pytest

from strata.core.types import Document, Plan, Query
from strata.enhance.lookup import Lookup
from strata.enhance.parts import genre_named
from strata.enhance.rewrite import Rewrite
from strata.enhance.structure import Structure
from strata.enhance.understand import Understand
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace

ANIMATION, HORROR, WAR = "genres!=Animation", "genres!=Horror", "genres!=War"
SHARKS, ZOMBIES, VAMPIRES = "text!~sharks", "text!~zombies", "text!~vampires"
HANKS, CRUISE = "cast!=Tom Hanks", "cast!=Tom Cruise"
ANY = "any"


def understood(text: str, ws: Workspace) -> tuple[str, set[str], list[str]]:
    """(what is searched for, the conditions, the notices)."""
    ws.drain()
    q = Understand()(Query(text), ws)
    return q.text, set(q.where), list(ws.drain()[0])


@pytest.mark.parametrize(
    ("text", "kept", "where"),
    [
        ("a comedy excluding animation", "a comedy", {ANIMATION}),
        ("a comedy excluding horror and animation", "a comedy", {HORROR, ANIMATION}),
        ("a comedy excluding zombies and vampires", "a comedy", {ZOMBIES, VAMPIRES}),
        ("a comedy excluding horror, war and animation", "a comedy", {HORROR, WAR, ANIMATION}),
        ("a thriller (excluding horror, sharks, zombies)", "a thriller", {HORROR, SHARKS, ZOMBIES}),
        ("a comedy excluding animation, set in Paris", "a comedy, set in Paris", {ANIMATION}),
        ("family films, except cartoons and musicals", "family films", {ANIMATION, "genres!=Musical"}),
        ("funny films except for horror", "funny films", {HORROR}),
        ("a comedy, don't include horror or war films", "a comedy", {HORROR, WAR}),
        ("a comedy, I don't want animation or zombies", "a comedy", {ANIMATION, ZOMBIES}),
        ("a comedy, excluding romantic comedies and film noirs", "a comedy",
         {"genres!=Romantic Comedy", "genres!=Film Noir"}),
        ("a film without sharks or zombies", "a film", {SHARKS, ZOMBIES}),
        ("a film without sharks, zombies or vampires", "a film", {SHARKS, ZOMBIES, VAMPIRES}),
        ("a film without sharks, zombies, vampires", "a film", {SHARKS, ZOMBIES, VAMPIRES}),
        ("a film without sharks/zombies", "a film", {SHARKS, ZOMBIES}),
        ("a film with no sharks and no zombies", "a film", {SHARKS, ZOMBIES}),
        ("a film with neither sharks nor zombies", "a film", {SHARKS, ZOMBIES}),
        ("a comedy minus zombies and vampires", "a comedy", {ZOMBIES, VAMPIRES}),
        ("a comedy, not about sharks or films about zombies", "a comedy", {SHARKS, ZOMBIES}),
        ("a comedy, not animated or a war film", "a comedy", {ANIMATION, WAR}),
        ("something like Alien without sharks", "something like Alien", {SHARKS}),
        ("a thriller (no sharks or zombies)", "a thriller", {SHARKS, ZOMBIES}),
        ("a comedy, no sharks no zombies", "a comedy", {SHARKS, ZOMBIES}),
    ],
)  # fmt: skip
def test_each_thing_of_a_list_becomes_a_condition(films: Workspace, text: str, kept: str, where: set[str]) -> None:
    assert understood(text, films) == (kept, where, [])


@pytest.mark.parametrize(
    ("text", "kept", "where"),
    [
        ("no gore and lots of suspense", "lots of suspense", {"text!~gore"}),
        ("a war film with no romance, set in Paris", "a war film, set in Paris", {"genres!=Romance"}),
        ("a cartoon without sharks and with a dog", "a cartoon and with a dog", {SHARKS}),
        ("no horror, comedy please", "comedy", {HORROR}),
        ("not animated and funny", "funny", {ANIMATION}),
        ("a film without sharks and music by Vangelis", "a film and music by Vangelis", {SHARKS}),
    ],
)
def test_what_is_wanted_after_a_list_stays(films: Workspace, text: str, kept: str, where: set[str]) -> None:
    assert understood(text, films) == (kept, where, [])


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a comedy without Tom Cruise", {CRUISE}),
        ("a comedy without tom cruise or Tom Hanks", {CRUISE, HANKS}),
        ("a comedy excluding films with Tom Hanks", {HANKS}),
        ("a comedy, no films starring Tom Hanks or Will Smith", {HANKS, "cast!=Will Smith"}),
        ("a comedy not directed by Steven Spielberg", {"director!=Steven Spielberg"}),
        ("a comedy not by Spielberg", {"director!~Spielberg"}),
        ("a comedy, no Hanks", {"cast!~Hanks", "text!~Hanks"}),
    ],
)
def test_people_are_ruled_out(films: Workspace, text: str, where: set[str]) -> None:
    assert understood(text, films) == ("a comedy", where, [])


def test_what_is_ruled_out_is_not_found(films: Workspace) -> None:
    plan = Plan(retrieve=(BM25(),), enhance=Understand())
    found = run(plan, Query("a comedy excluding animation and Tom Hanks"), films).final.docs
    documents: list[Document] = [films.corpus.document(int(doc)) for doc in found]
    assert documents and any("Comedy" in one.fields["genres"] for one in documents)
    assert not any("Animation" in one.fields["genres"] or "Tom Hanks" in one.fields["cast"] for one in documents)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("exclude horror", {HORROR}),
        ("excluding zombies and vampires", {ZOMBIES, VAMPIRES}),
        ("no horror movies please", {HORROR}),
        ("without sharks or zombies", {SHARKS, ZOMBIES}),
        ("anything but horror", {HORROR}),
        ("nothing like Star Wars", set()),
        ("not Jaws", set()),
    ],
)
def test_a_request_that_only_rules_out_never_searches_for_that(films: Workspace, text: str, where: set[str]) -> None:
    kept, found, notices = understood(text, films)
    assert (kept, found) == (ANY, where)
    assert notices == ["the request only says what is not wanted: the order of the results says nothing"]


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        ("a comedy without love", '"love" is ruled out, but', "too many documents say it"),
        ("films without animals", '"animals" is ruled out, but', "too many documents say it"),
        ("a comedy without car chases", '"car chases" is ruled out, but', "or one word"),
        ("a comedy without sharks or werewolves", '"werewolves" is ruled out, but', "no document says it"),
        ("a comedy excluding the role of the press", '"role of the press" is ruled out, but', "or one word"),
        ("horror not from the 80s", '"from the 80s" is ruled out, but', "--where sets years"),
        ("a superhero film without superheroes", "Superhero is wanted as well", "not ruled out"),
        ("a man without memory", '"memory" is taken for what the story is without', "it stays"),
        ("a boy with no family", '"family" is taken for what the story is without', "it stays"),
    ],
)
def test_what_becomes_no_condition_is_told(films: Workspace, text: str, said: str, why: str) -> None:
    (notice,) = understood(text, films)[2]
    assert notice.startswith(said) and why in notice


def test_structure_tells_it_too(films: Workspace) -> None:
    films.drain()
    q = Structure()(Query("a comedy excluding sharks, Tom Hanks and animation"), films)
    (notice,) = films.drain()[0]
    assert q.where == (ANIMATION, HANKS) and q.text == "a comedy" and notice.startswith('"sharks" is ruled out, but')


@pytest.mark.parametrize(
    "text",
    [
        "a heist with no fewer than ten thieves", "no more than two people", "not only a thriller but a comedy",
        "not just a comedy", "a film not just about sharks", "not without humour", "a film if not funny then sad",
        "killed not by a stranger but a friend", "cartoon with next to no talking", "the lead is not John Hamm",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_stays(films: Workspace, text: str) -> None:
    assert understood(text, films) == (text, set(), [])


@pytest.mark.parametrize("layer", [Understand(), Structure(), Rewrite()])
@pytest.mark.parametrize(
    "text",
    [
        "No Country for Old Men", "no country for old men", "a western, No Country for Old Men or such",
        "no country for old men movie", "Love Actually", "love actually", "a wedding, Love Actually style",
    ],
)  # fmt: skip
def test_a_title_says_nothing_of_what_is_wanted(
    films: Workspace, layer: Understand | Structure | Rewrite, text: str
) -> None:
    q = layer(Query(text), films)
    assert (q.text, q.where, q.exclude) == (text, (), frozenset())


def test_no_title_of_the_catalogue_is_changed(films: Workspace) -> None:
    for doc in range(len(films.corpus)):
        title = films.corpus.title(doc)
        for text in (title, title.lower(), title.upper()):
            assert Understand()(Query(text), films) == Query(text)


def test_a_title_beside_a_condition_is_kept_whole(films: Workspace) -> None:
    assert understood("films like Love Actually but not animated", films) == (
        "films like Love Actually", {ANIMATION}, [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "genre"),
    [
        ("animals", None), ("animate", None), ("westerner", None), ("adventurer", None), ("mysterious", None),
        ("animated", "Animation"), ("animation", "Animation"), ("Animations", "Animation"), ("comedies", "Comedy"),
        ("westerns", "Western"), ("mysteries", "Mystery"), ("romantic comedies", "Romantic Comedy"),
        ("coming of age", "Coming-of-Age"), ("film noirs", "Film Noir"), ("sports", "Sports"), ("sport", "Sport"),
        ("spies", "Spy"), ("musicals", "Musical"), ("music", "Music"), ("cartoons", "Animation"),
    ],
)  # fmt: skip
def test_genres_are_known_by_their_words_not_by_their_stems(films: Workspace, words: str, genre: str | None) -> None:
    assert genre_named(words, Lookup(films.corpus, films.index)) == genre


def test_a_sentence_of_a_post_does_not_search_for_what_it_rules_out(films: Workspace) -> None:
    post = (
        "A bear from Peru comes to live with people in London. It steals marmalade from a museum kitchen; no zombies."
    )
    q = Understand(long=10)(Query(post), films)
    assert q.where == (ZOMBIES,) and len(q.variants) == 2 and not any("zombies" in text for text in q.texts)
