"""Each query by itself: what it asked, where every layer has its relevant documents, what the best layer gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.causes import LABELS
from strata.evaluation.misses import Failures
from strata.evaluation.outcome import Outcome
from strata.evaluation.reasons import reason
from strata.reporting.words import plain

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

RELEVANT = 12
FIRST = 5
TEXT = 300
LABEL = 80


@dataclass(frozen=True)
class Wanted:
    """A relevant document. ranks: one for each layer, "–" where it is not among those kept. why: of the failures'
    layer, where that missed it."""

    label: str
    grade: int
    ranks: tuple[tuple[str, bool], ...]
    why: str


@dataclass(frozen=True)
class Looked:
    """A query. first: the best layer's first documents, each with its grade or None where nobody judged it."""

    number: int
    id: str
    text: str
    kind: str
    note: str
    wanted: tuple[Wanted, ...]
    more: int
    first: tuple[tuple[str, int | None], ...]


def looked(
    golden: GoldenSet,
    outcomes: Sequence[Outcome],
    best: Outcome,
    limit: int,
    corpus: Corpus | None,
    failures: Failures | None,
    numbers: Mapping[str, int],
) -> list[Looked]:
    """One for each query that has a number. corpus: titles come from it; without it there are ids only."""
    whys = {(m.query.id, m.id): f"{LABELS[m.cause]}: {reason(m)}" for m in failures.missed} if failures else {}
    found = []
    for query in golden.queries:
        if query.id not in numbers:
            continue
        ranks = [{id: place for place, id in reversed([*enumerate(o.found.get(query.id, ()), 1)])} for o in outcomes]
        relevant = sorted((id for id, grade in query.relevant.items() if grade > 0), key=lambda id: -query.relevant[id])
        wanted = tuple(
            Wanted(
                _label(id, corpus),
                query.relevant[id],
                tuple((f"{at[id]:,}" if id in at else "–", at.get(id, limit + 1) <= limit) for at in ranks),
                plain(whys.get((query.id, id), ""), TEXT),
            )
            for id in relevant[:RELEVANT]
        )
        first = tuple((_label(id, corpus), query.relevant.get(id)) for id in best.found.get(query.id, ())[:FIRST])
        found.append(_looked(query, numbers[query.id], wanted, len(relevant) - len(wanted), first))
    return found


def _looked(
    query: GoldenQuery,
    number: int,
    wanted: tuple[Wanted, ...],
    more: int,
    first: tuple[tuple[str, int | None], ...],
) -> Looked:
    id, kind = plain(query.id, 24), plain(query.kind, 40)
    return Looked(number, id, plain(query.text, TEXT), kind, plain(query.note, TEXT), wanted, more, first)


def _label(id: str, corpus: Corpus | None) -> str:
    doc = corpus.position(id) if corpus else None
    return plain(f"({id})" if corpus is None or doc is None else corpus.label(doc), LABEL)
