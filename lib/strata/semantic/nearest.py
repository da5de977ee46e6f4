"""Exact nearest vectors: one matrix product over all of them, then the best.

The float32 product finds the candidates; those within its rounding error of the last place are scored again in
float64, each by itself. So the order is that of the float64 scores, equal texts have equal scores wherever they
stand, and an explanation of one document gives the very number of the list. Ties: the earlier place.

The time is that of reading the vectors once, by several threads where there are many. An approximate index would pay
from about a million vectors on, and would then no longer be exact.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from strata.core.bounds import among_largest
from strata.encoders.tokens import cores, in_threads

BLOCK = 8192
LARGE = 1 << 26
"""From so many bytes of vectors on, threads share one product; below, starting them takes as long as they save."""
PIECE = 1 << 23
"""Bytes of vectors that a thread multiplies at a time: small, so that none waits long for one that was held up."""
BATCH = 64
"""Queries multiplied at once: 64 rows of a million scores are 256 MB."""


def cosines(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """float32[n]: the dot products of unit vectors (float32[n, d]) with one (float32[d]).

    vecdot and not `@`: a BLAS product of a matrix and one vector took more than twice as long (100,000 × 384: 12 ms
    against 5), and gives equal rows unequal products. So a row's product is the same whichever thread makes it.
    """
    if vectors.nbytes < LARGE or cores() == 1:
        whole: np.ndarray = np.vecdot(vectors, query)
        return whole
    product = np.empty(len(vectors), dtype=np.float32)
    rows = max(1, PIECE // vectors[0].nbytes)

    def piece(start: int) -> None:
        np.vecdot(vectors[start : start + rows], query, out=product[start : start + rows])

    deque(in_threads(piece, range(0, len(vectors), rows), cores()), maxlen=0)
    return product


def exact(vectors: np.ndarray, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """float64[len(rows)]: the dot products of these rows in float64; a row's does not depend on the others."""
    wide = query.astype(np.float64)
    out = np.empty(len(rows))
    for start in range(0, len(rows), BLOCK):
        out[start : start + BLOCK] = (vectors[rows[start : start + BLOCK]] * wide).sum(axis=1)
    return out


def rounding(dimensions: int) -> float:
    """A bound on how far a float32 dot product of two unit vectors is off, twice over (two scores are compared)."""
    return 2.0 * dimensions * 2.0**-23


def best_of(scores: np.ndarray, k: int) -> np.ndarray:
    """int64[≤ k]: places of the k largest scores, best first; equal scores in ascending place."""
    if k <= 0 or scores.size == 0:
        return np.empty(0, dtype=np.int64)
    if k >= scores.size:
        return np.argsort(-scores, kind="stable")
    # More than k where scores are equal, so that these are cut by place and not by chance.
    found = among_largest(scores, k)
    return found[np.argsort(-scores[found], kind="stable")[:k]]


@dataclass(frozen=True)
class Found:
    """Best first: groups int64[m] (places in `firsts`), rows int64[m] (each one's best row), scores float64[m].

    matched: how many groups there are, or how many reach the lowest score that was asked for.
    """

    groups: np.ndarray
    rows: np.ndarray
    scores: np.ndarray
    matched: int


def nearest_groups(
    vectors: np.ndarray, firsts: np.ndarray, query: np.ndarray, k: int, min_score: float | None = None
) -> Found:
    """The k groups of rows (documents of chunks) with the best single row, and that row.

    vectors: float32[n, d], unit length, a group's rows next to each other. firsts: int64[groups], ascending from 0,
    where each begins; no group is empty. Equal rows of a group: the first.
    """
    if firsts.size == 0:
        none = np.empty(0, dtype=np.int64)
        return Found(none, none, np.empty(0), 0)
    rough = cosines(vectors, query)
    best = np.maximum.reduceat(rough, firsts) if firsts.size < rough.size else rough
    margin = rounding(vectors.shape[1])
    low = -np.inf if min_score is None else min_score - margin
    chosen = among_largest(best, k, low, margin) if k > 0 else np.empty(0, dtype=np.int64)
    rows, scores = _winners(vectors, firsts, query, rough, best, chosen)
    matched = int(firsts.size)
    if min_score is not None:
        # The float32 score decides except at the very border.
        border = np.flatnonzero((best >= low) & (best < min_score + margin))
        matched = int((best >= min_score + margin).sum())
        matched += int((_winners(vectors, firsts, query, rough, best, border)[1] >= min_score).sum())
        keep = scores >= min_score
        chosen, rows, scores = chosen[keep], rows[keep], scores[keep]
    order = best_of(scores, k)
    return Found(chosen[order], rows[order], scores[order], matched)


def nearest_many(vectors: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """For each of several queries (float32[m, d]) the k nearest rows: (rows int64[m, k'], scores float64[m, k']).

    k' is k, or n where there are fewer vectors. The same rows and scores as one query at a time gives; the vectors are
    read once for BATCH of them.
    """
    most = min(max(k, 0), len(vectors))
    rows = np.empty((len(queries), most), dtype=np.int64)
    scores = np.empty((len(queries), most))
    if most == 0:
        return rows, scores
    margin = rounding(vectors.shape[1])
    for start in range(0, len(queries), BATCH):
        block = queries[start : start + BATCH]
        for i, rough in enumerate(block @ vectors.T, start=start):
            near = among_largest(rough, most, margin=margin)
            found = exact(vectors, queries[i], near)
            order = best_of(found, most)
            rows[i], scores[i] = near[order], found[order]
    return rows, scores


def _winners(
    vectors: np.ndarray, firsts: np.ndarray, query: np.ndarray, rough: np.ndarray, best: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(row int64, score float64) of the best row of each chosen group."""
    if chosen.size == 0 or firsts.size == rough.size:  # each row is a group of its own
        return chosen, exact(vectors, query, chosen)
    counts = np.diff(firsts, append=rough.size)[chosen]
    ends = np.cumsum(counts)
    # The rows of all chosen groups in one run, and to which of them each belongs.
    owner = np.repeat(np.arange(chosen.size), counts)
    rows = np.arange(ends[-1]) + np.repeat(firsts[chosen] - (ends - counts), counts)
    near = rough[rows] >= best[chosen][owner] - rounding(vectors.shape[1])
    rows, owner = rows[near], owner[near]
    scores = exact(vectors, query, rows)
    order = np.lexsort((rows, -scores, owner))
    first = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    return rows[first], scores[first]
