"""The other semantic list: one vector for the whole of each document, as far as the encoder reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.core.types import Part, Query, Ranking
from strata.registry import DEFAULT_ENCODER
from strata.semantic.lists import checked, nearest, query_vector, speaks
from strata.semantic.nearest import exact
from strata.semantic.units import Whole

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Documents:
    """encoder: a name of the registry or of the hub, or a folder of weights. min_score, weight, when: as in Chunks."""

    family: ClassVar[str] = "semantic"
    encoder: str = DEFAULT_ENCODER
    min_score: float | None = None
    weight: float | None = None
    when: str | None = None

    def __post_init__(self) -> None:
        checked(self.min_score, self.weight, self.when)

    @property
    def name(self) -> str:
        return "document"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        if not speaks(self.when, self.encoder, q, ws):
            return Ranking.none(self.name)
        store = ws.vectors(self.encoder, Whole())
        return nearest(self.name, store, query_vector(self.encoder, q, ws), ws, depth, self.min_score)

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """One number: the cosine of the query and the document."""
        store = ws.vectors(self.encoder, Whole())
        rows = store.rows(doc)
        if not rows.size:
            return Part(self.name, 0.0, "the document has neither title nor text")
        score = float(exact(store.vectors, query_vector(self.encoder, q, ws), rows)[0])
        return Part(self.name, score, "cosine", facts={"passage": ws.corpus.document(doc).text})
