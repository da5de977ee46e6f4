"""What evaluation_cli does beside evaluating: failures, sweeps, run files, the golden set itself, the report."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote

from strata.asked import SETTINGS
from strata.bench import Bench
from strata.common import Common
from strata.errors import CheckFailed, UsageError
from strata.evaluating import Golden, golden_path, read
from strata.evaluation.measure import measure
from strata.evaluation.readings import reading
from strata.evaluation.table import table
from strata.files import dumped
from strata.paths import as_path
from strata.streams import encoding_of


def check(common: Common, golden: Golden, limit: int) -> None:
    """The audit of a golden set; exit 1 where it has problems."""
    from strata.evaluation.golden_check import check_golden
    from strata.show.golden import checked

    ws = common.workspace()
    found = check_golden(read(golden, golden_path(ws, golden.file), ws), ws.corpus, limit)
    common.emit(found.to_json(), lambda: checked(found))
    if not found.passes:
        common.ended(CheckFailed.exit_status)


def merge(common: Common, golden: Golden, graded: str, *, force: bool) -> None:
    """Grades that somebody wrote into a pool, brought into the golden set; exit 1 where one contradicts it."""
    from strata.evaluation.merge import merge
    from strata.show.golden import merged

    if golden.file is None:
        raise UsageError("--merge changes a golden set, so it wants to be told which", "name it with --golden FILE")
    ws = common.workspace()
    queries = as_path(golden.queries) if golden.queries else None
    path = golden_path(ws, golden.file)
    done = merge(as_path(graded), path, ws.corpus, force=force, split=golden.split, queries=queries)
    common.emit(done.to_json(), lambda: merged(done))
    if not done.passes:
        common.ended(CheckFailed.exit_status)


def pool(bench: Bench, output: str | None, depth: int, added: Sequence[str], golden: str | None) -> None:
    """What the layers have in their first places and nobody has graded yet, to be graded. Without a file it goes to
    stdout, a line each."""
    from strata.evaluation.pool import pool
    from strata.evaluation.poolfile import write_pool
    from strata.show.golden import pooled

    bench = bench.looking(depth, "the pool")
    ran = bench.run(bench.layers(added))
    corpus = bench.ws.corpus
    made = pool(ran.outcomes, bench.golden, corpus, depth)
    if output is None:
        for one in made.lines:
            sys.stdout.write(dumped(one.to_json(corpus), encoding_of(sys.stdout)) + "\n")
    else:
        done = write_pool(made, corpus, as_path(output))
        left_out = [one.to_json() for one in ran.left_out]
        bench.common.emit({**done.to_json(), "left_out": left_out}, lambda: pooled(done, golden))
    bench.end(failed=ran.failed)


def failures(bench: Bench, examples: int, query: str | None) -> None:
    """Why each relevant document was missed."""
    from strata.evaluation.failures import chosen, failures, to_json
    from strata.show.failures import query_view, view

    bench = replace(bench, golden=replace(bench.golden, queries=chosen(bench.golden, "", query or "")))
    ran = bench.run([bench.own])
    (outcome,) = ran.outcomes
    found = failures(outcome, bench.golden, bench.ws, bench.limit)
    bench.common.emit(to_json(found), lambda: query_view(found, outcome) if query else view(found, examples))
    bench.end(failed=ran.failed)


def sweep(bench: Bench, over: Sequence[str], folds: str, seed: int, metric: str) -> None:
    """Settings over a grid, each query scored by a setting that was chosen without it."""
    from strata.evaluation.grid import axes
    from strata.evaluation.sweep import sweep
    from strata.evaluation.swept import to_json
    from strata.show.sweep import view

    if not over:
        raise UsageError("--over is missing: which setting?", "as --over k, or --over k=1,10,60; repeatable")
    over, main = [_as_setting(text) for text in over], measure(metric, bench.limit)
    if not any(_setting(text) == "depth" for text in over):
        bench = bench.looking(main.k, metric)
    plan = bench.own.plan
    asked = axes(over, plan)
    done = sweep(plan, asked, bench.golden, bench.ws, main, folds, seed, bench.common.progress)
    bench.common.emit(to_json(done), lambda: view(done))
    bench.end(failed=done.failed > 0)


def _setting(text: str) -> str:
    """The layers' name of the setting that an --over names, which may be an option's."""
    name = text.partition("=")[0].strip().replace("-", "_")
    return SETTINGS.get(name, name)


def _as_setting(text: str) -> str:
    _, equals, values = text.partition("=")
    return f"{_setting(text)}{equals}{values}"


def report(
    bench: Bench, file: str, added: Sequence[str], against: str, metric: str, over: Sequence[str], flow: Sequence[str]
) -> None:
    """Everything on one page, which needs no network."""
    from strata.evaluation.failures import failures
    from strata.evaluation.grid import axes
    from strata.evaluation.sweep import sweep
    from strata.reporting.page import check_installed, facts, page, write

    check_installed()
    main = measure(metric, bench.limit)
    bench = bench.looking(main.k, metric)
    path, own = as_path(file), bench.own
    grids = [axes([_as_setting(text)], own.plan) for text in over]
    rows = bench.layers(added)
    bench.check_names(rows, against, metric)
    ran = bench.run(rows, against)
    outcomes = ran.outcomes
    made = table(outcomes, bench.golden, bench.limit, against, metric, bench.unanswerable(outcomes))
    same = next((one for one in outcomes if one.plan == own.plan and one.traces), None)
    missed = failures(same, bench.golden, bench.ws, bench.limit) if same else None
    sweeps = [sweep(own.plan, grid, bench.golden, bench.ws, main, progress=bench.common.progress) for grid in grids]
    given = {"with": ",".join(added), "against": against, "metric": metric, "over": over, "flow": ",".join(flow)}
    read = [reading(bench.ws, one.plan).corpus for one in outcomes]
    about = facts(read, time.strftime("%Y-%m-%d"), bench.encoders, ran.left_out)
    html = page(made, bench.golden, outcomes, missed, sweeps, _again(bench, file, given), about, flow, bench.ws.corpus)
    write(path, html)
    size = path.stat().st_size
    left_out = [one.to_json() for one in ran.left_out]
    data = {"file": str(path), "bytes": size, **bench.about(), **made.to_json(), "left_out": left_out}
    bench.common.emit(data, lambda: [f"written to {path} ({size / 1000:,.0f} kB)"])
    bench.end(failed=ran.failed or any(one.failed for one in sweeps))


def _again(bench: Bench, file: str, given: Mapping[str, str | Sequence[str]]) -> str:
    """The command that makes the page again."""
    asked = bench.asked
    options = [*asked.options]
    if not any(text.startswith("--limit ") for text in options):
        options.append(f"--limit {bench.limit}")
    usual = {"against": "bm25", "metric": "ndcg"}
    for name, value in given.items():
        for one in [value] if isinstance(value, str) else value:
            if one and one != usual.get(name):
                options.append(f"--{name} {quote(one)}")
    source = [f"--dataset {quote(bench.common.dataset)}"] if bench.common.dataset else []
    return " ".join([bench.common.command, quote(file), *source, *bench.given, *options])
