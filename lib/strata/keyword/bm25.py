"""BM25 as a layer. k1 and b are settings of the query, not of the index: any values take the same exact path.

With the usual k1 and b the index has every posting's contribution stored; with others those of the query's
postings are computed, by the same function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import NO_WORDS, Part, Positions, Query, Ranking, Scores, Term
from strata.keyword import formulas
from strata.keyword.coverage import coverage
from strata.keyword.index import Index, Row
from strata.keyword.many import best_of_each
from strata.keyword.sums import explained
from strata.keyword.topk import best, totals

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class BM25:
    """k1 ≥ 0: how soon repeats stop counting. b in [0, 1]: how much long documents are held back."""

    family: ClassVar[str] = "keyword"
    k1: float = formulas.K1
    b: float = formulas.B

    def __post_init__(self) -> None:
        formulas.checked_k1_b(self.k1, self.b)

    @property
    def name(self) -> str:
        return "keyword"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        if not q.has_words:  # a picture alone asks
            ws.report(not_searched=NO_WORDS)
            return Ranking.none(self.name)
        index = ws.index
        sums = self.sums(index, index.query_terms(q.text))
        docs, scores = best(sums, depth)
        matched = int(np.count_nonzero(sums > 0))  # counting floats takes three times as long
        return Ranking(self.name, docs, scores, matched=matched, covers=partial(coverage, q.text, index=index))

    def search(self, index: Index, terms: Sequence[Term], k: int) -> tuple[Positions, Scores]:
        """The best k documents and their scores."""
        return best(self.sums(index, terms), k)

    def search_many(
        self, index: Index, queries: Sequence[Sequence[Term]], k: int
    ) -> Iterator[tuple[Positions, Scores]]:
        """What `search` gives for each query, in their order; faster where they are short and documents few."""
        rows = [[index.row(term) for term in terms] for terms in queries]
        return best_of_each(rows, partial(self._weights, index), index.documents, k)

    def sums(self, index: Index, terms: Sequence[Term]) -> np.ndarray:
        """float64[≥ N]: every document's score, 0 where it shares no term (a contribution is always above 0)."""
        rows = [index.row(term) for term in terms]
        return totals([row.docs for row in rows], [self._weights(index, row) for row in rows], index.documents)

    def _weights(self, index: Index, row: Row) -> np.ndarray:
        """float64: what each posting of a term contributes, as the index has it, or computed."""
        return row.impacts if self.k1 == formulas.K1 and self.b == formulas.B else self._impacts(index, row)

    def _impacts(self, index: Index, row: Row) -> np.ndarray:
        """float64: what each posting of a term contributes."""
        idf = formulas.bm25_idf(row.docs.size, index.documents)
        weight: np.ndarray = formulas.bm25_tf(row.tfs, index.lengths[row.docs], index.avgdl, self.k1, self.b)
        return idf * weight

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The score as a sum over the query's distinct terms (see sums.py)."""
        index = ws.index
        dl = int(index.lengths[doc])

        def weigh(tf: int, df: int) -> tuple[float, float]:
            weight = formulas.bm25_tf(float(tf), dl, index.avgdl, self.k1, self.b) if tf else 0.0
            return formulas.bm25_idf(df, index.documents), weight

        norm = formulas.length_norm(dl, index.avgdl, self.b)
        facts = {"k1": self.k1, "b": self.b, "dl": dl, "avgdl": index.avgdl, "length_norm": norm}
        terms = index.query_terms(q.text)
        return explained(self.name, "BM25: the sum over the terms", index, terms, doc, weigh, facts)
