"""What `data_cli enrich` keeps of a catalogue: the premises that a language model wrote, or that none are wanted.

One JSON file a catalogue, beside the imported catalogues, never in them. A premise stands under a hash of the entry
that it is for and names the entry that has the story, with its hash: where one of them is edited or replaced, it counts
no more, and the entry has the one by rule. Those by rule are in no file: they are made from the catalogue, as it is.

    {"format": 1, "catalogue", "removed": false,
     "premises": {ENTRY'S HASH: {"id", "story": {"id", "hash"}, "text", "model"}}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strata import paths
from strata.core.catalogue import Source
from strata.core.types import DocId, Document
from strata.errors import DataError
from strata.files import dumped, explained, fingerprint, locked, write_atomically

FORMAT = 1


@dataclass(frozen=True)
class Written:
    """A premise that a model wrote. id: of its entry. story, story_hash: the entry that has the story."""

    id: DocId
    story: DocId
    story_hash: str
    text: str
    model: str


@dataclass(frozen=True)
class Kept:
    """removed: no premises are wanted, not even those by rule. written: by their entries' hashes."""

    removed: bool = False
    written: Mapping[str, Written] = field(default_factory=dict)

    def of(self, document: Document, story: Document) -> Written | None:
        """What was written for an entry, where it and its story are as they were."""
        found = self.written.get(content(document))
        return found if found and found.story_hash == content(story) else None


def content(document: Document) -> str:
    """A hash of what a catalogue says of a document."""
    return fingerprint([document.id, document.title, document.text, document.fields])


def file_of(source: Source) -> Path:
    """Where it is kept. A catalogue that no name finds again is told by its path."""
    name = source.name if source.known else f"{source.path.stem[:40]}-{fingerprint(str(source.path))[:12]}"
    return paths.premises_dir() / f"{name}.json"


def stored(file: Path) -> bytes:
    """What is in the file; b"" where there is none."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _damaged(file, error) from error


def parsed(file: Path, data: bytes) -> Kept:
    """What `stored` gave, read. DataError, which names the file, where it is nothing that `write` wrote."""
    if not data:
        return Kept()
    try:
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']}, not {FORMAT}")
        return Kept(_bool(found["removed"]), {str(key): _written(entry) for key, entry in found["premises"].items()})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(file, error) from error


def read(file: Path) -> Kept:
    return parsed(file, stored(file))


def change(file: Path, name: str, how: Callable[[Kept], Kept]) -> Kept:
    """Put how(what is kept) in its place, one process at a time. name: the catalogue's."""
    with locked(file.with_name(f".{file.name}.lock")):
        kept = read(file)
        changed = how(kept)
        if changed != kept:
            write(file, name, changed)
    return changed


def write(file: Path, name: str, kept: Kept) -> None:
    """Write it whole or not at all; where there is nothing to keep, there is no file."""
    if kept == Kept():
        with explained(file):
            file.unlink(missing_ok=True)
        return
    premises = {
        key: {"id": one.id, "story": {"id": one.story, "hash": one.story_hash}, "text": one.text, "model": one.model}
        for key, one in kept.written.items()
    }
    data = {"format": FORMAT, "catalogue": name, "removed": kept.removed, "premises": premises}
    write_atomically(file, (dumped(data, indent=1) + "\n").encode(), durable=True)


def _written(entry: Any) -> Written:
    story = entry["story"]
    found = Written(_id(entry["id"]), _id(story["id"]), story["hash"], entry["text"], entry["model"])
    for text in (found.story_hash, found.text, found.model):
        if not isinstance(text, str) or not text.strip() or not text.isprintable():
            raise ValueError("a text is no line of text")
    return found


def _id(value: Any) -> DocId:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("an id is none")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError('"removed" is neither true nor false')
    return value


def _damaged(file: Path, error: Exception) -> DataError:
    return DataError(f"the premises in {file} cannot be read ({type(error).__name__}: {error})",
                     "delete that file, then run data_cli enrich again")  # fmt: skip
