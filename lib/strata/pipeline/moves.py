"""Who moved where between the lists of a run: read from a trace, drawn in show/trace.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from strata.pipeline.trace import Trace


@dataclass(frozen=True)
class Move:
    """A document that one list had among its first and the last list has not: `before` in list `name`, `after`
    in the last (None: not in it at all)."""

    doc: int
    name: str
    before: int
    after: int | None

    def depth_of_fall(self, length: int) -> int:
        return (self.after or length + 1) - self.before


def left_the_top(trace: Trace, limit: int) -> list[Move]:
    """Documents that left the first `limit` on the way to the last list, best former rank first.

    For a reranker "before" is the list it was given; for a fusion it is each retrieved list's own first places.
    """
    last = trace.rankings[-1]
    before = trace.rankings[-2:-1] if last.slot == "rerank" else [s for s in trace.lists if s is not last]
    moves: dict[int, Move] = {}
    for step in before:
        for rank, doc in enumerate(step.output.docs[:limit].tolist(), start=1):
            after = trace.final.place(doc)
            if (after is None or after > limit) and (doc not in moves or rank < moves[doc].before):
                moves[doc] = Move(doc, step.label, rank, after)
    return sorted(moves.values(), key=lambda move: (move.before, move.doc))


def largest_fall(trace: Trace, moves: list[Move]) -> Move | None:
    length = len(trace.final.docs)
    return max(moves, key=lambda move: (move.depth_of_fall(length), -move.before, -move.doc), default=None)


def to_json(trace: Trace, beside: Trace | None = None) -> dict[str, Any]:
    """What `trace --json` adds to a search's JSON: the paths of the shown documents, who left the top, and where lists
    beside the run have the shown documents."""
    limit = trace.plan.limit

    def named(doc: int) -> dict[str, Any]:
        return {"id": trace.corpus.id(doc), "title": trace.corpus.title(doc)}

    names = [step.label for step in trace.rankings]
    moves = left_the_top(trace, limit)
    fall = largest_fall(trace, moves)
    shown = trace.final.docs[:limit].tolist()
    found = {
        "paths": [{**named(doc), "ranks": dict(zip(names, trace.path(doc), strict=True))} for doc in shown],
        "left_top": [{**named(m.doc), "layer": m.name, "before": m.before, "after": m.after} for m in moves],
        "largest_fall": named(fall.doc) if fall else None,
    }
    if beside:
        found["beside"] = [
            {"layer": step.label, "ranks": [{**named(doc), "rank": step.output.place(doc)} for doc in shown]}
            for step in beside.rankings
        ]
    return {"moves": found}
