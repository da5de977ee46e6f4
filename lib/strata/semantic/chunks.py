"""The semantic list: a document counts as much as its best chunk."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import Part, Passage, Query, Ranking
from strata.errors import UsageError
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunking import Chunking
from strata.semantic.nearest import exact, nearest_groups

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Chunks:
    """encoder: a name of the registry, or a folder of weights. sentences, overlap: how texts are cut.

    min_score: only cosines from here up; None takes all.
    """

    family: ClassVar[str] = "semantic"
    encoder: str = DEFAULT_ENCODER
    sentences: int = 4
    overlap: int = 1
    min_score: float | None = None

    def __post_init__(self) -> None:
        Chunking(self.sentences, self.overlap)
        if self.min_score is not None and not (math.isfinite(self.min_score) and -1 <= self.min_score <= 1):
            raise UsageError(f"min-score must be a cosine from -1 to 1, not {self.min_score}", "0.3 is a usual start")

    @property
    def name(self) -> str:
        return "chunks"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        store = ws.chunk_vectors(self.encoder, Chunking(self.sentences, self.overlap))
        found = nearest_groups(store.vectors, store.firsts, self._vector(q, ws), depth, self.min_score)
        docs = store.owners[found.groups].astype(np.int32)
        starts, ends = store.starts[found.rows].tolist(), store.ends[found.rows].tolist()
        passages = tuple(
            Passage(doc, ws.corpus.document(doc).text[start:end], start, end, score)
            for doc, start, end, score in zip(docs.tolist(), starts, ends, found.scores.tolist(), strict=True)
        )
        return Ranking(self.name, docs, found.scores, passages, found.matched)

    def _vector(self, q: Query, ws: Workspace) -> np.ndarray:
        start = time.perf_counter()
        vector: np.ndarray = ws.encoder(self.encoder).encode([q.text], "query")[0]
        ws.spent({"encode_ms": (time.perf_counter() - start) * 1000})
        return vector

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The document's chunks with their cosines, best first; its score is the first of them, not their sum."""
        store = ws.chunk_vectors(self.encoder, Chunking(self.sentences, self.overlap))
        places = np.flatnonzero(store.docs == doc)
        scores = exact(store.vectors, self._vector(q, ws), places)
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
