"""The order of a run's rows that something else made, whose scores may be equal.

Documents are ordered by score, descending, as trec_eval does; the rank column does not overrule a score. Among equal
scores the file's ranks decide, where a query's ranks are whole numbers that all differ; else the ids, descending, as in
trec_eval, to which two scores are equal when they are so in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_float
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Row(NamedTuple):
    """rank: as the file has it; None where it has none."""

    document: str
    score: float
    rank: int | None = None


@dataclass(frozen=True)
class Ordered:
    """One query's list, best first, each document once. repeated: rows left out, since a better one names the same
    document. tied: rows whose score is that of the row above. by_rank: whether ranks put those in order. against:
    whether the ranks would order the list in another way than the scores."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    repeated: int
    tied: int
    by_rank: bool
    against: bool


def ordered(rows: Sequence[Row]) -> Ordered:
    ranks = [row.rank for row in rows if row.rank is not None]
    by_rank = len(ranks) == len(rows) == len(set(ranks))
    order = sorted(rows, key=lambda row: row.document.encode("utf-8", "surrogatepass"), reverse=True)
    if by_rank:
        order.sort(key=lambda row: row.rank or 0)
    keys = {row: row.score if by_rank else c_float(row.score).value for row in rows}
    order.sort(key=lambda row: -keys[row])
    first = {row.document: row for row in reversed(order)}
    kept = [row for row in order if first[row.document] is row]
    return Ordered(
        ids=tuple(row.document for row in kept),
        scores=tuple(row.score for row in kept),
        repeated=len(rows) - len(kept),
        tied=sum(keys[a] == keys[b] for a, b in pairwise(order)),
        by_rank=by_rank,
        against=by_rank and any((a.rank or 0) > (b.rank or 0) for a, b in pairwise(order)),
    )
