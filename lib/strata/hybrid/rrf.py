"""Reciprocal rank fusion: a document's score is the sum of 1 / (k + rank) over the lists that hold it.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods" (SIGIR 2009), who use k = 60. Ranks start at 1. Scores of the lists are not looked at, and
a document that a list does not hold gets nothing from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from strata.core.types import Part, Ranking
from strata.errors import UsageError
from strata.hybrid.adding import added


@dataclass(frozen=True)
class RRF:
    """k ≥ 0, the rank constant: the larger, the less the first places stand out."""

    k: float = 60

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k) and self.k >= 0):
            raise UsageError(f"k must be a number from 0 up, not {self.k}", "the usual value is 60")

    @property
    def name(self) -> str:
        return "rrf"

    @property
    def label(self) -> str:
        return f"rrf k={self.k:g} (rank constant)"

    def part(self, rank: int) -> float:
        """What one list gives a document at this rank."""
        return 1.0 / (self.k + rank)

    def most(self, lists: Sequence[Ranking]) -> float:
        """First in every list."""
        return len(lists) * self.part(1)

    def __call__(self, lists: Sequence[Ranking], depth: int) -> Ranking:
        values = [[self.part(rank) for rank in range(1, len(one.docs) + 1)] for one in lists]
        return added(self.name, lists, values, depth)

    def explain(self, lists: Sequence[Ranking], doc: int) -> Part:
        """The fused score as a sum over the lists that hold the document."""
        parts = []
        for ranking in lists:
            rank = ranking.place(doc)
            if rank is not None:
                parts.append(Part(ranking.name, self.part(rank), f"1/({self.k:g}+{rank})", facts={"rank": rank}))
        return Part(self.name, math.fsum(part.value for part in parts), "the sum over the lists", tuple(parts))
