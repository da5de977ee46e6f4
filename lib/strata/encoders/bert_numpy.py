"""A BERT forward pass in plain NumPy, float32: tokens in, hidden states out, pooled to a unit vector.

Source: Devlin et al., "BERT" (2019), as in the published weights: post-norm layers, GELU, absolute positions.
Weights are mapped, not read: a query touches its own rows of the 47 MB word table. Leaves out dropout (training
only) and every other architecture.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from strata.encoders import Kind
from strata.encoders.folder import WEIGHTS
from strata.encoders.network import attention, gelu, linear, mapped_tensors, norm
from strata.encoders.runtime import Runtime
from strata.encoders.tokens import Tokens, in_batches
from strata.encoders.weights import Weights

BATCH_TOKENS = 2048
FEW_TOKENS = 256
"""Below this, a batch is multiplied on one thread: handing so little to several costs more than it saves, and on
shared cores, where a thread may be waited for, many times as much (measured: 12 ms became 450)."""


class Bert:
    """The network: `hidden(ids, mask)` → float32[batch, length, width]."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_bytes())
        self.heads: int = config["num_attention_heads"]
        self.layers: int = config["num_hidden_layers"]
        self.eps: float = config["layer_norm_eps"]
        self.tensors = mapped_tensors(folder / WEIGHTS)

    def hidden(self, ids: np.ndarray, mask: np.ndarray, types: np.ndarray | int = 0) -> np.ndarray:
        """ids int[batch, length]; mask bool of the same shape, True for real tokens; types: segment ids."""
        t = self.tensors
        x = t["embeddings.word_embeddings.weight"][ids]
        x += t["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x += t["embeddings.token_type_embeddings.weight"][types]
        x = norm(t, x, "embeddings.LayerNorm", self.eps)
        hide = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for i in range(self.layers):
            x = self._layer(x, hide, f"encoder.layer.{i}")
        return x

    def _layer(self, x: np.ndarray, hide: np.ndarray, at: str) -> np.ndarray:
        t, own = self.tensors, f"{at}.attention.self"
        taken = attention(t, x, (f"{own}.query", f"{own}.key", f"{own}.value"), self.heads, hide)
        out = linear(t, taken, f"{at}.attention.output.dense")
        x = norm(t, x + out, f"{at}.attention.output.LayerNorm", self.eps)
        inner = gelu(linear(t, x, f"{at}.intermediate.dense"))
        return norm(t, x + linear(t, inner, f"{at}.output.dense"), f"{at}.output.LayerNorm", self.eps)


class BertEncoder(Runtime):
    """An Encoder over `Bert`. Texts are batched by length, so that little is padded."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._bert = Bert(weights.folder)
        self._tokens = Tokens(weights)

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        coded = self._tokens.coded(texts, kind)
        for batch in in_batches([len(ids) for ids in coded], BATCH_TOKENS):
            out[batch] = self._vectors([coded[i] for i in batch])
        return out

    def _vectors(self, coded: list[list[int]]) -> np.ndarray:
        lengths = np.array([len(ids) for ids in coded])
        ids = np.zeros((len(coded), lengths.max()), dtype=np.int64)
        for row, tokens in zip(ids, coded, strict=True):
            row[: len(tokens)] = tokens
        mask = np.arange(ids.shape[1]) < lengths[:, None]
        with self.pools.limit(limits=1 if ids.size < FEW_TOKENS else None, user_api="blas"):
            hidden = self._bert.hidden(ids, mask)
        if self.weights.row.pooling == "cls":
            pooled = hidden[:, 0]
        else:
            pooled = (hidden * mask[:, :, None]).sum(axis=1) / lengths[:, None].astype(np.float32)
        unit: np.ndarray = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit
