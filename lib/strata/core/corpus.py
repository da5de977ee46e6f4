"""A catalogue as searches use it: documents read by offset, found by id or title, never parsed as a whole.

Opening a catalogue for the first time writes a `documents` artefact (documents.py); from then on it takes about a
millisecond, however large the catalogue. Not here: any ranking.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.core import load
from strata.core.catalogue import Source, locate
from strata.core.documents import KIND, VERSION, hash_of, title_key, write_documents
from strata.core.history import remember
from strata.core.premise import Premise
from strata.core.templates import TEMPLATES, template_for
from strata.core.types import DocId, Document
from strata.errors import DataError, UsageError
from strata.files import fingerprint, stamp_of, trusted_digest
from strata.settings import Settings
from strata.storage import Artefact, ensure

if TYPE_CHECKING:
    Lookup = tuple[np.ndarray, np.ndarray]

WITH_YEAR = re.compile(r"(.*\S)\s*\((\d{4})\)", re.DOTALL)
"""A title with its year, as labels show it."""
_ID = re.compile(rb'\A\[(?:-?\d+|"(?:[^"\\]|\\.)*"),')
"""How a line of documents.jsonl begins."""
NONE: Mapping[int, Premise] = MappingProxyType({})
SHOWN = 8
"""At most this many titles are listed in a message."""


class Corpus:
    """`len(corpus)` documents at positions 0 … N−1. fingerprint: of the content, whatever file it came from.

    premises: by position, those of documents that hold nothing to find; they are part of the fingerprint, so what is
    made with them is kept apart. fields: how many documents have each field. keyword_text(document),
    vector_text(document): the texts that layers see, by the template called template_id.
    """

    def __init__(
        self, name: str, source: Source, artefact: Artefact, premises: Mapping[int, Premise] = NONE, digest: str = ""
    ) -> None:
        self.name = name
        self.source = source
        self.premises = premises
        plain: str = artefact.facts["fingerprint"]
        self.fingerprint = fingerprint([plain, digest]) if premises else plain
        self.fields: dict[str, int] = artefact.facts["fields"]
        template = TEMPLATES[artefact.facts["template"]]
        self.template_id = template.name
        self.keyword_text = template.keyword_text
        self.vector_text = template.vector_text
        self._artefact = artefact
        self._offsets = artefact.array("offsets")
        with (artefact.path / "documents.jsonl").open("rb") as file:
            self._lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.document = lru_cache(maxsize=4096)(self.read)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def read(self, position: int) -> Document:
        """The document at a position, 0 … N−1; IndexError beyond. `document` does the same and remembers."""
        if not 0 <= position < len(self):
            raise IndexError(f"position {position} in a catalogue of {len(self)}")
        return self._parsed(position, self._lines[self._offsets[position] : self._offsets[position + 1]])

    def _parsed(self, position: int, line: bytes) -> Document:
        id, title, text, fields = json.loads(line.decode())
        return Document(id, title, text, fields, self.premises.get(position))

    def close(self) -> None:
        self._lines.close()

    def with_premises(self, premises: Mapping[int, Premise], digest: str) -> Corpus:
        """The same catalogue, read with these; itself where there are none. digest: of their texts."""
        return Corpus(self.name, self.source, self._artefact, premises, digest) if premises else self

    def documents(self) -> Iterator[Document]:
        """All of them, in the catalogue's order."""
        for position, (start, end) in enumerate(pairwise(self._offsets.tolist())):
            yield self._parsed(position, self._lines[start:end])

    def keys(self) -> np.ndarray:
        """uint8[N, 16]: BLAKE2b of each document but for its id, under the template's name. Where two are equal, so are
        the documents' texts for every layer; nothing is parsed."""
        digest, seed, without = hashlib.blake2b, self.template_id.encode(), _ID.sub
        lines = (self._lines[start:end] for start, end in pairwise(self._offsets.tolist()))
        keys = [digest(without(b"", line, 1), digest_size=16, key=seed).digest() for line in lines]
        for position, premise in self.premises.items():
            keys[position] = digest(keys[position] + premise.text.encode(), digest_size=16, key=seed).digest()
        return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 16)

    def id(self, position: int) -> DocId:
        document: Document = self.document(position)
        return document.id

    def title(self, position: int) -> str:
        document: Document = self.document(position)
        return document.title

    def label(self, position: int) -> str:
        """ "(47) The Bear (1988)"."""
        document: Document = self.document(position)
        year = document.fields.get("year")
        return f"({document.id}) {document.title or '(no title)'}" + (f" ({year})" if year else "")

    def position(self, id: DocId) -> int | None:
        """The document with this id, compared as a string."""
        found = [at for at in self._hashed(self._ids, str(id)) if str(self.id(at)) == str(id)]
        return found[0] if found else None

    def titled(self, title: str) -> list[int]:
        """Documents with exactly this title, accents and case aside; "Dracula (1931)" names one by its year."""
        found = self._exactly(title)
        dated = None if found else WITH_YEAR.fullmatch(title.strip())
        if dated:
            year = dated.group(2)
            found = [at for at in self._exactly(dated.group(1)) if str(self.document(at).fields.get("year")) == year]
        return found

    def folded_titles(self) -> list[str]:
        """The title of each document as titles are compared (title_key), in the catalogue's order."""
        return self._artefact.bytes("titles.txt").decode().split("\n")

    def _exactly(self, title: str) -> list[int]:
        key = title_key(title)
        return [at for at in self._hashed(self._titles, key) if title_key(self.title(at)) == key] if key else []

    @cached_property
    def _ids(self) -> Lookup:
        return self._artefact.array("id_hashes"), self._artefact.array("id_positions")

    @cached_property
    def _titles(self) -> Lookup:
        return self._artefact.array("title_hashes"), self._artefact.array("title_positions")

    def _hashed(self, lookup: Lookup, text: str) -> list[int]:
        """Positions that a hash points to, in the catalogue's order; another text may have the same hash."""
        hashes, positions = lookup
        wanted = hash_of(text)
        start, end = (int(np.searchsorted(hashes, wanted, side=side)) for side in ("left", "right"))
        return sorted(positions[start:end].tolist())

    def find(self, text: str) -> int:
        """What DOC_ID names: an id, else an exact title, else a part of one title only. UsageError otherwise."""
        at = self.position(text.strip())
        if at is not None:
            return at
        found = self.titled(text)
        titles: list[str] = []
        key = title_key(text)
        if not found and key:
            titles = self.folded_titles()
            found = [i for i, title in enumerate(titles) if key in title]
        if len(found) == 1:
            return found[0]
        if found:
            more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            shown = "; ".join(self.label(i) for i in found[:SHOWN])
            raise UsageError(f'"{text}" fits {len(found)} titles: {shown}{more}', "give one of these ids")
        near = "; ".join(self.label(titles.index(title)) for title in _near(key, titles))
        raise UsageError(
            f'no document has the id or title "{text}"', f"near: {near}" if near else "see the ids with any search"
        )


def _near(key: str, titles: list[str]) -> list[str]:
    """Up to three titles that are written nearly like this."""
    import difflib

    return difflib.get_close_matches(key, dict.fromkeys(titles), n=3, cutoff=0.6) if key else []


def open_corpus(settings: Settings, note: Callable[[str], None]) -> Corpus:
    """The catalogue that the settings name, read and checked on first use. DataError for one that cannot be used."""
    source = locate(settings.dataset)
    file = source.file
    try:
        stamp = stamp_of(file)
        digest = trusted_digest(file, settings.cache_dir)
    except OSError:
        with load.text.opened(file):  # says in one line why it cannot be read
            raise
    made_from = {"file": digest, "loader": source.loader, "version": VERSION}

    def fill(folder: Path) -> dict[str, Any]:
        facts = write_documents(load.load(source.path, source.loader, note), folder, template_for(source.loader).name)
        if stamp_of(file) != stamp:
            raise DataError(f"{file} was changed while it was read", "run the command again")
        return facts

    artefact = ensure(settings.cache_dir, KIND, made_from, fill, note)
    corpus = Corpus(source.name, source, artefact)
    remember(settings.cache_dir, source.path, digest, corpus.fingerprint, fresh=artefact.fresh)
    return corpus
