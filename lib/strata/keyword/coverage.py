"""How much of a query a keyword list has found: what a fusion goes by that asks whether to trust it."""

from __future__ import annotations

from strata.core.types import Term
from strata.keyword.formulas import bm25_idf
from strata.keyword.index import Index


def coverage(text: str, doc: int, index: Index) -> float:
    """The share of the query's words, weighted by idf, that a document holds: 0 to 1. Words of the stop list do not
    count; one that no document has counts as the rarest there can be, since nothing that was found holds it."""
    found = index.analyse(text)
    weights: dict[Term | str, float] = {}
    for word, term in zip(found.words, found.terms, strict=True):
        weights[word if term is None else term] = bm25_idf(0 if term is None else index.df(term), index.documents)
    held = sum(weight for term, weight in weights.items() if not isinstance(term, str) and index.tf(term, doc))
    whole = sum(weights.values())
    return held / whole if whole else 0.0
