"""BERT cross-encoders in NumPy: the network of encoders/bert_numpy.py, then its pooler and a classifier of one number.

Source: Devlin et al., "BERT" (2019): tanh of a dense layer over [CLS]; Nogueira and Cho, "Passage Re-ranking with
BERT" (2019): query and text in one input, told apart by their segment ids. Equal to the logits of
sentence-transformers' CrossEncoder within 1e-4 (tested).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from strata.encoders.bert_numpy import Bert
from strata.encoders.tokens import cores, in_threads, needing
from strata.encoders.weights import Weights
from strata.rerank.pair_tokens import PairTokens


class BertPairs:
    """A PairScorer. Each pair runs unpadded on one thread, several beside one another."""

    def __init__(self, weights: Weights) -> None:
        self.name = weights.name
        self.fingerprint = weights.fingerprint
        self.max_tokens = weights.row.max_tokens
        self._weights = weights
        self._bert = Bert(weights.folder)
        self._tokens = PairTokens(weights)
        self.tokens = self._tokens.count

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        coded = self._tokens.coded(query, texts)
        with one_thread_a_call(self._weights):
            return np.fromiter(in_threads(self._logit, coded, cores()), dtype=np.float64, count=len(coded))

    def _logit(self, pair: Any) -> float:
        t = self._bert.tensors
        ids = np.array([pair.ids])
        hidden = self._bert.hidden(ids, np.ones(ids.shape, dtype=bool), np.array([pair.type_ids]))
        pooled = np.tanh(t["pooler.dense.weight"] @ hidden[0, 0] + t["pooler.dense.bias"])
        return float(t["classifier.weight"][0] @ pooled + t["classifier.bias"][0])


@contextmanager
def one_thread_a_call(weights: Weights) -> Iterator[None]:
    """BLAS does each product on one thread: the calls beside one another are what keeps the processors busy."""
    with needing("threadpoolctl", weights):
        from threadpoolctl import ThreadpoolController
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        yield
