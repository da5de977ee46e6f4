"""A trace as JSON: what --json prints and a run log keeps. Names are stable; more fields may come beside them."""

from __future__ import annotations

from typing import Any

from strata.core.premise import to_json as premise_json
from strata.core.types import DocId, Ranking
from strata.pipeline import plan as plans
from strata.pipeline.trace import Result, Step, Trace


def to_json(trace: Trace, count: int) -> dict[str, Any]:
    """count: how many hits of each list are written."""
    corpus, query, used = trace.corpus, trace.query, trace.used
    enhanced = [_enhanced(trace, step) for step in trace.steps if step.slot == "enhance"]
    return {
        "run_id": trace.run_id,
        "dataset": {
            "name": corpus.name,
            "documents": len(corpus),
            "fingerprint": corpus.fingerprint,
            **({"premises": len(corpus.premises)} if corpus.premises else {}),
        },
        "query": {
            "original": query.text,
            "used": used.text,
            **({"variants": list(used.variants)} if used.variants else {}),
            **({"meaning": used.meaning} if used.meaning else {}),
            **({} if query.like is None else {"like": corpus.id(query.like)}),
            **({} if query.picture is None else {"picture": query.picture.to_json()}),
            **({"where": list(used.where)} if used.where else {}),
            **({"exclude": _ids(trace, used.exclude)} if used.exclude else {}),
            **_asked(trace),
        },
        "plan": plans.to_dict(trace.plan),
        **({"enhance": enhanced[0]} if enhanced else {}),
        "layers": [_layer(trace, step, count) for step in trace.rankings],
        "results": [_result(trace, result) for result in trace.results()],
        "notices": trace.notices,
    }


def _asked(trace: Trace) -> dict[str, Any]:
    """The conditions as they were asked for, where an enhancement added some; else they are those that were used."""
    asked, used = trace.query, trace.used
    if (asked.where, asked.exclude) == (used.where, used.exclude):
        return {}
    return {"asked": {"where": list(asked.where), "exclude": _ids(trace, asked.exclude)}}


def _ids(trace: Trace, docs: frozenset[int]) -> list[DocId]:
    return [trace.corpus.id(doc) for doc in sorted(docs)]


def _enhanced(trace: Trace, step: Step) -> dict[str, Any]:
    return {"layer": step.label, "ms": round(step.ms, 3), **_how(trace, step)}


def _how(trace: Trace, step: Step) -> dict[str, Any]:
    """What a step used and says of itself. Reasons are by document: as a list, since an id may be a number."""
    facts = dict(step.facts)
    why = facts.pop("why", None)
    if why:
        facts["why"] = [{**_named(trace, doc), "why": text} for doc, text in why.items()]
    failed = {"failed": {"kind": step.failed.kind, "message": step.failed.message}} if step.failed else {}
    return {"usage": {name: round(n, 3) for name, n in step.usage.items()}, **failed, **facts}


def _layer(trace: Trace, step: Step, count: int) -> dict[str, Any]:
    ranking: Ranking = step.output
    pairs = zip(ranking.docs[:count].tolist(), ranking.scores[:count].tolist(), strict=True)
    hits = [{"rank": i, **_named(trace, doc), "score": score} for i, (doc, score) in enumerate(pairs, start=1)]
    head = {"layer": step.label, "slot": step.slot, "ms": round(step.ms, 3), "matched": ranking.matched}
    return {**head, **_how(trace, step), "hits": hits}


def _named(trace: Trace, doc: int) -> dict[str, Any]:
    return {"id": trace.corpus.id(doc), "title": trace.corpus.title(doc)}


def _result(trace: Trace, result: Result) -> dict[str, Any]:
    def place(family: str) -> dict[str, Any] | None:
        placed = result.by(family)
        return {"rank": placed.rank, "score": placed.score} if placed else None

    normalised = {part.label: part.facts.get("normalised") for part in result.parts}
    return {
        "rank": result.rank,
        **_named(trace, result.doc),
        "score": result.score,
        "keyword": place("keyword"),
        "semantic": place("semantic"),
        "fused": fused_json(result),
        "rerank": rerank_json(result),
        **({"why": result.why} if result.why else {}),
        "passage": result.passage.text if result.passage else None,
        **premise_of(trace, result.doc),
        "lists": [_in_list(step, result.doc, normalised.get(step.label)) for step in trace.lists],
    }


def fused_json(result: Result) -> dict[str, Any] | None:
    return {"rank": result.fused[0], "score": result.fused[1]} if result.fused else None


def rerank_json(result: Result) -> dict[str, Any] | None:
    """None without a reranker, and for what it did not read."""
    return None if result.reranked is None else {"rank": result.rank, "score": result.reranked}


def premise_of(trace: Trace, doc: int) -> dict[str, Any]:
    """What was read before a document's text; the passage is the text's own all the same."""
    premise = trace.corpus.premises.get(doc)
    return {"premise": premise_json(premise, trace.corpus)} if premise else {}


def _in_list(step: Step, doc: int, normalised: float | None) -> dict[str, Any]:
    """Rank and score are null where the list does not hold the document."""
    rank = step.output.place(doc)
    score = None if rank is None else float(step.output.scores[rank - 1])
    scaled = {} if normalised is None else {"normalised": normalised}
    return {"layer": step.label, "rank": rank, "score": score, **scaled}
