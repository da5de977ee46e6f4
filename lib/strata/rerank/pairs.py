"""Cross-encoders: a query and a text read together give one number, a logit. Three runtimes behind one shape.

NumPy (bert_pairs.py) runs BERTs, ONNX Runtime (onnx_pairs.py) the int8 model of the model pack, sentence-transformers
(torch_pairs.py) everything else. Each pair is scored by itself, so that its logit does not hang on its neighbours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from strata.encoders import Note
from strata.errors import ArtefactError
from strata.rerank.opened import once
from strata.settings import Settings

if TYPE_CHECKING:
    from strata.encoders.weights import Weights
    from strata.pipeline.workspace import Workspace

MOST = 65_536
"""Pairs remembered, about 10 MB; the oldest go first."""


class PairScorer(Protocol):
    """name: of the model that reads, which may be a stand-in. fingerprint: of everything that moves a score.
    max_tokens: of a pair, with the tokens that mark its parts."""

    name: str
    fingerprint: str
    max_tokens: int

    def tokens(self, text: str) -> int:
        """How many tokens a text has, without those that mark its ends."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """float64[len(texts)]: the higher, the better a text answers the query."""
        ...


class Remembered:
    """A PairScorer that scores a pair once in a process."""

    def __init__(self, scorer: PairScorer, most: int = MOST) -> None:
        self.name = scorer.name
        self.fingerprint = scorer.fingerprint
        self.max_tokens = scorer.max_tokens
        self.tokens = scorer.tokens
        self._scorer = scorer
        self._most = most
        self._known: dict[bytes, float] = {}

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """ArtefactError where the model gives what is no number."""
        keys = [_key(query, text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            scores = self._scorer.scores(query, list(missing.values()))
            if not np.isfinite(scores).all():
                raise ArtefactError(f"{self.name} gives scores that are no numbers", "name another model")
            self._known |= zip(missing, scores.tolist(), strict=True)
        out = np.array([self._known[key] for key in keys], dtype=np.float64)
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return out


def _key(query: str, text: str) -> bytes:
    lengths = len(query).to_bytes(8, "little")  # or "a", "b c" would be "a b", "c"
    return hashlib.blake2b(lengths + f"{query} {text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def open_cross_encoder(name: str, settings: Settings, note: Note) -> Remembered:
    """name: of the registry, of the hub, or the path of a folder.

    UsageError for a name of nothing, ArtefactError for weights that are missing, altered or no cross-encoder's.
    """
    from strata.rerank.pair_weights import find

    return Remembered(_runtime(find(name, settings, note), note))


def _runtime(weights: Weights, note: Note) -> PairScorer:
    if weights.row.runtime == "onnx":
        from strata.rerank.onnx_pairs import OnnxPairs

        return OnnxPairs(weights)
    if weights.row.runtime == "numpy":
        from strata.rerank.bert_pairs import BertPairs

        return BertPairs(weights)
    from strata.rerank.torch_pairs import TorchPairs

    note(f"{weights.name} is no BERT that NumPy runs: sentence-transformers does, which takes seconds to start")
    return TorchPairs(weights)


def cross_encoder(name: str, ws: Workspace) -> Remembered:
    """The cross-encoder of that name, opened once a workspace."""

    def opened() -> Remembered:
        made = open_cross_encoder(name, ws.settings, ws.note)
        ws.opened[f"cross-encoder {name}"] = made.fingerprint
        return made

    return once(ws, f"cross-encoder {name}", opened)
