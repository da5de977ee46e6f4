"""Words from the documents that a first search finds: pseudo-relevance feedback by a relevance model.

P(w|R) = Σ_d P(w|d) · P(d|Q) over the best documents, with P(w|d) = tf / length and their shares of the score as P(d|Q)
(Lavrenko and Croft, "Relevance-Based Language Models", SIGIR 2001, estimated as their RM1). RM3 mixes the request's own
words in (Abdul-Jaleel et al., "UMass at TREC 2004: Novelty and HARD"). The first search is BM25's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from strata.core.types import Term
from strata.keyword.bm25 import BM25
from strata.keyword.forward import opened
from strata.keyword.index import Index
from strata.keyword.topk import best
from strata.storage import Artefact


class Likely(NamedTuple):
    """A term, the word under which the best documents have it most often, and P(w|R)."""

    term: Term
    word: str
    value: float


def relevance_model(index: Index, terms: Sequence[Term], documents: int, without: Iterable[int] = ()) -> list[Likely]:
    """Every term of the best documents for these terms, the likeliest first (ties: by the word); values add up to 1.

    documents: how many are read. without: positions that are not. [] where no document has one of the terms.
    """
    sums = BM25().sums(index, terms)
    sums[list(without)] = 0
    docs, scores = best(sums, documents)
    if not docs.size:
        return []
    forward = opened(Artefact(index.path, {})).rows(docs)
    weights = np.repeat(scores / scores.sum() / index.lengths[docs], forward.counts)
    words, place = np.unique(forward.surfaces, return_inverse=True)
    values, counts = np.bincount(place, weights * forward.tfs), np.bincount(place, forward.tfs)
    total: dict[Term, float] = {}
    shown: dict[Term, tuple[int, int]] = {}
    for word, term, count, value in zip(
        words.tolist(), map(Term, index.surface_terms[words].tolist()), counts.tolist(), values.tolist(), strict=True
    ):
        total[term] = total.get(term, 0.0) + value
        shown[term] = max(shown.get(term, (0, 0)), (count, -word))
    found = [Likely(term, index.surfaces[-shown[term][1]], value) for term, value in total.items()]
    return sorted(found, key=lambda one: (-one.value, one.word))
