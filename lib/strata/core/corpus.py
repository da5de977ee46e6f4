"""A catalogue as searches use it: documents read by offset, found by id or title, never parsed as a whole.

Opening a catalogue for the first time writes a `documents` artefact: one JSON line a document, the byte offset
of each, and sorted hashes of ids and folded titles. Hashes only point: what they find is compared in full.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from strata.core import load
from strata.core.analysis import fold
from strata.core.catalogue import Source, locate
from strata.core.templates import TEMPLATES, template_for
from strata.core.types import DocId, Document
from strata.errors import UsageError
from strata.files import trusted_digest
from strata.settings import Settings
from strata.storage import Artefact, ensure

KIND = "documents"
VERSION = 1
"""A change of what a loader makes of a file must change it."""


class Corpus:
    """`len(corpus)` documents at positions 0 … N−1. fingerprint: of the content, whatever file it came from."""

    def __init__(self, name: str, source: Source, artefact: Artefact) -> None:
        self.name = name
        self.source = source
        self.fingerprint: str = artefact.facts["fingerprint"]
        self.fields: dict[str, int] = artefact.facts["fields"]
        self._template = TEMPLATES[artefact.facts["template"]]
        self.template_id = self._template.name
        self.keyword_text = self._template.keyword_text
        self.vector_text = self._template.vector_text
        self._file = artefact.path / "documents.jsonl"
        self._artefact = artefact
        self._offsets = artefact.array("offsets")
        self._handle = self._file.open("rb")
        self.document = lru_cache(maxsize=4096)(self._document)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def _document(self, position: int) -> Document:
        start, end = int(self._offsets[position]), int(self._offsets[position + 1])
        self._handle.seek(start)
        return Document(*json.loads(self._handle.read(end - start)))

    def close(self) -> None:
        self._handle.close()

    def documents(self) -> Iterator[Document]:
        """All of them, in the catalogue's order."""
        with self._file.open("rb") as file:
            for line in file:
                yield Document(*json.loads(line))

    def id(self, position: int) -> DocId:
        document: Document = self.document(position)
        return document.id

    def title(self, position: int) -> str:
        document: Document = self.document(position)
        return document.title

    def position(self, id: DocId) -> int | None:
        """The document with this id, compared as a string."""
        found = [at for at in self._hashed("id", str(id)) if str(self.id(at)) == str(id)]
        return found[0] if found else None

    def titled(self, title: str) -> list[int]:
        """Documents with exactly this title, in folded form."""
        wanted = fold(title).strip()
        return [at for at in self._hashed("title", wanted) if fold(self.title(at)).strip() == wanted] if wanted else []

    def _hashed(self, what: str, text: str) -> list[int]:
        hashes, positions = self._artefact.array(f"{what}_hashes"), self._artefact.array(f"{what}_positions")
        wanted = _hash(text)
        start = int(np.searchsorted(hashes, wanted, side="left"))
        end = int(np.searchsorted(hashes, wanted, side="right"))
        return sorted(positions[start:end].tolist())

    def find(self, text: str) -> int:
        """What DOC_ID names: an id, else an exact title, else a part of one title only. UsageError otherwise."""
        at = self.position(text)
        if at is not None:
            return at
        found = self.titled(text)
        titles: list[str] = []
        if not found and fold(text).strip():
            titles = [fold(document.title) for document in self.documents()]
            found = [i for i, title in enumerate(titles) if fold(text).strip() in title]
        if len(found) == 1:
            return found[0]
        if found:
            shown = "; ".join(self.label(i) for i in found[:8]) + (
                f"; and {len(found) - 8} more" if len(found) > 8 else ""
            )
            raise UsageError(f'"{text}" fits {len(found)} titles: {shown}', "give one of these ids")
        near = difflib.get_close_matches(fold(text), titles, n=3, cutoff=0.6)
        shown = "; ".join(self.label(titles.index(title)) for title in near)
        raise UsageError(
            f'no document has the id or title "{text}"', f"near: {shown}" if near else "see the ids with any search"
        )

    def label(self, position: int) -> str:
        """ "(47) The Bear (1988)"."""
        document: Document = self.document(position)
        year = document.fields.get("year")
        return f"({document.id}) {document.title}" + (f" ({year})" if year else "")


def _hash(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def open_corpus(settings: Settings, note: Callable[[str], None]) -> Corpus:
    """The catalogue that the settings name, read and checked on first use. DataError for one that cannot be used."""
    source = locate(settings.dataset)
    file = source.file
    try:
        digest = trusted_digest(file, settings.cache_dir)
    except OSError:
        with load.text.opened(file):  # says in one line why it cannot be read
            raise
    made_from = {"file": digest, "loader": source.loader, "version": VERSION}

    def fill(folder: Path) -> dict[str, Any]:
        return write_documents(load.load(source.path, source.loader), folder, template_for(source.loader).name)

    return Corpus(source.name, source, ensure(settings.cache_dir, KIND, made_from, fill, note))


def write_documents(documents: Iterator[Document], folder: Path, template: str) -> dict[str, Any]:
    """Write the files of a documents artefact; returns its facts."""
    digest, offsets = hashlib.sha256(), [0]
    ids: list[np.uint64] = []
    titles: list[np.uint64] = []
    fields: dict[str, int] = {}
    with (folder / "documents.jsonl").open("wb") as file:
        for document in documents:
            row = [document.id, document.title, document.text, document.fields]
            line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
            file.write(line)
            digest.update(line)
            offsets.append(offsets[-1] + len(line))
            ids.append(_hash(str(document.id)))
            titles.append(_hash(fold(document.title).strip()))
            for name, value in document.fields.items():
                if value not in (None, "", []):
                    fields[name] = fields.get(name, 0) + 1
    np.save(folder / "offsets.npy", np.array(offsets, dtype=np.int64))
    for what, hashes in (("id", np.array(ids, dtype=np.uint64)), ("title", np.array(titles, dtype=np.uint64))):
        order = np.argsort(hashes, kind="stable")
        np.save(folder / f"{what}_hashes.npy", hashes[order])
        np.save(folder / f"{what}_positions.npy", order.astype(np.int32))
    return {
        "fingerprint": digest.hexdigest()[:32],
        "documents": len(offsets) - 1,
        "fields": fields,
        "template": template,
    }
