"""What `embed_chunks` and `verify_embeddings` say: how many vectors, how many were encoded just now, where they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from strata.semantic.units import Unit

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def embedded(ws: Workspace, encoder: str, unit: Unit) -> dict[str, Any]:
    start = time.perf_counter()
    store = ws.vectors(encoder, unit)
    return {
        "dataset": ws.corpus.name,
        "encoder": encoder,
        "documents": int(store.owners.size),
        unit.noun if unit.noun != "documents" else "vectors": len(store.vectors),
        "dimensions": store.facts["dimensions"],
        "encoded": store.facts["encoded"] if store.fresh else 0,
        "seconds": round(time.perf_counter() - start, 3),
        "path": str(store.path),
    }
