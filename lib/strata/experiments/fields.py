"""JSON that somebody may have edited, read field by field: what is not as it should be says where it stands."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from strata.core.types import DocId

DEEPEST = 60
"""Tables within tables; our own logs have about ten."""

LARGEST = 2**63
"""Counts are below it, as the numbers of a plan are."""


class Odd(ValueError):
    """What is wrong with a log, and where: "layers 2, hits 3: score is no number"."""


@dataclass(frozen=True)
class Fields:
    """A table of a log. where: its place, for messages."""

    data: dict[str, Any]
    where: str = ""

    def odd(self, what: str) -> NoReturn:
        raise Odd(f"{self.where}: {what}" if self.where else what)

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a missing one, or null, is the default where there is one."""
        value = self.data.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self.odd(f"{name} is no text")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        value = self.data.get(name)
        if value is None and default is not None:
            return default
        return as_number(value, self, name)

    def count(self, name: str, default: int | None = None) -> int:
        """A whole number from 0 up, of a size that something may be counted to."""
        value = self.data.get(name)
        if value is None and default is not None:
            return default
        if type(value) is not int or not 0 <= value < LARGEST:
            self.odd(f"{name} is no count")
        return value

    def flag(self, name: str) -> bool | None:
        value = self.data.get(name)
        if value is not None and not isinstance(value, bool):
            self.odd(f"{name} is neither true nor false")
        return value

    def id(self, name: str = "id") -> DocId:
        return self._id(self.data.get(name), name)

    def _id(self, value: Any, name: str) -> DocId:
        if isinstance(value, bool) or not isinstance(value, int | str):
            self.odd(f"{name} is no document's id")
        return value

    def table(self, name: str) -> Fields:
        """A table; an empty one where there is none."""
        value = self.data.get(name)
        if value is not None and not isinstance(value, dict):
            self.odd(f"{name} is no table")
        return Fields(value or {}, f"{self.where}, {name}" if self.where else name)

    def tables(self, name: str) -> list[Fields]:
        """A list of tables; none where there is no such list."""
        where = f"{self.where}, {name}" if self.where else name
        found = []
        for i, value in enumerate(self._list(name), start=1):
            if not isinstance(value, dict):
                self.odd(f"{name} {i} is no table")
            found.append(Fields(value, f"{where} {i}"))
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            self.odd(f"{name} holds what is no text")
        return tuple(values)

    def ids(self, name: str) -> tuple[DocId, ...]:
        return tuple(self._id(value, name) for value in self._list(name))

    def words(self, name: str) -> dict[str, str]:
        """A table of texts by name."""
        values = self.table(name).data
        if not all(isinstance(value, str) for value in values.values()):
            self.odd(f"{name} holds what is no text")
        return values

    def _list(self, name: str) -> list[Any]:
        value = self.data.get(name)
        if value is not None and not isinstance(value, list):
            self.odd(f"{name} is no list")
        return value or []


def as_number(value: Any, fields: Fields, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        fields.odd(f"{name} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        fields.odd(f"{name} is no number that a float holds")
    return number


def loaded(data: bytes) -> dict[str, Any]:
    """The table that a file holds; Odd for anything else. Its numbers are finite, its tables not nested endlessly."""
    try:
        found = json.loads(data, parse_constant=_constant, parse_float=_finite)
    except Odd:
        raise
    except (ValueError, RecursionError) as error:
        why = "is nested too deeply" if isinstance(error, RecursionError) else "is no JSON, or not all of it"
        raise Odd(why) from error
    if not isinstance(found, dict):
        raise Odd("is no table")
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _inside(value) if isinstance(inner, dict | list)]
        if not level:
            return found
    raise Odd("is nested too deeply")


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _constant(name: str) -> NoReturn:
    raise Odd(f"holds {name}, which is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Odd("holds a number that no float holds")
    return number
