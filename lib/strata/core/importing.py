"""Taking a catalogue in: checked as a whole, written in one form under a name, in place of the former or not at all."""

from __future__ import annotations

import json
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from strata import paths
from strata.core import load
from strata.core.catalogue import ORIGIN, imported
from strata.core.types import Document
from strata.errors import UsageError
from strata.files import explained, write_atomically
from strata.settings import DEFAULT_DATASET


@dataclass(frozen=True)
class Imported:
    name: str
    documents: int
    folder: Path
    files: tuple[str, ...]


def bring_in(path: Path, name: str | None, *, replace: bool) -> Imported:
    """Import a file or BEIR folder (its queries and qrels come along). UsageError for a name that is taken."""
    loader = load.detect(path)
    name = name or re.sub(r"[^\w-]+", "-", (path.resolve().name if path.is_dir() else path.name.split(".")[0]).lower())
    if not re.fullmatch(r"\w[\w-]*", name) or name == DEFAULT_DATASET:
        raise UsageError(
            f'"{name}" cannot name a catalogue', "use letters, digits and hyphens, and not movies: --name NAME"
        )
    if name in imported() and not replace:
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
                for document in load.load(path, loader):
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
            if folder.exists():
                former = home / f".{name}.{uuid4().hex[:8]}.tmp"
                folder.rename(former)
                temporary.rename(folder)
                shutil.rmtree(former, ignore_errors=True)
            else:
                temporary.rename(folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return Imported(name, count, folder, ("corpus.jsonl", *extra))


def _line(document: Document) -> str:
    """A document as JSON lines hold it. A field may not take the name of id, title or text."""
    entry = {**document.fields, "id": document.id, "title": document.title, "text": document.text}
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)


def _judgements(folder: Path, into: Path) -> tuple[str, ...]:
    """Copy queries and qrels, where the folder has them: a folder with a corpus alone is a catalogue too."""
    found = [
        *folder.glob("queries.jsonl"),
        *folder.glob("queries.jsonl.gz"),
        *sorted((folder / "qrels").glob("*.tsv*")),
    ]
    names = [path.relative_to(folder) for path in found]
    for name in names:
        (into / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(folder / name, into / name)
    return tuple(map(str, names))
