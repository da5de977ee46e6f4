"""Running a plan: each filled slot in turn, each step recorded. Knows the slots and no layer by name."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from strata.core import filters
from strata.core.picked import Picked
from strata.core.types import Passage, Plan, Query, Ranking
from strata.errors import ProviderError, UsageError
from strata.pipeline.labels import labels
from strata.pipeline.trace import Step, Trace
from strata.pipeline.workspace import Workspace

Memo = dict[Hashable, Step]
MUST = object()
"""Marks a step without which there is no result."""


def run(
    plan: Plan,
    query: Query,
    ws: Workspace,
    memo: Memo | None = None,
    ready: Callable[[Trace], None] = lambda _: None,
) -> Trace:
    """Answer a query by a plan. Steps with equal layer and input are taken from `memo` when it is given. ready: is
    given the trace as it stands before an answer is made from it."""
    steps: list[Step] = []
    memo = {} if memo is None else memo
    corpus = ws.corpus

    def step(slot: str, layer: Any, given: tuple[Hashable, ...], work: Callable[[], Any], otherwise: Any = MUST) -> Any:
        key = (slot, layer, *given, query.exclude, query.where, query.like, query.picture, corpus.fingerprint)
        done = memo.get(key) or timed(slot, layer, work, otherwise, ws)
        if done.failed is None:  # what a provider failed to do is tried again next time
            memo[key] = done
        steps.append(done)
        return done.output

    used = query
    if plan.enhance:
        enhance = plan.enhance
        # A picture alone is nothing to search with until it is put into words.
        used = step("enhance", enhance, (query,), lambda: enhance(query, ws), otherwise=query if query.text else MUST)
    keep = kept(used, ws)
    lists: list[Ranking] = []
    wanted = [(retrieve, text) for retrieve in plan.retrieve for text in used.texts]
    if len(wanted) > 1 and not plan.fuse:
        raise UsageError(f"{len(wanted)} lists and nothing to fuse them", "use a plan with a fusion, e.g. rrf-search")
    for (retrieve, text), name in zip(wanted, labels(plan.retrieve, len(used.texts)), strict=True):
        one = of_text(used, text)
        work = partial(retrieved, retrieve, one, ws, plan.depth, keep)
        # Named for this plan, after the memo: another plan may call the same list by another name.
        found = step("retrieve", retrieve, (one, plan.depth), work)
        output = replace(found, name=name, family=retrieve.family, weight=getattr(retrieve, "weight", None) or 1.0)
        steps[-1] = replace(steps[-1], output=output)
        lists.append(output)
    found = lists[0]
    if plan.fuse:
        fuse = plan.fuse
        given = (used, plan.retrieve, plan.depth)
        # Fusing is the union of lists that were cut already: nothing more is cut, so a document's fall can be followed.
        found = step("fuse", fuse, given, lambda: fuse(lists, sum(len(one.docs) for one in lists)))
    if plan.rerank:
        rerank, before = plan.rerank, found
        source = (used, plan.retrieve, plan.depth, (plan.fuse,))
        found = step("rerank", rerank, source, lambda: rerank(used, before, ws), otherwise=before)
    trace = Trace(_run_id(), plan, corpus, query, used, tuple(steps))
    if plan.answer:
        ready(trace)
        answer, sources = plan.answer, trace.passages(plan.limit)
        step("answer", answer, (used, plan), lambda: answer(used, sources, ws), otherwise=None)
        trace = replace(trace, steps=tuple(steps))
    return trace


def timed(slot: str, layer: Any, work: Callable[[], Any], otherwise: Any, ws: Workspace) -> Step:
    """Do the work of one step. Where a provider fails, `otherwise` stands for the output, and the step says so."""
    ws.drain()
    failed = None
    start = time.perf_counter()
    try:
        output = work()
    except ProviderError as error:
        if otherwise is MUST:
            raise
        output, failed = otherwise, error
        if error.exit_status:  # --show-prompt sends nothing on purpose
            how = f"; {error.next_step}" if error.next_step else ""
            ws.note(f"{slot} failed ({error.message}): its input stands{how}")
    ms = (time.perf_counter() - start) * 1000
    notices, usage, facts = ws.drain()
    return Step(slot, layer, output, ms, usage, notices, failed, facts)


def of_text(q: Query, text: str) -> Query:
    """One text of a query as a query of its own. What was written for encoders belongs to the first; a variant is a
    text of its own."""
    return replace(q, text=text, variants=(), meaning=q.meaning if text == q.text else "")


def kept(q: Query, ws: Workspace) -> np.ndarray | None:
    """bool[N] of the documents that may be found, or None when all may."""
    if not q.where and not q.exclude:
        return None
    keep = np.ones(len(ws.corpus), dtype=bool)
    if q.where:
        keep &= filters.allowed(ws.corpus.documents(), [filters.parse(text) for text in q.where], {"title", "text"})
    keep[list(q.exclude)] = False
    return keep


def retrieved(layer: Any, q: Query, ws: Workspace, depth: int, keep: np.ndarray | None) -> Ranking:
    """One list, without documents that may not be found: those are left out before the list is cut."""
    if keep is None:
        found: Ranking = layer(q, ws, depth)
        return found
    found = layer(q, ws, len(keep))
    left = keep[found.docs]
    place = np.flatnonzero(left)[:depth]
    passages: Sequence[Passage] = Picked(found.passages, place.tolist()) if found.passages else ()
    docs, scores = found.docs[place], found.scores[place]
    return replace(found, docs=docs, scores=scores, passages=passages, matched=int(left.sum()))


def _run_id() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + "-" + secrets.token_hex(3)
