"""Late interaction: each token of the query takes its most similar token of the text; the sum of these cosines.

Source: Khattab and Zaharia, "ColBERT" (2020), MaxSim. The token vectors are the last hidden states of a bi-encoder
that was not trained for this, which is the lesson. [CLS] and [SEP] are left out: they stand for the whole input, and
match each other in any two texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strata.encoders.bert_numpy import Bert
from strata.encoders.tokens import cores, in_threads
from strata.encoders.weights import Weights
from strata.errors import UsageError
from strata.registry import DEFAULT_ENCODER
from strata.rerank.bert_pairs import one_thread_a_call
from strata.rerank.pair_tokens import PairTokens

LOWEST = -1.0
"""The cosine of a query's token to a text without tokens."""


class MaxSim:
    """A PairScorer over the NumPy BERT of an encoder. UsageError for an encoder that NumPy does not run."""

    def __init__(self, weights: Weights) -> None:
        if weights.row.runtime != "numpy":
            raise UsageError(
                f"late interaction needs the token vectors of a BERT that NumPy runs, which {weights.name} is not",
                f"take {DEFAULT_ENCODER}",
            )
        self.name = weights.name
        self.fingerprint = weights.fingerprint
        self.max_tokens = weights.row.max_tokens
        self._weights = weights
        self._bert = Bert(weights.folder)
        self._tokens = PairTokens(weights)
        self.tokens = self._tokens.count

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        asked = self.vectors([query])[0][1]
        return np.array([best_cosines(asked, vectors)[0].sum() for _, vectors in self.vectors(texts)], dtype=np.float64)

    def vectors(self, texts: Sequence[str]) -> list[tuple[list[str], np.ndarray]]:
        """For each text its tokens and their unit vectors, float32[tokens, width]."""
        with one_thread_a_call(self._weights):
            return list(in_threads(self._of, self._tokens.coded_alone(texts), cores()))

    def _of(self, coded: Any) -> tuple[list[str], np.ndarray]:
        ids = np.array([coded.ids])
        hidden = self._bert.hidden(ids, np.ones(ids.shape, dtype=bool))[0]
        inner = np.flatnonzero(np.array(coded.special_tokens_mask) == 0)
        vectors = hidden[inner]
        return [coded.tokens[i] for i in inner], vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def best_cosines(query: np.ndarray, text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each token of the query its highest cosine to a token of the text, float64, and that token's place (−1: the
    text has none)."""
    if not len(text):
        return np.full(len(query), LOWEST), np.full(len(query), -1)
    cosines = query.astype(np.float64) @ text.astype(np.float64).T
    places = cosines.argmax(axis=1)
    return np.take_along_axis(cosines, places[:, None], axis=1)[:, 0], places
