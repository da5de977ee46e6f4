"""CLIP in NumPy, for queries: texts and pictures into one space in a fraction of a second, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders import Kind
from strata.encoders.bert_numpy import BATCH_TOKENS, FEW_TOKENS
from strata.encoders.clip_config import clip_config
from strata.encoders.clip_pixels import Pixels, processor
from strata.encoders.clip_tokens import ClipTokens
from strata.encoders.clip_towers import picture_vectors, text_vectors
from strata.encoders.folder import json_of
from strata.encoders.network import mapped_tensors
from strata.encoders.runtime import Runtime
from strata.encoders.tokens import in_batches, needing
from strata.encoders.weights import Weights

if TYPE_CHECKING:
    from strata.core.picture import Picture


class ClipEncoder(Runtime):
    """A PictureEncoder over a folder with a plain CLIP, as clip_folder.py tells them."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._home = weights.home
        self._config = clip_config(json_of(self._home / "config.json"))
        self._tensors = mapped_tensors(weights.folder / weights.row.file)
        self._tokens = ClipTokens(weights)

    @cached_property
    def _pixels(self) -> Pixels:
        with needing("pillow", self.weights):
            import PIL.Image  # noqa: F401
        return Pixels(processor(self._home))

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._tokens.whole(texts)]

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        coded = self._tokens.coded(texts, kind)
        for batch in in_batches([len(ids) for ids in coded], BATCH_TOKENS):
            rows = [coded[i] for i in batch]
            with self._threads(len(rows) * len(rows[0])):
                out[batch] = text_vectors(self._tensors, self._config, rows)
        return _unit(out)

    def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
        out = np.empty((len(pictures), self.dimensions), dtype=np.float32)
        places = (self._config.image // self._config.patch) ** 2 + 1
        for batch in in_batches([places] * len(pictures), BATCH_TOKENS):
            pixels = np.stack([self._pixels(pictures[i]) for i in batch])
            with self._threads(len(batch) * places):
                out[batch] = picture_vectors(self._tensors, self._config, pixels)
        return _unit(out)

    def _threads(self, places: int) -> Any:
        """One thread for little work, as in bert_numpy.py."""
        return self.pools.limit(limits=1 if places < FEW_TOKENS else None, user_api="blas")


def _unit(vectors: np.ndarray) -> np.ndarray:
    out: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return out
