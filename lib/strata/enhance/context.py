"""What the rest of a request says of a word in it: whether documents that hold the word answer the rest as well."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from strata.core.analysis import tokens
from strata.core.corpus import Corpus
from strata.core.types import Term
from strata.keyword.bm25 import BM25
from strata.keyword.index import Index

SUPPORT, TITLE = 1.0, 1.5
"""What context can add to a word's evidence: a document that answers the rest, a title that the word completes."""
LOOKED_AT = 20
"""So many titles are read for a word."""


class Context:
    """The known words of a request, and how well each document answers them."""

    def __init__(self, words: Iterable[str], index: Index, corpus: Corpus) -> None:
        self._index, self._corpus = index, corpus
        self._terms = {term for word in words if (term := index.surface_term(word)) is not None}
        self._sums = BM25().sums(index, sorted(self._terms))
        self._most = float(self._sums.max(initial=0.0))

    def evidence(self, word: str) -> float:
        """From 0 to SUPPORT + TITLE."""
        term = self._index.surface_term(word)
        if term is None or self._most == 0 or term in self._terms:
            return 0.0
        docs = self._index.row(term).docs
        sums = self._sums[docs]
        best = docs[np.argsort(-sums, kind="stable")[:LOOKED_AT]]
        return SUPPORT * float(sums.max()) / self._most + TITLE * any(self._completes(int(d), term) for d in best)

    def _completes(self, doc: int, term: Term) -> bool:
        """Whether a document's title holds the word, and another one of the request."""
        title = {self._index.surface_term(word) for word in tokens(self._corpus.title(doc))}
        return term in title and bool(title & self._terms)

    def beside(self, first: str, second: str) -> bool:
        """Whether two words stand side by side in some document."""
        one, other = self._index.surface_term(first), self._index.surface_term(second)
        if one is None or other is None:
            return False
        docs = np.intersect1d(self._index.row(one).docs, self._index.row(other).docs, assume_unique=True)
        pair = f" {first} {second} "
        texts = (self._corpus.keyword_text(self._corpus.document(int(doc))) for doc in docs[: 5 * LOOKED_AT])
        return any(pair in f" {' '.join(tokens(text))} " for text in texts)
