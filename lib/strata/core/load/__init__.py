"""Reading catalogues: which loader fits a path, and what every loader checks.

A loader is `load(path) -> Iterator[Document]`, one file each, one row of the registry each.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from strata import registry
from strata.core.load.text import opened
from strata.core.types import Document
from strata.errors import DataError


def detect(path: Path) -> str:
    """The loader for a path: by what it is and how it begins, not by trust in its name."""
    if path.is_dir():
        if any((path / name).is_file() for name in ("corpus.jsonl", "corpus.jsonl.gz")):
            return "beir"
        raise DataError(f"{path} is a folder without corpus.jsonl", "a folder must be in BEIR layout; or name a file")
    if not path.exists():
        raise DataError(f"{path} does not exist", "check the path, or see the known catalogues: data_cli list")
    names = path.name.lower().removesuffix(".gz")
    if names.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if names.endswith((".csv", ".tsv")):
        return "csv"
    with opened(path) as file:
        start = file.read(4096).lstrip()
        rest_of_line = start.split("\n", 1)[0].rstrip()
    if start.startswith("["):
        return "lessons"
    if start.startswith("{"):
        # A JSON object that ends on its first line is the first of JSON lines; else one document for the whole file.
        return "jsonl" if rest_of_line.endswith("}") and ('"id"' in rest_of_line or '"_id"' in rest_of_line) and not (
            rest_of_line.startswith('{"movies"')
        ) else "lessons"  # fmt: skip
    if "," in rest_of_line or "\t" in rest_of_line or ";" in rest_of_line:
        return "csv"
    raise DataError(f"{path} is in no known form", f"known forms: {registry.names(registry.LOADERS)}")


def load(path: Path, loader: str) -> Iterator[Document]:
    """All documents of a catalogue, checked: ids are unique when compared as strings, and there is at least one."""
    first_seen: dict[str, int] = {}
    count = 0
    for count, document in enumerate(registry.load(registry.LOADERS[loader])(path), start=1):
        key = str(document.id)
        if key in first_seen:
            raise DataError(
                f'{path}: entries {first_seen[key]} and {count} ("{document.title[:40]}") have the same id {key}',
                "ids are compared as strings and must be unique",
            )
        first_seen[key] = count
        yield document
    if not count:
        raise DataError(f"{path} holds no document", "a catalogue needs at least one entry")
