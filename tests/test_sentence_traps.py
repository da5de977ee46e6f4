"""Sentences: the traps of real plots by hand, and what holds for any text by property."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.semantic.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Strange meets Mr. Doctor.", "They fight."],
        ["He moved to the U.S. Army base.", "Nobody came."],
        ["He moved to the U.S.", "The film begins there."],
        ["It was written by J. R. R. Tolkien.", "He smoked."],
        ["It was written by J.R.R. Tolkien.", "He smoked."],
        ["She watches Se7en.", "It rains."],
        ["He waits…", "Then he leaves."],
        ["He waits... and leaves.", "So does she."],
        ['"Stop."', "He left."],
        ["“Stop!”", "(He left.)", "[So did she.]"],
        ['"Stop!" he said.', "She did."],
        ["Really?!", "Yes.", "No!!!"],
        ["It scored 3.5 of 5.", "That is much."],
        ["He is No. 5.", "She is no. 6 of the list."],
        ["He said no.", "She left."],
        ["It is I.", "He opened."],
        ["One ends.", "Two has no stop"],
        ["all in lower case.", "it still ends.", "dr. no stays whole."],
        ["In 1999.", "2 years later."],
        ["Monsters, Inc. Store.", "At 5 p.m. Friday it closes."],
        ["He works for Monsters, Inc.", "He hates it."],
        ["他走了。", "她留下了！", "为什么？", "「好。」", "完"],
        ["¿Quién es?", "¡Nadie!", "Él se fue."],
    ],
)
def test_a_text_is_cut_where_a_reader_would_cut_it(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


def test_chinese_sentences_need_no_space_between_them() -> None:
    assert split("他走了。她留下了！") == ["他走了。", "她留下了！"]


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    assert split("A title\n\nThe story goes\non here. It ends.") == ["A title", "The story goes\non here.", "It ends."]


def test_a_stop_at_a_line_break_ends_a_sentence() -> None:
    assert split("One.\nTwo.\r\nThree.") == ["One.", "Two.", "Three."]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \n"])
def test_a_text_without_characters_has_no_sentences(text: str) -> None:
    assert sentence_spans(text) == []


@pytest.mark.parametrize("text", ["." * 200_000 + "x", "\n" + " " * 200_000 + "x", "a. " * 50_000, '."' * 50_000 + "x"])
def test_a_text_made_to_be_slow_is_read_once(text: str) -> None:
    """Time is not asserted: a quadratic reading would take minutes here, which nobody would miss."""
    assert "".join(split(text)).replace(" ", "") == text.strip().replace(" ", "")


tricky = st.text(alphabet=st.sampled_from(list("aBé.!?…。！ \n\t\r\"')”(“5漢🎬\u2028\x1c")), max_size=80)


@given(st.one_of(st.text(max_size=120), tricky))
def test_spans_are_ordered_stripped_and_hold_every_character(text: str) -> None:
    spans = sentence_spans(text)
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
