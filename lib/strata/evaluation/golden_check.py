"""The audit of a golden set: what is in it, what does not fit the catalogue, and what figures over it cannot show.

Problems are what should be mended before the figures are believed; the check fails on them. All else is findings.
Not here: whether the judgements are right, and adding judgements (merge.py).
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.documents import title_key
from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.metrics import best_f1, best_recall, relevant
from strata.evaluation.near_titles import Near

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Kind:
    """Queries of one kind: how many, how many of them have an answer, and how many answers these have together."""

    queries: int
    judged: int
    relevant: int


@dataclass(frozen=True)
class Title:
    """A title that names no one document. fits: labels of those that bear it. near: of those nearly called so."""

    query: str
    title: str
    fits: tuple[str, ...]
    near: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """limit: the number of results that the ceiling is for.

    kinds: "" holds those without one. grades: grade → judgements. never_relevant: documents that were judged, never
    above 0. same_text: ids of queries that ask the same, case and accents aside. over: judged queries with more
    answers than the limit, and how many. titles: those that are ambiguous or missing.
    """

    golden: GoldenSet
    limit: int
    kinds: dict[str, Kind]
    grades: dict[int, int]
    never_relevant: int
    same_text: tuple[tuple[str, ...], ...]
    over: tuple[tuple[str, int], ...]
    titles: tuple[Title, ...]
    problems: tuple[str, ...]

    @property
    def passes(self) -> bool:
        return not self.problems

    @property
    def ceiling(self) -> tuple[float, float]:
        """The best mean recall and mean F1 that any ranking could reach at the limit; 0.0 where nothing is judged."""
        judged = [query.relevant for query in self.golden.judged]
        if not judged:
            return 0.0, 0.0
        return (
            statistics.fmean(best_recall(grades, self.limit) for grades in judged),
            statistics.fmean(best_f1(grades, self.limit) for grades in judged),
        )

    def to_json(self) -> dict[str, Any]:
        golden, (recall, f1) = self.golden, self.ceiling
        return {
            "golden": golden.name,
            "passes": self.passes,
            "queries": len(golden.queries),
            "judged_queries": len(golden.judged),
            "unjudged_queries": len(golden.unjudged),
            "kinds": [{"kind": kind, **vars(counts)} for kind, counts in self.kinds.items()],
            "grades": [{"grade": grade, "judgements": count} for grade, count in self.grades.items()],
            "never_relevant_documents": self.never_relevant,
            "without_answer": [
                {"id": query.id, "query": query.text, "kind": query.kind, "judgements": len(query.relevant)}
                for query in golden.unjudged
            ],
            "same_text": [list(ids) for ids in self.same_text],
            "repeated": [
                {"query": one.query, "id": one.document, "grades": list(one.grades)} for one in golden.repeated
            ],
            "limit": self.limit,
            "over_limit": [{"id": id, "relevant": count} for id, count in self.over],
            "best": {"recall": recall, "f1": f1},
            "titles": [
                {"query": one.query, "title": one.title, "fits": list(one.fits), "near": list(one.near)}
                for one in self.titles
            ],
            "problems": list(self.problems),
        }


def check_golden(golden: GoldenSet, corpus: Corpus | None, limit: int) -> Checked:
    """Look a set through. golden: as load_golden read it with the same catalogue; without one no titles are near."""
    asked: defaultdict[str, list[GoldenQuery]] = defaultdict(list)
    for query in golden.queries:
        asked[title_key(query.text)].append(query)
    same = [queries for text, queries in asked.items() if text and len(queries) > 1]
    judgements = [pair for query in golden.queries for pair in query.relevant.items()]
    counts = Counter(grade for _, grade in judgements)
    found = {id for id, grade in judgements if grade > 0}
    return Checked(
        golden,
        limit,
        _kinds(golden),
        dict(sorted(counts.items(), reverse=True)),
        len({id for id, _ in judgements} - found),
        tuple(tuple(query.id for query in queries) for queries in same),
        tuple((query.id, count) for query in golden.judged if (count := relevant(query.relevant)) > limit),
        _titles(golden, corpus),
        (*golden.problems, *_more_problems(golden, same)),
    )


def _kinds(golden: GoldenSet) -> dict[str, Kind]:
    by_kind: defaultdict[str, list[GoldenQuery]] = defaultdict(list)
    for query in golden.queries:
        by_kind[query.kind].append(query)
    return {
        kind: Kind(len(queries), sum(q.judged for q in queries), sum(relevant(q.relevant) for q in queries))
        for kind, queries in by_kind.items()
    }


def _titles(golden: GoldenSet, corpus: Corpus | None) -> tuple[Title, ...]:
    near = Near(corpus) if corpus else None

    def labels(ids: tuple[str, ...]) -> Iterator[str]:
        for id in ids:
            at = corpus.position(id) if corpus else None
            yield corpus.label(at) if corpus and at is not None else f"({id})"

    return tuple(
        Title(one.query, one.title, tuple(labels(one.fits)), near.labels(one.title) if near and not one.fits else ())
        for one in golden.unresolved
    )


def _more_problems(golden: GoldenSet, same: list[list[GoldenQuery]]) -> Iterator[str]:
    for one in golden.repeated:
        if len(set(one.grades)) > 1:
            grades = " and ".join(map(str, sorted(set(one.grades))))
            yield f"query {one.query}: document {one.document} is listed with the grades {grades}"
    for queries in same:
        judged = [query.id for query in queries if query.judged]
        if len(judged) > 1:
            yield f"queries {', '.join(judged)} ask the same, which counts each time"
    for query in golden.queries:
        if not query.text.strip():
            yield f"query {query.id} has no text"
    if not golden.judged:
        yield "no query has an answer: nothing can be averaged"
