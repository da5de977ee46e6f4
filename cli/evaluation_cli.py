"""Measure: every layer by a golden set, why each document was missed, which setting is best, and how sure that is."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags, golden_flags
from strata.shell import Asked, Common, Program

app = Program("evaluation_cli", help=f"{__doc__} Without a subcommand: evaluate.")
app.implied = "evaluate"

PLAN = ("fuse", "k", "alpha", *(name for name in flags.HYBRID if name != "show_prompt"))
ALWAYS = ("preset", "config")


@app.run("evaluate", plan="rrf", options=PLAN, always=ALWAYS)
def evaluate(
    common: Common,
    asked: Asked,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    layers: Annotated[bool, typer.Option("--layers", help="Every layer and fusion in one table.")] = False,
    with_: golden_flags.With = None,
    against: golden_flags.Against = "bm25",
    metric: golden_flags.Metric = "ndcg",
    kinds: Annotated[bool, typer.Option("--kinds", help="With --layers: by kind of query too.")] = False,
) -> None:
    """A plan query by query, then the means; or every layer side by side (--layers)."""
    from strata import evaluating

    if not layers:
        evaluating.refuse(
            asked, ("with_", "kinds", "against", "metric"), "belongs to the table of layers", "add --layers"
        )
    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries))
    if layers:
        evaluating.layers(bench, evaluating.names(with_), against, metric, kinds)
    else:
        evaluating.plain(bench)


@app.run("check")
def check(
    common: Common,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    limit: flags.Limit = 5,
    merge: Annotated[
        str | None,
        typer.Option("--merge", metavar="FILE", help="Bring a pool's grades into --golden.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="With --merge: a grade given replaces the former.")] = False,
) -> None:
    """Is the golden set sound? Exit 1 where it has problems. With --merge: take over grades from a pool."""
    from strata import examining
    from strata.errors import UsageError
    from strata.evaluating import Golden

    if force and not merge:
        raise UsageError("--force belongs to --merge", "add --merge FILE")
    which = Golden(golden, split, None, queries)
    if merge:
        examining.merge(common, which, merge, force=force)
    else:
        examining.check(common, which, limit)


@app.run("pool", plan="rrf", options=[name for name in PLAN if name != "depth"], always=ALWAYS)
def pool(
    common: Common,
    asked: Asked,
    output: Annotated[
        str | None, typer.Argument(metavar="FILE", help="JSON lines to grade; default: stdout.", show_default=False)
    ] = None,
    depth: Annotated[int, typer.Option("--depth", min=1, help="How far down each list is graded.")] = 10,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    with_: golden_flags.With = None,
) -> None:
    """The layers' unjudged top documents as JSON lines to grade; grades that FILE holds already are kept."""
    from strata import evaluating, examining

    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries))
    examining.pool(bench, output, depth, evaluating.names(with_), golden)


@app.run("failures", plan="rrf", options=PLAN, always=ALWAYS)
def failures(
    common: Common,
    asked: Asked,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="ID", help="All about one query, rank by rank.", show_default=False),
    ] = None,
    examples: Annotated[int, typer.Option("--examples", min=0, help="How many of each cause.")] = 2,
) -> None:
    """Why each relevant document was missed: one cause each, and what mending it could gain at most."""
    from strata import evaluating, examining

    examining.failures(
        evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries)), examples, query
    )


@app.run("sweep", plan="rrf", options=PLAN, always=ALWAYS)
def sweep(
    common: Common,
    asked: Asked,
    over: golden_flags.Over = None,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    folds: Annotated[str, typer.Option("--folds", metavar="N|loo", help="How queries are kept out.")] = "loo",
    seed: Annotated[int, typer.Option("--seed", help="Of what is drawn at random.")] = 0,
    metric: golden_flags.Metric = "ndcg",
) -> None:
    """Settings over a grid, chosen on some queries and scored on the others, so that few queries do not overfit."""
    from strata import evaluating, examining

    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries))
    examining.sweep(bench, over or [], folds, seed, metric)


@app.run("report", plan="rrf", options=PLAN, always=ALWAYS)
def report(
    common: Common,
    asked: Asked,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The page, as report.html.", show_default=False)],
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    with_: golden_flags.With = None,
    against: golden_flags.Against = "bm25",
    metric: golden_flags.Metric = "ndcg",
    over: golden_flags.Over = None,
    flow: Annotated[
        str | None,
        typer.Option("--flow", metavar="ID,…", help="Queries to follow through the layers.", show_default=False),
    ] = None,
) -> None:
    """All of it as one HTML page: layers, queries, ways through the layers, misses, sweeps, time."""
    from strata import evaluating, examining

    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries))
    examining.report(bench, file, evaluating.names(with_), against, metric, over or [], evaluating.names(flow))


@app.run("trec", plan="rrf", options=PLAN, always=ALWAYS)
def trec(
    common: Common,
    asked: Asked,
    folder: Annotated[
        str | None, typer.Argument(metavar="FOLDER", help="Where runs and qrels are written.", show_default=False)
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="FILE", help="Evaluate this run file; repeatable, two are compared."),
    ] = None,
    golden: golden_flags.GoldenFile = None,
    split: golden_flags.Split = "test",
    queries: golden_flags.Queries = None,
    kind: golden_flags.Kind = None,
    layers: Annotated[bool, typer.Option("--layers", help="A run for every layer.")] = False,
    with_: golden_flags.With = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="RUN", help="With --run; default: the first.", show_default=False),
    ] = None,
    metric: golden_flags.Metric = "ndcg",
) -> None:
    """Runs and judgements for trec_eval, ranx, ir_measures, pyserini; or theirs evaluated and compared here."""
    from strata import evaluating, exchanging
    from strata.errors import UsageError

    if bool(folder) == bool(run):
        raise UsageError("give FOLDER to write runs, or --run FILE to read some", "one of the two")
    if run:
        of_plans = ("layers", "with_", *(name for name in asked.values if name != "limit"))
        evaluating.refuse(asked, of_plans, "says how runs are made, and --run reads some", "leave it out")
    else:
        evaluating.refuse(
            asked, ("against", "metric"), "belongs to runs that are read", "add --run FILE, or leave it out"
        )
    if not layers:
        evaluating.refuse(asked, ("with_",), "adds rows to every layer's", "add --layers")
    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind, queries))
    if run:
        exchanging.read_runs(bench, run, against, metric)
    else:
        exchanging.export(bench, folder or "", evaluating.names(with_), every=layers)


if __name__ == "__main__":
    app()
