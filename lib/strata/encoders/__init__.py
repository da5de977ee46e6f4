"""Text encoders: from texts to unit vectors. Two runtimes behind one shape, equal to 1e-5 for the same weights.

NumPy (bert_numpy.py) starts in a fraction of a second and serves queries; sentence-transformers (torch_runtime.py)
takes seconds to import, then encodes several times as fast, and serves bulk work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np

from strata.errors import ArtefactError
from strata.settings import Settings

Kind = Literal["query", "document"]
Note = Callable[[str], None]

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


def open_encoder(name: str, settings: Settings, note: Note) -> Encoder:
    """The runtime for queries. UsageError for an unknown name, ArtefactError for weights missing or altered."""
    from importlib.util import find_spec

    from strata.encoders.bert_numpy import BertEncoder
    from strata.encoders.weights import find

    weights = find(name, settings, note)
    for package in ("tokenizers", "threadpoolctl"):
        if find_spec(package) is None:
            how = f"pip install 'strata-search[{weights.row.extra}]'"
            raise ArtefactError(f"encoding with {name} needs the package {package}, which is not installed", how)
    return BertEncoder(weights)


def open_bulk_encoder(name: str, settings: Settings, note: Note, texts: int) -> Encoder:
    """The runtime for `texts` texts: torch where it pays and is installed, else NumPy, which is then announced."""
    from importlib.util import find_spec

    if texts <= FEW:
        return open_encoder(name, settings, note)
    if find_spec("sentence_transformers") is None:
        note("sentence-transformers is not installed: NumPy encodes, which is several times slower")
        return open_encoder(name, settings, note)
    from strata.encoders.torch_runtime import TorchEncoder
    from strata.encoders.weights import find

    return TorchEncoder(find(name, settings, note))
