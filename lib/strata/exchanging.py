"""Runs and judgements that evaluation_cli writes for other tools, and theirs that it evaluates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from strata.bench import Bench
from strata.evaluation.labels import distinct, of_files
from strata.evaluation.measure import measure
from strata.evaluation.table import table
from strata.paths import as_path


def export(bench: Bench, folder: str, added: Sequence[str], *, every: bool) -> None:
    """Runs and judgements as TREC's tools read them: FOLDER/LAYER.run, FOLDER/qrels.txt."""
    from strata.evaluation.trec import write_qrels, write_run

    into = as_path(folder)
    ran = bench.run(bench.layers(added) if every else [bench.own])
    qrels = into / "qrels.txt"
    files = {str(qrels): write_qrels(bench.golden, qrels)}
    runs = distinct((_file_name(outcome.label) for outcome in ran.outcomes), "_{}")
    for outcome, name in zip(ran.outcomes, runs, strict=True):
        path = into / f"{name}.run"
        files[str(path)] = write_run(outcome, path)
    lines = [f"{Path(name).name}: {count:,} lines" for name, count in files.items()]
    data = {"folder": str(into), "files": files, "left_out": [one.to_json() for one in ran.left_out]}
    bench.common.emit(data, lambda: [f"written to {into}:", *lines])
    bench.end(failed=ran.failed)


def _file_name(label: str) -> str:
    """ "rrf > cross_encoder" as rrf_cross_encoder: a name on any system."""
    return "_".join("".join(c if c.isalnum() or c in "-." else " " for c in label).split()) or "plan"


def read_runs(bench: Bench, files: Sequence[str], against: str | None, metric: str) -> None:
    """Run files of any system, evaluated over the golden set; two of them also query by query."""
    from strata.evaluation.runfile import read_run
    from strata.evaluation.versus import versus
    from strata.show.evaluation import layers
    from strata.show.versus import versus as view

    paths = [as_path(file) for file in files]
    corpus = bench.ws.corpus
    found = [read_run(path, bench.golden, corpus, label) for path, label in zip(paths, of_files(paths), strict=True)]
    for file, one in zip(files, found, strict=True):
        for text in (*one.problems, *one.notes):
            bench.common.say(f"{file}: {text}")
    outcomes = [one.outcome for one in found]
    made = table(outcomes, bench.golden, bench.limit, against or outcomes[0].label, metric)
    pair = versus(outcomes[0], outcomes[1], bench.golden, measure(metric, bench.limit)) if len(files) == 2 else None
    data = {**bench.about(), **made.to_json(), "runs": [one.to_json() for one in found]}
    if pair is not None:
        data["versus"] = pair.to_json(corpus)
    bench.common.emit(
        data, lambda: [*layers(made, bench.golden), *(["", *view(pair, corpus)] if pair is not None else [])]
    )
