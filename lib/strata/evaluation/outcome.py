"""What one plan gave for every query of a golden set. Metrics, failures, reports and exports are made from this.

`evaluate` runs plans and nothing else here does; whatever it gives can also come from a file (runfile.py).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.language import is_english
from strata.core.types import Plan, Query, Retrieve
from strata.errors import ProviderError
from strata.evaluation.measure import Measure
from strata.evaluation.readings import reading
from strata.pipeline.run import Memo, run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.telling import Progress, telling

DEPTH = 100
"""Documents of each ranking that are kept at least: recall@100 is in every table."""

WARM_UP = "warm-up"
GIVEN_UP = 3
"""Failures in a row, from the first query on, after which a plan is given up."""


@dataclass(frozen=True)
class Contender:
    """A plan under the name that it has in a table."""

    label: str
    plan: Plan


@dataclass(frozen=True)
class Outcome:
    """found: query id → document ids, best first, for every query of the set, also those without an answer.
    scores: the same shape, the ranking's own. plan: as it was asked for; None for a run that was read from a file, and
    then there are no traces (query id → trace) either.
    """

    label: str
    found: Mapping[str, tuple[str, ...]]
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    plan: Plan | None = None
    traces: Mapping[str, Trace] = field(default_factory=dict)

    def values(self, queries: Sequence[GoldenQuery], measure: Measure) -> list[float]:
        """A metric's value for each query, in their order. A query without results has an empty list, and gets 0."""
        return [measure(self.found.get(query.id, ()), query.relevant) for query in queries]

    def mean(self, queries: Sequence[GoldenQuery], measure: Measure) -> float:
        """The mean over queries, which must have an answer each; 0.0 for none."""
        values = self.values(queries, measure)
        return statistics.fmean(values) if values else 0.0

    @property
    def failed(self) -> int:
        """Queries at which a provider failed, so that a step left its input as it was."""
        return sum(any(step.failed for step in trace.steps) for trace in self.traces.values())

    @property
    def ms_per_query(self) -> float | None:
        """Milliseconds of all steps, those included that a memory saved this time; None without traces."""
        costs = [trace.full_ms for trace in self.traces.values()]
        return statistics.fmean(costs) if costs else None

    @property
    def tokens_per_query(self) -> float | None:
        """A language model's tokens, in and out."""
        names = ("prompt_tokens", "completion_tokens")
        costs = [sum(step.usage.get(n, 0) for step in t.steps for n in names) for t in self.traces.values()]
        return statistics.fmean(costs) if costs else None


@dataclass(frozen=True)
class LeftOut:
    """A plan that was given up, with what its provider said. queries: how many were tried."""

    label: str
    error: ProviderError
    queries: int

    def to_json(self) -> dict[str, Any]:
        return {"layer": self.label, "error": self.error.message, "queries": self.queries}


@dataclass(frozen=True)
class Evaluated:
    """What became of every plan, each in the order given: its outcome, or why it was left out."""

    outcomes: list[Outcome]
    left_out: list[LeftOut]

    @property
    def failed(self) -> bool:
        """Whether a provider failed anywhere."""
        return bool(self.left_out) or any(one.failed for one in self.outcomes)


def evaluate(
    contenders: Sequence[Contender],
    golden: GoldenSet,
    ws: Workspace,
    memo: Memo | None = None,
    progress: Progress | None = None,
    keep: int = DEPTH,
) -> Evaluated:
    """Run every plan for every query, on the reading of the catalogue that it names; what two plans have in common is
    done once. keep: results of each; a list that nothing is fused with goes as deep.

    A plan at which a provider fails for good, or GIVEN_UP times from the start, is left out: its figures would be those
    of another plan. What was done is remembered, so a later run goes on from there.
    """
    memo = {} if memo is None else memo
    for contender in contenders:
        for layer in contender.plan.retrieve:
            _opened(layer, golden, reading(ws, contender.plan))
    outcomes, left_out = [], []
    for contender in contenders:
        label, plan = contender.label, contender.plan
        deep = replace(plan, depth=max(plan.depth, keep)) if plan.fuse is None else plan
        with telling(progress, f"queries by {label}", len(golden.queries)) as done:
            traces, problem = _traces(deep, golden, reading(ws, plan), memo, done)
        if problem:
            left_out.append(LeftOut(label, problem, len(traces)))
            ws.note(f"{label} is left out: {problem.message} (query {len(traces)} of {len(golden.queries)})")
        else:
            outcomes.append(outcome(label, plan, traces, keep))
    return Evaluated(outcomes, left_out)


def _opened(layer: Retrieve, golden: GoldenSet, ws: Workspace) -> None:
    """Open what a list searches, and build what is missing of it: that is no query's time. A list that is meant for
    none of the queries stays closed."""
    if layer.family == "keyword":
        ws.index  # noqa: B018 - opened by being looked at
        return
    always: Any = layer
    if when := getattr(layer, "when", None):
        if not any(is_english(query.text) == (when == "english") for query in golden.queries):
            return
        always = replace(always, when=None)
    ws.once(f"warm-up {layer!r} {ws.corpus.fingerprint}", lambda: always(Query(WARM_UP), ws, 1))


def _traces(
    plan: Plan, golden: GoldenSet, ws: Workspace, memo: Memo, done: Callable[[int], None]
) -> tuple[dict[str, Trace], ProviderError | None]:
    """A trace a query, and why that was given up, if it was."""
    traces: dict[str, Trace] = {}
    failed = 0
    for query in golden.queries:
        trace = traces[query.id] = run(plan, Query(query.text), ws, memo)
        done(len(traces))
        problem = next((step.failed for step in trace.steps if step.failed), None)
        failed += problem is not None
        if problem and (problem.fatal or failed == len(traces) == min(GIVEN_UP, len(golden.queries))):
            return traces, problem
    return traces, None


def outcome(label: str, plan: Plan, traces: Mapping[str, Trace], keep: int = DEPTH) -> Outcome:
    """An outcome from traces."""
    found = {id: tuple(str(t.corpus.id(doc)) for doc in t.final.docs[:keep].tolist()) for id, t in traces.items()}
    scores = {id: tuple(map(float, t.final.scores[:keep])) for id, t in traces.items()}
    return Outcome(label, found, scores, plan, traces)
