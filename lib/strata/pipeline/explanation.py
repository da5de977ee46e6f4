"""Where one document stands in a run, and why: each list's part, the fused sum, the reranker, and what stands above."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from strata.core import filters
from strata.core.types import Part, Query
from strata.pipeline import plan as plans
from strata.pipeline.export import fused_json, premise_of, rerank_json
from strata.pipeline.run import kept, of_text, retrieved
from strata.pipeline.trace import Result, Step, Trace
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
    """The document one place higher (the first, where the explained one is in no list). fused: as in Explanation.
    ahead: the lists in which it stands before the explained one, with both ranks."""

    stands: Result
    fused: Part | None
    ahead: tuple[tuple[str, int, int | None], ...]


@dataclass(frozen=True)
class Explanation:
    """stands: where the run has the document in the end, of how many; None where no list holds it. fused: its fused
    score as a sum. read: how many documents the reranker read, None without one; reread: what the reranker says of
    this one, where it read it and explains itself. ruled_out: the enhancement and its condition that keep the document
    out of every list."""

    doc: int
    stands: Result | None
    of: int
    lists: tuple[InList, ...]
    fused: Part | None
    read: int | None
    reread: Part | None
    above: Above | None
    ruled_out: tuple[str, str] | None

    @property
    def rank(self) -> int | None:
        return self.stands.rank if self.stands else None


def explanation(trace: Trace, doc: int, ws: Workspace) -> Explanation:
    """What a trace and its layers say of a document."""
    keep = kept(trace.used, ws)
    stands, again, ruled_out = trace.result(doc), trace.step("rerank"), _ruled_out(trace, doc, ws)
    reads = getattr(again.layer, "explain", None) if again and stands and stands.reranked is not None else None
    return Explanation(
        doc,
        stands,
        max(trace.final.matched, len(trace.final.docs)),
        tuple(
            _in_list(step, q, doc, ws, keep)
            for step, q in zip(trace.lists, _queries(trace), strict=True)
            if step.searched
        ),
        _fused(trace, doc),
        len(again.output.docs) if again else None,
        reads(trace.used, doc, ws) if reads else None,
        None if ruled_out else _above(trace, doc),
        ruled_out,
    )


def left_out(q: Query, doc: int, ws: Workspace) -> str:
    """Which of a query's own conditions keeps a document out of every list; "" where none does."""
    if doc in q.exclude:
        return "--exclude"
    condition = _broken(q.where, doc, ws)
    return f"--where {condition}" if condition else ""


def _broken(where: Iterable[str], doc: int, ws: Workspace) -> str:
    """The first of the conditions that a document does not meet, or ""."""
    document = ws.corpus.document(doc)
    return next((text for text in where if not filters.parse(text).holds(document)), "")


def _ruled_out(trace: Trace, doc: int, ws: Workspace) -> tuple[str, str] | None:
    """The enhancement and the condition that it added, where that keeps a document out."""
    step, used = trace.step("enhance"), trace.used
    why = "left out by name" if doc in used.exclude else _broken(used.where, doc, ws)
    return (step.label, why) if step and why else None


def _queries(trace: Trace) -> list[Query]:
    """What each list was retrieved for, in the order of the lists."""
    return [of_text(trace.used, text) for _ in trace.plan.retrieve for text in trace.used.texts]


def _in_list(step: Step, q: Query, doc: int, ws: Workspace, keep: np.ndarray | None) -> InList:
    rank = step.output.place(doc)
    below = None if rank else retrieved(step.layer, q, ws, len(ws.corpus), keep).place(doc)
    return InList(step, rank, below, step.layer.explain(q, doc, ws))


def _fused(trace: Trace, doc: int) -> Part | None:
    fuse = trace.plan.fuse
    return fuse.explain([step.output for step in trace.lists], doc) if fuse else None


def _above(trace: Trace, doc: int) -> Above | None:
    docs, rank = trace.final.docs, trace.final.place(doc)
    other = trace.result(int(docs[rank - 2 if rank else 0])) if len(docs) and rank != 1 else None
    if other is None:
        return None
    ahead = [
        (step.label, there, step.output.place(doc))
        for step in trace.lists
        if (there := step.output.place(other.doc)) and there < (step.output.place(doc) or len(trace.corpus) + 1)
    ]
    return Above(other, _fused(trace, other.doc), tuple(ahead))


def to_json(found: Explanation, trace: Trace) -> dict[str, Any]:
    """As cli.md has it. rank, score: in the end. `parts` add up to the fused score, which is the score where nothing is
    reranked; each list's own parts to that list's score, and a reranker's, where it gives a sum, to its score."""
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
        **_standing(found.stands, found.fused),
        "of": found.of,
        "read": found.read,
        **({"reread": _part(found.reread)} if found.reread else {}),
        **({"ruled_out": dict(zip(("layer", "condition"), found.ruled_out, strict=True))} if found.ruled_out else {}),
        "terms": terms,
        "layers": lists,
        "above": above and {
            "id": corpus.id(above.stands.doc),
            "title": corpus.title(above.stands.doc),
            **_standing(above.stands, above.fused),
            "ahead": [{"layer": name, "rank": there, "this": here} for name, there, here in above.ahead],
        },
    }  # fmt: skip


def _standing(stands: Result | None, fused: Part | None) -> dict[str, Any]:
    """Rank and score in the end, fused and reranked; null where it is in no such list."""
    return {
        "score": stands.score if stands else 0.0,
        "rank": stands.rank if stands else None,
        "fused": stands and fused_json(stands),
        "rerank": stands and rerank_json(stands),
        **({"why": stands.why} if stands and stands.why else {}),
        "parts": [_part(part) for part in fused.parts] if fused else [],
    }


def _part(part: Part) -> dict[str, Any]:
    """A part as JSON, its own parts within."""
    inner = {"parts": [_part(one) for one in part.parts]} if part.parts else {}
    return {"label": part.label, "value": part.value, "how": part.how, **part.facts, **inner}
