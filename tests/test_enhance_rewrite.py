"""Rewriting by rule: filler goes, what is looked for stays."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strata.core.analysis import tokens
from strata.core.types import Query
from strata.enhance.filler import ANYWHERE, OPENING, tidy, without_filler
from strata.enhance.rewrite import Rewrite
from strata.pipeline.workspace import Workspace


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("I'm looking for a film about penguins", "penguins"),
        ("I’m looking for that one film where a man relives the same day", "a man relives the same day"),
        ("Can you please recommend a movie about sharks?", "sharks?"),
        ("hi there, does anyone know what that movie is about? a guy in a boat", "a guy in a boat"),
        ("So, what is the name of the movie where two hitmen talk about burgers?", "two hitmen talk about burgers?"),
        ("movies where somebody is stuck in 1993", "somebody is stuck in 1993"),
        ("a comedy, i think, that i saw years ago, with Bill Murray", "a comedy, with Bill Murray"),
        ("a horse dies, if I remember correctly, in a bog or something like that", "a horse dies, in a bog"),
        ("show me something about dragons, thanks", "dragons"),
        ("looking for a western, not animated, without sharks", "a western, not animated, without sharks"),
        ("a man who thanks to a therapist speaks", "a man who thanks to a therapist speaks"),
        ("an ill man in a mental ward", "an ill man in a mental ward"),
        ("cute british bear marmalade", "cute british bear marmalade"),
        ("The Show Must Go On", "The Show Must Go On"),
    ],
)
def test_filler_goes_and_the_rest_stays(films: Workspace, asked: str, kept: str) -> None:
    assert Rewrite()(Query(asked), films).text == kept
    assert bool(films.drain()[2]["dropped"]) == (asked != kept)


def test_the_facts_say_what_was_dropped(films: Workspace) -> None:
    Rewrite()(Query("please recommend me   a film about bears"), films)
    facts = films.drain()[2]
    assert facts == {
        "by_rule": True, "provider": None, "model": None, "dropped": ["please", "recommend me", "a film about"]
    }  # fmt: skip


@pytest.mark.parametrize("text", ["I'm looking for", "please!", "hi, can you recommend me a movie with"])
def test_nothing_but_filler_stays_and_is_announced(films: Workspace, text: str) -> None:
    assert Rewrite()(Query(text), films).text == text
    notices, _, facts = films.drain()
    assert "nothing but filler" in notices[0] and facts["dropped"] == []


@pytest.mark.parametrize("text", ["", "🙂", "  two   blanks  ", "una película sobre tiburones", "ペンギンの映画", "?!"])
def test_what_has_no_filler_stays_to_the_letter(films: Workspace, text: str) -> None:
    assert Rewrite()(Query(text), films).text == text
    assert films.drain()[0] == ()


def test_a_title_is_no_filler(films: Workspace) -> None:
    title = films.corpus.title(films.corpus.find("Some Like It Hot"))
    assert Rewrite()(Query(title), films).text == title
    position = films.corpus.titled("I, Robot") or films.corpus.titled("So I Married an Axe Murderer")
    assert position or without_filler("So I Married an Axe Murderer")[0] == "I Married an Axe Murderer"


PHRASES = [
    "i'm looking for",
    "a film about",
    "i think",
    "please",
    "bears",
    "not animated",
    "1994",
    "in Paris",
    ".",
    ",",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(PHRASES), max_size=8))
def test_content_survives_in_order_and_nothing_is_added(films: Workspace, parts: list[str]) -> None:
    text = " ".join(parts)
    out = Rewrite()(Query(text), films).text
    wanted = [w for p in parts if p in ("bears", "not animated", "1994", "in Paris") for w in tokens(p)]
    rest = iter(tokens(out))
    assert all(word in rest for word in wanted)
    assert set(tokens(out)) <= set(tokens(text))
    assert Rewrite()(Query(out), films).text == out


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_loses_nothing_but_what_is_said_to_be_dropped(text: str) -> None:
    kept, dropped = without_filler(text)
    assert len(tokens(kept)) + sum(len(tokens(d)) for d in dropped) == len(tokens(" ".join(text.split())))


@pytest.mark.parametrize(
    "text", ["hi " * 20_000, "i really " * 20_000, "the some any " * 10_000, " " * 200_000, "'" * 50_000]
)
def test_long_requests_end(films: Workspace, text: str) -> None:
    assert len(Rewrite()(Query(text), films).text) <= len(text)


def test_the_phrases_are_lower_case_and_single_blanked() -> None:
    assert all("  " not in phrase and "\\s" not in phrase for phrase in (*OPENING, *ANYWHERE))


def test_what_was_cut_leaves_no_trace() -> None:
    assert tidy(" , a  film ,, with sharks , but ") == "a film, with sharks"
    assert tidy("") == "" and tidy(" ,;: ") == ""
