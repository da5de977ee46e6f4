"""One plan over a golden set, query by query, then the means: what the lessons' evaluation prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strata.core.corpus import Corpus
from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.measure import measures
from strata.evaluation.metrics import best_f1, best_recall, unique
from strata.evaluation.outcome import Outcome
from strata.evaluation.unanswerable import Unanswerable

SHOWN = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Judged:
    """One query that has an answer. values: its precision, recall, F1 at the limit; ceiling: what recall and F1 can be
    at most. retrieved, relevant: document ids; relevant: the best grade first."""

    query: GoldenQuery
    values: dict[str, float]
    ceiling: dict[str, float]
    retrieved: tuple[str, ...]
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class Evaluation:
    """means: every measure's, over the judged queries. ceiling: the means of what recall and F1 can be at most."""

    limit: int
    golden: GoldenSet
    queries: tuple[Judged, ...]
    means: dict[str, float]
    ceiling: dict[str, float]
    outcome: Outcome
    unanswerable: Unanswerable | None

    def to_json(self, corpus: Corpus) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "limit": self.limit,
            "golden": self.golden.name,
            "queries": [_json(one, corpus) for one in self.queries],
            "mean": self.means,
            "ceiling": self.ceiling,
            "judged_queries": len(self.golden.judged),
            "unjudged_queries": len(self.golden.unjudged),
            "unjudged": [{"id": query.id, "query": query.text} for query in self.golden.unjudged],
            "unanswerable": self.unanswerable.to_json() if self.unanswerable else None,
            "ms_per_query": outcome.ms_per_query,
            "tokens_per_query": outcome.tokens_per_query,
            "failed_queries": outcome.failed,
            "problems": list(self.golden.problems),
        }


def evaluated(outcome: Outcome, golden: GoldenSet, limit: int, unanswerable: Unanswerable | None) -> Evaluation:
    """The figures of one outcome. A golden set without an answer gives no means."""
    every = measures(limit)
    shown = [m for m in every if m.label in SHOWN]
    rows = []
    for query in golden.judged:
        found = outcome.found.get(query.id, ())
        good = sorted((id for id, grade in query.relevant.items() if grade > 0), key=lambda id: -query.relevant[id])
        most = {"recall": best_recall(query.relevant, limit), "f1": best_f1(query.relevant, limit)}
        values = {m.label: m(found, query.relevant) for m in shown}
        rows.append(Judged(query, values, most, tuple(unique(found)[:limit]), tuple(good)))
    means = {m.label: outcome.mean(golden.judged, m) for m in every} if rows else {}
    ceiling = {name: sum(row.ceiling[name] for row in rows) / len(rows) for name in ("recall", "f1")} if rows else {}
    return Evaluation(limit, golden, tuple(rows), means, ceiling, outcome, unanswerable)


def _json(one: Judged, corpus: Corpus) -> dict[str, Any]:
    return {
        "id": one.query.id,
        "query": one.query.text,
        **({"kind": one.query.kind} if one.query.kind else {}),
        **one.values,
        "ceiling": one.ceiling,
        "retrieved": _named(one.retrieved, corpus),
        "relevant": _named(one.relevant, corpus),
    }


def _named(ids: Sequence[str], corpus: Corpus) -> list[dict[str, Any]]:
    """The id as the catalogue gives it; one that it does not have keeps its text, with no title."""
    places = [(id, corpus.position(id)) for id in ids]
    return [
        {"id": id, "title": None} if at is None else {"id": corpus.id(at), "title": corpus.title(at)}
        for id, at in places
    ]
