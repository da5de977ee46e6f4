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

from strata.core.bounds import reached_by
from strata.core.types import Positions, Scores


def totals(docs: Sequence[np.ndarray], weights: Sequence[np.ndarray], documents: int) -> np.ndarray:
    """float64[documents]: each document's sum."""
    if not docs:
        return np.zeros(documents)
    return np.bincount(np.concatenate(docs), np.concatenate(weights), minlength=documents)


def best(sums: np.ndarray, k: int) -> tuple[Positions, Scores]:
    """The k best documents with a sum above 0, and their sums."""
    floor = reached_by(sums, k)
    found = np.flatnonzero(sums >= floor if floor > 0 else sums)
    scores = sums[found]
    order = np.argsort(-scores, kind="stable")[:k]
    return found[order].astype(np.int32), scores[order]
