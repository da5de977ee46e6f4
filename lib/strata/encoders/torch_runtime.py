"""sentence-transformers behind the Encoder's shape: for bulk work. Importing it costs seconds, so nothing else does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strata.encoders import Kind
from strata.encoders.weights import Weights


class TorchEncoder:
    """Encodes a folder that weights.py found and checked; asks no network."""

    def __init__(self, weights: Weights) -> None:
        import logging

        for name in ("sentence_transformers", "transformers"):
            logging.getLogger(name).setLevel(logging.ERROR)  # their notes about devices are not the user's business
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # the build has a bar of its own
        self.name = weights.name
        self.weights = weights
        self.fingerprint = weights.fingerprint
        self.dimensions = weights.row.dimensions
        self.max_tokens = weights.row.max_tokens
        self._model = SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True)
        self._model.max_seq_length = self.max_tokens

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        prefix = self.weights.row.query_prefix if kind == "query" else ""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._model.encode(
            [prefix + text for text in texts],
            batch_size=32,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)
