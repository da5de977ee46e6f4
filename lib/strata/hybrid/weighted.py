"""Weighted fusion: each list's scores brought to 0 … 1 by min-max, then added with a weight for each side.

score = alpha · keyword + (1 − alpha) · semantic, where a side of several lists shares its weight between them and a
document that a list does not hold gets 0 from it. The last hit of a list also becomes 0: that is min-max, and why
`explain` says "absent" of the one and not of the other. With alpha 0 or 1 one side has no weight, and a document that
only that side holds also has 0: it comes after those of the other, the last hit among them. Other ties: the
catalogue's order.

A well-known scheme; see Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023), who call
it a convex combination.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from strata.core.types import Part, Ranking
from strata.errors import UsageError
from strata.hybrid.adding import added
from strata.hybrid.normalise import min_max


@dataclass(frozen=True)
class Weighted:
    """alpha in [0, 1]: the weight of the keyword side; the rest is the semantic side's."""

    alpha: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:  # false for nan too
            raise UsageError(f"alpha must be between 0 and 1, not {self.alpha}", "1 is keyword alone, 0 semantic alone")

    @property
    def name(self) -> str:
        return "weighted"

    @property
    def label(self) -> str:
        return f"weighted alpha={self.alpha:g}"

    def weights(self, lists: Sequence[Ranking]) -> list[float]:
        """What each list's normalised scores are multiplied by; UsageError where one side has no list."""
        keyword = [ranking.family == "keyword" for ranking in lists]
        counts = {side: keyword.count(side) for side in (True, False)}
        if not all(counts.values()):
            raise UsageError(
                f"weighted fusion needs a keyword list and a semantic one, not {', '.join(r.name for r in lists)}",
                "fuse lists of one side with rrf",
            )
        return [(self.alpha if side else 1 - self.alpha) / counts[side] for side in keyword]

    def most(self, lists: Sequence[Ranking]) -> float:
        """Best in every list."""
        return sum(self.weights(lists))

    def __call__(self, lists: Sequence[Ranking], depth: int) -> Ranking:
        weights = self.weights(lists)
        counted = {doc for weight, one in zip(weights, lists, strict=True) if weight for doc in one.docs.tolist()}
        values = [(w * min_max(one.scores)).tolist() for w, one in zip(weights, lists, strict=True)]
        return added(self.name, lists, values, depth, last=lambda doc: doc not in counted)

    def explain(self, lists: Sequence[Ranking], doc: int) -> Part:
        """The fused score as a sum over the lists that hold the document; each part's facts: rank, raw, normalised,
        weight."""
        parts = []
        for weight, ranking in zip(self.weights(lists), lists, strict=True):
            rank = ranking.place(doc)
            if rank is not None:
                value = float(min_max(ranking.scores)[rank - 1])
                facts = {"rank": rank, "raw": float(ranking.scores[rank - 1]), "normalised": value, "weight": weight}
                parts.append(Part(ranking.name, weight * value, f"{weight:g}·{value:.3f}", facts=facts))
        return Part(self.name, math.fsum(part.value for part in parts), "the weighted sum over the lists", tuple(parts))
