"""A sweep as the page shows it: its curves, what choosing brings where it is not measured on itself, every value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from strata.evaluation.grid import label, said
from strata.evaluation.swept import Sweep, curves
from strata.reporting.curves import curve
from strata.reporting.heat import Cell, shade
from strata.reporting.words import counted, figure, listed, measure_name, plain, signed
from strata.show.sweep import failures, verdict

ROWS = 60
"""Combinations that are listed; of more, the best."""


@dataclass(frozen=True)
class Square:
    """Two settings: the first down, the second across."""

    down: str
    across: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[Cell, str], ...]], ...]


@dataclass(frozen=True)
class Swept:
    """charts: (the chart, what the other settings are in it). rows: settings, mean, how often chosen."""

    title: str
    how: str
    said: tuple[str, ...]
    charts: tuple[tuple[Markup, str], ...]
    square: Square | None
    rows: tuple[tuple[str, str, int], ...]
    left_out: int


def swept(found: Sweep, name: str) -> Swept:
    """name: what the ids of its charts begin with."""
    charts = tuple(
        (curve(found, one, f"{name}-{n}"), plain(one.at, 80)) for n, one in enumerate(curves(found), start=1)
    )
    points = sorted(found.points, key=lambda p: -p.mean) if len(found.points) > ROWS else found.points
    rows = tuple((plain(p.label, 80), figure(p.mean), p.chosen) for p in points[:ROWS])
    return Swept(
        listed([plain(one.setting, 40) for one in found.over]),
        _how(found),
        (_figures(found), *(text.replace("'", "’") for text in (verdict(found), *failures(found)))),
        charts,
        _square(found) if len(found.over) == 2 else None,
        rows,
        len(found.points) - len(rows),
    )


def _how(found: Sweep) -> str:
    queries = counted(len(found.base), "query", "queries")
    return f"{measure_name(plain(found.measure, 40), 0)}, {queries}, {plain(found.folds.way, 40)}"


def _figures(found: Sweep) -> str:
    own, held = found.base_mean, found.held_mean
    return (
        f"Best here: {figure(found.best.mean)} with {plain(label(found.best.settings), 80)}. "
        f"The plan’s own, {plain(label(found.own), 80)}: {figure(own)}. "
        f"Held out, each query by what suits the others: {figure(held)}, {signed(held - own)} to the plan’s own."
    )


def _square(found: Sweep) -> Square:
    down, across = found.over
    by = {(p.settings[down.setting], p.settings[across.setting]): p for p in found.points}
    means: Sequence[float] = [point.mean for point in found.points]
    low, full = min(means), max(max(means) - min(means), 1e-9)

    def cell(one: object, other: object) -> tuple[Cell, str]:
        point = by[one, other]  # type: ignore[index]
        mark = "best" if point == found.best else "own" if dict(point.settings) == dict(found.own) else ""
        return Cell(figure(point.mean), shade(point.mean - low, full)), mark

    return Square(
        plain(down.setting, 40),
        plain(across.setting, 40),
        tuple(plain(said(value), 20) for value in across.values),
        tuple((plain(said(v), 20), tuple(cell(v, other) for other in across.values)) for v in down.values),
    )
