"""Neighbours of a document, by the vectors that are stored: nothing is encoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import Part, Query, Ranking
from strata.errors import UsageError
from strata.registry import DEFAULT_ENCODER
from strata.semantic.lists import checked, nearest
from strata.semantic.nearest import exact
from strata.semantic.units import Whole
from strata.semantic.vectors import Vectors

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Similar:
    """Reads `Query.like`, the document whose neighbours are wanted, instead of the query's text. encoder, min_score:
    as in Documents."""

    family: ClassVar[str] = "semantic"
    encoder: str = DEFAULT_ENCODER
    min_score: float | None = None

    def __post_init__(self) -> None:
        checked(self.min_score)

    @property
    def name(self) -> str:
        return "similar"

    def _vector(self, q: Query, store: Vectors, ws: Workspace) -> np.ndarray:
        if q.like is None:
            raise UsageError("the layer similar needs a document to be like", "semantic_search_cli similar DOC_ID")
        rows = store.rows(q.like)
        if not rows.size:
            raise UsageError(
                f"{ws.corpus.label(q.like)} has neither title nor text, so it has no vector", "name another document"
            )
        vector: np.ndarray = store.vectors[int(rows[0])]
        return vector

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        store = ws.vectors(self.encoder, Whole())
        return nearest(self.name, store, self._vector(q, store, ws), ws, depth, self.min_score)

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """One number: the cosine of the two documents."""
        store = ws.vectors(self.encoder, Whole())
        rows = store.rows(doc)
        score = float(exact(store.vectors, self._vector(q, store, ws), rows)[0]) if rows.size else 0.0
        return Part(self.name, score, "cosine of the two documents")
