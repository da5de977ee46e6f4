"""What every fusion does: give each document what each list gives it, add that up, order by the sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum

import numpy as np

from strata.core.types import Ranking


def added(
    name: str,
    lists: Sequence[Ranking],
    values: Sequence[Sequence[float]],
    depth: int,
    last: Callable[[int], bool] = lambda _: False,
) -> Ranking:
    """values: for each list what its places give, in order. A list that repeats a document counts its best place only.
    last: documents that come after others of the same sum. Other ties: the catalogue's order."""
    given_by: dict[int, list[float]] = {}
    for ranking, given in zip(lists, values, strict=True):
        seen: set[int] = set()
        for doc, value in zip(ranking.docs.tolist(), given, strict=True):
            if doc not in seen:
                seen.add(doc)
                given_by.setdefault(doc, []).append(value)
    # Not one after the other: the rounding of that depends on the order of the lists, and would decide between equals.
    totals = {doc: fsum(values) for doc, values in given_by.items()}
    best = sorted(totals.items(), key=lambda pair: (-pair[1], last(pair[0]), pair[0]))[:depth]
    docs = np.array([doc for doc, _ in best], dtype=np.int32)
    return Ranking(name, docs, np.array([score for _, score in best], dtype=np.float64), matched=len(totals))
