"""What language models reply when they rank and grade: taken apart, repaired, counted."""

from __future__ import annotations

import contextlib
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.errors import BadReply
from strata.llm.parsing import json_value
from strata.printable import one_line
from strata.rerank.replies import LONGEST_WHY, grade, graded, ordered

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
    | st.sampled_from(["1", "2", " 3 ", "²", "３", "1e3", "-1"]),
    lambda inner: st.lists(inner, max_size=6)
    | st.dictionaries(st.sampled_from(["ranking", "grades", "id", "why", "grade", "score", "x"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
"""Anything that a model may write, much of it near what was asked for."""


@pytest.mark.parametrize(
    ("value", "order", "unknown", "repeated", "named"),
    [
        ([3, "1", 99, 3, 2.0], (2, 0, 1), 1, 1, 3),
        ([3, 1], (2, 0, 1), 0, 0, 2),
        ({"ranking": [{"id": 2, "why": "x"}, {"id": "3"}]}, (1, 2, 0), 0, 0, 2),
        ({"order": ["2"]}, (1, 0, 2), 0, 0, 1),
        ({"notes": "fine", "ranking": [1], "others": [2, 3]}, (0, 1, 2), 0, 0, 1),
        ([1, True, None, [2], {"id": None}, "two", 2.5, -1, 0, 4, 10**400, "9" * 400, "²", "３"], (0, 1, 2), 13, 0, 1),
        ([" 3 ", 3, "03", 3.0], (2, 0, 1), 0, 3, 1),
    ],
)
def test_an_order_is_repaired(value: Any, order: tuple[int, ...], unknown: int, repeated: int, named: int) -> None:
    """cases.md 52: whole numbers and strings of digits once, what is unknown ignored and counted, the rest appended."""
    found = ordered(value, 3)
    assert (found.order, found.unknown, found.repeated, found.named) == (order, unknown, repeated, named)


@pytest.mark.parametrize(
    "value", [[], {}, {"ranking": []}, [99, "none"], "3, 1", 3, None, {"a": [1], "b": [2]}, {"ranking": {"1": 2}}]
)
def test_a_reply_that_names_nothing_is_a_bad_reply(value: Any) -> None:
    with pytest.raises(BadReply):
        ordered(value, 3)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("```json\n[3, 1]\n```", (2, 0, 1)),
        ('Here is my ranking:\n```\n{"ranking": [{"id": 2}]}\n```\nI hope it helps.', (1, 0, 2)),
        ("<think>1 or 3?</think> [3]", (2, 0, 1)),
    ],
)
def test_the_one_value_is_taken_out_of_fences_and_prose(text: str, order: tuple[int, ...]) -> None:
    """cases.md 50."""
    assert ordered(json_value(text), 3).order == order


@pytest.mark.parametrize("text", ["None is relevant.", "Doc: 5, because it is about bears", "[1, 2] or rather [2, 1]"])
def test_prose_and_two_answers_are_bad_replies(text: str) -> None:
    """cases.md 49 and 50."""
    with pytest.raises(BadReply):
        ordered(json_value(text), 3)


@given(JSON, st.integers(0, 8))
def test_any_value_gives_a_permutation_of_the_candidates_with_counted_facts_or_a_bad_reply(value: Any, n: int) -> None:
    try:
        found = ordered(value, n)
    except BadReply:
        return
    assert sorted(found.order) == list(range(n))
    assert 1 <= found.named <= n and set(found.why) <= set(found.order[: found.named])
    assert list(found.order[found.named :]) == sorted(found.order[found.named :]), "the rest keeps its order"
    lists = [value] if isinstance(value, list) else [one for one in value.values() if isinstance(one, list)]
    assert found.named + found.unknown + found.repeated in {len(one) for one in lists}, "every entry is counted once"


@given(st.text() | JSON.map(json.dumps), st.integers(1, 8))
def test_any_text_gives_a_permutation_or_a_bad_reply(text: str, n: int) -> None:
    try:
        assert sorted(ordered(json_value(text), n).order) == list(range(n))
    except BadReply as error:
        assert "\n" not in error.message


@given(JSON, st.integers(0, 8))
def test_any_value_gives_grades_in_range_or_a_bad_reply(value: Any, n: int) -> None:
    try:
        found = graded(value, n, 3)
    except BadReply:
        return
    assert found.grades and all(0 <= place < n and 0 <= g <= 3 for place, (g, _) in found.grades.items())


def test_grades_are_repaired() -> None:
    entries = [
        {"id": 1, "grade": 3, "why": "it\nis"}, {"id": "2", "grade": "0"}, {"id": 2, "grade": 1}, {"id": 3, "grade": 4},
        {"id": 9, "grade": 1}, {"id": 3, "grade": 1.5}, {"id": 3, "grade": True}, {"id": 3}, 3,
    ]  # fmt: skip
    found = graded({"grades": entries}, 3, 3)
    assert found.grades == {0: (3, "it is"), 1: (0, "")}
    assert (found.unknown, found.repeated) == (6, 1)
    for value in ([], {"grades": [3]}, None, [{"id": 1}]):
        with pytest.raises(BadReply):
            graded(value, 3, 3)


@pytest.mark.parametrize(
    ("value", "score"), [({"score": 7, "why": "w"}, 7), ({"score": "10"}, 10), ({"score": 7.5}, 7.5), (4, 4), ("3", 3)]
)
def test_one_grade(value: Any, score: float) -> None:
    assert grade(value, 10)[0] == score


@pytest.mark.parametrize(
    "value", [{"score": 11}, {"score": -1}, {"score": True}, {"score": "7/10"}, {}, [7], None, "seven", float("nan")]
)
def test_no_grade(value: Any) -> None:
    with pytest.raises(BadReply, match="0 to 10"):
        grade(value, 10)


@given(JSON)
def test_any_value_gives_a_grade_in_range_or_a_bad_reply(value: Any) -> None:
    with contextlib.suppress(BadReply):
        assert 0 <= grade(value, 10)[0] <= 10


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  plain\n\n words\t", "plain words"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07 \x9b2Jgone", "red bell gone"),
        ("right\u202eto\u202cleft \u200bzero\ufeff\u2066", "righttoleft zero"),
        ("\x00\x1b", ""),
        ("漢字 é 🐻", "漢字 é 🐻"),
        ("\ud800half", "half"),
    ],
)
def test_a_why_is_one_line_that_moves_no_cursor(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text())
def test_a_why_is_short_and_holds_nothing_unseen(text: str) -> None:
    line = one_line(text, LONGEST_WHY)
    assert len(line) <= LONGEST_WHY and line == line.strip()
    assert not any(unicodedata.category(c).startswith("C") for c in line)
    assert one_line("x" * 500, LONGEST_WHY) == "x" * (LONGEST_WHY - 1) + "…"
