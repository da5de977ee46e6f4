"""A memory of query vectors for one process, so that a plan with two lists, or an evaluation, encodes a query once."""

from __future__ import annotations

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

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        if kind != "query":
            return self._encoder.encode(texts, kind)
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            for text, vector in zip(missing, self._encoder.encode(missing, kind), strict=True):
                self._known[text] = vector
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            out[row] = self._known[text]
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return out
