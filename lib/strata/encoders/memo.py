"""A memory of query vectors for one process, so that a plan with two lists, or an evaluation, encodes a query once."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from strata.encoders import Encoder, Kind

MOST = 4096
"""Vectors kept, about 6 MB of 384 dimensions; the oldest go first."""


class Remembering:
    """An Encoder that remembers the vectors of queries; documents pass through, since their vectors go to the disk."""

    def __init__(self, encoder: Encoder, most: int = MOST) -> None:
        self.name = encoder.name
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.max_tokens = encoder.max_tokens
        self._encoder = encoder
        self._most = most
        self._known: dict[str, np.ndarray] = {}
        self._took: dict[str, float] = {}

    def saved(self, query: str) -> float:
        """The milliseconds that encoding this query took, where it is remembered; 0.0 where it will be encoded."""
        return self._took.get(query, 0.0)

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        if kind != "query":
            return self._encoder.encode(texts, kind)
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            start = time.perf_counter()
            vectors = self._encoder.encode(missing, kind)
            each = (time.perf_counter() - start) * 1000 / len(missing)
            self._known |= zip(missing, vectors, strict=True)
            self._took |= dict.fromkeys(missing, each)
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            out[row] = self._known[text]
        while len(self._known) > self._most:
            oldest = next(iter(self._known))
            del self._known[oldest], self._took[oldest]
        return out
