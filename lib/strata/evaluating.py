"""Evaluation from a command line: open the golden set, run plans over it, give out what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from strata import paths
from strata.asked import Asked, flag
from strata.bench import Bench
from strata.bench import names as names
from strata.common import Common
from strata.core.golden import GoldenSet, load_golden
from strata.errors import UsageError
from strata.evaluation.measure import measure
from strata.paths import as_path
from strata.pipeline.workspace import Workspace

USUAL_SPLIT = ("split", "test")


@dataclass(frozen=True)
class Golden:
    """What the options say about the golden set. queries: the texts of a file of TREC's judgements. kind: only its
    queries."""

    file: str | None = None
    split: str = "test"
    kind: str | None = None
    queries: str | None = None


def opened(common: Common, asked: Asked, golden: Golden) -> Bench:
    """UsageError where no golden set is known for the catalogue, or none of its queries is of the kind."""
    choice = asked.choice(lambda *_: None)
    ws = common.workspace(choice, many=True)
    found = _judged_by_somebody(read(golden, golden_path(ws, golden.file), ws))
    if golden.kind is not None:
        kinds = list(dict.fromkeys(query.kind for query in found.queries if query.kind))
        found = replace(found, queries=tuple(query for query in found.queries if query.kind == golden.kind))
        if not found.queries:
            raise UsageError(f'no query is of the kind "{golden.kind}"', f"kinds: {', '.join(kinds) or 'none'}")
    for problem in found.problems[:3]:
        common.detail(problem)
    named = {"golden": golden.file, "split": golden.split, "queries": golden.queries, "kind": golden.kind}
    given = tuple(f"--{name} {quote(text)}" for name, text in named.items() if text and (name, text) != USUAL_SPLIT)
    return Bench(common, asked, found, ws, choice, given)


def read(golden: Golden, path: Path, ws: Workspace) -> GoldenSet:
    return load_golden(path, ws.corpus, golden.split, as_path(golden.queries) if golden.queries else None)


def _judged_by_somebody(golden: GoldenSet) -> GoldenSet:
    """A collection's queries of other splits have no judgements here: nobody says that they have no answer."""
    if golden.cases:
        return golden
    return replace(golden, queries=tuple(query for query in golden.queries if query.relevant))


def golden_path(ws: Workspace, file: str | None) -> Path:
    """The golden set's file: the one that was named, else the one that comes with the catalogue."""
    if file is not None:
        return as_path(file)
    source = ws.corpus.source
    if source.loader == "beir":
        return source.path
    if source.name == "movies":
        return paths.data_dir() / "golden_dataset.json"
    raise UsageError(f"no golden set comes with {ws.corpus.name}", "name one with --golden FILE")


def refuse(asked: Asked, options: Iterable[str], belong: str, next_step: str) -> None:
    """UsageError for the first of these options that was typed: where it says nothing it is not passed over."""
    for name in options:
        if name in asked.given:
            raise UsageError(f"{flag(name.rstrip('_'))} {belong}", next_step)


def plain(bench: Bench) -> None:
    """The asked plan, query by query, and the means."""
    from strata.evaluation.plain import evaluated
    from strata.show.evaluation import plain as view

    ran = bench.run([bench.own])
    (outcome,) = ran.outcomes
    done = evaluated(outcome, bench.golden, bench.limit, bench.unanswerable([outcome])[0])
    corpus = bench.ws.corpus
    bench.common.emit(done.to_json(corpus), lambda: view(done, corpus))
    bench.end(failed=ran.failed)


def layers(bench: Bench, added: Sequence[str], against: str, metric: str, kinds: bool) -> None:
    """Every layer in one table."""
    from strata.evaluation.table import table
    from strata.show.evaluation import layers as view

    bench = bench.looking(measure(metric, bench.limit).k, metric)
    rows = bench.layers(added)
    bench.check_names(rows, against, metric)
    ran = bench.run(rows, against)
    made = table(ran.outcomes, bench.golden, bench.limit, against, metric, bench.unanswerable(ran.outcomes))
    left_out = [one.to_json() for one in ran.left_out]
    data: dict[str, Any] = {**bench.about(), **made.to_json(), "left_out": left_out}
    bench.common.emit(data, lambda: view(made, bench.golden, kinds, ran.left_out))
    bench.end(failed=ran.failed)
