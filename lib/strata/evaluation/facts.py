"""The facts about missed documents: read from a trace, the catalogue and its index. Nothing is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from strata.core.golden import GoldenQuery
from strata.core.types import Term
from strata.enrich.thin import Entries
from strata.evaluation.causes import Facts, Stand
from strata.evaluation.wording import Wording
from strata.pipeline.run import kept
from strata.pipeline.trace import Step, Trace
from strata.pipeline.workspace import Workspace


class Gathering:
    """Facts for one query after another; what belongs to the catalogue is read once."""

    def __init__(self, ws: Workspace, limit: int) -> None:
        self.ws, self.limit = ws, limit
        self.entries, self.wording = Entries(ws.corpus), Wording(ws)

    def of(self, query: GoldenQuery, trace: Trace) -> OfQuery:
        return OfQuery(self, query, trace)


class OfQuery:
    """Facts about the documents that one run missed."""

    def __init__(self, shared: Gathering, query: GoldenQuery, trace: Trace) -> None:
        self._shared, self._query, self._trace = shared, query, trace
        self._ws, self._limit = shared.ws, shared.limit

    def facts(self, doc: int | None, grade: int) -> Facts:
        """doc: a position; None for a document that the catalogue lacks."""
        if doc is None:
            return Facts(self._limit, catalogued=False)
        text = self._trace.used.text
        passed, helped = self._passed(doc)
        held = [(word, term) for word, term in self._terms if self._ws.index.tf(term, doc)]
        return Facts(
            self._limit,
            stands(self._trace, doc),
            full=self._full(grade),
            ruled_out=self._ruled_out(doc),
            passed=passed,
            helped=helped,
            foreign=self._shared.wording.foreign(text),
            corrected=self._corrected(text, doc),
            thin=self._shared.entries.thin(doc),
            words=tuple(dict.fromkeys(word for word, _ in self._terms)),
            shared=tuple(dict.fromkeys(word for word, _ in held)),
        )

    def _full(self, grade: int) -> bool:
        """Whether each of the first results is relevant, with at least this grade."""
        first = self._trace.final.docs[: self._limit].tolist()
        grades = [self._query.relevant.get(str(self._trace.corpus.id(doc)), 0) for doc in first]
        return len(first) == self._limit and all(other >= grade for other in grades)

    @cached_property
    def _keep(self) -> np.ndarray | None:
        return kept(self._trace.used, self._ws)

    def _ruled_out(self, doc: int) -> tuple[str, ...]:
        used = self._trace.used
        if self._keep is None or self._keep[doc]:
            return ()
        return ("left out by name",) if doc in used.exclude else used.where

    @cached_property
    def _terms(self) -> list[tuple[str, Term]]:
        """(word as searched, its term) of every word that a document holds, in all texts that were searched."""
        analysed = [self._ws.index.analyse(text) for text in self._trace.used.texts]
        pairs = (pair for one in analysed for pair in zip(one.words, one.terms, strict=True))
        return [(word, term) for word, term in dict.fromkeys(pairs) if term is not None]

    def _corrected(self, text: str, doc: int) -> tuple[tuple[str, str], ...]:
        """The corrections of the query that lead to a word of this document."""
        index = self._ws.index
        return tuple(
            (old, new)
            for old, new in self._shared.wording.corrections(text)
            if any(index.tf(term, doc) for term in index.query_terms(new))
        )

    def _passed(self, doc: int) -> tuple[int, tuple[tuple[str, float], ...]]:
        """How many of the first fused stand behind a document in the list that has it best, and which part of their
        score each other list gave them."""
        trace, fuse, fused = self._trace, self._trace.plan.fuse, self._trace.step("fuse")
        best = _best(trace.lists, doc)
        if fuse is None or fused is None or best is None:
            return 0, ()
        own, rank = best
        behind = [at for at in fused.output.docs[: self._limit].tolist() if (own.output.place(at) or np.inf) > rank]
        lists = [step.output for step in trace.lists]
        given: dict[str, float] = {}
        for at in behind:
            for part in fuse.explain(lists, at).parts:
                given[part.label] = given.get(part.label, 0.0) + part.value
        whole = sum(given.values())
        shares = [(name, value / whole) for name, value in given.items() if name != own.label and value > 0]
        return len(behind), tuple(sorted(shares, key=lambda pair: (-pair[1], pair[0])))


def _best(lists: Sequence[Step], doc: int) -> tuple[Step, int] | None:
    """The list that has a document highest, with its rank there."""
    ranks = [(rank, i) for i, step in enumerate(lists) if (rank := step.output.place(doc)) is not None]
    return (lists[min(ranks)[1]], min(ranks)[0]) if ranks else None


def stands(trace: Trace, doc: int) -> tuple[Stand, ...]:
    """Where a document stands in each ranking of a run, in order; in the last, where the run has it in the end: behind
    a reranker's list stands what it did not read, with a rank beyond its length."""
    ranks = [*trace.path(doc)[:-1], trace.final.place(doc)]
    return tuple(
        Stand(step.slot, step.label, rank, len(step.output.docs), step.output.family)
        for step, rank in zip(trace.rankings, ranks, strict=True)
    )
