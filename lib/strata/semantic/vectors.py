"""The vectors of a catalogue's chunks as an artefact: content-keyed, incremental, interruptible.

Building takes what is known already (store.py), encodes the rest in slices, keeps each slice on disk as it goes,
publishes the whole, then removes the slices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders import Encoder, open_bulk_encoder
from strata.encoders.weights import find
from strata.errors import DataError
from strata.files import locked
from strata.semantic.chunking import Chunking, chunk_text, document_chunks
from strata.semantic.store import Known, Parts, keys_of, published
from strata.settings import Settings
from strata.storage import Artefact, ensure

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

KIND = "chunk_vectors"
SLICE = 256
Note = Callable[[str], None]
Advance = Callable[[int], None]
Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""progress(what, total) opens a bar; the function it gives is told how many are done."""


class ChunkVectors:
    """vectors float32[n, d], unit length. Chunk i is of document docs[i], its text at starts[i]:ends[i] of the
    document's text. firsts[j]: the first chunk of the j-th document that has any, owners[j]: that document."""

    def __init__(self, artefact: Artefact) -> None:
        self.path = artefact.path
        self.facts = artefact.facts
        self.fresh = artefact.fresh
        self.vectors = artefact.array("vectors")
        self.docs = artefact.array("docs")
        self.starts = artefact.array("starts")
        self.ends = artefact.array("ends")
        self.firsts = np.flatnonzero(np.diff(self.docs, prepend=-1))
        self.owners = self.docs[self.firsts]


def open_chunk_vectors(
    corpus: Corpus, encoder: str, chunking: Chunking, settings: Settings, note: Note, progress: Progress | None
) -> ChunkVectors:
    """The vectors of this catalogue under this encoder and chunking, built on first use."""
    weights = find(encoder, settings, note)
    made_from = {
        "corpus": corpus.fingerprint,
        "encoder": weights.fingerprint,
        "chunking": asdict(chunking),
        "text": "title-sentences/2",
    }

    parts = Parts(settings.cache_dir, KIND, weights.fingerprint)

    def fill(folder: Path) -> dict[str, Any]:
        with locked(settings.cache_dir / f"{KIND}_parts" / f"{weights.fingerprint}.lock"):
            return _build(corpus, encoder, parts, chunking, settings, note, progress, folder)

    artefact = ensure(settings.cache_dir, KIND, made_from, fill, note)
    if artefact.fresh:
        parts.clear()
    return ChunkVectors(artefact)


def _build(
    corpus: Corpus, name: str, parts: Parts, chunking: Chunking, settings: Settings, note: Note,
    progress: Progress | None, folder: Path,
) -> dict[str, Any]:  # fmt: skip
    rows: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for position, document in enumerate(corpus.documents()):
        for start, end in document_chunks(document, chunking):
            rows.append((position, start, end))
            texts.append(chunk_text(document, start, end))
    if not texts:
        raise DataError(f"no document of {corpus.name} has a title or a text", "there is nothing to make vectors of")
    keys = keys_of(parts.encoder, texts)
    known = Known([*published(settings.cache_dir, KIND, parts.encoder, note), *parts.known(note)])
    dimensions = _dimensions(name)
    vectors = np.lib.format.open_memmap(
        folder / "vectors.npy", mode="w+", dtype=np.float32, shape=(len(texts), dimensions)
    )
    missing = known.fill(keys, vectors)
    if missing.size:
        # The same text under several documents (or sequels) is encoded once.
        first: dict[bytes, int] = {}
        for row in missing.tolist():
            first.setdefault(keys[row].tobytes(), row)
        encoder = open_bulk_encoder(name, settings, note, len(first))
        _encode(encoder, texts, keys, sorted(first.values(), key=lambda row: len(texts[row])), vectors, parts, progress)
        for row in missing.tolist():
            vectors[row] = vectors[first[keys[row].tobytes()]]
    vectors.flush()
    del vectors
    table = np.array(rows, dtype=np.int32)
    for column, what in enumerate(("docs", "starts", "ends")):
        np.save(folder / f"{what}.npy", np.ascontiguousarray(table[:, column]))
    np.save(folder / "keys.npy", keys)
    encoded = int(missing.size)
    if encoded < len(texts):
        note(f"{encoded:,} of {len(texts):,} chunks encoded, {len(texts) - encoded:,} were known")
    return {"chunks": len(texts), "encoded": encoded, "dimensions": dimensions, "encoder": name}


def _dimensions(name: str) -> int:
    from strata.registry import ENCODERS

    return ENCODERS[name].dimensions


def _encode(
    encoder: Encoder, texts: list[str], keys: np.ndarray, rows: list[int], out: np.ndarray, parts: Parts,
    progress: Progress | None,
) -> None:  # fmt: skip
    """Encode texts[row] into out[row], keeping what is done about every two seconds. Rows come shortest text first."""
    from contextlib import nullcontext

    kept, last = 0, time.monotonic()
    with progress("chunks encoded", len(rows)) if progress else nullcontext(lambda _: None) as advance:
        for start in range(0, len(rows), SLICE):
            batch = rows[start : start + SLICE]
            out[batch] = encoder.encode([texts[row] for row in batch])
            done = start + len(batch)
            advance(done)
            if time.monotonic() - last > 2 or done == len(rows):
                ready = rows[kept:done]
                parts.add(keys[ready], np.ascontiguousarray(out[ready]))
                kept, last = done, time.monotonic()
