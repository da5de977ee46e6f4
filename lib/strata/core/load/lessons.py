"""The lessons' catalogue: {"movies": [{id, title, description}, …]}, one list under another name, or a bare list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from strata.core.load.entry import document
from strata.core.load.text import opened, parsed
from strata.core.types import Document
from strata.errors import DataError


def load(path: Path) -> Iterator[Document]:
    with opened(path) as file:
        text = file.read()
    if not text.strip():
        raise DataError(
            f"{path} is empty", 'a catalogue looks like {"movies": [{"id": 1, "title": …, "description": …}]}'
        )
    value = parsed(text, str(path))
    if isinstance(value, dict):
        lists = {name: item for name, item in value.items() if isinstance(item, list) and _entries(name, item)}
        filled = {name: item for name, item in lists.items() if item}
        lists = filled or lists  # "errors": [] is no second catalogue
        chosen = "movies" if "movies" in lists else next(iter(lists), None)
        if chosen is None or (len(lists) > 1 and chosen != "movies"):
            found = f"several lists ({', '.join(lists)})" if lists else "no list of entries"
            raise DataError(f"{path}: {found} in the object", 'put the entries under "movies"')
        value = lists[chosen]
    if not isinstance(value, list):
        raise DataError(f"{path}: expected an object or a list", 'put the entries under "movies"')
    for number, entry in enumerate(value, start=1):
        yield document(entry, f"{path}, entry {number}")


def _entries(name: str, items: list[Any]) -> bool:
    """Whether a list may be the catalogue: its name says so, or it holds objects, or nothing at all."""
    return name == "movies" or not items or any(isinstance(item, dict) for item in items)
