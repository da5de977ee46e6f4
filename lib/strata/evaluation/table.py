"""The layers side by side: means, how sure they are, and how each row differs from one that all are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from strata.core.golden import GoldenQuery, GoldenSet
from strata.errors import DataError, UsageError
from strata.evaluation.measure import EVERY, Measure, measures
from strata.evaluation.outcome import Outcome
from strata.evaluation.significance import bootstrap_intervals, holm, sentence, sign_flips, smallest_difference
from strata.evaluation.unanswerable import Unanswerable


@dataclass(frozen=True)
class Against:
    """One row against another, by measure: the difference of the means; p of the sign-flip test by itself, and after
    Holm's correction for all the rows that are held against it."""

    label: str
    difference: dict[str, float]
    p: dict[str, float]
    adjusted: dict[str, float]


@dataclass(frozen=True)
class Row:
    """means, ci95: by measure. by_kind: kind → measure → mean. failed: queries at which a step was left out because a
    provider failed. premises: whether thin entries are read with theirs."""

    label: str
    means: dict[str, float]
    ci95: dict[str, tuple[float, float]]
    by_kind: dict[str, dict[str, float]]
    against: Against | None
    ms: float | None
    tokens: float | None
    failed: int = 0
    unanswerable: Unanswerable | None = None
    premises: bool = False


@dataclass(frozen=True)
class Table:
    """queries: those with an answer. kinds: each with its number of queries. smallest: the difference of the main
    measure under which nothing is proved, None where nothing can be; verdict: that in words."""

    limit: int
    main: str
    measures: tuple[str, ...]
    against: str
    rows: tuple[Row, ...]
    queries: int
    kinds: dict[str, int]
    smallest: float | None
    verdict: str

    @property
    def best_at(self) -> int:
        """The place of the row with the highest main measure; of several the first."""
        return max(range(len(self.rows)), key=lambda i: self.rows[i].means[self.main])

    @property
    def best(self) -> Row:
        return self.rows[self.best_at]

    @property
    def base(self) -> Row:
        """The row that the others are held against."""
        return next(row for row in self.rows if row.against is None)

    def to_json(self) -> dict[str, Any]:
        return {
            "limit": self.limit,
            "metric": self.main,
            "judged_queries": self.queries,
            "layers": [_json(row, self) for row in self.rows],
            "smallest_difference": self.smallest,
            "verdict": self.verdict,
        }


def table(
    outcomes: Sequence[Outcome],
    golden: GoldenSet,
    limit: int,
    against: str,
    main: str = "ndcg",
    unanswerable: Sequence[Unanswerable | None] = (),
    seed: int = 0,
) -> Table:
    """DataError for a golden set in which no query has an answer; UsageError where no row is called `against`."""
    queries = golden.judged
    if not queries:
        raise DataError(f"no query of {golden.name} has an answer", "a measure needs relevant documents")
    labels = [one.label for one in outcomes]
    if against not in labels:
        raise UsageError(f'--against: no row is called "{against}"', f"one of: {', '.join(labels)}")
    asked = measures(limit, list(dict.fromkeys([main, *EVERY])))
    values = {m.label: [one.values(queries, m) for one in outcomes] for m in asked}
    kinds = _kinds(queries)
    base = labels.index(against)
    flat = [row for m in asked for row in values[m.label]]
    spans = iter(bootstrap_intervals(flat, seed=seed))
    intervals = {m.label: [next(spans) for _ in outcomes] for m in asked}
    compared = _compared(asked, values, base, seed)
    differences = [_minus(row, values[main][base]) for i, row in enumerate(values[main]) if i != base]
    rows = [
        Row(
            label=one.label,
            means={m.label: fmean(values[m.label][i]) for m in asked},
            ci95={m.label: intervals[m.label][i] for m in asked},
            by_kind={
                kind: {m.label: _mean_at(places, values[m.label][i]) for m in asked} for kind, places in kinds.items()
            },
            against=None if i == base else Against(against, *(part[i] for part in compared)),
            ms=one.ms_per_query,
            tokens=one.tokens_per_query,
            failed=one.failed,
            unanswerable=unanswerable[i] if unanswerable else None,
            premises=one.plan is not None and one.plan.premises,
        )
        for i, one in enumerate(outcomes)
    ]
    return Table(
        limit, main, tuple(m.label for m in asked), against, tuple(rows), len(queries),
        {kind: len(places) for kind, places in kinds.items()},
        smallest_difference(differences) if differences else None,
        sentence(differences) if differences else "One row alone has nothing to be told from.",
    )  # fmt: skip


def _minus(row: Sequence[float], base: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(row, base, strict=True)]


def _compared(
    asked: Sequence[Measure], values: dict[str, list[list[float]]], base: int, seed: int
) -> tuple[list[dict[str, float]], list[dict[str, float]], list[dict[str, float]]]:
    """Differences of means, p values, corrected p values: for each row a dict by measure, empty for the base."""
    count = len(next(iter(values.values())))
    found: tuple[list[dict[str, float]], ...] = tuple([{} for _ in range(count)] for _ in range(3))
    others = [i for i in range(count) if i != base]
    for m in asked if others else ():
        rows = [_minus(values[m.label][i], values[m.label][base]) for i in others]
        ps = [flip.p for flip in sign_flips(rows, seed)]
        for i, row, p, adjusted in zip(others, rows, ps, holm(ps), strict=True):
            for part, value in zip(found, (sum(row) / len(row), p, adjusted), strict=True):
                part[i][m.label] = value
    return found[0], found[1], found[2]


def _kinds(queries: Sequence[GoldenQuery]) -> dict[str, list[int]]:
    """Each kind with the places of its queries."""
    kinds: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        if query.kind:
            kinds.setdefault(query.kind, []).append(place)
    return kinds


def _mean_at(places: Sequence[int], values: Sequence[float]) -> float:
    return fmean(values[place] for place in places)


def _json(row: Row, table: Table) -> dict[str, Any]:
    other = row.against
    return {
        "layer": row.label,
        **row.means,
        "ci95": {name: list(span) for name, span in row.ci95.items()},
        "p_value": other.adjusted[table.main] if other else None,
        "p_values": other.adjusted if other else None,
        "p_values_alone": other.p if other else None,
        "difference": other.difference if other else None,
        "against": other.label if other else None,
        "ms_per_query": row.ms,
        "tokens_per_query": row.tokens,
        "failed_queries": row.failed,
        "premises": row.premises,
        **({"kinds": row.by_kind} if row.by_kind else {}),
        **({"unanswerable": row.unanswerable.to_json()} if row.unanswerable else {}),
    }
