"""What mending a cause of misses could gain at most: an upper bound, not a forecast.

Mending is thought of as this: the missed documents come in, at any places, and all others keep their order. Of all
rankings that may come of it the best value counts. For measures that ask only whether a document is relevant that is
the ranking with the missed ones first. nDCG may lose by that, where one of grade 1 pushes those of grade 2 down; there
the best order is found by dynamic programming over how many of each side have been placed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from strata.evaluation.measure import Measure
from strata.evaluation.metrics import Grades, unique


def reachable(measure: Measure, found: Sequence[str], missed: Sequence[str], grades: Grades) -> float:
    """The most that a measure can be for one query when `missed` (relevant documents) may come anywhere. found: ids,
    best first; missed ones may stand in it further down."""
    wanted = sorted(dict.fromkeys(missed), key=lambda id: -grades.get(id, 0))
    if not wanted:
        return measure(found, grades)
    gone = set(wanted)
    others = [id for id in unique(found) if id not in gone][: measure.k]
    return max(measure([*wanted, *others], grades), measure(_best_order(others, wanted, grades, measure.k), grades))


def _best_order(others: Sequence[str], wanted: Sequence[str], grades: Grades, k: int) -> list[str]:
    """Both lists, each in its own order, put together so that the discounted gain of the first k places is largest.

    best[i, j]: the most that can still be gained when i of others and j of wanted have been placed.
    """
    best: dict[tuple[int, int], float] = {}
    take: dict[tuple[int, int], bool] = {}
    for placed in range(min(k, len(others) + len(wanted)), -1, -1):
        for j in range(max(0, placed - len(others)), min(placed, len(wanted)) + 1):
            i = placed - j
            choices = []
            if placed < k and j < len(wanted):
                choices.append((_gain(wanted[j], grades, placed) + best[i, j + 1], True))
            if placed < k and i < len(others):
                choices.append((_gain(others[i], grades, placed) + best[i + 1, j], False))
            best[i, j], take[i, j] = max(choices, default=(0.0, False))
    order: list[str] = []
    j = 0
    while len(order) < min(k, len(others) + len(wanted)):
        i = len(order) - j
        wants = take[i, j]
        order.append(wanted[j] if wants else others[i])
        j += wants
    return order


def _gain(id: str, grades: Grades, place: int) -> float:
    return max(grades.get(id, 0), 0) / log2(place + 2)


def gain(
    measure: Measure,
    found: Mapping[str, Sequence[str]],
    missed: Mapping[str, Sequence[str]],
    grades: Mapping[str, Grades],
) -> float:
    """How much a measure's mean over all queries (the keys of grades) can rise at most; 0.0 without queries.

    found, missed: query id → document ids; a query that misses nothing may be left out of missed.
    """
    rises = [
        reachable(measure, found[id], missed[id], own) - measure(found[id], own) if missed.get(id) else 0.0
        for id, own in grades.items()
    ]
    return sum(rises) / len(rises) if rises else 0.0
