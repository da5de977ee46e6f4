"""Two outcomes over one golden set, query by query: who is ahead where, and what came into the top and left it.

The figures are a measure's; both outcomes may come from plans or from run files. Whether the mean difference is more
than chance is significance.py's.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.measure import Measure
from strata.evaluation.metrics import unique
from strata.evaluation.outcome import Outcome

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

TIE = 1e-9
"""Values that differ by no more are equal."""


@dataclass(frozen=True)
class Moved:
    """A document that is in the top of one list only. grade: None where nobody judged it. before, after: its rank in
    either list, from 1, as far as the lists go; None where a list does not hold it."""

    id: str
    grade: int | None
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Pair:
    """One query. before, after: the measure's value for either outcome. entered: in the top of `after` only, left: in
    the top of `before` only, each by rank."""

    query: GoldenQuery
    before: float
    after: float
    entered: tuple[Moved, ...]
    left: tuple[Moved, ...]

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Versus:
    """pairs: one for each judged query, in the set's order. unjudged: how many queries have no answer, and no figure.
    changed: those of all queries whose top differs in its documents or their order."""

    before: str
    after: str
    measure: Measure
    pairs: tuple[Pair, ...]
    unjudged: int
    changed: int

    @property
    def wins(self) -> int:
        """Queries for which `after` is better."""
        return sum(pair.difference > TIE for pair in self.pairs)

    @property
    def losses(self) -> int:
        return sum(pair.difference < -TIE for pair in self.pairs)

    @property
    def ties(self) -> int:
        return len(self.pairs) - self.wins - self.losses

    @property
    def means(self) -> tuple[float, float]:
        """Of before and after; 0.0 where no query is judged."""
        if not self.pairs:
            return 0.0, 0.0
        return statistics.fmean(p.before for p in self.pairs), statistics.fmean(p.after for p in self.pairs)

    def furthest(self, count: int | None = None) -> list[Pair]:
        """The pairs that differ, the largest differences first, gains or losses; equal ones in the set's order."""
        differing = [pair for pair in self.pairs if abs(pair.difference) > TIE]
        return sorted(differing, key=lambda pair: -round(abs(pair.difference), 9))[:count]

    def to_json(self, corpus: Corpus | None = None) -> dict[str, Any]:
        """corpus: for the titles."""
        before, after = self.means
        return {
            "before": self.before,
            "after": self.after,
            "measure": self.measure.label,
            "k": self.measure.k,
            "queries": [_pair_json(pair, corpus) for pair in self.pairs],
            "mean": {"before": before, "after": after, "difference": after - before},
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "judged_queries": len(self.pairs),
            "unjudged_queries": self.unjudged,
            "changed_queries": self.changed,
        }


def versus(before: Outcome, after: Outcome, golden: GoldenSet, measure: Measure) -> Versus:
    """Set two outcomes side by side. The top is as deep as the measure looks."""
    return Versus(
        before.label,
        after.label,
        measure,
        tuple(_pair(query, before, after, measure) for query in golden.judged),
        len(golden.unjudged),
        sum(_top(before, query, measure.k) != _top(after, query, measure.k) for query in golden.queries),
    )


def _top(outcome: Outcome, query: GoldenQuery, k: int | None = None) -> list[str]:
    return unique(outcome.found.get(query.id, ()))[:k]


def _pair(query: GoldenQuery, before: Outcome, after: Outcome, measure: Measure) -> Pair:
    first, second, grades = _top(before, query), _top(after, query), query.relevant
    place = [{id: rank for rank, id in enumerate(ids, start=1)} for ids in (first, second)]

    def moved(ids: Sequence[str], but: Sequence[str]) -> tuple[Moved, ...]:
        kept = set(but)
        return tuple(Moved(id, grades.get(id), place[0].get(id), place[1].get(id)) for id in ids if id not in kept)

    top, new = first[: measure.k], second[: measure.k]
    return Pair(query, measure(first, grades), measure(second, grades), moved(new, top), moved(top, new))


def _pair_json(pair: Pair, corpus: Corpus | None) -> dict[str, Any]:
    return {
        "id": pair.query.id,
        "query": pair.query.text,
        "before": pair.before,
        "after": pair.after,
        "difference": pair.difference,
        "entered": [_moved_json(moved, corpus) for moved in pair.entered],
        "left": [_moved_json(moved, corpus) for moved in pair.left],
    }


def _moved_json(moved: Moved, corpus: Corpus | None) -> dict[str, Any]:
    at = corpus.position(moved.id) if corpus else None
    title = corpus.title(at) if corpus and at is not None else None
    return {"id": moved.id, "title": title, "grade": moved.grade, "before": moved.before, "after": moved.after}
