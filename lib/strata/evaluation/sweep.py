"""Running a plan with every combination of some settings, for every query that has an answer (see swept.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strata.core.golden import GoldenSet
from strata.core.types import Plan
from strata.errors import ProviderError
from strata.evaluation.folds import LOO, folds
from strata.evaluation.grid import Axis, combinations, label, own
from strata.evaluation.measure import Measure
from strata.evaluation.outcome import DEPTH, Contender, evaluate
from strata.evaluation.swept import Sweep, judged
from strata.pipeline.plan import layers_of
from strata.pipeline.run import Memo
from strata.pipeline.workspace import Workspace
from strata.telling import Progress, telling

ONCE = ("fuse", "rerank")
"""Slots whose steps are kept for a plan's own lists and settings: of the lists another plan may have need, of these not
(what a reranker read is in its own cache)."""


def sweep(
    plan: Plan,
    over: Sequence[Axis],
    golden: GoldenSet,
    ws: Workspace,
    measure: Measure,
    parted: str = LOO,
    seed: int = 0,
    progress: Progress | None = None,
) -> Sweep:
    """Run every combination for every judged query. parted: --folds. UsageError before anything runs for what does not
    fit. An answer is not asked for: it moves no ranking."""
    plan = replace(plan, answer=None)
    golden = replace(golden, queries=golden.judged)
    parts = folds(parted, [query.kind for query in golden.queries], seed)
    grid = combinations(plan, over)
    current = {one.setting: own(plan, one.setting) for one in over}
    named = {plan: f"the plan's own, {label(current)}"} | {changed: label(settings) for settings, changed in grid}
    contenders = [Contender(name, changed) for changed, name in named.items()]
    measured, failed = _measured(contenders, golden, ws, measure, progress)
    values = np.array([measured[changed] for _, changed in grid])
    settings = [one for one, _ in grid]
    return judged(measure.name, over, settings, values, current, measured[plan], parts, seed, failed)


def _measured(
    contenders: Sequence[Contender], golden: GoldenSet, ws: Workspace, measure: Measure, progress: Progress | None
) -> tuple[dict[Plan, list[float]], int]:
    """Plan → a value for each query; and how many of these runs left a step out. What plans share is computed once, and
    forgotten when the last has used it. ProviderError where a plan cannot be measured: a grid has no holes."""
    memo: Memo = {}
    last = {layer: i for i, one in enumerate(contenders) for layer in layers_of(one.plan)}
    values, failed = {}, 0
    with telling(progress, "settings", len(contenders)) as done:
        for i, one in enumerate(contenders):
            ran = evaluate([one], golden, ws, memo, keep=max(DEPTH, measure.k))
            if ran.left_out:
                problem = ran.left_out[0].error
                raise ProviderError(
                    f"the sweep stops at {one.label}: {problem.message}", problem.next_step or "sweep a plan without it"
                )
            (outcome,) = ran.outcomes
            values[one.plan] = outcome.values(golden.queries, measure)
            failed += outcome.failed
            for key in [key for key, step in memo.items() if step.slot in ONCE or last[step.layer] <= i]:
                del memo[key]
            done(i + 1)
    return values, failed
