"""The curve of one setting of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from strata.evaluation.grid import Value, said
from strata.evaluation.swept import Curve, Sweep
from strata.reporting.svg import ACCENT, LINE, MUTED, NARROW, WARM, drawing, few_ticks, inline
from strata.reporting.words import figure, measure_name, plain

HEIGHT = 170.0


def curve(found: Sweep, drawn: Curve, name: str) -> Markup:
    """The mean at each value. Rings: the best, and the plan's own where it is on the curve. A broken line: what
    choosing gives, held out."""
    places, ticks = _places(drawn.x)
    with drawing(NARROW, HEIGHT) as chart:
        axes = chart.add_axes((0.15, 0.2, 0.81, 0.7))
        axes.grid(axis="y", color=LINE, lw=0.6)
        axes.set_axisbelow(True)
        axes.plot(places, drawn.y, color=ACCENT, lw=1.8, marker="o", ms=3.5, mew=0)
        axes.axhline(found.held_mean, color=MUTED, lw=1, ls=(0, (3, 3)))
        rings = [(drawn.best, ACCENT, 8), *([(drawn.own, WARM, 11)] if _through_own(found, drawn) else [])]
        for value, colour, size in rings:
            at = [i for i, x in enumerate(drawn.x) if x == value]
            axes.plot([places[i] for i in at], [drawn.y[i] for i in at], "o", ms=size, mfc="none", mec=colour, mew=1.6)
        low, high = min(*drawn.y, found.held_mean), max(*drawn.y, found.held_mean)
        room = max(high - low, 0.01) * 0.15
        axes.set_ylim(max(low - room, -0.02), high + room)
        axes.set_xticks([places[i] for i in ticks], [plain(said(drawn.x[i]), 12) for i in ticks])
        digits = 2 if high - low > 0.04 else 3
        axes.yaxis.set_major_formatter(lambda value, _: figure(value, digits) if value >= 0 else "")
        axes.yaxis.set_major_locator(few_ticks())
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(plain(drawn.name, 40))
        points = ", ".join(f"{plain(said(x), 40)}: {figure(y)}" for x, y in zip(drawn.x, drawn.y, strict=True))
        told = f"{points}. The plan's own: {plain(said(drawn.own), 40)}. Held out: {figure(found.held_mean)}."
        return inline(chart, name, f"{measure_name(plain(found.measure, 40), 0)} by {plain(drawn.name, 40)}", told)


def _through_own(found: Sweep, drawn: Curve) -> bool:
    """Whether the plan's own settings are on a curve: it goes through the best point, where others may differ."""
    return all(found.best.settings[name] == own for name, own in found.own.items() if name != drawn.name)


def _places(values: Sequence[Value]) -> tuple[list[float], list[int]]:
    """(where values stand, which of them are named): numbers that are evenly apart by their size, others in turn."""
    places = list(map(float, range(len(values))))
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        numbers = [float(value) for value in values]
        steps = [b - a for a, b in pairwise(numbers)]
        if steps and max(steps) - min(steps) < 1e-9 * max(1.0, abs(numbers[-1])):
            places = numbers
    every = -(-len(values) // 8)
    return places, list(range(0, len(values), every))
