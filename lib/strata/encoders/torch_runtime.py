"""sentence-transformers behind the Encoder's shape: for bulk work. Importing it costs seconds, so nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from strata.encoders import Kind, readable
from strata.encoders.weights import Weights
from strata.errors import ArtefactError

BATCH_TOKENS = 2048
CHARACTERS_A_TOKEN = 4  # of English; only the size of a batch hangs on it


class TorchEncoder:
    """Encodes a folder that weights.py found and checked; asks no network."""

    def __init__(self, weights: Weights) -> None:
        import logging

        for name in ("sentence_transformers", "transformers"):
            logging.getLogger(name).setLevel(logging.ERROR)  # their notes about devices are not the user's business
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar
        except ImportError as error:
            raise ArtefactError(
                f"{weights.name} needs sentence-transformers, which cannot be imported ({error})",
                "pip install 'strata-search[semantic]'",
            ) from error

        quiet: Callable[[], None] = disable_progress_bar
        quiet()  # or "Loading weights" is drawn on stderr, whatever show_progress_bar says
        self.name = weights.name
        self.weights = weights
        self.fingerprint = weights.fingerprint
        self.dimensions = weights.row.dimensions
        self.max_tokens = weights.row.max_tokens
        try:
            self._model = SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True)
        except Exception as error:  # whatever a model's loader raises, the user needs to know which folder
            raise ArtefactError(
                f"sentence-transformers cannot load {weights.folder} ({type(error).__name__}: {error})",
                "name another folder or encoder",
            ) from error
        self._model.max_seq_length = self.max_tokens

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        prefix = self.weights.row.query_prefix if kind == "query" else ""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._model.encode(
            [readable(prefix + text) for text in texts],
            prompt="",  # the prefix is there already; without this a model's default prompt would be added
            batch_size=self._batch(texts),
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _batch(self, texts: Sequence[str]) -> int:
        """How many of the longest of these texts make BATCH_TOKENS: long texts in large batches encode slower."""
        longest = min(max(map(len, texts)) // CHARACTERS_A_TOKEN + 3, self.max_tokens)
        return max(4, min(64, BATCH_TOKENS // longest))
