"""The best passages of one document for a query, within a length: what a reranker and an answer read of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from strata.core.types import Passage, Query
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunking import Chunking
from strata.semantic.lists import query_vector
from strata.semantic.nearest import exact
from strata.semantic.units import Cut
from strata.semantic.vectors import Vectors

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def best_passages(
    q: Query, docs: Sequence[int], ws: Workspace, characters: int, encoder: str = DEFAULT_ENCODER
) -> list[list[Passage]]:
    """For each document its chunks nearest to the query, as many as fit into `characters`, in the order of the text.

    A text that fits is one whole passage; chunks that touch or overlap become one. A first chunk that is too long
    alone is cut at a word. Scores are cosines, the best of what was joined. [] for a document without text.
    """
    store = ws.vectors(encoder, Cut(Chunking()))
    vector = query_vector(encoder, q, ws)
    return [_of(doc, store, vector, ws, characters) for doc in docs]


def chunk_cosines(q: Query, doc: int, ws: Workspace, encoder: str) -> list[tuple[int, int, float]]:
    """(start, end, cosine to the query) of each chunk of a document, in the order of its text."""
    store = ws.vectors(encoder, Cut(Chunking()))
    rows = store.rows(doc)
    scores = exact(store.vectors, query_vector(encoder, q, ws), rows)
    return [(int(store.starts[r]), int(store.ends[r]), float(s)) for r, s in zip(rows, scores, strict=True)]


def _of(doc: int, store: Vectors, vector: np.ndarray, ws: Workspace, characters: int) -> list[Passage]:
    text = ws.corpus.document(doc).text
    rows = store.rows(doc)
    if not text.strip() or not rows.size:
        return []
    scores = exact(store.vectors, vector, rows)
    if len(text) <= characters:
        return [Passage(doc, text, 0, len(text), float(scores.max()))]
    chosen: list[tuple[int, int, float]] = []
    room = characters
    for i in np.argsort(-scores, kind="stable").tolist():
        start, end = int(store.starts[rows[i]]), int(store.ends[rows[i]])
        if end - start > room:
            if chosen:
                continue
            end = _word_end(text, start, room)
        chosen.append((start, end, float(scores[i])))
        room -= end - start
    return [Passage(doc, text[a:b], a, b, score) for a, b, score in _joined(sorted(chosen))]


def _word_end(text: str, start: int, room: int) -> int:
    blank = text.rfind(" ", start, start + room)
    return blank if blank > start else start + room


def _joined(spans: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Spans that touch or overlap as one, with the best score. A blank between two chunks does not part them."""
    out: list[tuple[int, int, float]] = []
    for start, end, score in spans:
        if out and start <= out[-1][1] + 1:
            before = out.pop()
            start, end, score = before[0], max(before[1], end), max(before[2], score)
        out.append((start, end, score))
    return out
