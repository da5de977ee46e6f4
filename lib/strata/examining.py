"""What evaluation_cli does beside evaluating: failures, sweeps, run files, the golden set itself, the report."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from strata.common import Common
from strata.errors import CheckFailed, UsageError
from strata.evaluating import Bench, Golden, golden_path, read
from strata.evaluation.measure import measure
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

    outcomes = bench.run(bench.layers(added))
    corpus = bench.ws.corpus
    made = pool(outcomes, bench.golden, corpus, depth)
    if output is None:
        for one in made.lines:
            sys.stdout.write(dumped(one.to_json(corpus), encoding_of(sys.stdout)) + "\n")
    else:
        done = write_pool(made, corpus, as_path(output))
        bench.common.emit(done.to_json(), lambda: pooled(done, golden))
    bench.end(outcomes)


def failures(bench: Bench, examples: int, query: str | None) -> None:
    """Why each relevant document was missed."""
    from strata.evaluation.failures import chosen, failures, to_json
    from strata.show.failures import query_view, view

    bench = replace(bench, golden=replace(bench.golden, queries=chosen(bench.golden, "", query or "")))
    (outcome,) = bench.run([bench.own])
    found = failures(outcome, bench.golden, bench.ws, bench.limit)
    bench.common.emit(to_json(found), lambda: query_view(found, outcome) if query else view(found, examples))
    bench.end([outcome])


def sweep(bench: Bench, over: Sequence[str], folds: str, seed: int, metric: str) -> None:
    """Settings over a grid, each query scored by a setting that was chosen without it."""
    from strata.evaluation.grid import axes
    from strata.evaluation.sweep import sweep
    from strata.evaluation.swept import to_json
    from strata.show.sweep import view

    if not over:
        raise UsageError("--over is missing: which setting?", "as --over k, or --over k=1,10,60; repeatable")
    plan = bench.own.plan
    asked = axes(over, plan)
    done = sweep(plan, asked, bench.golden, bench.ws, measure(metric, bench.limit), folds, seed, bench.common.progress)
    bench.common.emit(to_json(done), lambda: view(done))


def export(bench: Bench, folder: str, added: Sequence[str], *, every: bool) -> None:
    """Runs and judgements as TREC's tools read them: FOLDER/LAYER.run, FOLDER/qrels.txt."""
    from strata.evaluation.trec import write_qrels, write_run

    into = as_path(folder)
    outcomes = bench.run(bench.layers(added) if every else [bench.own])
    qrels = into / "qrels.txt"
    files = {str(qrels): write_qrels(bench.golden, qrels)}
    for outcome in outcomes:
        path = into / f"{_file_name(outcome.label)}.run"
        files[str(path)] = write_run(outcome, path)
    lines = [f"{Path(name).name}: {count:,} lines" for name, count in files.items()]
    bench.common.emit({"folder": str(into), "files": files}, lambda: [f"written to {into}:", *lines])
    bench.end(outcomes)


def _file_name(label: str) -> str:
    """ "rrf > cross_encoder" as rrf_cross_encoder: a name on any system."""
    return "_".join("".join(c if c.isalnum() or c in "-." else " " for c in label).split())


def read_runs(bench: Bench, files: Sequence[str], against: str | None, metric: str) -> None:
    """Run files of any system, evaluated over the golden set; two of them also query by query."""
    from strata.evaluation.runfile import read_run
    from strata.evaluation.versus import versus
    from strata.show.evaluation import layers
    from strata.show.versus import versus as view

    found = [read_run(as_path(file), bench.golden, bench.ws.corpus, Path(file).stem) for file in files]
    for file, one in zip(files, found, strict=True):
        for text in (*one.problems, *one.notes):
            bench.common.say(f"{file}: {text}")
    outcomes = [one.outcome for one in found]
    made = table(outcomes, bench.golden, bench.limit, against or outcomes[0].label, metric)
    pair = versus(outcomes[0], outcomes[1], bench.golden, measure(metric, bench.limit)) if len(files) == 2 else None
    data = {"golden": bench.golden.name, **made.to_json(), "runs": [one.to_json() for one in found]}
    corpus = bench.ws.corpus
    if pair is not None:
        data["versus"] = pair.to_json(corpus)
    unjudged = len(bench.golden.unjudged)
    bench.common.emit(
        data, lambda: [*layers(made, unjudged, False), *(["", *view(pair, corpus)] if pair is not None else [])]
    )


def report(
    bench: Bench, file: str, added: Sequence[str], against: str, metric: str, over: Sequence[str], flow: Sequence[str]
) -> None:
    """Everything on one page, which needs no network."""
    from strata.evaluation.failures import failures
    from strata.evaluation.grid import axes
    from strata.evaluation.sweep import sweep
    from strata.reporting.page import check_installed, facts, page, write

    check_installed()
    path, own = as_path(file), bench.own
    grids = [axes([text], own.plan) for text in over]
    rows = bench.layers(added)
    bench.check_names(rows, against, metric)
    outcomes = bench.run(rows)
    made = table(outcomes, bench.golden, bench.limit, against, metric, bench.unanswerable(outcomes))
    same = next((one for one in outcomes if one.plan == own.plan and one.traces), None)
    missed = failures(same, bench.golden, bench.ws, bench.limit) if same else None
    main = measure(metric, bench.limit)
    sweeps = [sweep(own.plan, grid, bench.golden, bench.ws, main, progress=bench.common.progress) for grid in grids]
    given = {"with": ",".join(added), "against": against, "metric": metric, "over": over, "flow": ",".join(flow)}
    about = facts(bench.ws.corpus, time.strftime("%Y-%m-%d"), bench.encoders)
    html = page(made, bench.golden, outcomes, missed, sweeps, _again(bench, file, given), about, flow, bench.ws.corpus)
    write(path, html)
    size = path.stat().st_size
    bench.common.emit(
        {"file": str(path), "bytes": size, **made.to_json()}, lambda: [f"written to {path} ({size / 1000:,.0f} kB)"]
    )
    bench.end(outcomes)


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
