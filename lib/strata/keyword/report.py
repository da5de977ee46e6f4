"""What `keyword_search_cli build` says: sizes, seconds, place."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def build_report(ws: Workspace) -> dict[str, Any]:
    """Build the index or open it. analysed: how many documents were, and `seconds` what it took, just now."""
    corpus = ws.corpus
    start = time.perf_counter()
    index = ws.index
    seconds = time.perf_counter() - start
    sizes = {name: index.facts[name] for name in ("documents", "terms", "postings", "tokens", "empty")}
    return {
        "dataset": corpus.name,
        **sizes,
        "analysed": index.facts["analysed"] if index.fresh else 0,
        "average_length": round(index.avgdl, 2),
        "seconds": round(seconds, 3),
        "built": index.fresh,
        "path": str(index.path),
    }
