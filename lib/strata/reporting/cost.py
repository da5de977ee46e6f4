"""What each layer gives against what it takes: the main measure by milliseconds a query."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from markupsafe import Markup

from strata.evaluation.table import Row, Table
from strata.reporting.svg import ACCENT, INK, LINE, MUTED, WIDE, drawing, few_ticks, fitted, inline, width_of
from strata.reporting.words import figure, measure_name, milliseconds, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES, LEFT, BOTTOM, TOP = 130.0, 36.0, 34.0, 24.0
"""Points around the plot; the names of the slowest layers stand to its right."""
LINE_HEIGHT = 11.5


def cost(table: Table, name: str) -> Markup | None:
    """Milliseconds on a logarithmic scale; None where fewer than two rows were timed."""
    timed = [(row, row.ms) for row in table.rows if row.ms is not None and row.ms > 0]
    if len(timed) < 2:
        return None
    label = measure_name(table.main, table.limit)
    height = max(210.0, 90.0 + LINE_HEIGHT * len(timed))
    with drawing(WIDE, height) as chart:
        across, up = (WIDE - LEFT - NAMES) / WIDE, (height - BOTTOM - TOP) / height
        axes = chart.add_axes((LEFT / WIDE, BOTTOM / height, across, up))
        axes.set_xscale("log")
        axes.grid(color=LINE, lw=0.6)
        axes.set_axisbelow(True)
        times, means = [ms for _, ms in timed], [row.means[table.main] for row, _ in timed]
        axes.set_xlim(min(times) / 1.5, max(times) * 1.5)
        room = max(max(means) - min(means), 0.05) * 0.1
        axes.set_ylim(min(means) - room, max(means) + room)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        axes.yaxis.set_major_formatter(lambda value, _: figure(value, 2))
        axes.yaxis.set_major_locator(few_ticks())
        axes.tick_params(length=0, which="both")
        axes.set_xlabel("milliseconds a query")
        axes.text(0, height - TOP + 6, label, transform=None, color=MUTED)
        for spine in axes.spines.values():
            spine.set_visible(False)
        _named(axes, timed, table)
        figures = [(plain(row.label, 60), figure(row.means[table.main]), milliseconds(ms)) for row, ms in timed]
        told = "; ".join(f"{layer}: {value}, {ms} ms" for layer, value, ms in figures)
        return inline(chart, name, f"{label} of each layer against milliseconds a query", f"{told}.")


def _named(axes: Axes, timed: Sequence[tuple[Row, float]], table: Table) -> None:
    """Dots with their names beside them; where two would lie on each other the name is moved, a line leads to it."""
    dots = [axes.transData.transform((ms, row.means[table.main])) for row, ms in timed]
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in dots]
    plot = axes.get_window_extent()
    for (row, ms), (x, y) in sorted(zip(timed, dots, strict=True), key=lambda pair: -pair[1][1]):
        best = row is table.best
        axes.plot([ms], [row.means[table.main]], "o", ms=7 if best else 5.5, color=ACCENT if best else MUTED)
        name = fitted(plain(row.label), NAMES - 14, bold=best)
        wide = width_of(name, bold=best)
        moves = chain([0.0], *((-step, step) for step in (LINE_HEIGHT * n / 4 for n in range(1, 400))))
        boxes = ((x + 8, y + by - 5, x + 8 + wide, y + by + 5) for by in moves if plot.y0 <= y + by <= plot.y1)
        box = next((box for box in boxes if not any(_meet(box, other) for other in taken)), (x + 8, y - 5, x, y + 5))
        taken.append(box)
        by = box[1] + 5 - y
        if abs(by) > LINE_HEIGHT / 2:
            axes.annotate(
                "", (x, y), (box[0], y + by), xycoords="figure points", textcoords="figure points",
                arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.6, "shrinkA": 0, "shrinkB": 3},
            )  # fmt: skip
        axes.annotate(
            name, (x, y), (8, by), xycoords="figure points", textcoords="offset points", va="center",
            color=ACCENT if best else INK, fontweight="bold" if best else "normal", annotation_clip=False,
        )  # fmt: skip


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two boxes (left, bottom, right, top) have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
