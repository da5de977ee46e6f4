"""The layers table and the table by kind, as cells of text with what is drawn in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from strata.evaluation.table import Row, Table
from strata.reporting.words import figure, measure_name, milliseconds, p_value, plain, signed

NAME = 60


@dataclass(frozen=True)
class Interval:
    """Percent of the scale: where it begins and how long it is, the mean, the mean of the row that is compared with."""

    start: float
    length: float
    mean: float
    base: float


@dataclass(frozen=True)
class LayerRow:
    """best: whether its main measure is the highest. others: (text, whether it is the column's highest)."""

    label: str
    best: bool
    main: str
    low: str
    high: str
    interval: Interval
    difference: str
    p: str
    p_alone: str
    others: tuple[tuple[str, bool], ...]
    ms: str
    tokens: str
    abstained: str
    failed: int


@dataclass(frozen=True)
class LayersTable:
    """measures: at the limit, unless they name their depth. scale: where the drawn intervals end; they begin at 0."""

    main: str
    scale: str
    measures: tuple[str, ...]
    rows: tuple[LayerRow, ...]
    has_tokens: bool
    has_unanswerable: bool


def layers(table: Table) -> LayersTable:
    main = table.main
    others = [name for name in table.measures if name != main]
    highest = {name: max(row.means[name] for row in table.rows) for name in table.measures}
    scale = math.ceil(max(max(row.ci95[main][1] for row in table.rows), 0.1) * 10 - 1e-9) / 10
    rows = tuple(_row(row, table, others, highest, scale, table.base.means[main]) for row in table.rows)
    return LayersTable(
        measure_name(main, table.limit),
        figure(scale, 1),
        tuple(measure_name(name, table.limit).removesuffix(f"@{table.limit}") for name in others),
        rows,
        any(row.tokens for row in table.rows),
        any(row.unanswerable for row in table.rows),
    )


def _row(row: Row, table: Table, others: list[str], highest: dict[str, float], scale: float, base: float) -> LayerRow:
    main = table.main
    low, high = row.ci95[main]
    part = 100 / scale
    none = row.unanswerable
    return LayerRow(
        label=plain(row.label, NAME),
        best=row.means[main] == highest[main],
        main=figure(row.means[main]),
        low=figure(low),
        high=figure(high),
        interval=Interval(low * part, (high - low) * part, row.means[main] * part, base * part),
        difference=signed(row.against.difference[main]) if row.against else "",
        p=p_value(row.against.adjusted[main]) if row.against else "",
        p_alone=p_value(row.against.p[main]) if row.against else "",
        others=tuple((figure(row.means[name]), 0 < row.means[name] == highest[name]) for name in others),
        ms="–" if row.ms is None else milliseconds(row.ms),
        tokens="–" if row.tokens is None else f"{row.tokens:,.0f}",
        abstained=f"{len(none.abstained)} of {len(none.abstained) + len(none.answered)}" if none else "–",
        failed=row.failed,
    )
