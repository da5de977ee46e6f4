"""From the forward list to the postings: rows of documents become rows of terms.

Done a slice of documents after another, so that what is sorted fits the processor's caches and memory stays a few
times the index, whatever its size: each slice is sorted by term, then its runs are put where the term's row goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strata.keyword import formulas
from strata.keyword.forward import SLICE, Forward, order_by, pointers, run_starts


class Piece(NamedTuple):
    """Postings of some documents, int32 each, by term and then by document; no pair stands twice."""

    terms: np.ndarray
    docs: np.ndarray
    tfs: np.ndarray


def invert(forward: Forward, surface_terms: np.ndarray, terms: int, folder: Path) -> dict[str, Any]:
    """Write the postings of all documents, and how long these are; returns their sizes."""
    documents = len(forward.counts)
    pieces = [_piece(forward, surface_terms, *part) for part in _slices(forward.indptr)]
    df = np.zeros(terms, dtype=np.int64)
    for piece in pieces:
        df += np.bincount(piece.terms, minlength=terms)
    indptr = pointers(df)
    docs, tfs = _placed(pieces, indptr)
    lengths = _lengths(forward)
    avgdl = float(lengths.mean()) if documents else 0.0
    np.save(folder / "indptr.npy", indptr)
    np.save(folder / "docs.npy", docs)
    np.save(folder / "tfs.npy", tfs)
    np.save(folder / "lengths.npy", lengths)
    np.save(folder / "impacts.npy", _impacts(df, indptr, docs, tfs, lengths, avgdl))
    return {
        "documents": documents,
        "terms": terms,
        "postings": int(tfs.size),
        "tokens": int(lengths.sum()),
        "empty": int((lengths == 0).sum()),
        "avgdl": avgdl,
    }


def _slices(indptr: np.ndarray) -> Iterator[tuple[int, int]]:
    """Rows first to last − 1, as many as have about SLICE entries together; one at least."""
    first, rows = 0, len(indptr) - 1
    while first < rows:
        last = max(first + 1, int(np.searchsorted(indptr, indptr[first] + SLICE, side="right")) - 1)
        yield first, last
        first = last


def _lengths(forward: Forward) -> np.ndarray:
    """int32[N]: how many words each document has, repeats included."""
    lengths = np.empty(len(forward.counts), np.int32)
    for first, last in _slices(forward.indptr):
        ends = forward.indptr[first : last + 1]
        lengths[first:last] = np.diff(pointers(forward.tfs[ends[0] : ends[-1]])[ends - ends[0]])
    return lengths


def _piece(forward: Forward, surface_terms: np.ndarray, first: int, last: int) -> Piece:
    """The postings of documents first to last − 1, in order by one stable sort."""
    entries = slice(*forward.indptr[[first, last]].tolist())
    terms = surface_terms[forward.surfaces[entries]]
    order = order_by(terms)
    terms = terms[order]
    docs = np.repeat(np.arange(first, last, dtype=np.int32), np.diff(forward.indptr[first : last + 1]))[order]
    starts = run_starts(terms, docs)  # several surfaces of a document may have one term
    tfs = np.add.reduceat(forward.tfs[entries][order], starts, dtype=np.int32) if starts.size else np.empty(0, np.int32)
    return Piece(terms[starts], docs[starts], tfs)


def _placed(pieces: list[Piece], indptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """docs and tfs, int32[postings] each, in rows. Empties the list, so that memory is given back on the way."""
    docs, tfs = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32)
    free = indptr[:-1].copy()
    for piece in iter(lambda: pieces.pop(0) if pieces else None, None):
        counts = np.bincount(piece.terms, minlength=free.size)
        # The piece's i-th posting is the (i − begin)-th of its term's there.
        places = (free - (np.cumsum(counts) - counts))[piece.terms] + np.arange(piece.terms.size)
        docs[places], tfs[places] = piece.docs, piece.tfs
        free += counts
    return docs, tfs


def _impacts(
    df: np.ndarray, indptr: np.ndarray, docs: np.ndarray, tfs: np.ndarray, lengths: np.ndarray, avgdl: float
) -> np.ndarray:
    """float64[postings]: each posting's BM25 contribution at the usual k1 and b."""
    counts, which = np.unique(df, return_inverse=True)
    idf = np.array([formulas.bm25_idf(int(d), len(lengths)) for d in counts])[which]
    impacts = np.empty(docs.size)
    for first, last in _slices(indptr):
        row = slice(*indptr[[first, last]].tolist())
        weight = formulas.bm25_tf(tfs[row], lengths[docs[row]], avgdl)
        np.multiply(np.repeat(idf[first:last], df[first:last]), weight, out=impacts[row])
    return impacts
