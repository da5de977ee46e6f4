"""A memory of query vectors for one process, so that a plan with two lists, or an evaluation, encodes a query once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from strata.encoders import Encoder, Kind

if TYPE_CHECKING:
    from strata.core.picture import Picture
    from strata.encoders import PictureEncoder

MOST = 4096
"""Vectors kept, about 6 MB of 384 dimensions; the oldest go first."""


class Remembering:
    """An Encoder that remembers the vectors of queries; documents pass through, since their vectors go to the disk.

    Over a PictureEncoder it is one too, and remembers pictures by their digests.
    """

    def __init__(self, encoder: Encoder, most: int = MOST) -> None:
        self.name = encoder.name
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.max_tokens = encoder.max_tokens
        self._encoder = encoder
        self._texts, self._pictures = _Memory(most), _Memory(most)

    def saved(self, query: str) -> float:
        """The milliseconds that encoding this query, a text or a picture's digest, took, where it is remembered; 0.0
        where it will be encoded."""
        return self._texts.took.get(query) or self._pictures.took.get(query, 0.0)

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        if kind != "query":
            return self._encoder.encode(texts, kind)
        return self._texts.of(texts, lambda missing: self._encoder.encode(missing, kind), self.dimensions)

    def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
        """UsageError where the encoder reads text only."""
        encoder = self._seeing()
        by_digest = {picture.digest: picture for picture in pictures}
        return self._pictures.of(
            [picture.digest for picture in pictures],
            lambda missing: encoder.encode_pictures([by_digest[digest] for digest in missing]),
            self.dimensions,
        )

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """UsageError where the encoder reads text only."""
        return self._seeing().tokens(texts)

    def _seeing(self) -> PictureEncoder:
        if not hasattr(self._encoder, "encode_pictures"):
            from strata.encoders.places import reads_text_only

            raise reads_text_only(self.name)
        return cast("PictureEncoder", self._encoder)


class _Memory:
    """known: the vector of each key. took: its milliseconds."""

    def __init__(self, most: int) -> None:
        self.known: dict[str, np.ndarray] = {}
        self.took: dict[str, float] = {}
        self._most = most

    def of(self, keys: Sequence[str], made: Callable[[list[str]], np.ndarray], dimensions: int) -> np.ndarray:
        """float32[len(keys), dimensions]; `made` is asked for what is not known, each once."""
        missing = [key for key in dict.fromkeys(keys) if key not in self.known]
        if missing:
            start = time.perf_counter()
            vectors = made(missing)
            each = (time.perf_counter() - start) * 1000 / len(missing)
            self.known |= zip(missing, vectors, strict=True)
            self.took |= dict.fromkeys(missing, each)
        out = np.empty((len(keys), dimensions), dtype=np.float32)
        for row, key in enumerate(keys):
            out[row] = self.known[key]
        while len(self.known) > self._most:
            oldest = next(iter(self.known))
            del self.known[oldest], self.took[oldest]
        return out
