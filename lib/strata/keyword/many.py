"""Many queries at once: what `topk` does for one, for a block of them in the same few calls of NumPy.

A short query over a few thousand documents takes about ten calls, whose fixed costs are most of its time; a block
shares them. Sums are added in the same order, so scores are the same numbers, and ties stand in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from strata.core.bounds import reached_by_rows
from strata.core.types import Positions, Scores
from strata.keyword.index import Row
from strata.keyword.topk import ABOVE_0, best, totals

CELLS = 1 << 17
"""Sums of a block, 1 MB of float64: they stay in the processor's cache."""


def best_of_each(
    queries: Sequence[Sequence[Row]], weigh: Callable[[Row], np.ndarray], documents: int, k: int
) -> Iterator[tuple[Positions, Scores]]:
    """For each query, given as the postings of its terms, the k best documents and their sums, as `best` gives them.

    weigh: float64, what each posting of a row contributes.
    """
    size = CELLS // max(1, documents)
    if size < 2:  # as many documents as make one query's work long
        for rows in queries:
            yield best(totals([row.docs for row in rows], [weigh(row) for row in rows], documents), k)
        return
    for start in range(0, len(queries), size):
        yield from _block(queries[start : start + size], weigh, documents, k)


def _block(
    queries: Sequence[Sequence[Row]], weigh: Callable[[Row], np.ndarray], documents: int, k: int
) -> Iterator[tuple[Positions, Scores]]:
    rows = [(query, row) for query, found in enumerate(queries) for row in found]
    if not rows:
        yield from ((np.empty(0, np.int32), np.empty(0)) for _ in queries)
        return
    # A query's documents are numbered on from where the last one's ended.
    begins = np.array([query * documents for query, _ in rows])
    cells = np.concatenate([row.docs for _, row in rows]) + np.repeat(begins, [row.docs.size for _, row in rows])
    weights = np.concatenate([weigh(row) for _, row in rows])
    sums: np.ndarray = np.bincount(cells, weights, minlength=len(queries) * documents).reshape(len(queries), documents)
    floors = np.maximum(reached_by_rows(sums, k), ABOVE_0)
    places = np.flatnonzero(sums >= floors[:, None])  # np.nonzero of two dimensions takes 15 times as long
    scores, query = sums.ravel()[places], places // documents
    docs = places - query * documents
    order = np.lexsort((docs, -scores, query))
    positions: Positions = docs[order].astype(np.int32)
    ranked: Scores = scores[order]
    ends = np.cumsum(np.bincount(query, minlength=len(queries))).tolist()
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        last = min(last, first + k)
        yield positions[first:last], ranked[first:last]
