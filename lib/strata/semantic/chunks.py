"""The semantic list: a document counts as much as its best chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import Part, Query, Ranking
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunking import Chunking
from strata.semantic.lists import checked, nearest, query_vector, speaks
from strata.semantic.nearest import exact
from strata.semantic.units import Cut

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Chunks:
    """encoder: a name of the registry or of the hub, or a folder of weights. sentences, overlap: how texts are cut.

    min_score: only cosines from here up; None takes all. weight: how much the list counts beside other semantic ones,
    where the fusion asks; None is 1. when: "english" or "foreign": only for queries in such a language.
    """

    family: ClassVar[str] = "semantic"
    encoder: str = DEFAULT_ENCODER
    sentences: int = 4
    overlap: int = 1
    min_score: float | None = None
    weight: float | None = None
    when: str | None = None

    def __post_init__(self) -> None:
        Chunking(self.sentences, self.overlap)
        checked(self.min_score, self.weight, self.when)

    @property
    def name(self) -> str:
        return "chunks"

    @property
    def unit(self) -> Cut:
        return Cut(Chunking(self.sentences, self.overlap))

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        if not speaks(self.when, self.encoder, q, ws):
            return Ranking.none(self.name)
        store = ws.vectors(self.encoder, self.unit)
        return nearest(self.name, store, query_vector(self.encoder, q, ws), ws, depth, self.min_score)

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The document's chunks with their cosines, best first; its score is the first of them, not their sum."""
        store = ws.vectors(self.encoder, self.unit)
        places = store.rows(doc)
        scores = exact(store.vectors, query_vector(self.encoder, q, ws), places)
        text = ws.corpus.document(doc).text
        parts = tuple(
            Part(f"chunk {i + 1} of {places.size}", float(scores[i]), "cosine",
                 facts={"chunk": i + 1, "of": int(places.size),
                        "passage": text[int(store.starts[places[i]]) : int(store.ends[places[i]])]})
            for i in np.argsort(-scores, kind="stable").tolist()
        )  # fmt: skip
        if not parts:
            return Part(self.name, 0.0, "the document has neither title nor text")
        return Part(self.name, parts[0].value, "the best chunk", parts)
