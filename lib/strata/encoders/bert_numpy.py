"""A BERT forward pass in plain NumPy, float32: tokens in, hidden states out, pooled to a unit vector.

Source: Devlin et al., "BERT" (2019), as in the published weights: post-norm layers, GELU, absolute positions.
Weights are mapped, not read: a query touches its own rows of the 47 MB word table. Leaves out dropout (training
only) and every other architecture.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from strata.encoders import Kind
from strata.encoders.folder import WEIGHTS
from strata.encoders.plain import header
from strata.encoders.tokens import Tokens, in_batches, needing
from strata.encoders.weights import Weights

BATCH_TOKENS = 2048
FEW_TOKENS = 256
"""Below this, a batch is multiplied on one thread: handing so little to several costs more than it saves, and on
shared cores, where a thread may be waited for, many times as much (measured: 12 ms became 450)."""


def mapped_tensors(file: Path) -> dict[str, np.ndarray]:
    """The float32 tensors of a safetensors file as views of a memory map.

    safetensors' own NumPy loader copies all 90 MB, which takes longer than a query.
    """
    entries, begin = header(file)
    raw = np.memmap(file, dtype=np.uint8, mode="r")
    tensors = {}
    for name, entry in entries.items():
        if entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            data = np.asarray(raw[begin + start : begin + end])
            # A header of odd length leaves the data unaligned; such a tensor is copied.
            aligned = data if (begin + start) % 4 == 0 else data.copy()
            tensors[name.removeprefix("bert.")] = aligned.view("<f4").reshape(entry["shape"])
    return tensors


def erf(x: np.ndarray) -> np.ndarray:
    """float32 error function as a rational function on [−4, 4] (beyond, it is ±1 in float32).

    Source: the minimax coefficients of Eigen's and XLA's erf for float32; largest error below 4e-7 (tested).
    """
    x = np.clip(x, -4.0, 4.0)
    y = x * x
    p = np.full_like(y, -2.72614225801306e-10)
    for c in (2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
              -2.95459980854025e-03, -1.60960333262415e-02):  # fmt: skip
        p *= y
        p += np.float32(c)
    q = np.full_like(y, -1.45660718464996e-05)
    for c in (-2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02):
        q *= y
        q += np.float32(c)
    out: np.ndarray = p * x
    out /= q
    return out


def gelu(x: np.ndarray) -> np.ndarray:
    """x · Φ(x), the exact form that BERT was trained with."""
    out = erf(x * np.float32(0.7071067811865476))
    out += 1.0
    out *= x
    out *= np.float32(0.5)
    return out


class Bert:
    """The network: `hidden(ids, mask)` → float32[batch, length, width]."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_bytes())
        self.heads: int = config["num_attention_heads"]
        self.layers: int = config["num_hidden_layers"]
        self.eps: float = config["layer_norm_eps"]
        self.tensors = mapped_tensors(folder / WEIGHTS)

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        out: np.ndarray = x @ self.tensors[f"{name}.weight"].T
        out += self.tensors[f"{name}.bias"]
        return out

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(self.eps))
        x *= self.tensors[f"{name}.weight"]
        x += self.tensors[f"{name}.bias"]
        return x

    def hidden(self, ids: np.ndarray, mask: np.ndarray, types: np.ndarray | int = 0) -> np.ndarray:
        """ids int[batch, length]; mask bool of the same shape, True for real tokens; types: segment ids."""
        t = self.tensors
        x = t["embeddings.word_embeddings.weight"][ids]
        x += t["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x += t["embeddings.token_type_embeddings.weight"][types]
        x = self._norm(x, "embeddings.LayerNorm")
        hide = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for i in range(self.layers):
            x = self._layer(x, hide, f"encoder.layer.{i}")
        return x

    def _layer(self, x: np.ndarray, hide: np.ndarray, at: str) -> np.ndarray:
        batch, length, width = x.shape
        size = width // self.heads

        def heads(part: str) -> np.ndarray:
            projected = self._linear(x, f"{at}.attention.self.{part}")
            return projected.reshape(batch, length, self.heads, size).transpose(0, 2, 1, 3)

        weights = heads("query") @ heads("key").transpose(0, 1, 3, 2)
        weights *= np.float32(size**-0.5)
        weights += hide
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = self._norm(x + self._linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        inner = gelu(self._linear(x, f"{at}.intermediate.dense"))
        return self._norm(x + self._linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")


class BertEncoder:
    """An Encoder over `Bert`. Texts are batched by length, so that little is padded."""

    def __init__(self, weights: Weights) -> None:
        self.name = weights.name
        self.weights = weights
        self.fingerprint = weights.fingerprint
        self.dimensions = weights.row.dimensions
        self.max_tokens = weights.row.max_tokens
        self._bert = Bert(weights.folder)
        self._tokens = Tokens(weights)

    @cached_property
    def _pools(self) -> Any:
        with needing("threadpoolctl", self.weights):
            from threadpoolctl import ThreadpoolController
        return ThreadpoolController()

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
        with self._pools.limit(limits=1 if ids.size < FEW_TOKENS else None, user_api="blas"):
            hidden = self._bert.hidden(ids, mask)
        if self.weights.row.pooling == "cls":
            pooled = hidden[:, 0]
        else:
            pooled = (hidden * mask[:, :, None]).sum(axis=1) / lengths[:, None].astype(np.float32)
        unit: np.ndarray = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit
