"""What a request means, by rule: spelling beside the original, conditions for what is ruled out, long posts."""

from __future__ import annotations

from typing import Any

import pytest

from strata.core.filters import parse
from strata.core.types import Document, Query
from strata.enhance.understand import Understand
from strata.errors import UsageError
from strata.pipeline.plan import layer_to_dict
from strata.pipeline.workspace import Workspace


def understood(text: str, ws: Workspace, **settings: Any) -> Query:
    return Understand(**settings)(Query(text), ws)


def test_a_correction_stands_beside_what_was_written(films: Workspace) -> None:
    q = understood("pengiuns walking across antarctica", films)
    assert q.text.startswith("penguins walking") and q.variants == ("pengiuns walking across antarctica",)


@pytest.mark.parametrize("text", ["cute british bear", "wes anderson", "zombie apocalypse", "Up", "her"])
def test_a_word_that_exists_is_never_changed(films: Workspace, text: str) -> None:
    assert understood(text, films) == Query(text)


@pytest.mark.parametrize(
    ("text", "kept", "where", "without"),
    [
        ("films like Jaws, but not about a shark", "films like Jaws", ("text!~shark",), ["Jaws"]),
        ("fairy-tale princess film, but not animated", "fairy-tale princess film", ("genres!=Animation",), []),
        ("a horror film without sharks", "a horror film", ("text!~sharks",), []),
        ("something like Alien", "something like Alien", (), ["Alien"]),
        ("romantic comedy, not about love", "romantic comedy", (), []),
    ],
)
def test_what_is_ruled_out_leaves_the_words_and_becomes_a_condition(
    films: Workspace, text: str, kept: str, where: tuple[str, ...], without: list[str]
) -> None:
    q = understood(text, films)
    assert (q.text, q.where) == (kept, where)
    assert [films.corpus.title(doc) for doc in sorted(q.exclude)] == without


def test_no_year_becomes_a_condition(films: Workspace) -> None:
    q = understood("a spy film from the 1960s", films)
    assert not q.where and "1960s" in q.text


def test_another_language_is_left_alone(films: Workspace) -> None:
    text = "una cantante se esconde en un convento sin monjas"
    assert understood(text, films) == Query(text)


def test_a_long_post_is_searched_by_its_sentences_too(films: Workspace) -> None:
    post = (
        "A bear from Peru comes to live with a family in London. He loves marmalade sandwiches more than anything. "
        "I think a woman wanted to stuff him for a museum."
    )
    q = understood(post, films, long=20)
    assert len(q.variants) == 3 and "marmalade" in q.variants[1]
    assert not understood(post, films).variants


def test_it_says_what_it_did(films: Workspace) -> None:
    films.drain()
    understood("films like Jaws, but not about a sharkk", films)
    facts = films.drain()[2]
    assert facts["by_rule"] and facts["left_out"] == ["(273) Jaws (1975)"] and facts["changed"] == [["sharkk", "shark"]]


@pytest.mark.parametrize("settings", [{"edits": 3}, {"long": -1}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Understand(**settings)


def test_it_is_a_layer_of_plans() -> None:
    assert layer_to_dict(Understand()) == {"layer": "understand", "edits": 2, "long": 0}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("text~shark", True), ("text~sharks", True), ("text!~shark", False), ("text~SHARK", True), ("text~fox", False),
        ("text~jaws", True), ("genres~thrillers", True), ("genres!~comedy", True), ("nosuch!~x", True),
    ],
)  # fmt: skip
def test_a_condition_may_ask_for_a_word_in_any_form(condition: str, holds: bool) -> None:
    document = Document(1, "Jaws", "Two sharks off a beach.", {"genres": ["Thriller"]})
    assert parse(condition).holds(document) is holds
