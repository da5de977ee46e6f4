"""TF-IDF as a layer: the sum of tf · ln((N + 1) / (df + 1)) over the query's terms. No length, no saturation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import NO_WORDS, Part, Query, Ranking
from strata.keyword import formulas
from strata.keyword.sums import explained
from strata.keyword.topk import totals

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class TfIdf:
    """Has no settings."""

    family: ClassVar[str] = "keyword"

    @property
    def name(self) -> str:
        return "tfidf"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        if not q.has_words:  # a picture alone asks
            ws.report(not_searched=NO_WORDS)
            return Ranking.none(self.name)
        index = ws.index
        terms = index.query_terms(q.text)
        if not terms:
            return Ranking.none(self.name)
        rows = [index.row(term) for term in terms]
        docs = [row.docs for row in rows]
        weights = [row.tfs * formulas.idf(row.docs.size, index.documents) for row in rows]
        # A term in every document weighs 0, so who shares a term is kept apart from the score.
        holders = np.unique(np.concatenate(docs))
        scores = totals(docs, weights, index.documents)[holders]
        order = np.argsort(-scores, kind="stable")[:depth]
        return Ranking(self.name, holders[order].astype(np.int32), scores[order], matched=int(holders.size))

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The score as a sum over the query's distinct terms (see sums.py)."""
        index = ws.index

        def weigh(tf: int, df: int) -> tuple[float, float]:
            return formulas.idf(df, index.documents), float(tf)

        return explained(self.name, "TF-IDF: the sum over the terms", index, index.query_terms(q.text), doc, weigh, {})
