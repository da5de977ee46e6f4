"""Changing an imported catalogue: entries replaced by their id, new ones appended, others taken out.

The others keep their order. What the catalogue's folder holds beside its entries (queries, judgements, licence) stays.
The whole is written aside and put in place at once, or nothing has changed. Searches then analyse and encode anew only
what differs, since indexes and vectors know each document by its text.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from strata import paths
from strata.core import load
from strata.core.catalogue import ORIGIN, Source, bundled, imported, locate, origin
from strata.core.corpus import open_corpus
from strata.core.importing import name_for
from strata.core.keeping import CORPUS, keep, write_corpus
from strata.core.types import Document
from strata.errors import UsageError
from strata.files import write_atomically
from strata.paths import as_path
from strata.settings import DEFAULT_DATASET, Settings
from strata.telling import Note


@dataclass
class Updated:
    """How many documents were added, changed and removed, and how many of the catalogue's stay as they were."""

    name: str
    folder: Path
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0

    @property
    def documents(self) -> int:
        return self.added + self.changed + self.unchanged

    @property
    def same(self) -> bool:
        return not (self.added or self.changed or self.removed)

    def to_json(self) -> dict[str, Any]:
        counts = {what: getattr(self, what) for what in ("documents", "added", "changed", "removed", "unchanged")}
        return {"name": self.name, **counts, "path": str(self.folder)}


class _Same(Exception):
    """Nothing differs, so nothing is written."""


def change(given: str | None, name: str | None, remove: Sequence[str], settings: Settings, note: Note) -> Updated:
    """Bring the entries of a file or BEIR folder into the imported catalogue of this name, and take out `remove`.

    remove: what DOC_ID may be, in the catalogue as it was. UsageError for a catalogue that is not there or an entry to
    remove that is not, or that is in the file; DataError for a file that cannot be read. Then nothing has changed.
    """
    path = None if given is None else as_path(given)
    name = name or (name_for(path) if path else "")
    if not path and not remove:
        raise UsageError("there is nothing to change", "give FILE, or --remove DOC_ID, or both")
    if name == DEFAULT_DATASET:
        raise UsageError(
            "the bundled catalogue stays as it is", f"change a copy: data_cli import {bundled()} --name mine"
        )
    if not name:
        raise UsageError("which catalogue is to be changed?", "name it: --name NAME")
    done = Updated(name, paths.imported_dir() / name)
    with suppress(_Same), keep(name, note, replace=True) as folder:
        if name not in imported():
            known = ", ".join(imported()) or "none"
            raise UsageError(f'no catalogue "{name}" was imported', f"imported so far: {known}; --update changes one")
        source = locate(name)
        gone = _named(remove, name, settings, note)
        entries = {} if path is None else _entries(path, gone, note)
        write_corpus(folder, _merged(load.load(source.path, source.loader, lambda _: None), entries, gone, done))
        if not done.documents:
            raise UsageError(f"nothing would be left of {name}", "a catalogue needs at least one entry")
        if done.same and origin(done.folder)["documents"] == done.documents:
            raise _Same
        _keep_the_rest(source, folder, done, path)
    return done


def _named(remove: Sequence[str], name: str, settings: Settings, note: Note) -> dict[str, str]:
    """id (as a string) → label of the documents to be taken out."""
    if not remove:
        return {}
    corpus = open_corpus(replace(settings, dataset=name), note)
    return {str(corpus.id(at)): corpus.label(at) for at in map(corpus.find, remove)}


def _entries(path: Path, gone: dict[str, str], note: Note) -> dict[str, Document]:
    loader = load.detect(path)
    entries = {str(document.id): document for document in load.load(path, loader, note)}
    both = next((key for key in entries if key in gone), None)
    if both is not None:
        raise UsageError(f"{gone[both]} is to be removed and is in {path.name}", "do one of the two")
    if loader == "beir" and ((path / "qrels").exists() or any(path.glob("queries.jsonl*"))):
        note(f"only the documents of {path.name} are taken; the catalogue keeps its own queries and judgements")
    return entries


def _merged(
    former: Iterable[Document], entries: dict[str, Document], gone: dict[str, str], done: Updated
) -> Iterator[Document]:
    """The former documents in their order, each as `entries` has it, then the new ones; counts them in `done`.

    An id stays as the catalogue had it: an entry "4" replaces 4. What was used of entries is taken out of it.
    """
    for document in former:
        key = str(document.id)
        new = replace(entries.pop(key, document), id=document.id)
        if key in gone:
            done.removed += 1
        elif _content(new) == _content(document):
            done.unchanged += 1
            yield document
        else:
            done.changed += 1
            yield new
    done.added = len(entries)
    yield from entries.values()


def _content(document: Document) -> str:
    """What counts as the same: 1 and true are not, and the order of fields does not matter."""
    return json.dumps([document.title, document.text, document.fields], sort_keys=True)


def _keep_the_rest(source: Source, folder: Path, done: Updated, path: Path | None) -> None:
    """Copy what stands beside the entries, and write down how many there are now."""
    shutil.copytree(done.folder, folder, ignore=shutil.ignore_patterns(f"{CORPUS}*", ORIGIN), dirs_exist_ok=True)
    facts = json.loads((done.folder / ORIGIN).read_bytes())
    facts |= {"documents": done.documents, "updated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    if path:
        facts["updated_from"] = path.name
    write_atomically(folder / ORIGIN, json.dumps(facts, indent=1).encode())
