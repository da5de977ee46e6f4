"""What `semantic_search_cli verify` says of an encoder."""

from __future__ import annotations

from typing import Any

from strata.encoders import Note, open_encoder
from strata.encoders.weights import find
from strata.settings import Settings


def verified(name: str, settings: Settings, note: Note) -> dict[str, Any]:
    """Finds the weights, checks their digest, and encodes one text with them."""
    weights = find(name, settings, note)
    vector = open_encoder(name, settings, note).encode(["a film about a bear"])[0]
    return {
        "encoder": name,
        "weights_from": weights.origin,
        "folder": str(weights.folder),
        "sha256": weights.digest,
        "dimensions": int(vector.size),
        "max_tokens": weights.row.max_tokens,
        "pooling": weights.row.pooling,
        "runtime": "NumPy for queries, sentence-transformers for bulk work"
        if weights.numpy_runs_it
        else "sentence-transformers",
    }
