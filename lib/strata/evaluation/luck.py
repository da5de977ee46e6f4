"""Whether the best of many is more than luck: the sign-flip test for a winner that was picked after the fact.

Of enough settings one always looks good. So the signs of a query's differences are flipped for all settings at once,
and the winner is held against the largest difference that any of them reaches by chance. Source: Westfall and Young,
"Resampling-Based Multiple Testing" (1993), single-step max T; as White, "A reality check for data snooping" (2000).

To test what cross-validation held out would not do instead: folds choose by nearly the same queries, so held-out values
hang together. Of settings that are all alike it has a p below .05 in 15 to 40 sweeps of 100, one query left out at a
time (2 to 100 settings, 40 and 63 queries); this test in 5 or fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strata.evaluation.significance import BLOCK, TIE, Table, table_of

FLIPS = 20_000
EXACT = 14
"""So many queries at which anything differs are enumerated."""


@dataclass(frozen=True)
class Luck:
    """p: how often chance alone puts one of the rows so far ahead. exact: by enumeration, else estimated. needed: the
    mean difference from which on the winner's p would be .05 or less; None where it does not differ, or none would do.
    """

    p: float
    exact: bool
    needed: float | None


def luck(differences: Table, winner: int, seed: int = 0) -> Luck:
    """The one-sided test of one row among all: differences are each row's values minus the same base's, for each query.

    One-sided, since a winner is what is ahead. Each row counts by its sum over √(its sum of squares), which no flip
    changes, so that rows of wide differences do not drown those of narrow ones. For a single row that is ahead the p
    is half of the two-sided sign-flip test's.
    """
    rows = table_of(differences)
    asked = rows.shape[1]
    rows = rows[:, np.any(rows != 0, axis=0)]
    queries = rows.shape[1]
    scales = np.sqrt((rows**2).sum(axis=1))
    exact = queries <= EXACT
    if not scales[winner]:
        return Luck(1.0, exact, None)
    used = scales > 0
    largest = np.sort(_largest(rows[used] / scales[used, None], exact, seed))
    tie = TIE * queries  # a row's sum is √queries at most
    as_far = largest.size - int(np.searchsorted(largest, float(rows[winner].sum() / scales[winner]) - tie))
    p = as_far / largest.size if exact else (as_far + 1) / (largest.size + 1)
    rare = int(0.05 * largest.size) if exact else int(0.05 * (largest.size + 1)) - 1  # so many make a p of .05 or less
    too_often = largest[largest.size - 1 - rare]
    rarer = largest[largest > too_often + tie]
    return Luck(p, exact, float(rarer[0] * scales[winner] / asked) if rarer.size else None)


def _largest(rows: np.ndarray, exact: bool, seed: int) -> np.ndarray:
    """float64[flips]: for each choice of signs the largest sum of any row."""
    count, queries = rows.shape
    random = np.random.default_rng(seed)
    flips = 2**queries if exact else FLIPS
    totals = rows.sum(axis=1, keepdims=True)
    step = max(1, BLOCK // max(count, queries))
    found = []
    for start in range(0, flips, step):
        size = min(step, flips - start)
        if exact:
            kept = (np.arange(start, start + size)[:, None] >> np.arange(queries)) & 1
        else:
            kept = random.integers(0, 2, size=(size, queries), dtype=np.uint8)
        sums = 2 * (rows @ kept.T.astype(np.float64)) - totals  # what keeps its sign, less what does not
        found.append(sums.max(axis=0))
    return np.concatenate(found)
