"""sentence-transformers behind the PictureEncoder's shape: a CLIP's texts in bulk, and every other model that reads
pictures, as SigLIP.

It takes a text for a picture where the text is a picture's address or path, and would fetch or open it. So it is never
given a bare text here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders import Kind, tokenizable
from strata.encoders.tokens import first_line, needing
from strata.encoders.torch_runtime import TorchEncoder
from strata.encoders.weights import Weights
from strata.errors import ArtefactError

if TYPE_CHECKING:
    from strata.core.picture import Picture

AT_ONCE = 16
PADDED = {"siglip": {"text": {"padding": "max_length"}}, "siglip2": {"text": {"padding": "max_length"}}}
"""Their vector of a text is the state at its last place, the padding's: so each is padded to the same length, as they
were trained, and not to the longest of its batch."""


class TorchPictures(TorchEncoder):
    """ArtefactError for a model that reads no pictures, or whose vectors are not as long as its folder says."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        first: Any = self._model[0]
        kinds = getattr(first, "modality_config", None)
        if kinds is not None and not {"text", "image"} <= set(kinds):
            read = ", ".join(map(str, kinds))
            raise self._unusable(f"sentence-transformers reads {read} with it, not texts and pictures each")
        self._told = kinds is not None
        """Whether this release can be told that an input is a text."""
        self._more: dict[str, Any] = {}
        padding = PADDED.get(first.config.model_type) if self._told else None
        if padding:
            self._more = {"processing_kwargs": padding}

    def tokens(self, texts: Sequence[str]) -> list[int]:
        prefix = self.weights.prefix("document")
        if not texts:
            return []
        whole = [tokenizable(prefix + text) for text in texts]
        # Not verbose: that a text is longer than the model reads is what is being asked.
        coded = self._model.tokenizer(whole, truncation=False, padding=False, verbose=False)
        return [len(ids) for ids in coded["input_ids"]]

    def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
        with needing("pillow", self.weights):
            from PIL import Image
        out = np.empty((len(pictures), self.dimensions), dtype=np.float32)
        for start in range(0, len(pictures), AT_ONCE):
            images = [
                Image.frombytes("RGB", (picture.width, picture.height), picture.pixels)
                for picture in pictures[start : start + AT_ONCE]
            ]
            out[start : start + AT_ONCE] = self._theirs(images)
        return out

    def _by_their_loop(self, texts: Sequence[str], prefix: str, kind: Kind) -> np.ndarray:
        given = [{"text": prefix + text} for text in texts] if self._told else [prefix + text for text in texts]
        return self._theirs(given, batch_size=self._batch(texts), **self._more)

    def _theirs(self, inputs: list[Any], **more: Any) -> np.ndarray:
        try:
            vectors = self._model.encode(
                inputs, prompt="", normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True, **more
            )
        except (ValueError, TypeError, RuntimeError, KeyError) as error:  # of the model's own code
            raise self._unusable(f"{type(error).__name__}: {first_line(error)}") from error
        found = np.asarray(vectors, dtype=np.float32)
        if found.shape != (len(inputs), self.dimensions):
            raise self._unusable(f"its vectors have {found.shape[-1]} dimensions, its folder says {self.dimensions}")
        return found

    def _unusable(self, why: str) -> ArtefactError:
        return ArtefactError(f"the model in {self.weights.folder} cannot be used ({why})", "name another, as a CLIP")
