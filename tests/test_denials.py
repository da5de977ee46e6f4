"""What a sentence denies: its stretches, what each is about, and which of them speaks against a claim. By tables."""

from __future__ import annotations

import pytest

from strata.answer.contradiction import contrary
from strata.answer.polarity import denied, hedged, scopes, uncertain
from strata.core.analysis import Stemmer

STEM = Stemmer()


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("He doubts that so soft a creature is of use", ["He doubts that so soft a creature is of use"]),
        ("He does not believe that she sings", ["He does not believe that she sings"]),
        ("He does not know that she sings", ["He does not know", "that she sings"]),
        ("He buys a necklace that is not for her", ["He buys a necklace", "that is not for her"]),
        ("He cannot live without her", ["He cannot live without her"]),
        ("He sings without a rope", ["He sings", "without a rope"]),
        ("She walks rather than sings", ["She walks", "rather than sings"]),
        ("He eats nothing but steak", ["He eats nothing but steak"]),
    ],
)
def test_what_is_not_believed_is_denied_and_what_is_not_known_is_not(sentence: str, found: list[str]) -> None:
    assert scopes(sentence) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [("is not for his wife", {"wife"}), ("Nobody leaves the room", {"leaves"}), ("that talk cannot", {"that", "talk"}),
     ("doubts that so soft a creature is of use", {"so", "soft", "a", "creature", "is", "of", "use"}),
     ("without a word of dialogue he goes", {"word", "of", "dialogue"}), ("He sings.", set())],
)  # fmt: skip
def test_what_a_denial_is_about(text: str, words: set[str]) -> None:
    assert denied(text) >= words and (words or not denied(text))
    assert not denied(text) & {"room", "he", "his"}


@pytest.mark.parametrize(
    ("text", "clause", "open_"),
    [("a man falsely accused", "the man did it", True), ("he is not sure", "he is unsure", True),
     ("of no use", "a useless man", True), ("he forgot to pack it", "he forgot it", True),
     ("he sings", "he sits", False)],
)  # fmt: skip
def test_what_leaves_open_what_a_claim_says(text: str, clause: str, open_: bool) -> None:
    assert hedged(text, clause) is open_


def test_what_may_make_untrue_what_follows_it() -> None:
    assert all(map(uncertain, ("He doubts", "a man falsely", "He does not", "he denies")))
    assert not uncertain("") and not uncertain("He says")


NECKLACE = "A boss buys a necklace that is not for his wife, body doubles make shy small talk, and a clerk takes calls."
UNSURE = "Number Eight, an architect in a pale suit, is not sure, and thinks a life is worth an hour."
MURDERS = "Washington has had no murders for six years because three clairvoyants foresee them."


@pytest.mark.parametrize(
    ("said", "clause", "against"),
    [
        (NECKLACE, "The boss buys a necklace", ""),
        (NECKLACE, "The necklace is not for his wife", ""),
        (NECKLACE, "The boss buys a necklace for another woman instead of his wife", ""),
        (NECKLACE, "He buys a necklace for his wife", "that is not for his wife"),
        (NECKLACE, "The boss does not buy a necklace", "A boss buys a necklace"),
        (NECKLACE, "Body doubles never make small talk", "body doubles make shy small talk"),
        (UNSURE, "The architect is not sure", ""),
        (UNSURE, "The architect in a pale suit is not certain", ""),
        (UNSURE, "The architect is unsure", ""),
        (UNSURE, "The architect is sure of the guilt", "is not sure"),
        (UNSURE, "He is not an architect", "an architect in a pale suit"),
        (UNSURE, "He does not think a life is worth an hour", "and thinks a life is worth an hour."),
        (MURDERS, "Clairvoyants foresee the murders", ""),
        (MURDERS, "Washington had no murders for six years", ""),
        (MURDERS, "Washington had murders for six years", "Washington has had no murders for six years"),
        ("Smell, which no disguise can cover, gives them away.", "A disguise covers the smell",
         "which no disguise can cover"),
        ("Walks carry feelings that talk cannot", "Talk can carry feelings", "that talk cannot"),
        ("The soil rather than the jungle is poisoned.", "The soil is poisoned", ""),
        ("The soil rather than the jungle is poisoned.", "The jungle is poisoned",
         "rather than the jungle is poisoned."),
        ("Without a word a drunk reaches into a spittoon", "A drunk reaches into a spittoon", ""),
        ("A host who forgot to pack his pipe", "The host packs a pipe", "who forgot to pack his pipe"),
        ("A host who forgot to pack his pipe", "The host forgot his pipe", ""),
        ("A man falsely accused by a girl", "The man was accused by a girl", ""),
    ],
)  # fmt: skip
def test_the_stretch_of_a_sentence_that_speaks_against_a_clause(said: str, clause: str, against: str) -> None:
    assert contrary(clause, said, {"number", "eight", "washington"}, STEM) == against
