"""The folder of a catalogue kept under a name: filled aside, then put in place as a whole, by one writer at a time.

A folder holds corpus.jsonl and origin.json. What a killed writer left behind is cleared away by the next one of that
name; nobody else is writing it then, as the name's lock is held.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from strata import paths
from strata.core.catalogue import ORIGIN
from strata.core.types import Document
from strata.errors import UsageError
from strata.files import explained, fsync, locked, put_in_place, write_atomically
from strata.settings import DEFAULT_DATASET

CORPUS = "corpus.jsonl"
LONGEST_NAME = 50
"""Letters, so that the names of temporary folders, which hold it, fit into 255 bytes in any script."""
DEVICES = ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
"""No file can be called so on Windows: a catalogue with such a name could never move there."""


@contextmanager
def keep(name: str, note: Callable[[str], None], *, replace: bool) -> Iterator[Path]:
    """An empty folder to fill. When the block ends well it is the catalogue of that name, else nothing has changed.

    UsageError for a name that cannot be one, or that is taken and not to be replaced.
    """
    if not re.fullmatch(r"\w[\w-]*", name) or len(name) > LONGEST_NAME or name.lower() in (DEFAULT_DATASET, *DEVICES):
        allowed = f"use letters, digits, _ and -, at most {LONGEST_NAME}"
        raise UsageError(
            f'"{name}" cannot name a catalogue',
            f"{allowed}, and neither {DEFAULT_DATASET} nor the name of a device on Windows (con, nul …): --name NAME",
        )
    home = paths.imported_dir()
    folder = home / name

    def waiting() -> None:
        note(f"another process is bringing in {name}: waiting for it")

    with locked(home / f".{name}.lock", waiting), explained(folder):
        _sweep(home, name)
        if folder.exists() and not replace:
            raise UsageError(
                f'a catalogue "{name}" is there already',
                "take it in place of the former with --replace, or bring it in under another name",
            )
        temporary = home / f".{name}.{uuid4().hex[:8]}.tmp"
        try:
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):  # before the former catalogue is gone
                fsync(file)
            put_in_place(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _sweep(home: Path, name: str) -> None:
    """Remove what killed writers of this name left. One killed between its two renames had moved the former aside:
    it goes back."""
    for former in home.glob(f".{name}.*.former.tmp"):
        if not (home / name).exists():
            former.rename(home / name)
    for left in home.glob(f".{name}.*.tmp"):
        shutil.rmtree(left, ignore_errors=True)


def write_corpus(folder: Path, documents: Iterable[Document]) -> int:
    """Write corpus.jsonl; returns how many documents it holds."""
    count = 0
    with (folder / CORPUS).open("w", encoding="utf-8", newline="\n") as file:
        for document in documents:
            file.write(_line(document) + "\n")
            count += 1
    return count


def write_origin(folder: Path, facts: dict[str, Any]) -> None:
    """Write origin.json: these facts (at least loader, from, documents) and the time, UTC."""
    facts = {**facts, "imported": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    write_atomically(folder / ORIGIN, json.dumps(facts, indent=1).encode())


def _line(document: Document) -> str:
    """A document as JSON lines hold it, under the names that a loader looks for first: it reads back equal."""
    entry = {**document.fields, "id": document.id, "title": document.title, "description": document.text}
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)
