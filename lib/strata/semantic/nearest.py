"""Exact nearest vectors: one matrix product over all of them, then the best.

The time is that of reading the vectors once. An approximate index would pay from about a million vectors on, and
would then no longer be exact.
"""

from __future__ import annotations

import numpy as np


def cosines(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """float32[n]: the dot products of unit vectors (float32[n, d]) with one (float32[d])."""
    product: np.ndarray = vectors @ query
    return product


def best_of(scores: np.ndarray, k: int) -> np.ndarray:
    """int64[≤ k]: places of the k largest scores, best first; equal scores in ascending place."""
    if k <= 0 or scores.size == 0:
        return np.empty(0, dtype=np.int64)
    if k >= scores.size:
        return np.argsort(-scores, kind="stable")
    # All that reach the k-th largest score, so that equal ones are cut by place and not by chance.
    floor = np.partition(scores, scores.size - k)[scores.size - k]
    found = np.flatnonzero(scores >= floor)
    return found[np.argsort(-scores[found], kind="stable")[:k]]


def best_chunks(scores: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each document's best chunk: (score float32[m], chunk int64[m]).

    scores: float32[n], chunks of a document next to each other; starts int64[m]: where each document's begin, each
    holding at least one. Equal chunks: the first.
    """
    if starts.size == 0:
        return np.empty(0, scores.dtype), np.empty(0, np.int64)
    best = np.maximum.reduceat(scores, starts)
    counts = np.diff(np.append(starts, scores.size))
    hits = np.flatnonzero(scores == np.repeat(best, counts))
    owner = np.searchsorted(starts, hits, side="right") - 1
    _, first = np.unique(owner, return_index=True)
    return best, hits[first]
