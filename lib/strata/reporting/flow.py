"""The way of documents through the rankings of one query, and which queries are worth showing.

A query is chosen by rule for what its layers do: by words far better than by meaning or the other way round; gained or
lost by fusion, by the reranker. The value of a ranking is the report's main measure. Drawn in flow_chart.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strata.core.golden import GoldenQuery
from strata.errors import UsageError
from strata.evaluation.measure import Measure
from strata.evaluation.outcome import Outcome
from strata.pipeline.trace import Trace
from strata.reporting.words import figure, plain
from strata.show.trace import short_names

TOP = 10
"""Places that are drawn, or the limit where it is less."""
QUERIES = 6
RELEVANT = 6
"""Relevant documents that are drawn whatever became of them."""
FIRST = 3
"""A document that any ranking had this high is drawn too."""
TEXT, LABEL = 300, 80
"""Columns of a query and of a title."""
NOTABLE = 0.05
"""A query is not chosen for a smaller difference."""
Ranks = tuple[int | None, ...]


@dataclass(frozen=True)
class Way:
    """A document. grade: 0 where it is not relevant. ranks: its rank in each ranking, from 1; None where it is not in
    it."""

    label: str
    grade: int
    ranks: Ranks

    def within(self, place: int, top: int) -> bool:
        rank = self.ranks[place]
        return rank is not None and rank <= top

    def left(self, top: int) -> bool:
        """Whether a ranking had it in the top and the last has not."""
        return not self.within(-1, top) and any(self.within(i, top) for i in range(len(self.ranks)))


@dataclass(frozen=True)
class Flow:
    """why: what it was chosen for. columns: the rankings' names; lists: how many of them, from the first, are lists
    that stand beside each other. values: the measure of each."""

    query: GoldenQuery
    why: str
    columns: tuple[str, ...]
    lists: int
    values: tuple[float, ...]
    top: int
    ways: tuple[Way, ...]

    @property
    def id(self) -> str:
        return plain(self.query.id, 24)

    @property
    def text(self) -> str:
        return plain(self.query.text, TEXT)

    @property
    def named_values(self) -> list[tuple[str, str]]:
        return [(name, figure(value, 2)) for name, value in zip(self.columns, self.values, strict=True)]


def deepest(outcomes: Sequence[Outcome], main: Measure, queries: Sequence[GoldenQuery]) -> Outcome | None:
    """The outcome whose queries pass through most stages; of several the best. None where none has two rankings."""

    def stages(one: Outcome) -> int:
        trace = next(iter(one.traces.values()))
        return len({step.slot for step in trace.rankings}) + (trace.step("enhance") is None)

    fit = [one for one in outcomes if one.traces and len(next(iter(one.traces.values())).rankings) > 1]
    return max(fit, key=lambda one: (stages(one), one.mean(queries, main)), default=None)


def flows(
    outcome: Outcome, queries: Sequence[GoldenQuery], main: Measure, limit: int, asked: Sequence[str] = ()
) -> list[Flow]:
    """limit: of the report; no more than TOP places are drawn. asked: ids of queries to show instead of those chosen by
    rule; UsageError for one that is not there."""
    by_id = {query.id: query for query in queries if query.id in outcome.traces}
    unknown = [id for id in asked if id not in by_id]
    if unknown:
        raise UsageError(f'no query with an answer has the id "{unknown[0]}"', "evaluation_cli lists them")
    values = {id: _values(outcome.traces[id], query, main) for id, query in by_id.items()}
    chosen = dict.fromkeys(asked, "asked for") or dict(_chosen(outcome, values))
    return [_flow(outcome.traces[id], by_id[id], why, values[id], min(TOP, limit)) for id, why in chosen.items()]


def _values(trace: Trace, query: GoldenQuery, main: Measure) -> tuple[float, ...]:
    lists = [*(step.output for step in trace.rankings[:-1]), trace.final]
    ids = [[str(trace.corpus.id(doc)) for doc in one.docs[: main.k].tolist()] for one in lists]
    return tuple(main(found, query.relevant) for found in ids)


def _chosen(outcome: Outcome, values: dict[str, tuple[float, ...]]) -> Iterator[tuple[str, str]]:
    """(query id, why) for each thing that a query can show, the query that shows it most; each query once."""
    taken: set[str] = set()
    for name, differences in _differences(outcome, values):
        best = max(differences, key=lambda id: differences[id] if id not in taken else -1.0, default=None)
        if best is not None and best not in taken and differences[best] >= NOTABLE and len(taken) < QUERIES:
            taken.add(best)
            yield best, name


def _differences(outcome: Outcome, values: dict[str, tuple[float, ...]]) -> Iterator[tuple[str, dict[str, float]]]:
    """(what is shown, query id → how much of it)."""
    traces = outcome.traces
    first = next(iter(traces.values()))
    reranker, fusion = first.plan.rerank, first.plan.fuse

    def lists(id: str, family: str = "") -> float:
        steps = enumerate(traces[id].lists)
        return max((values[id][i] for i, step in steps if family in ("", step.output.family)), default=0.0)

    def fused(id: str) -> float:
        return values[id][len(traces[id].lists)]

    if reranker and len(first.rankings) > len(first.lists):
        before = -2
        yield f"raised most by {reranker.name}", {i: v[-1] - v[before] for i, v in values.items()}
        yield f"lowered most by {reranker.name}", {i: v[before] - v[-1] for i, v in values.items()}
    if fusion:
        yield f"lost most by {fusion.name}", {i: lists(i) - fused(i) for i in values}
        yield f"gained most by {fusion.name}", {i: fused(i) - lists(i) for i in values}
        words, meaning = ({i: lists(i, family) for i in values} for family in ("keyword", "semantic"))
        yield "by words far better than by meaning", {i: words[i] - meaning[i] for i in values}
        yield "by meaning far better than by words", {i: meaning[i] - words[i] for i in values}


def _flow(trace: Trace, query: GoldenQuery, why: str, values: tuple[float, ...], top: int) -> Flow:
    steps = trace.rankings
    corpus = trace.corpus
    graded = ((corpus.position(id), grade) for id, grade in query.relevant.items() if grade > 0)
    grades = {doc: grade for doc, grade in graded if doc is not None}
    paths = {doc: trace.path(doc) for doc in grades}
    wanted = sorted(grades, key=lambda doc: (-grades[doc], min((r for r in paths[doc] if r), default=10**9), doc))
    first = [doc for step in steps[:-1] for doc in step.output.docs[:FIRST].tolist()]
    docs = list(dict.fromkeys([*wanted[:RELEVANT], *trace.final.docs[:top].tolist(), *first]))
    names = short_names(trace, docs)
    ways = tuple(Way(plain(names[doc], LABEL), grades.get(doc, 0), tuple(trace.path(doc))) for doc in docs)
    columns = tuple(plain(step.label, 24) for step in steps)
    return Flow(query, why, columns, len(trace.lists), values, top, ways)


def way_in_words(flow: Flow, way: Way) -> str:
    """ "Ted: keyword 3, chunks 1, rrf 2"."""
    places = (f"{name} {rank or '–'}" for name, rank in zip(flow.columns, way.ranks, strict=True))
    return f"{way.label}: {', '.join(places)}"


def values_in_words(flow: Flow) -> str:
    return ", ".join(f"{name} {value}" for name, value in flow.named_values)
