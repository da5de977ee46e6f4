"""Cross-encoders that NumPy cannot run, by sentence-transformers. Importing it costs seconds, so nothing else does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np

from strata.encoders import tokenizable
from strata.encoders.tokens import first_line, needing
from strata.encoders.weights import Weights
from strata.errors import ArtefactError
from strata.rerank.pair_tokens import PairTokens


class TorchPairs:
    """A PairScorer over a folder that pair_weights.py found; asks no network."""

    def __init__(self, weights: Weights) -> None:
        for name in ("sentence_transformers", "transformers"):
            logging.getLogger(name).setLevel(logging.ERROR)
        with needing("sentence-transformers", weights):
            from sentence_transformers import CrossEncoder
            from torch.nn import Identity
            from transformers.utils.logging import disable_progress_bar

        quiet: Callable[[], None] = disable_progress_bar
        quiet()
        self.name = weights.name
        self.fingerprint = weights.fingerprint
        self.max_tokens = weights.row.max_tokens
        self._folder = weights.folder
        self.tokens = PairTokens(weights).count
        self._logits = Identity()
        try:
            self._model = CrossEncoder(
                str(weights.folder), device="cpu", local_files_only=True, max_length=self.max_tokens
            )
        except Exception as error:  # whatever a model's loader raises, the user needs to know which folder
            raise self._unusable(f"({type(error).__name__}: {first_line(error)})") from error

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty(0)
        query = tokenizable(query)
        pairs = [(query, tokenizable(text)) for text in texts]
        try:
            found = self._model.predict(
                pairs, batch_size=1, show_progress_bar=False, activation_fn=self._logits, convert_to_numpy=True
            )
        except Exception as error:
            raise self._unusable(f"({type(error).__name__}: {first_line(error)})") from error
        logits = np.asarray(found, dtype=np.float64)
        if logits.shape != (len(texts),):
            raise self._unusable(f"as a reranker: it gives {logits.size // len(texts)} numbers a pair, not one")
        return logits

    def _unusable(self, why: str) -> ArtefactError:
        return ArtefactError(f"sentence-transformers cannot run {self._folder} {why}", "name another cross-encoder")
