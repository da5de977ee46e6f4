"""From postings to the best documents.

Contributions of all postings of the query are added up in float64, a document's in the order of the query's
terms, so the score is the same number as its explanation's. (float32 impacts with a second, exact scoring of the
candidates were measured: the second scoring alone took as long as everything here together.)

The best are found without sorting all (core/bounds.py).
Ties: the document that stands earlier in the catalogue comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strata.core.bounds import among_largest
from strata.core.types import Positions, Scores

MANY = 1 << 14
"""From so many postings on, adding row by row is faster than joining the rows first."""
ABOVE_0 = float(np.nextafter(0.0, 1.0))


def totals(docs: Sequence[np.ndarray], weights: Sequence[np.ndarray], documents: int) -> np.ndarray:
    """float64[documents]: each document's sum. Both ways add the same numbers in the same order."""
    if not docs:
        return np.zeros(documents)
    if sum(row.size for row in docs) < MANY:
        return np.bincount(np.concatenate(docs), np.concatenate(weights), minlength=documents)
    sums = np.zeros(documents)
    for row, weight in zip(docs, weights, strict=True):
        np.add.at(sums, row, weight)
    return sums


def best(sums: np.ndarray, k: int) -> tuple[Positions, Scores]:
    """The k best documents with a sum above 0, and their sums."""
    found = among_largest(sums, k, ABOVE_0)
    scores = sums[found]
    order = np.argsort(-scores, kind="stable")[:k]
    return found[order].astype(np.int32), scores[order]
