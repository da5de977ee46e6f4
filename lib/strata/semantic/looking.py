"""Looking at vectors and chunks: what a text becomes, and how alike texts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders import Kind
from strata.errors import UsageError
from strata.semantic.chunking import Chunking, chunk_spans
from strata.semantic.nearest import exact

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def something(text: str, which: str = "the text") -> str:
    """The text, unless there is nothing in it. One without a word (an emoji, say) has a vector too."""
    if not text.strip():
        raise UsageError(f"{which} is empty, and there is no vector of nothing", "give some text, in quotes")
    return text


def embedded_text(text: str, encoder: str, kind: Kind, ws: Workspace) -> dict[str, Any]:
    """One text's vector as plain floats. A query may have another than a document: some encoders want a prefix."""
    vector = ws.encoder(encoder).encode([text], kind)[0]
    return {
        "text": text,
        "kind": kind,
        "encoder": encoder,
        "dimensions": int(vector.size),
        "vector": [float(value) for value in vector],
    }


def compared(texts: Sequence[str], encoder: str, ws: Workspace) -> dict[str, Any]:
    """The cosine of each text with each: 1 for the same text, near 0 for texts that have nothing to do with each
    other."""
    vectors = ws.encoder(encoder).encode(list(texts))
    rows = np.arange(len(texts))
    cosines = [[float(value) for value in exact(vectors, vector, rows)] for vector in vectors]
    return {"encoder": encoder, "texts": list(texts), "cosines": cosines}


def sentence_chunks(text: str, size: int, overlap: int) -> list[str]:
    """The chunks that the semantic list would cut this text into."""
    return [text[start:end] for start, end in chunk_spans(text, Chunking(size, overlap))]
