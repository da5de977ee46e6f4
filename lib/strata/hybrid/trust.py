"""Fusion that knows when to trust the keyword list: by how much of the query its best document holds.

BM25 finds names and titles that vectors know nothing of, and is noise on a sentence of which every document shares one
word. The two are told apart by the *coverage* of the keyword list: the share of the query's words, weighted by idf,
that its first document holds (keyword/coverage.py). Scores are min-max normalised per list, then added with weights:

    keyword   alpha · coverage^power; several keyword lists share it, each by its own coverage
    semantic  what is left, shared in proportion to the lists' own weights

A list that holds nothing has no weight; where one side has none, the other has all of it. Compare weighted.py, where
the weight is the same for every query (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval",
2023). That the query should set it is an old idea (query performance prediction); this measure of it is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strata.core.types import Part, Ranking
from strata.errors import UsageError
from strata.hybrid.adding import added
from strata.hybrid.normalise import min_max

UNKNOWN = 0.5
"""The coverage of a keyword list that says nothing of it."""


@dataclass(frozen=True)
class Trust:
    """alpha in [0, 1]: the keyword side's weight where its first document holds the whole query. power ≥ 0: how fast
    that falls with coverage."""

    alpha: float = 0.5
    power: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:  # false for nan too
            raise UsageError(f"alpha must be between 0 and 1, not {self.alpha}", "1 trusts keyword with all it covers")
        if not (math.isfinite(self.power) and self.power >= 0):
            raise UsageError(f"power must be a number from 0 up, not {self.power}", "0 is a fixed weight; 2 is usual")

    @property
    def name(self) -> str:
        return "trust"

    @property
    def label(self) -> str:
        return f"trust alpha={self.alpha:g} power={self.power:g}"

    def weights(self, lists: Sequence[Ranking]) -> list[float]:
        """What each list's normalised scores are multiplied by; together 1 where anything was found."""
        filled = [ranking.docs.size > 0 for ranking in lists]
        keyword = [ranking.family == "keyword" for ranking in lists]
        count = sum(full for full, side in zip(filled, keyword, strict=True) if side)
        given = [
            self.share(ranking) / count if side and full else 0.0
            for ranking, side, full in zip(lists, keyword, filled, strict=True)
        ]
        own = [
            ranking.weight if full and not side else 0.0
            for ranking, side, full in zip(lists, keyword, filled, strict=True)
        ]
        if not sum(own):
            found = [1.0 if side and full else 0.0 for side, full in zip(keyword, filled, strict=True)]
            return [one / count if count else 0.0 for one in found]
        left = 1 - sum(given)
        return [
            weight if side else left * part / sum(own) for weight, part, side in zip(given, own, keyword, strict=True)
        ]

    def share(self, ranking: Ranking) -> float:
        """The weight of a keyword list, were it the only one."""
        coverage = UNKNOWN if ranking.coverage is None else ranking.coverage
        return float(self.alpha * coverage**self.power)

    def most(self, lists: Sequence[Ranking]) -> float:
        """Best in every list."""
        return sum(self.weights(lists))

    def __call__(self, lists: Sequence[Ranking], depth: int) -> Ranking:
        weights = self.weights(lists)
        values = [(w * min_max(one.scores)).tolist() for w, one in zip(weights, lists, strict=True)]
        return added(self.name, lists, values, depth)

    def explain(self, lists: Sequence[Ranking], doc: int) -> Part:
        """The fused score as a sum over the lists that hold the document; each part's facts: rank, raw, normalised,
        weight, and for a keyword list its coverage."""
        parts = []
        for weight, ranking in zip(self.weights(lists), lists, strict=True):
            rank = ranking.place(doc)
            if rank is not None:
                value = float(min_max(ranking.scores)[rank - 1])
                raw = float(ranking.scores[rank - 1])
                facts: dict[str, Any] = {"rank": rank, "raw": raw, "normalised": value, "weight": weight}
                if ranking.family == "keyword":
                    facts["coverage"] = ranking.coverage
                parts.append(Part(ranking.name, weight * value, f"{weight:.3g}·{value:.3f}", facts=facts))
        return Part(self.name, sum(part.value for part in parts), self._how(lists), tuple(parts))

    def _how(self, lists: Sequence[Ranking]) -> str:
        """Why the keyword side has the weight that it has."""
        first = next((one for one in lists if one.family == "keyword" and one.docs.size), None)
        if first is None or first.coverage is None:
            return "the weighted sum over the lists"
        trusted = f"{self.alpha:g} · {first.coverage:.2f}^{self.power:g} = {self.share(first):.2f}"
        return (
            f"keyword is trusted {trusted}: its first document holds {first.coverage:.0%} of the query's words by idf"
        )
