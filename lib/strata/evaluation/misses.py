"""What a look at failures gives: every relevant document, found or missed, and the counts by cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from strata.core.golden import GoldenQuery
from strata.evaluation.causes import CAUSES, Facts, Stand
from strata.evaluation.measure import Measure
from strata.rerank.order import CANDIDATES


@dataclass(frozen=True)
class Sought:
    """A relevant document of a query. id: "" where the golden set has only a title that no document bears. label:
    "(47) The Bear (1988)", or what there is. facts: None where the document was found. also: other causes that hold.
    story: the label of the entry in which a thin one's story stands."""

    query: GoldenQuery
    id: str
    label: str
    grade: int
    stands: tuple[Stand, ...] = ()
    facts: Facts | None = None
    cause: str = ""
    also: tuple[str, ...] = ()
    story: str = ""


@dataclass(frozen=True)
class Failures:
    """found and missed: the relevant documents of `queries`, in the golden set's order, and titles that no document
    bears, which no measure counts. unavoidable: how many misses any ranking has, since a query has more relevant
    documents than `limit` places. hit: its mean at the limit. now: the mean of each measure, by its label; gains: cause
    → how much each can rise at most; together: with all causes mended."""

    label: str
    dataset: str
    limit: int
    queries: tuple[GoldenQuery, ...]
    found: tuple[Sought, ...]
    missed: tuple[Sought, ...]
    unavoidable: int
    hit: float
    measures: tuple[Measure, ...]
    now: dict[str, float]
    gains: dict[str, dict[str, float]]
    together: dict[str, float]

    @property
    def counts(self) -> dict[str, int]:
        """Misses by cause, the most frequent first; causes of none are left out."""
        counts = Counter(miss.cause for miss in self.missed)
        order = [cause.name for cause in CAUSES]
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], order.index(pair[0]))))

    @property
    def within_reach(self) -> int:
        """How many that the cut lost stand where a reranker would read them; 0 where one did."""
        cut = [miss for miss in self.missed if miss.cause == "cut" and miss.facts and not miss.facts.reranked]
        return sum(miss.stands[-1].within(CANDIDATES) for miss in cut)

    def examples(self, cause: str, count: int) -> list[Sought]:
        """The clearest misses of a cause: one a query first, then high grades, then those that stood highest."""

        def clear(miss: Sought) -> tuple[int, float]:
            best = miss.facts.best if miss.facts else None
            return -miss.grade, best.rank if best and best.rank else float("inf")

        seen: Counter[str] = Counter()
        turns = []
        for miss in sorted((m for m in self.missed if m.cause == cause), key=clear):
            turns.append((seen[miss.query.id], miss))
            seen[miss.query.id] += 1
        return [miss for _, miss in sorted(turns, key=lambda turn: turn[0])[:count]]
