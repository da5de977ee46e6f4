"""Conditions on a catalogue's own fields: `year>=1990`, `genres=Comedy`, `language!=English`, `text!~shark`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from strata.core.analysis import Stemmer, fold, tokens
from strata.core.types import Document
from strata.errors import UsageError

ALIKE = 3
"""Letters that Porter's stemmer never changes at the beginning of a word, unless the word is shorter."""
_FORM = re.compile(r"([\w.-]+)\s*(>=|<=|!=|!~|~|=|>|<)\s*(\S.*)")


@dataclass(frozen=True)
class Condition:
    """field, operator and value as written. Text is compared folded, numbers as numbers; a list field matches by any of
    its items. ~ and !~ ask whether a text holds a word, in any of its forms (shark, sharks); the field "text" is the
    title with it."""

    field: str
    operator: str
    value: str

    def holds(self, document: Document) -> bool:
        """Whether a document meets it. A document without the field meets only `!=` and `!~`."""
        if self.operator in ("~", "!~"):
            return self._said_in(document) == (self.operator == "~")
        values = self._values(document)
        if self.operator in ("=", "!="):
            return any(map(self._is, values)) == (self.operator == "=")
        bound = float(self.value)
        return any(_ordered(number, self.operator, bound) for number in map(_number, values) if number is not None)

    def _values(self, document: Document) -> list[Any]:
        given = document.title if self.field == "title" else document.fields.get(self.field)
        return [value for value in (given if isinstance(given, list) else [given]) if value is not None]

    def _is(self, value: Any) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return fold(str(value)) == fold(self.value) or (number and _number(self.value) == value)

    def _said_in(self, document: Document) -> bool:
        """Whether all words of the value stand in the field."""
        texts = [document.title, document.text] if self.field == "text" else map(str, self._values(document))
        words = tokens("\n".join(texts))
        return all(_says(words, wanted) for wanted in tokens(self.value))


def _says(words: Sequence[str], wanted: str) -> bool:
    """Whether one of the words is a form of the one that is wanted. Only words that begin alike are stemmed."""
    alike = [word for word in words if word[:ALIKE] == wanted[:ALIKE]]
    stem = _stemmer()
    return wanted in alike or (bool(alike) and stem(wanted) in map(stem, alike))


@cache
def _stemmer() -> Stemmer:
    return Stemmer()


def _number(value: Any) -> float | None:
    if isinstance(value, int):
        return value  # as it is: one of hundreds of digits fits no float
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _ordered(value: float, operator: str, bound: float) -> bool:
    if operator in (">=", ">"):
        return value > bound or (operator == ">=" and value == bound)
    return value < bound or (operator == "<=" and value == bound)


def parse(text: str) -> Condition:
    """A condition from FIELD=VALUE, FIELD!=VALUE, or FIELD>=N and its like."""
    match = _FORM.fullmatch(text.strip())
    if not match:
        raise UsageError(f'"{text}" is no condition', "write FIELD=VALUE or FIELD>=NUMBER, e.g. year>=1990")
    condition = Condition(*match.groups())
    if condition.field == "text" and condition.operator not in ("~", "!~"):
        raise UsageError(f'"{text}" would compare whole texts', f"ask for a word: text~{condition.value}")
    bound = _number(condition.value)
    if condition.operator not in ("=", "!=", "~", "!~") and (bound is None or not math.isfinite(bound)):
        raise UsageError(f'"{condition.value}" in "{text}" is not a number', "use = to compare text")
    return condition


def allowed(documents: Iterable[Document], conditions: Sequence[Condition], known: set[str]) -> np.ndarray:
    """bool[N]: which documents meet all conditions. UsageError for a field that no document has."""
    kept, fields = [], set(known)
    for document in documents:
        fields.update(document.fields)
        kept.append(all(condition.holds(document) for condition in conditions))
    for condition in conditions:
        if condition.field not in fields:
            raise UsageError(f'no document has a field "{condition.field}"', f"fields: {', '.join(sorted(fields))}")
    return np.array(kept, dtype=bool)
