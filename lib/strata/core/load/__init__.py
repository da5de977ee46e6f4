"""Reading catalogues: which loader fits a path, and what every loader's output must hold to.

A loader is `load(path) -> Iterator[Document]`, one file each, one row of the registry each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from strata import registry
from strata.core.load.clean import cleaned, escaped_twice
from strata.core.load.entry import IDS
from strata.core.load.text import opened, refuse_devices
from strata.core.types import Document
from strata.errors import DataError

LONGEST_LINE = 1 << 18
"""A first line of more characters, in a file not called .jsonl, is a whole catalogue rather than one document."""


def detect(path: Path) -> str:
    """The loader for a path: by its name where that says it, else by how the content begins."""
    if path.is_dir():
        if any((path / name).is_file() for name in ("corpus.jsonl", "corpus.jsonl.gz")):
            return "beir"
        raise DataError(f"{path} is a folder without corpus.jsonl", "a folder must be in BEIR layout; or name a file")
    if not path.exists():
        raise DataError(f"{path} does not exist", "check the path, or see the known catalogues: data_cli list")
    refuse_devices(path)
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if name.endswith((".csv", ".tsv")):
        return "csv"
    with opened(path) as file:
        first = ""
        while not first.strip() and (line := file.readline(LONGEST_LINE)):
            first = line
    first = first.strip()
    if not first:
        raise DataError(f"{path} is empty", f"a catalogue has one of these forms: {registry.names(registry.LOADERS)}")
    if first.startswith("["):
        return "lessons"
    if first.startswith("{"):
        return "jsonl" if _is_document(first) else "lessons"
    if any(delimiter in first for delimiter in ",;\t|"):
        return "csv"
    raise DataError(f"{path} is in no known form", f"known forms: {registry.names(registry.LOADERS)}")


def _is_document(line: str) -> bool:
    """Whether a line is one whole object that is a document, not an object that holds the list of them."""
    if len(line) >= LONGEST_LINE or not line.endswith("}"):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    movies = value.get("movies")
    if isinstance(movies, list) and any(isinstance(entry, dict) for entry in movies):
        return False  # whatever else it holds: a catalogue may have an id, too
    if any(name in value for name in IDS):
        return True
    return "movies" not in value and not any(isinstance(item, list) for item in value.values())


def load(path: Path, loader: str, note: Callable[[str], None]) -> Iterator[Document]:
    """All documents of a catalogue, put right and checked (see `checked`)."""
    return checked(registry.load(registry.LOADERS[loader])(path), path, note)


def checked(found: Iterable[Document], path: Path, note: Callable[[str], None]) -> Iterator[Document]:
    """Documents read from a path, put right (clean.py). DataError for a repeated id and for no document at all.

    Ids are compared as strings, so 4 and "4" are the same (and would be two keys of one dictionary).
    """
    first_seen: dict[str, int] = {}
    undone = 0
    for count, entry in enumerate(found, start=1):
        document = cleaned(entry, f"{path}, entry {count}")
        undone += escaped_twice(entry)
        key = str(document.id)
        if key in first_seen:
            raise DataError(
                f'{path}: entries {first_seen[key]} and {count} ("{document.title[:40]}") have the same id {key}',
                "ids are compared as strings and must be unique: change one of the two",
            )
        first_seen[key] = count
        yield document
    if not first_seen:
        raise DataError(f"{path} holds no document", "a catalogue needs at least one entry")
    if undone:
        note(f"{path.name}: letters escaped twice (\\u2019 as six characters) were undone in {undone} documents")
