"""Every relevant document that a plan missed, each with one cause, and what mending a cause could gain at most.

A document is missed when it is not among the first `limit` of a query's last ranking. Queries without an answer cannot
miss anything. Reads traces; see causes.py for the order in which causes are asked.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from strata.core.golden import GoldenQuery, GoldenSet
from strata.errors import UsageError
from strata.evaluation.causes import GROUP_OF, LABELS, Facts, decide
from strata.evaluation.facts import Gathering, stands
from strata.evaluation.gains import gain
from strata.evaluation.measure import Measure, measures
from strata.evaluation.misses import Failures, Sought
from strata.evaluation.outcome import Outcome
from strata.evaluation.readings import reading
from strata.evaluation.reasons import reason, verdict
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace

GAINED = ("hit", "ndcg")
"""What gains are given for where nothing else is asked."""


def failures(
    outcome: Outcome,
    golden: GoldenSet,
    ws: Workspace,
    limit: int,
    measured: Sequence[Measure] | None = None,
    kind: str = "",
    query: str = "",
) -> Failures:
    """The misses of an outcome that has traces. measured: what gains are of (default: GAINED at the limit). kind,
    query: only queries of this label, or the one of this id. UsageError where there is nothing to look at."""
    if not outcome.traces:
        raise UsageError(f"{outcome.label} has no traces to read a cause from", "evaluate a plan, not a run file")
    ws = reading(ws, outcome.plan)
    queries = chosen(golden, kind, query)
    measured = tuple(measured) if measured else tuple(measures(limit, GAINED))
    gathering = Gathering(ws, limit)
    judged = [one for q in queries if q.judged for one in _judged(q, outcome.traces[q.id], gathering)]
    missed = (*(one for one in judged if one.facts), *_absent(golden, queries, limit))
    queries = tuple(q for q in queries if q.judged)
    found = {q.id: _ids(outcome.traces[q.id], max(limit, *(m.k for m in measured))) for q in queries}
    grades = {q.id: q.relevant for q in queries}

    def gained(measure: Measure, misses: Sequence[Sought]) -> float:
        by_query: defaultdict[str, list[str]] = defaultdict(list)
        for miss in misses:
            by_query[miss.query.id] += [miss.id] if miss.id else []
        return gain(measure, found, by_query, grades)

    def mean(measure: Measure) -> float:
        return statistics.fmean(measure(found[q.id], q.relevant) for q in queries)

    (hit,) = measures(limit, ("hit",))
    causes = {miss.cause for miss in missed}
    return Failures(
        outcome.label,
        ws.corpus.name,
        limit,
        queries,
        tuple(one for one in judged if not one.facts),
        missed,
        sum(max(0, sum(grade > 0 for grade in q.relevant.values()) - limit) for q in queries),
        mean(hit),
        measured,
        {measure.label: mean(measure) for measure in measured},
        {name: {m.label: gained(m, [o for o in missed if o.cause == name]) for m in measured} for name in causes},
        {measure.label: gained(measure, missed) for measure in measured},
    )


def chosen(golden: GoldenSet, kind: str, id: str) -> tuple[GoldenQuery, ...]:
    """The queries to look at; at least one has an answer."""
    if id and not any(query.id == id for query in golden.queries):
        raise UsageError(f'no query of {golden.name} has the id "{id}"', "evaluation_cli lists them")
    if kind and not any(query.kind == kind for query in golden.queries):
        kinds = ", ".join(dict.fromkeys(query.kind for query in golden.queries if query.kind))
        raise UsageError(f'no query of {golden.name} is of the kind "{kind}"', f"one of: {kinds or 'none'}")
    found = tuple(q for q in golden.queries if q.id == (id or q.id) and q.kind == (kind or q.kind))
    if not any(query.judged for query in found):
        raise UsageError("none of these queries has a relevant document, so none can be missed", "choose others")
    return found


def _absent(golden: GoldenSet, queries: Sequence[GoldenQuery], limit: int) -> list[Sought]:
    """What a golden set names by a title that no document bears; its grade is a bare title's."""
    by_id = {query.id: query for query in queries}
    facts = Facts(limit, catalogued=False)
    named = [(by_id[one.query], one.title) for one in golden.unresolved if not one.fits and one.query in by_id]
    return [Sought(query, "", title, 1, facts=facts, cause="absent") for query, title in named]


def _judged(query: GoldenQuery, trace: Trace, gathering: Gathering) -> list[Sought]:
    corpus = trace.corpus
    of_query = gathering.of(query, trace)
    judged = []
    for id, grade in query.relevant.items():
        if grade <= 0:
            continue
        doc = corpus.position(id)
        label = f"({id})" if doc is None else corpus.label(doc)
        places = () if doc is None else stands(trace, doc)
        if places and places[-1].within(gathering.limit):
            judged.append(Sought(query, id, label, grade, places))
            continue
        facts = of_query.facts(doc, grade)
        cause, also = decide(facts)
        story = corpus.label(facts.thin.story) if facts.thin and facts.thin.story is not None else ""
        judged.append(Sought(query, id, label, grade, places, facts, cause, also, story))
    return judged


def _ids(trace: Trace, depth: int) -> list[str]:
    return [str(trace.corpus.id(doc)) for doc in trace.final.docs[:depth].tolist()]


def _plain(miss: Sought) -> dict[str, Any]:
    """What was computed of a miss beside its ranks; what there is nothing of is left out."""
    facts = asdict(miss.facts) if miss.facts else {}
    if facts.get("thin"):
        facts["thin"]["story"] = miss.story
    return {name: value for name, value in facts.items() if value and name not in ("stands", "limit", "catalogued")}


def to_json(found: Failures) -> dict[str, Any]:
    """The failures as JSON holds them: counts and gains by cause, then every miss with what was computed of it."""

    def one(judged: Sought) -> dict[str, Any]:
        ranks = {stand.name: stand.rank for stand in judged.stands}
        return {"id": judged.id, "label": judged.label, "grade": judged.grade, "ranks": ranks}

    def miss(judged: Sought) -> dict[str, Any]:
        why = {"cause": judged.cause, "also": list(judged.also), "reason": reason(judged)}
        return {"query": judged.query.id, **one(judged), **why, "facts": _plain(judged)}

    total = len(found.missed)
    return {
        "layer": found.label,
        "limit": found.limit,
        "judged_queries": len(found.queries),
        "relevant": total + len(found.found),
        "missed": total,
        "unavoidable": found.unavoidable,
        "verdict": verdict(found),
        "mean": {"hit": found.hit, **found.now},
        "causes": [
            {
                "cause": name,
                "label": LABELS[name],
                "group": GROUP_OF[name],
                "misses": count,
                "share": count / total,
                "gain": found.gains[name],
            }
            for name, count in found.counts.items()
        ],
        "gain_of_all": found.together,
        "queries": [{"id": q.id, "query": q.text, "kind": q.kind} for q in found.queries],
        "misses": [miss(judged) for judged in found.missed],
        "found": [{"query": judged.query.id, **one(judged)} for judged in found.found],
    }
