"""Cross-encoders: a query and a text read together give one number, a logit. Three runtimes behind one shape.

NumPy (bert_pairs.py) runs BERTs, ONNX Runtime (onnx_pairs.py) the int8 model of the model pack, sentence-transformers
(torch_pairs.py) everything else. Each pair is scored by itself, so that its logit does not hang on its neighbours.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from strata.errors import ArtefactError
from strata.rerank.kept import KeptScores
from strata.settings import Settings
from strata.telling import Note

if TYPE_CHECKING:
    from strata.encoders.weights import Weights
    from strata.pipeline.workspace import Workspace

MOST = 65_536
"""Pairs remembered, about 15 MB; the oldest go first."""


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
    """A PairScorer that scores a pair once in a process; where scores are kept, once for all."""

    def __init__(self, scorer: PairScorer, most: int = MOST, kept: KeptScores | None = None) -> None:
        self.name = scorer.name
        self.fingerprint = scorer.fingerprint
        self.max_tokens = scorer.max_tokens
        self.tokens = scorer.tokens
        self._scorer = scorer
        self._most = most
        self._kept = kept
        self._known: dict[str, tuple[float, float]] = {}

    def saved(self, query: str, texts: Sequence[str]) -> float:
        """The milliseconds that scoring those of the texts took that need not be scored again."""
        keys = [_key(query, text) for text in texts]
        self._missing(query, keys, texts)
        return sum(self._known[key][1] for key in dict.fromkeys(keys) if key in self._known)

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """ArtefactError where the model gives what is no number."""
        keys = [_key(query, text) for text in texts]
        missing = self._missing(query, keys, texts)
        if missing:
            start = time.perf_counter()
            scores = self._scorer.scores(query, list(missing.values()))
            each = (time.perf_counter() - start) * 1000 / len(missing)
            if not np.isfinite(scores).all():
                raise ArtefactError(f"{self.name} gives scores that are no numbers", "name another model")
            made = {key: (score, each) for key, score in zip(missing, scores.tolist(), strict=True)}
            self._known |= made
            if self._kept:
                self._kept.add(query, made)
        out = np.array([self._known[key][0] for key in keys], dtype=np.float64)
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return out

    def _missing(self, query: str, keys: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
        """The pairs whose score is not known, nor kept, by their keys."""
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing and self._kept:
            self._known |= {key: found for key, found in self._kept.read(query).items() if key in missing}
        return {key: text for key, text in missing.items() if key not in self._known}


def timed(scorer: Remembered, query: str, texts: Sequence[str], ws: Workspace) -> np.ndarray:
    """The scores; their milliseconds go to the step as score_ms, and what a memory saved as remembered_ms."""
    start = time.perf_counter()
    saved = scorer.saved(query, texts)
    scores = scorer.scores(query, texts)
    ws.spent({"score_ms": (time.perf_counter() - start) * 1000, **({"remembered_ms": saved} if saved else {})})
    return scores


def _key(query: str, text: str) -> str:
    lengths = len(query).to_bytes(8, "little")  # or "a", "b c" would be "a b", "c"
    return hashlib.blake2b(lengths + f"{query} {text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def remembered(scorer: PairScorer, ws: Workspace) -> Remembered:
    """With a memory; on the disk too, where the workspace keeps scores."""
    model = f"{type(scorer).__name__} {scorer.fingerprint}"
    return Remembered(scorer, kept=KeptScores(ws.settings.cache_dir, model, ws.note) if ws.keep else None)


def open_cross_encoder(name: str, settings: Settings, note: Note) -> PairScorer:
    """name: of the registry, of the hub, or the path of a folder.

    UsageError for a name of nothing, ArtefactError for weights that are missing, altered or no cross-encoder's.
    """
    from strata.rerank.pair_weights import find

    return _runtime(find(name, settings, note), note)


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
        made = remembered(open_cross_encoder(name, ws.settings, ws.note), ws)
        ws.opened[f"cross-encoder {name}"] = made.fingerprint
        return made

    return ws.once(f"cross-encoder {name}", opened)
