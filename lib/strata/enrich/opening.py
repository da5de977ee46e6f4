"""A catalogue opened with its premises: they are worked out once a content, and kept as an artefact of their own.

It holds positions.npy int32[n], sorted, offsets.npy int64[n+1], and premises.jsonl, [text, story, model] a line.
Nothing of the catalogue is copied, so where no entry has a premise, the catalogue with premises is the plain one, down
to its index and its vectors. A search works nothing out; the modules that do are not imported for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from strata.core.corpus import Corpus, open_corpus
from strata.core.history import remember
from strata.core.premise import Premise
from strata.enrich import kept
from strata.files import fingerprint, trusted_digest
from strata.settings import Settings
from strata.storage import Artefact, ensure

KIND = "premises"
VERSION = 1
"""A change of which entries are thin, or of what is written by rule, must change it."""


class Stored(Mapping[int, Premise]):
    """Position → premise, each read when it is asked for."""

    def __init__(self, artefact: Artefact) -> None:
        self._positions, self._offsets = artefact.array("positions"), artefact.array("offsets")
        self._lines = artefact.bytes("premises.jsonl")

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[int]:
        return iter(self._positions.tolist())

    def __getitem__(self, position: int) -> Premise:
        place = int(np.searchsorted(self._positions, position))
        if place == len(self) or self._positions[place] != position:
            raise KeyError(position)
        return Premise(*json.loads(self._lines[self._offsets[place] : self._offsets[place + 1]]))


def write_premises(found: Mapping[int, Premise], folder: Path) -> dict[str, Any]:
    """Write the files of the artefact; returns its facts. digest: of which entry is read with which text."""
    rows = sorted(found.items())
    lines = [json.dumps([p.text, p.story, p.model], ensure_ascii=False).encode() + b"\n" for _, p in rows]
    (folder / "premises.jsonl").write_bytes(b"".join(lines))
    np.save(folder / "positions.npy", np.array([at for at, _ in rows], dtype=np.int32))
    np.save(folder / "offsets.npy", np.cumsum([0, *map(len, lines)], dtype=np.int64))
    return {"premises": len(rows), "digest": fingerprint([[at, premise.text] for at, premise in rows])}


def open_enriched(settings: Settings, note: Callable[[str], None]) -> Corpus:
    """The catalogue that the settings name, with premises. DataError as from open_corpus, and for kept premises that
    cannot be read."""
    plain = open_corpus(settings, note)
    file = kept.file_of(plain.source)
    data = kept.stored(file)
    made_from = {"corpus": plain.fingerprint, "kept": hashlib.sha256(data).hexdigest(), "version": VERSION}

    def fill(folder: Path) -> dict[str, Any]:
        from strata.enrich.premises import premises
        from strata.enrich.thin import Entries

        return write_premises(premises(Entries(plain), kept.parsed(file, data)), folder)

    artefact = ensure(settings.cache_dir, KIND, made_from, fill, note)
    corpus = plain.with_premises(Stored(artefact), artefact.facts["digest"])
    if corpus is not plain:
        plain.close()
        file_digest = trusted_digest(plain.source.file, settings.cache_dir)
        # A history of its own: what is made with premises never pushes out what is made without.
        remember(settings.cache_dir, plain.source.path / KIND, file_digest, corpus.fingerprint, fresh=artefact.fresh)
    return corpus
