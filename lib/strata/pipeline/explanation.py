"""Where one document stands in a run, and why: each list's part in it, the fused sum, and what stands above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from strata.core import filters
from strata.core.types import Part, Query, Ranking
from strata.pipeline import plan as plans
from strata.pipeline.export import premise_of
from strata.pipeline.run import kept, of_text, retrieved
from strata.pipeline.trace import Step, Trace
from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class InList:
    """One list and the document. rank: in the list as it was fused, None where that does not hold it; below: its rank
    in the whole list where the cut at the plan's depth left it out. part: its score there, as the layer explains it."""

    step: Step
    rank: int | None
    below: int | None
    part: Part

    @property
    def there(self) -> bool:
        """Whether the layer matched the document at all."""
        return bool(self.rank or self.below)


@dataclass(frozen=True)
class Above:
    """The document one place higher (the first, where the explained one is in no list). ahead: the lists in which it
    stands before the explained one, with both ranks."""

    doc: int
    rank: int
    fused: Part | None
    score: float
    ahead: tuple[tuple[str, int, int | None], ...]


@dataclass(frozen=True)
class Explanation:
    """rank: in the last list of the run; None where that does not hold the document. score: its score there, or 0."""

    doc: int
    rank: int | None
    score: float
    of: int
    lists: tuple[InList, ...]
    fused: Part | None
    above: Above | None


def explanation(trace: Trace, doc: int, ws: Workspace) -> Explanation:
    """What a trace and its layers say of a document."""
    final = trace.final
    rank = final.place(doc)
    keep = kept(trace.used, ws)
    rankings = [step.output for step in trace.lists]
    fuse = trace.plan.fuse
    return Explanation(
        doc,
        rank,
        float(final.scores[rank - 1]) if rank else 0.0,
        max(final.matched, len(final.docs)),
        tuple(
            _in_list(step, q, doc, ws, keep)
            for step, q in zip(trace.lists, _queries(trace), strict=True)
            if step.searched
        ),
        fuse.explain(rankings, doc) if fuse else None,
        _above(trace, rankings, doc, rank),
    )


def left_out(q: Query, doc: int, ws: Workspace) -> str:
    """Which of a query's own conditions keeps a document out of every list; "" where none does."""
    if doc in q.exclude:
        return "--exclude"
    document = ws.corpus.document(doc)
    return next((f"--where {text}" for text in q.where if not filters.parse(text).holds(document)), "")


def _queries(trace: Trace) -> list[Query]:
    """What each list was retrieved for, in the order of the lists."""
    return [of_text(trace.used, text) for _ in trace.plan.retrieve for text in trace.used.texts]


def _in_list(step: Step, q: Query, doc: int, ws: Workspace, keep: np.ndarray | None) -> InList:
    rank = step.output.place(doc)
    below = None if rank else retrieved(step.layer, q, ws, len(ws.corpus), keep).place(doc)
    return InList(step, rank, below, step.layer.explain(q, doc, ws))


def _above(trace: Trace, rankings: list[Ranking], doc: int, rank: int | None) -> Above | None:
    final = trace.final
    if rank == 1 or not len(final.docs):
        return None
    at = rank - 1 if rank else 1
    other = int(final.docs[at - 1])
    ahead = [
        (ranking.name, there, ranking.place(doc))
        for ranking in rankings
        if (there := ranking.place(other)) and there < (ranking.place(doc) or len(trace.corpus) + 1)
    ]
    fuse = trace.plan.fuse
    return Above(other, at, fuse.explain(rankings, other) if fuse else None, float(final.scores[at - 1]), tuple(ahead))


def to_json(found: Explanation, trace: Trace) -> dict[str, Any]:
    """As cli.md has it: the fused score's parts add up to `score`, and each list's own parts to that list's score."""
    corpus = trace.corpus
    lists = [
        {"layer": one.step.label, "rank": one.rank, "rank_below_the_cut": one.below, **_part(one.part)}
        for one in found.lists
    ]
    keyword = next((one.part for one in found.lists if one.step.output.family == "keyword"), None)
    norm = {"length_norm": keyword.facts["length_norm"]} if keyword and "length_norm" in keyword.facts else {}
    terms = [{"term": p.label, **p.facts, **norm, "contribution": p.value} for p in keyword.parts] if keyword else []
    above = found.above
    return {
        "query": {"original": trace.query.text, "used": trace.used.text},
        "plan": plans.to_dict(trace.plan),
        "id": corpus.id(found.doc),
        "title": corpus.title(found.doc),
        **premise_of(trace, found.doc),
        "score": found.score,
        "rank": found.rank,
        "of": found.of,
        "parts": [_part(part) for part in found.fused.parts] if found.fused else [],
        "terms": terms,
        "layers": lists,
        "above": above and {
            "id": corpus.id(above.doc),
            "title": corpus.title(above.doc),
            "rank": above.rank,
            "score": above.score,
            "parts": [_part(part) for part in above.fused.parts] if above.fused else [],
            "ahead": [{"layer": name, "rank": there, "this": here} for name, there, here in above.ahead],
        },
    }  # fmt: skip


def _part(part: Part) -> dict[str, Any]:
    """A part as JSON, its own parts within."""
    inner = {"parts": [_part(one) for one in part.parts]} if part.parts else {}
    return {"label": part.label, "value": part.value, "how": part.how, **part.facts, **inner}
