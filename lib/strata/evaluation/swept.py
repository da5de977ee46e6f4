"""What a sweep found: choosing settings without fooling oneself. What is chosen by some queries is scored by others.

The best of many settings looks better than it is, since it was chosen on the queries that it is measured on. So each
query is also scored by the setting that is best for the rest (cross-validation: Stone, "Cross-validatory choice and
assessment of statistical predictions", 1974); the mean of that is what the same choice may be expected to give for new
queries. Whether the best is ahead of the plan as it was by more than luck is tested in luck.py. Pure; plans are run in
sweep.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strata.evaluation.folds import Folds
from strata.evaluation.grid import Axis, Value, label, nearness
from strata.evaluation.luck import Luck, luck
from strata.evaluation.significance import TIE


@dataclass(frozen=True)
class Point:
    """One combination of settings. mean: over all queries. chosen: how many folds chose it."""

    settings: Mapping[str, Value]
    mean: float
    chosen: int

    @property
    def label(self) -> str:
        return label(self.settings)


@dataclass(frozen=True)
class Sweep:
    """points: in the grid's order. own: the plan's own settings, base: its value for each query. held: for each query
    the value of the setting that was chosen without it. luck: the test of the best against base. failed: runs at which
    a provider failed, so that a step left its input as it was."""

    measure: str
    over: tuple[Axis, ...]
    folds: Folds
    seed: int
    points: tuple[Point, ...]
    best: Point
    own: Mapping[str, Any]
    base: tuple[float, ...]
    held: tuple[float, ...]
    luck: Luck
    failed: int = 0

    @property
    def base_mean(self) -> float:
        return float(np.mean(self.base))

    @property
    def held_mean(self) -> float:
        """What choosing so may be expected to give for queries that nothing was chosen by."""
        return float(np.mean(self.held))

    @property
    def optimism(self) -> float:
        """By how much the best setting flatters itself."""
        return self.best.mean - self.held_mean


def judged(
    measure: str,
    over: Sequence[Axis],
    grid: Sequence[Mapping[str, Value]],
    values: np.ndarray,
    current: Mapping[str, Any],
    base: Sequence[float],
    parts: Folds,
    seed: int = 0,
    failed: int = 0,
) -> Sweep:
    """What was measured, weighed. values: float64[settings, queries]; grid: the settings of its rows; current: the
    plan's own; base: its value for each query."""
    order = sorted(range(len(grid)), key=lambda i: round(nearness(over, current, grid[i]), 9))
    chosen = [choice(np.delete(values, part, axis=1), order) for part in parts.parts]
    held = np.empty(values.shape[1])
    for part, row in zip(parts.parts, chosen, strict=True):
        held[list(part)] = values[row, list(part)]
    times = Counter(chosen)
    means = values.mean(axis=1).tolist()
    points = tuple(Point(grid[i], means[i], times[i]) for i in range(len(grid)))
    best = choice(values, order)
    return Sweep(
        measure,
        tuple(over),
        parts,
        seed,
        points,
        points[best],
        current,
        tuple(map(float, base)),
        tuple(held.tolist()),
        luck(values - np.asarray(base), best, seed),
        failed,
    )


def choice(values: np.ndarray, order: Sequence[int]) -> int:
    """The row with the highest mean; of equal ones the first in `order`."""
    means = values.mean(axis=1)
    enough = means.max() - TIE
    return next(i for i in order if means[i] >= enough)


def to_json(found: Sweep) -> dict[str, Any]:
    """gain: against the plan's own. p_value, exact, needed: see luck.Luck."""
    best, base, held, luck = found.best, found.base_mean, found.held_mean, found.luck
    return {
        "measure": found.measure,
        "queries": len(found.base),
        "folds": {"way": found.folds.way, "count": len(found.folds.parts), "seed": found.seed},
        "over": [{"setting": one.setting, "values": list(one.values)} for one in found.over],
        "settings": [{"settings": dict(p.settings), "mean": p.mean, "chosen": p.chosen} for p in found.points],
        "own": {"settings": dict(found.own), "mean": base},
        "best": {
            "settings": dict(best.settings), "mean": best.mean, "gain": best.mean - base,
            "p_value": luck.p, "exact": luck.exact, "needed": luck.needed,
        },
        "held_out": {"mean": held, "gain": held - base, "optimism": found.optimism},
        "failed": found.failed,
    }  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """One setting's values and the mean at each, the other settings as the best has them (at: those, in words).
    own: the plan's own value. best: the best setting's."""

    name: str
    x: tuple[Value, ...]
    y: tuple[float, ...]
    own: Any
    best: Value
    at: str = ""


def curves(found: Sweep) -> list[Curve]:
    """A curve for each setting, through the best point: what a report plots."""
    drawn = []
    for one in found.over:
        rest = {name: value for name, value in found.best.settings.items() if name != one.setting}
        line = [p for p in found.points if all(p.settings[name] == value for name, value in rest.items())]
        x, y = tuple(p.settings[one.setting] for p in line), tuple(p.mean for p in line)
        drawn.append(Curve(one.setting, x, y, found.own[one.setting], found.best.settings[one.setting], label(rest)))
    return drawn
