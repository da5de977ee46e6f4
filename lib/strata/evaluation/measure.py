"""A metric at a depth, by name: "ndcg" (at the limit), "recall@100"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strata import registry
from strata.errors import UsageError
from strata.evaluation.metrics import Grades

Metric = Callable[[Sequence[str], Grades, int], float]


@dataclass(frozen=True)
class Measure:
    """label: as the user writes it. k: its own depth."""

    label: str
    metric: Metric
    k: int

    @property
    def name(self) -> str:
        """ "ndcg@5", however it was written."""
        return self.label if "@" in self.label else f"{self.label}@{self.k}"

    def __call__(self, found: Sequence[str], grades: Grades) -> float:
        return self.metric(found, grades, self.k)


def measure(text: str, limit: int) -> Measure:
    """A measure by its text; without @ its depth is the limit. UsageError for a name or depth that is none."""
    name, at, depth = text.partition("@")
    if name not in registry.METRICS:
        raise UsageError(f'no metric is called "{name}"', f"one of: {registry.names(registry.METRICS)}; also ndcg@100")
    if at and not (depth.isascii() and depth.isdigit() and 0 < int(depth) <= 1_000_000):
        raise UsageError(f'"{text}": the depth must be a whole number from 1 up', f"as {name}@10")
    metric: Metric = registry.load(registry.METRICS[name])
    return Measure(text, metric, int(depth) if at else limit)


EVERY = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg", "r_precision", "judged", "recall@100")
"""What tables and JSON hold, at the limit unless the name says otherwise."""


def measures(limit: int, names: Sequence[str] = EVERY) -> list[Measure]:
    return [measure(name, limit) for name in names]
