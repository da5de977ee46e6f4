"""The vectors of a catalogue's chunks, or whole documents, as an artefact: content-keyed, incremental, interruptible.

Building takes what is known already (store.py), encodes the rest in slices, keeps each slice on disk as it goes,
publishes the whole, then removes the slices.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders import Encoder, open_bulk_encoder
from strata.encoders.tokens import cores
from strata.encoders.weights import Weights, find
from strata.errors import DataError
from strata.files import is_folder, locked
from strata.semantic.store import Known, Parts, keys_of, published
from strata.semantic.units import Unit
from strata.settings import Settings
from strata.storage import Artefact, artefact_folder, ensure
from strata.telling import Advance, Note, Progress, telling

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

SLICE = max(64, 32 * cores())
"""Texts encoded at once: enough to keep every core busy, one to three seconds of work, which is the most that a kill
costs beyond FLUSH_SECONDS."""
FLUSH_SECONDS = 2.0


class Vectors:
    """vectors float32[n, d], unit length. Vector i is of document docs[i], its text at starts[i]:ends[i] of the
    document's text. firsts[j]: the first vector of the j-th document that has any, owners[j]: that document."""

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

    def rows(self, doc: int) -> np.ndarray:
        """int64[k]: the vectors of one document, in the order of its text; empty where it has none."""
        first, last = (int(np.searchsorted(self.docs, doc, side=side)) for side in ("left", "right"))
        return np.arange(first, last)


def open_vectors(
    corpus: Corpus, encoder: str, unit: Unit, settings: Settings, note: Note, progress: Progress | None
) -> Vectors:
    """The vectors of this catalogue's units under this encoder, built on first use."""
    weights = find(encoder, settings, note)
    made_from = _made_from(corpus, weights, unit)
    parts = Parts(settings.cache_dir, unit.kind, weights.fingerprint)

    def fill(folder: Path) -> dict[str, Any]:
        with locked(settings.cache_dir / f"{unit.kind}_parts" / f"{weights.fingerprint}.lock"):
            return _build(corpus, weights, parts, unit, settings, note, progress, folder)

    artefact = ensure(settings.cache_dir, unit.kind, made_from, fill, note)
    if artefact.fresh:
        parts.clear(artefact.array("keys"))
    return Vectors(artefact)


def are_there(corpus: Corpus, encoder: str, unit: Unit, settings: Settings, note: Note) -> bool:
    """Whether these vectors are built already; none are opened."""
    weights = find(encoder, settings, note)
    return is_folder(artefact_folder(settings.cache_dir, unit.kind, _made_from(corpus, weights, unit)))


def _made_from(corpus: Corpus, weights: Weights, unit: Unit) -> dict[str, Any]:
    return {"corpus": corpus.fingerprint, "encoder": weights.fingerprint, **unit.made_from(corpus)}


def _build(
    corpus: Corpus, weights: Weights, parts: Parts, unit: Unit, settings: Settings, note: Note,
    progress: Progress | None, folder: Path,
) -> dict[str, Any]:  # fmt: skip
    rows: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for position, document in enumerate(corpus.documents()):
        for start, end, text in unit.pieces(corpus, document):
            rows.append((position, start, end))
            texts.append(text)
    if not texts:
        raise DataError(f"no document of {corpus.name} has a title or a text", "there is nothing to make vectors of")
    keys = keys_of(parts.encoder, texts)
    # Parts before artefacts: a part that vanishes in between was published.
    left = parts.known(note)
    known = Known([*published(settings.cache_dir, unit.kind, parts.encoder), *left])
    dimensions = weights.row.dimensions
    # In memory, not in a mapped file: where the disk is full, writing to a map kills the process without a word.
    vectors = np.empty((len(texts), dimensions), dtype=np.float32)
    missing = known.fill(keys, vectors)
    # The same text under several documents (or sequels) is encoded once.
    first: dict[bytes, int] = {}
    for row in missing:
        first.setdefault(keys[row].tobytes(), row)
    if first:
        encoder = open_bulk_encoder(weights.name, settings, note, len(first))
        _tell_cut(encoder, [texts[row] for row in first.values()], unit, note)
        bar = telling(progress, f"{unit.noun} encoded", len(first))
        with bar as advance:
            _encode(encoder, texts, keys, list(first.values()), vectors, parts, advance)
        for row in missing:
            vectors[row] = vectors[first[keys[row].tobytes()]]
    np.save(folder / "vectors.npy", vectors)
    table = np.array(rows, dtype=np.int32)
    for column, what in enumerate(("docs", "starts", "ends")):
        np.save(folder / f"{what}.npy", np.ascontiguousarray(table[:, column]))
    np.save(folder / "keys.npy", keys)
    encoded, known_before = len(first), len(texts) - len(missing)
    if encoded < len(texts):
        note(f"{encoded:,} of {len(texts):,} {unit.noun} encoded{_others(known_before, len(missing) - encoded)}")
    return {"vectors": len(texts), "encoded": encoded, "dimensions": dimensions, "encoder": weights.name}


def _tell_cut(encoder: Encoder, texts: list[str], unit: Unit, note: Note) -> None:
    """Say how many texts are longer than an encoder reads, where it tells: one that reads pictures takes few tokens."""
    tokens = getattr(encoder, "tokens", None)
    over = sum(count > encoder.max_tokens for count in tokens(texts)) if tokens else 0
    if over:
        note(f"{over:,} of {len(texts):,} {unit.noun} are longer than the {encoder.max_tokens} tokens that "
             f"{encoder.name} reads; what is beyond is left out")  # fmt: skip


def _others(known: int, repeated: int) -> str:
    """What became of the texts that were not encoded."""
    return (f", {known:,} {'was' if known == 1 else 'were'} known" if known else "") + (
        f", {repeated:,} {'repeats' if repeated == 1 else 'repeat'} the text of another" if repeated else ""
    )


def _encode(
    encoder: Encoder, texts: list[str], keys: np.ndarray, rows: list[int], out: np.ndarray, parts: Parts,
    advance: Advance,
) -> None:  # fmt: skip
    """Encode texts[row] into out[row], keeping what is done every two seconds or so, and when interrupted."""
    rows = sorted(rows, key=lambda row: len(texts[row]))  # texts of one length together: little is padded
    slices = [rows[start : start + SLICE] for start in range(0, len(rows), SLICE)]
    # Short and long ones mixed, or the time left would be told from the short ones. The order moves no vector's place.
    random.Random(0).shuffle(slices)
    done, pending, last = 0, list[int](), time.monotonic()

    def keep() -> None:
        if pending:
            parts.add(keys[pending], out[pending])
            pending.clear()

    try:
        for slice_ in slices:
            out[slice_] = encoder.encode([texts[row] for row in slice_])
            pending += slice_
            done += len(slice_)
            advance(done)
            if time.monotonic() - last >= FLUSH_SECONDS:
                keep()
                last = time.monotonic()
    finally:
        keep()  # also after Ctrl-C; and before publishing, where the disk may turn out to be full
