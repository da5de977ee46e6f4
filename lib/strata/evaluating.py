"""Evaluation from a command line: open the golden set, run plans over it, give out what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from strata import paths
from strata.asked import NOT_SETTINGS, SETTINGS, Asked, number
from strata.common import Common
from strata.core.golden import GoldenSet, load_golden
from strata.core.types import Plan
from strata.errors import ProviderError, UsageError
from strata.evaluation.layers import contenders
from strata.evaluation.measure import measure
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.unanswerable import Unanswerable, unanswerable
from strata.paths import as_path
from strata.pipeline.run import Memo
from strata.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from strata.llm.opening import Choice

USUAL_SPLIT = ("split", "test")


@dataclass(frozen=True)
class Golden:
    """What the options say about the golden set. queries: the texts of a file of TREC's judgements. kind: only its
    queries."""

    file: str | None = None
    split: str = "test"
    kind: str | None = None
    queries: str | None = None


@dataclass(frozen=True)
class Bench:
    """What every evaluation works with. given: the options with which the golden set was named."""

    common: Common
    asked: Asked
    golden: GoldenSet
    ws: Workspace
    choice: Choice | None
    given: tuple[str, ...] = ()
    memo: Memo = field(default_factory=dict)

    @property
    def limit(self) -> int:
        return int(self.asked.values["limit"])

    @property
    def own(self) -> Contender:
        """The plan that the options ask for, under the name that a table gives it."""
        plan = self.asked.plan()
        if self.asked.values.get("config") is not None or self.asked.origin != "lessons":
            return Contender(self.asked.origin, plan)
        return Contender(name_of(plan), plan)

    @property
    def encoders(self) -> list[str]:
        """--encoder may name several for a table of layers, with commas between them."""
        found = names(self.asked.values["encoder"])
        if not found:
            raise UsageError("--encoder names none", "one or more names, with commas between them")
        return found

    def check_names(self, rows: Sequence[Contender], against: str, metric: str) -> None:
        """UsageError for a row or metric that is none, before anything is run."""
        measure(metric, self.limit)
        labels = [row.label for row in rows]
        if against not in labels:
            raise UsageError(f'--against: no row is called "{against}"', f"one of: {', '.join(labels)}")

    def run(self, plans: Sequence[Contender]) -> list[Outcome]:
        """UsageError where every plan had to be left out."""
        outcomes = evaluate(plans, self.golden, self.ws, self.memo, self.common.progress)
        if not outcomes:
            raise UsageError("no plan could be evaluated", "see the notes above")
        return outcomes

    def unanswerable(self, outcomes: Sequence[Outcome]) -> list[Unanswerable | None]:
        """What became of queries without an answer; None each where there are none."""
        ids = [query.id for query in self.golden.unjudged]
        return unanswerable(outcomes, ids, self.limit, self.ws) if ids else [None for _ in outcomes]

    def layers(self, added: Sequence[str]) -> list[Contender]:
        """The rows of --layers; the asked plan stands last where it is none of them."""
        values, given = self.asked.values, self.asked.given
        typed = {SETTINGS.get(n, n): number(values[n]) for n in values if n in given and n not in NOT_SETTINGS}
        typed.pop("encoder", None)
        typed.pop("limit", None)
        encoders = self.encoders
        model = self.ws.model is not None
        found = contenders(encoders, values["vectors"], added, typed, self.limit, self.ws.note, model=model)
        if {"config", "preset", "enhance", "rerank"} & given:
            asked = replace(self.asked, values={**values, "encoder": encoders[0]})
            own = replace(self, asked=asked).own
            if own.plan not in [one.plan for one in found]:
                found.append(own)
        return found

    def end(self, outcomes: Sequence[Outcome]) -> None:
        """Exit 3 where a provider that was asked for by name failed, after the result is out."""
        if self.choice and self.choice.by_name and any(one.failed for one in outcomes):
            self.common.ended(ProviderError.exit_status)


def names(text: str | None) -> list[str]:
    """What stands between commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def name_of(plan: Plan) -> str:
    """What a plan makes of its lists, as "spell > rrf > cross_encoder"; a list's own name where it is alone."""
    middle = plan.fuse.name if plan.fuse else plan.retrieve[0].name
    before = [plan.enhance.name] if plan.enhance else []
    return " > ".join([*before, middle, *([plan.rerank.name] if plan.rerank else [])])


def opened(common: Common, asked: Asked, golden: Golden) -> Bench:
    """UsageError where no golden set is known for the catalogue, or none of its queries is of the kind."""
    choice = asked.choice(lambda *_: None)
    ws = common.workspace(choice, enriched=asked.start().premises, many=True)
    path = golden_path(ws, golden.file)
    found = _judged_by_somebody(read(golden, path, ws), path)
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


def _judged_by_somebody(golden: GoldenSet, path: Path) -> GoldenSet:
    """A collection's queries of other splits have no judgements here: nobody says that they have no answer."""
    if path.suffix == ".json":
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


def plain(bench: Bench) -> None:
    """The asked plan, query by query, and the means."""
    from strata.evaluation.plain import evaluated
    from strata.show.evaluation import plain as view

    outcomes = bench.run([bench.own])
    done = evaluated(outcomes[0], bench.golden, bench.limit, bench.unanswerable(outcomes)[0])
    corpus = bench.ws.corpus
    bench.common.emit(done.to_json(corpus), lambda: view(done, corpus))
    bench.end(outcomes)


def layers(bench: Bench, added: Sequence[str], against: str, metric: str, kinds: bool) -> None:
    """Every layer in one table."""
    from strata.evaluation.table import table
    from strata.show.evaluation import layers as view

    rows = bench.layers(added)
    bench.check_names(rows, against, metric)
    outcomes = bench.run(rows)
    made = table(outcomes, bench.golden, bench.limit, against, metric, bench.unanswerable(outcomes))
    unjudged = len(bench.golden.unjudged)
    data: dict[str, Any] = {"golden": bench.golden.name, "unjudged_queries": unjudged, **made.to_json()}
    bench.common.emit(data, lambda: view(made, unjudged, kinds))
    bench.end(outcomes)
