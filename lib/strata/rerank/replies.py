"""What language models reply when they rank and grade, taken apart and repaired by rule. Nothing here asks a model.

Candidates are shown under the numbers 1 … n, in the order of the list. A number is an int, a whole float (2.0 is 2) or
a string of digits. A number that was not shown is left out and counted; one that comes again counts where it came
first; candidates that are not named keep their order behind the others. A reply without one number that was shown is
a BadReply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from strata.errors import BadReply
from strata.printable import one_line

LONGEST_WHY = 120
_NEXT = "try again, or another model with --llm-model"


@dataclass(frozen=True)
class Ordered:
    """order: all places 0 … n−1, the named ones first, `named` of them. why: place → a line. unknown: entries that
    name nothing that was shown; repeated: those that came again."""

    order: tuple[int, ...]
    named: int
    why: dict[int, str]
    unknown: int
    repeated: int


@dataclass(frozen=True)
class Graded:
    """grades: place → (grade, why). unknown: entries that name nothing that was shown, or have no grade in range."""

    grades: dict[int, tuple[int, str]]
    unknown: int
    repeated: int


def ordered(value: Any, n: int) -> Ordered:
    """The order in a reply's JSON value: {"ranking": [{"id", "why"}, …]}, or a list of such entries or of ids."""
    order: dict[int, str] = {}
    unknown = repeated = 0
    for entry in _entries(value, "ranking"):
        place = _place(entry, n)
        if place is None:
            unknown += 1
        elif place in order:
            repeated += 1
        else:
            order[place] = _why(entry)
    if not order:
        raise BadReply("the reply names none of the documents", _NEXT)
    rest = (place for place in range(n) if place not in order)
    return Ordered((*order, *rest), len(order), {p: why for p, why in order.items() if why}, unknown, repeated)


def graded(value: Any, n: int, most: int) -> Graded:
    """The grades in a reply's JSON value: {"grades": [{"id", "grade", "why"}, …]}, or a list of such entries."""
    grades: dict[int, tuple[int, str]] = {}
    unknown = repeated = 0
    for entry in _entries(value, "grades"):
        place = _place(entry, n)
        grade = _number(entry.get("grade")) if isinstance(entry, dict) else None
        if place is None or grade is None or not grade.is_integer() or not 0 <= grade <= most:
            unknown += 1
        elif place in grades:
            repeated += 1
        else:
            grades[place] = int(grade), _why(entry)
    if not grades:
        raise BadReply("the reply grades none of the documents", _NEXT)
    return Graded(grades, unknown, repeated)


def grade(value: Any, most: int) -> tuple[float, str]:
    """(score, why) in a reply's JSON value: {"score", "why"}, or the bare score, from 0 to `most`."""
    score = _number(value.get("score") if isinstance(value, dict) else value)
    if score is None or not 0 <= score <= most:
        raise BadReply(f"the reply has no score from 0 to {most}", _NEXT)
    return score, _why(value)


def _entries(value: Any, name: str) -> Iterator[Any]:
    """The list in a value: the value itself, what is called `name`, or the only list in an object."""
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
        value = value[name] if isinstance(value.get(name), list) else lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        raise BadReply("the reply holds no list of documents", _NEXT)
    yield from value


def _place(entry: Any, n: int) -> int | None:
    number = _number(entry.get("id") if isinstance(entry, dict) else entry)
    return int(number) - 1 if number is not None and number.is_integer() and 1 <= number <= n else None


def _number(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value, re.ASCII):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        return None
    return float(value)


def _why(entry: Any) -> str:
    why = entry.get("why") if isinstance(entry, dict) else None
    return one_line(why, LONGEST_WHY) if isinstance(why, str) else ""
