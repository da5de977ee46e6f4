"""Cross-encoders in ONNX Runtime: for the int8 model of the model pack, and for folders that hold a graph.

One pair a call, never a batch: dynamic int8 scales by the whole batch, and a pair's logit would move by up to .76 with
its neighbours. Several calls run side by side, each on one thread (25 film entries on two cores: 0.65 s of 1.3 s of
processor time; one call on both took twice that processor time).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strata.encoders.onnx_runtime import OnnxEncoder
from strata.encoders.tokens import cores, first_line, in_threads
from strata.encoders.weights import Weights
from strata.rerank.pair_tokens import PairTokens


class OnnxPairs(OnnxEncoder):
    """A PairScorer over a graph that is opened and checked as an encoder's is."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._pairs = PairTokens(weights)
        self.tokens = self._pairs.count

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        out = np.empty(len(texts))
        if not texts:
            return out
        coded = self._pairs.coded(query, texts)
        _ = self._output, self._inputs  # opened once, before any thread asks
        order = sorted(range(len(coded)), key=lambda place: -len(coded[place].ids))  # the longest must not come last
        for place, logit in zip(order, in_threads(self._logit, [coded[i] for i in order], cores()), strict=True):
            out[place] = logit
        return out

    def _logit(self, pair: Any) -> float:
        ids = np.array([pair.ids], dtype=np.int64)
        types = np.array([pair.type_ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        try:
            found = self._session.run([self._output], {name: given[name] for name in self._inputs})[0]
        except Exception as error:
            raise self._unusable(f"cannot be run ({first_line(error)})") from error
        if found.size != 1:
            raise self._unusable(f"gives {found.size} numbers a pair, where a reranker gives one")
        return float(found.reshape(()))
