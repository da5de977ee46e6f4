"""What BERT and CLIP's towers are both built of, in NumPy, float32. Weights are mapped, not read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from strata.encoders.plain import header

Tensors = Mapping[str, np.ndarray]


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


def linear(t: Tensors, x: np.ndarray, name: str) -> np.ndarray:
    out: np.ndarray = x @ t[f"{name}.weight"].T
    out += t[f"{name}.bias"]
    return out


def norm(t: Tensors, x: np.ndarray, name: str, epsilon: float) -> np.ndarray:
    x = x - x.mean(axis=-1, keepdims=True)
    x /= np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(epsilon))
    x *= t[f"{name}.weight"]
    x += t[f"{name}.bias"]
    return x


def attention(
    t: Tensors, x: np.ndarray, names: tuple[str, str, str], heads: int, hide: np.ndarray | None = None
) -> np.ndarray:
    """float32[batch, length, width]: what each place takes from the others, head beside head, not yet projected.

    names: of the tensors that make queries, keys and values. hide: what is added to the attention of each place to
    each, as far as NumPy broadcasts it; None for all to all.
    """
    batch, length, width = x.shape
    size = width // heads

    def parted(name: str) -> np.ndarray:
        return linear(t, x, name).reshape(batch, length, heads, size).transpose(0, 2, 1, 3)

    queries, keys, values = names
    weights = parted(queries) @ parted(keys).transpose(0, 1, 3, 2)
    weights *= np.float32(size**-0.5)
    if hide is not None:
        weights += hide
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    taken: np.ndarray = (weights @ parted(values)).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return taken
