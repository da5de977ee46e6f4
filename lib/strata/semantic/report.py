"""What `semantic_search_cli embed_chunks` says: how many chunks, how many were encoded just now, where they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from strata.semantic.chunking import Chunking

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def embedded(ws: Workspace, encoder: str) -> dict[str, Any]:
    start = time.perf_counter()
    store = ws.chunk_vectors(encoder, Chunking())
    return {
        "dataset": ws.corpus.name,
        "encoder": encoder,
        "documents": int(store.owners.size),
        "chunks": store.facts["chunks"],
        "dimensions": store.facts["dimensions"],
        "encoded": store.facts["encoded"] if store.fresh else 0,
        "seconds": round(time.perf_counter() - start, 3),
        "path": str(store.path),
    }
