"""A flow as a bump chart: a column for each ranking, a line for each document, from place to place.

Relevant documents are drawn strongly: full dots for grade 2 and above, rings for grade 1; one that left the top is of
another colour. Below the top stand those that are not in it, each with its rank, in order. Lines between lists are
broken, since nothing passes from one to the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from strata.reporting.flow import Flow, Way, values_in_words, way_in_words
from strata.reporting.svg import ACCENT, CARD, INK, LINE, MUTED, NARROW, WARM, drawing, fitted, inline, width_of
from strata.show.text import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW, COLUMN, TITLES, RANKS = 16.5, 74.0, 142.0, 30.0
"""Points: the height of a place, the width of a column, the room for titles on the right and for ranks on the left."""
WIDEST = 110.0
"""Points: of a column with a long name."""
GAP = 0.9
"""Rows between the top and those below it."""


def chart(flow: Flow, name: str) -> Markup:
    places = [_places(flow, column) for column in range(len(flow.columns))]
    rows = max(place for column in places for place in column)
    with drawing(NARROW, NARROW) as figure:
        widest = max(width_of(name, bold=True) for name in flow.columns)
        column = min(max(COLUMN, widest + 8), WIDEST)
        left, right = max(RANKS, column / 2), column * (len(flow.columns) - 1) + TITLES
        figure.set_size_inches((left + right) / 72, ROW * (rows + 1.6) / 72)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(-left, right)  # across in points, down in rows
        axes.set_ylim(rows + 0.6, -1.0)
        _scaffold(axes, flow, rows, column)
        for way, at in sorted(zip(flow.ways, zip(*places, strict=True), strict=True), key=lambda pair: pair[0].grade):
            _draw(axes, flow, way, at, column)
        title = f"Ranks of documents for the query “{cut(flow.text, 120)}”"
        told = [way_in_words(flow, way) for way in flow.ways if way.grade or way.left(flow.top)]
        return inline(figure, name, title, f"{values_in_words(flow)}. {'; '.join(told)}.")


def _places(flow: Flow, column: int) -> list[float]:
    """Where each way stands in a column, in rows from 1: its rank in the top, else in turn below it."""
    below = [way for way in flow.ways if not way.within(column, flow.top)]
    below.sort(key=lambda way: (way.ranks[column] or 10**9, -way.grade, way.label))
    turns = {id(way): turn for turn, way in enumerate(below)}
    return [float(turns[id(w)] + flow.top + GAP + 1 if id(w) in turns else w.ranks[column] or 0) for w in flow.ways]


def _scaffold(axes: Axes, flow: Flow, rows: float, column: float) -> None:
    """Names of the columns, numbers of the places, the line under the top."""
    for place, name in enumerate(flow.columns):
        at = place * column
        head = fitted(name, column - 6, bold=True)
        axes.text(at, -0.35, head, ha="center", va="center", fontweight="bold", color=INK)
        axes.plot([at, at], [0.5, rows + 0.4], color=LINE, lw=0.7, zorder=0)
    for rank in range(1, flow.top + 1):
        axes.text(-12, rank, str(rank), ha="right", va="center", color=MUTED, fontsize=8)
    edge = flow.top + GAP / 2 + 0.5
    end = (len(flow.columns) - 1) * column + 12
    axes.plot([-14, end], [edge, edge], color=MUTED, lw=0.8, ls=(0, (2, 2)), zorder=0)


def _draw(axes: Axes, flow: Flow, way: Way, at: tuple[float, ...], column: float) -> None:
    """One document: its line, a dot in each ranking, its rank where that is below the top, its title at the end."""
    strong = way.grade > 0
    colour = (ACCENT if way.within(-1, flow.top) else WARM) if strong else MUTED
    for place in range(len(at) - 1):
        ends = ((place * column, at[place]), ((place + 1) * column, at[place + 1]))
        _step(axes, *ends, colour, strong, beside=place + 1 < flow.lists)
    for place, row in enumerate(at):
        axes.plot(
            [place * column], [row], "o", ms=6.5 if strong else 4.0, mfc=CARD if way.grade == 1 else colour,
            mec=colour, mew=1.6 if strong else 0.8, zorder=4 if strong else 3,
        )  # fmt: skip
        if not way.within(place, flow.top):
            rank = way.ranks[place]
            side = -1 if place == len(at) - 1 else 1  # the title stands on the other
            axes.text(
                place * column + side * 7, row, f"{rank:,}" if rank else "–", fontsize=7.5, color=colour,
                ha="left" if side > 0 else "right", va="center", zorder=5,
            )  # fmt: skip
    label = fitted(way.label, TITLES - 16, bold=strong)
    axes.text(
        (len(at) - 1) * column + 10, at[-1], label, va="center", color=colour,
        fontweight="bold" if strong else "normal", zorder=5,
    )  # fmt: skip


def _step(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, strong: bool, *, beside: bool
) -> None:
    """A smooth line from one column to the next."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x, y), (to, down) = start, end
    points = [start, (x + 0.45 * (to - x), y), (x + 0.55 * (to - x), down), end]
    axes.add_patch(
        PathPatch(
            Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]), fill=False, ec=colour,
            lw=(1.4 if beside else 2.2) if strong else 0.8, ls=(0, (1.5, 2.5)) if beside else "-",
            alpha=1.0 if strong else 0.55, zorder=2 if strong else 1,
        )
    )  # fmt: skip
