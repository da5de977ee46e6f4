"""Replies: one JSON value out of whatever wrapping, held against the schema; cases 49, 50, 52 of public reports."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.errors import BadReply
from strata.llm.parsing import checked, json_value, parse
from strata.llm.thinking import Spoken, visible

SCORE = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 10}, "why": {"type": "string"}},
    "required": ["score", "why"],
}
RANKING = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "integer"}}},
    "required": ["ids"],
}

GOOD = [
    '{"score": 7, "why": "x"}',
    '```json\n{"score": 7, "why": "x"}\n```',
    '```\n{"score": 7, "why": "x"}```',
    'Sure! Here is the JSON:\n\n{"score": 7, "why": "x"}\n\nLet me know.',
    'As [1] and [2] say: {"score": 7, "why": "x"}',
    'With {braces} in prose, {"score": 7, "why": "x"}',
    '<think>maybe {"score": 1, "why": "no"}?</think>{"score": 7, "why": "x"}',
    '\ufeff {"score": "7", "why": "x"}',
    '{"score": 7.0, "why": "x"}',
    '{"score": 7, "why": "x", "extra": [1]}',
]


@pytest.mark.parametrize("text", GOOD)
def test_a_value_is_found_in_its_wrapping(text: str) -> None:
    assert parse(text, SCORE) == {"score": 7, "why": "x"}


BAD = [
    ("None is relevant.", "no JSON"),
    ("Doc: 5, because it fits", "no JSON"),
    ("", "no JSON"),
    ('{"score": 7, "why": "x"} or {"score": 3, "why": "y"}', "2 JSON values"),
    ('{"score": 7, "why": "it is', "breaks off"),
    ('```json\n{"score": 7,\n', "breaks off"),
    ('{"score": 7 "why": "x"}', "malformed"),
    ("[1, 2]", "no JSON"),
    ('{"score": 7}', "lacks why"),
    ('{"score": 11, "why": "x"}', "not within 0 and 10"),
    ('{"score": -1, "why": "x"}', "not within"),
    ('{"score": 7.5, "why": "x"}', "7.5, not of type integer"),
    ('{"score": "high", "why": "x"}', "not of type integer"),
    ('{"score": true, "why": "x"}', "not of type integer"),
    ('{"score": null, "why": "x"}', "null, not of type integer"),
    ('{"score": 7, "why": ["x"]}', "why is"),
    ('{"score": NaN, "why": "x"}', "malformed"),
    ('{"score": 1e999, "why": "x"}', "not of type integer"),
    ('{"score": ' + "9" * 5000 + ', "why": "x"}', "malformed"),
    ('{"a": ' * 50_000, "malformed"),
]


@pytest.mark.parametrize(("text", "why"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_what_does_not_fit_is_a_bad_reply_that_says_why_and_holds_the_text(text: str, why: str) -> None:
    with pytest.raises(BadReply) as caught:
        parse(text, SCORE)
    assert why in caught.value.message
    assert caught.value.text == text
    assert caught.value.next_step


def test_a_list_may_be_what_is_asked_for() -> None:
    assert json_value("```json [3,1] ```") == [3, 1]
    assert json_value('{"no": 1} [3, 1]', "array") == [3, 1]
    with pytest.raises(BadReply, match="2 JSON values"):
        json_value("[3,1] [1,3]")


def test_ids_are_taken_as_numbers_and_digit_strings() -> None:
    assert parse('{"ids": [3, "1", 99, 3, 2.0]}', RANKING) == {"ids": [3, 1, 99, 3, 2]}
    either = {"type": ["integer", "string"]}
    assert [checked(value, either) for value in (3, "tt1", 2.0, "1")] == [3, "tt1", 2, "1"]


def test_a_place_that_does_not_fit_is_named() -> None:
    with pytest.raises(BadReply, match=r"ids, entry 2 is \"x\""):
        parse('{"ids": [1, "x"]}', RANKING)


def test_texts_that_look_like_numbers_stay_texts() -> None:
    """A film may be called 1917."""
    titles = {"type": "array", "items": {"type": "string"}}
    assert checked([1917, "300"], titles) == ["1917", "300"]


def test_one_of_several_words_is_held_to_them() -> None:
    assert checked("b", {"type": "string", "enum": ["a", "b"]}) == "b"
    with pytest.raises(BadReply, match="not one of a, b"):
        checked("c", {"type": "string", "enum": ["a", "b"]})


def test_null_stands_where_it_may() -> None:
    assert checked(None, {"type": ["integer", "null"]}) is None
    assert checked("1979", {"type": ["integer", "null"]}) == 1979


def test_thinking_aloud_is_not_part_of_a_reply() -> None:
    assert visible("<think>\nhm\n</think>\n\nYes.") == "Yes."
    assert visible("<think> never ends") == ""
    assert visible("I <think> so") == "I <think> so"


THOUGHTS = [
    ("The user wants X. Hmm, [2] maybe.\n</think>\n\nAnswer [1].", "Answer [1]."),
    ('I could say {"query": "a"} or so.\n</think>\n{"query": "b"}', '{"query": "b"}'),
    ('{"query": "a"} is a draft.</think>{"query": "b"}', '{"query": "b"}'),
    ('```json\n{"query": "a"}\n```\n</think>\nDone.', "Done."),
    ("</think>\nAt once.", "At once."),
    ("only thoughts</think>", ""),
]
ANSWERS = [
    '{"why": "it ends with </think> here"}', 'Sure: {"a": [{"b": "x </think> y"}]}', '[{"why": "a </think> b"}]',
    '```json\n{"why": "x </think>\n```', "```\n</think>\n```\nis the end of it", "The tag `</think>` ends it.",
]  # fmt: skip


@pytest.mark.parametrize(("text", "answer"), THOUGHTS)
def test_nor_is_it_where_the_tag_was_opened_in_the_prompt(text: str, answer: str) -> None:
    assert visible(text) == visible(answer) == answer
    pieces: list[str] = []
    spoken = Spoken(pieces.append, thinks=True)
    for letter in text:
        spoken(letter)
    spoken.close()
    if not answer.startswith("{"):  # what has a schema is not streamed
        assert "".join(pieces) == answer


@pytest.mark.parametrize("text", ANSWERS)
def test_a_tag_within_the_answer_ends_no_thinking(text: str) -> None:
    assert visible(text) == text


def test_a_model_known_to_think_that_did_not_is_shown_at_the_end() -> None:
    pieces: list[str] = []
    spoken = Spoken(pieces.append, thinks=True)
    spoken("The answer ")
    assert pieces == []
    spoken("is 7.")
    spoken.close()
    assert pieces == ["The answer is 7."]


def test_many_brackets_before_a_tag_are_soon_read() -> None:
    begun = time.monotonic()
    visible('[{"' * 200_000 + "</think>x")
    assert time.monotonic() - begun < 2


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_any_object_in_a_fence_is_read_back(value: dict[str, Any]) -> None:
    assert json_value(f"Here:\n```json\n{json.dumps(value)}\n```\nDone.") == value


@given(st.text())
def test_any_text_is_a_value_or_a_bad_reply(text: str) -> None:
    try:
        parse(text, SCORE)
    except BadReply as error:
        assert error.text == text
