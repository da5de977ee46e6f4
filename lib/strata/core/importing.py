"""Taking a catalogue in: checked as a whole, written in one form under a name, in place of the former or not at all.

What is kept is a folder: corpus.jsonl, origin.json, and for a folder in BEIR layout its queries and qrels, as they are.
Not here: merging a catalogue into another.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from strata import paths
from strata.core import load
from strata.core.catalogue import ORIGIN, as_path
from strata.core.golden import read_qrels, read_queries
from strata.core.types import Document
from strata.errors import UsageError
from strata.files import explained, put_in_place, write_atomically
from strata.settings import DEFAULT_DATASET


@dataclass(frozen=True)
class Imported:
    name: str
    documents: int
    folder: Path
    files: tuple[str, ...]


def bring_in(given: str, name: str | None, note: Callable[[str], None], *, replace: bool) -> Imported:
    """Import a file or BEIR folder. UsageError for a name that is taken, DataError for what cannot be read."""
    path = as_path(given)
    loader = load.detect(path)
    name = name or _name_for(path)
    if not re.fullmatch(r"\w[\w-]*", name) or name == DEFAULT_DATASET:
        raise UsageError(
            f'"{name}" cannot name a catalogue', f"use letters, digits, _ and -, and not {DEFAULT_DATASET}: --name NAME"
        )
    if (paths.imported_dir() / name).exists() and not replace:
        raise UsageError(
            f'a catalogue "{name}" is there already', "take it in place of the former with --replace, or use --name"
        )
    home = paths.imported_dir()
    temporary, folder = home / f".{name}.{uuid4().hex[:8]}.tmp", home / name
    with explained(folder):
        try:
            temporary.mkdir(parents=True)
            count = 0
            with (temporary / "corpus.jsonl").open("w", encoding="utf-8", newline="\n") as file:
                for document in load.load(path, loader, note):
                    file.write(_line(document) + "\n")
                    count += 1
            extra = _judgements(path, temporary) if loader == "beir" else ()
            origin = {
                "loader": "beir" if loader == "beir" else "jsonl",
                "from": path.name,
                "read_by": loader,
                "documents": count,
                "imported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
            write_atomically(temporary / ORIGIN, json.dumps(origin, indent=1).encode())
            put_in_place(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return Imported(name, count, folder, ("corpus.jsonl", *extra))


def _name_for(path: Path) -> str:
    stem = path.name if path.is_dir() else path.name.split(".")[0]
    return re.sub(r"[^\w-]+", "-", stem.lower()).strip("-")


def _line(document: Document) -> str:
    """A document as JSON lines hold it, under the names that a loader looks for first: it reads back equal."""
    entry = {**document.fields, "id": document.id, "title": document.title, "description": document.text}
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)


def _judgements(folder: Path, into: Path) -> tuple[str, ...]:
    """Check and copy queries and qrels, where the folder has them: a folder with a corpus alone is a catalogue too."""
    queries = [*folder.glob("queries.jsonl"), *folder.glob("queries.jsonl.gz")][:1]
    judged = sorted([*(folder / "qrels").glob("*.tsv"), *(folder / "qrels").glob("*.tsv.gz")])
    for path in queries:
        read_queries(path)
    for path in judged:
        read_qrels(path)
    names = [path.relative_to(folder) for path in (*queries, *judged)]
    for name in names:
        (into / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(folder / name, into / name)
    return tuple(name.as_posix() for name in names)
