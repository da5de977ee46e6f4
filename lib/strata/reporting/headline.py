"""What the figures say in a few sentences, each computed. What chance could have done is said with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from strata.core.golden import GoldenSet
from strata.core.types import Plan
from strata.evaluation.measure import measure
from strata.evaluation.misses import Failures
from strata.evaluation.outcome import Outcome
from strata.evaluation.reasons import verdict
from strata.evaluation.significance import sign_flip
from strata.evaluation.table import Table
from strata.reporting.words import counted, figure, listed, measure_name, milliseconds, p_value, plain, signed

PROVED = 0.05
NAMES = 40


def title(table: Table) -> str:
    """The one line that is read first."""
    best = table.best
    label = measure_name(table.main, table.limit)
    value, name, other = figure(best.means[table.main], 2), plain(best.label, NAMES), plain(table.against, NAMES)
    if best.against is None:
        alone = len(table.rows) == 1
        return f"{name}: {label} {value}" if alone else f"No layer ranks better than {name}: {label} {value}"
    if best.against.adjusted[table.main] >= PROVED:
        few = counted(table.queries, "query cannot", "queries cannot")
        return f"{name} ranks highest, {label} {value}, but {few} tell it from {other}"
    return f"{name} ranks best: {label} {value}, {other} {figure(table.base.means[table.main], 2)}"


def findings(table: Table, golden: GoldenSet, outcomes: Sequence[Outcome], failures: Failures | None) -> list[str]:
    """The sentences under it."""
    return [
        *_sure(table),
        *_fast(table),
        *_fusion(table, golden, outcomes),
        *_rerank(table, golden, outcomes),
        *([f"{plain(failures.label, NAMES)}: {verdict(failures)}"] if failures else []),
        *_unanswerable(table),
    ]


def _sure(table: Table) -> Iterator[str]:
    best = table.best
    low, high = best.ci95[table.main]
    said = f"Over {counted(table.queries, 'query', 'queries')} its 95 % interval is {figure(low)} to {figure(high)}"
    if best.against:
        p = p_value(best.against.adjusted[table.main])
        said += f"; the difference to {plain(table.against, NAMES)} is {signed(best.against.difference[table.main])}"
        said += f" (p {p} after Holm's correction for {counted(len(table.rows) - 1, 'comparison')})"
    yield f"{said}. {table.verdict}"


def _difference(table: Table, golden: GoldenSet, one: Outcome, other: Outcome) -> tuple[float, str]:
    """(of the means, the same in words with its p value)."""
    queries, main = golden.judged, measure(table.main, table.limit)
    pairs = zip(one.values(queries, main), other.values(queries, main), strict=True)
    rows = [a - b for a, b in pairs]
    mean = sum(rows) / len(rows)
    return mean, f"{signed(mean)}, p {p_value(sign_flip(rows).p)}"


def _fusion(table: Table, golden: GoldenSet, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The best plain fusion against the best of its own lists, where these are rows too."""
    main = measure(table.main, table.limit)
    fused = [one for one in outcomes if one.plan and one.plan.fuse and not one.plan.rerank and not one.plan.enhance]
    best = max(fused, key=lambda one: one.mean(golden.judged, main), default=None)
    alone = [one for one in outcomes if best and best.plan and one.plan and _is_list_of(one.plan, best.plan)]
    if best is None or not alone:
        return
    other = max(alone, key=lambda one: one.mean(golden.judged, main))
    mean, said = _difference(table, golden, best, other)
    what = "changes nothing" if signed(mean) == "=" else "pays" if mean > 0 else "does not pay"
    yield (
        f"Fusing {what} here: the best fusion, {plain(best.label, NAMES)}, against its best list, "
        f"{plain(other.label, NAMES)}: {said}."
    )


def _is_list_of(one: Plan, fused: Plan) -> bool:
    single = not (one.fuse or one.rerank or one.enhance) and one.premises == fused.premises
    return single and len(one.retrieve) == 1 and one.retrieve[0] in fused.retrieve


def _rerank(table: Table, golden: GoldenSet, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The best reranker against the same plan without it."""
    main = measure(table.main, table.limit)
    pairs = [
        (one, other)
        for one in outcomes
        for other in outcomes
        if one.plan and other.plan and one.plan.rerank and not other.plan.rerank
        and replace(one.plan, rerank=None, depth=0, limit=0) == replace(other.plan, depth=0, limit=0)
    ]  # fmt: skip
    if pairs:
        one, other = max(pairs, key=lambda pair: pair[0].mean(golden.judged, main))
        _, said = _difference(table, golden, one, other)
        assert one.plan and one.plan.rerank
        yield f"Reranking {plain(other.label, NAMES)} with {one.plan.rerank.name} changes it by {said}."


def _fast(table: Table) -> Iterator[str]:
    """The quickest row that is not proved to be worse than the best by more than the smallest difference."""
    best = table.best
    if best.ms is None or table.smallest is None or len(table.rows) < 2:
        return
    near = [row for row in table.rows if best.means[table.main] - row.means[table.main] < table.smallest]
    quick = min((row for row in near if row.ms is not None), key=lambda row: row.ms or 0.0)
    name, margin = plain(best.label, NAMES), figure(table.smallest, 2)
    if quick is best:
        yield f"No row within {margin} of {name} is faster: {milliseconds(best.ms)} ms a query."
    else:
        yield (
            f"{name} takes {milliseconds(best.ms)} ms a query; the fastest row within {margin} of it is "
            f"{plain(quick.label, NAMES)} with {milliseconds(quick.ms or 0.0)} ms."
        )


def _unanswerable(table: Table) -> Iterator[str]:
    rows = [row for row in table.rows if row.unanswerable]
    if not rows or not rows[0].unanswerable:
        return
    count = len(rows[0].unanswerable.abstained) + len(rows[0].unanswerable.answered)
    if not count:
        return
    right = [row for row in rows if row.unanswerable and not row.unanswerable.answered]
    names = listed([plain(row.label, NAMES) for row in right[:4]])
    more = f" and {len(right) - 4} more" if len(right) > 4 else ""
    said = f"{counted(count, 'query has', 'queries have')} no answer in the catalogue"
    none = "no row abstains from all of them" if count > 1 else "no row abstains"
    yield f"{said}, and no part in the means; {f'abstaining from each: {names}{more}' if right else none}."
