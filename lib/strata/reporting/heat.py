"""Queries by layers: each cell the main measure of one query in one layer, its shade the value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.measure import Measure, measure
from strata.evaluation.outcome import Outcome
from strata.evaluation.table import Table
from strata.reporting.words import figure, plain

MOST = 300
"""Queries that are shown; of more, those that the layers differ about most."""
STEPS = 10
"""Shades above none."""
TEXT = 300
"""Columns of a query's text."""


@dataclass(frozen=True)
class Cell:
    text: str
    shade: int


@dataclass(frozen=True)
class HeatRow:
    """number: of the query on this page, for links within it."""

    number: int
    id: str
    text: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Group:
    """Queries of a kind, "" where they have none."""

    kind: str
    rows: tuple[HeatRow, ...]


@dataclass(frozen=True)
class Heat:
    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    unanswerable: tuple[HeatRow, ...]
    left_out: int


def shade(value: float, full: float = 1.0) -> int:
    """0 … STEPS for a value from 0 to full; a value above 0 is never shown as none."""
    return 0 if value <= 0 else max(1, min(STEPS, round(STEPS * value / full)))


def shown(golden: GoldenSet, outcomes: Sequence[Outcome], table: Table) -> dict[str, int]:
    """The ids of the queries that the page shows → their numbers, in the golden set's order."""
    judged = golden.judged
    if len(judged) > MOST:
        main = measure(table.main, table.limit)
        spread = {
            query.id: _spread([main(one.found.get(query.id, ()), query.relevant) for one in outcomes])
            for query in judged
        }
        kept = set(sorted(spread, key=lambda id: -spread[id])[:MOST])
        judged = tuple(query for query in judged if query.id in kept)
    return {query.id: number for number, query in enumerate([*judged, *golden.unjudged[:MOST]], start=1)}


def _spread(values: Sequence[float]) -> float:
    return max(values, default=0.0) - min(values, default=0.0)


def heat(table: Table, golden: GoldenSet, outcomes: Sequence[Outcome], numbers: dict[str, int]) -> Heat:
    main = measure(table.main, table.limit)
    judged = [query for query in golden.judged if query.id in numbers]
    rows = {query.id: _row(query, numbers, _cells(query, outcomes, main)) for query in judged}
    kinds = dict.fromkeys([*table.kinds, *(query.kind for query in judged)])
    groups = [Group(plain(kind, 40), tuple(rows[q.id] for q in judged if q.kind == kind)) for kind in kinds]
    none = [query for query in golden.unanswerable if query.id in numbers]
    told = any(row.unanswerable for row in table.rows)
    return Heat(
        tuple(plain(one.label, 40) for one in outcomes),
        tuple(group for group in groups if group.rows),
        tuple(_row(query, numbers, tuple(_abstentions(query, table))) for query in none) if told else (),
        len(golden.judged) - len(judged),
    )


def _row(query: GoldenQuery, numbers: dict[str, int], cells: tuple[Cell, ...]) -> HeatRow:
    return HeatRow(numbers[query.id], plain(query.id, 24), plain(query.text, TEXT), cells)


def _cell(value: float) -> Cell:
    return Cell(figure(value, 2) if value else "0", shade(value))


def _cells(query: GoldenQuery, outcomes: Sequence[Outcome], main: Measure) -> tuple[Cell, ...]:
    values = [main(one.found.get(query.id, ()), query.relevant) for one in outcomes]
    return tuple(map(_cell, values))


def _abstentions(query: GoldenQuery, table: Table) -> Iterator[Cell]:
    for row in table.rows:
        if row.unanswerable is None:
            yield Cell("", 0)
        else:
            yield Cell("✗" if query.id in row.unanswerable.answered else "✓", 0)


def by_kind(table: Table) -> tuple[tuple[str, int, tuple[tuple[Cell, bool], ...]], ...]:
    """(kind, its queries, for each layer its mean and whether it is the kind's highest)."""
    rows = []
    for kind, count in table.kinds.items():
        values = [row.by_kind[kind][table.main] for row in table.rows]
        cells = tuple((_cell(v), 0 < v == max(values)) for v in values)
        rows.append((plain(kind, 40), count, cells))
    return tuple(rows)
