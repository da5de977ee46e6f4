"""What CLIP's two towers share: layers that norm their input first, attention, and an activation, in NumPy, float32.

Source: Radford et al., "Learning Transferable Visual Models From Natural Language Supervision" (2021), as in the
published weights and under transformers' names for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from strata.encoders.bert_numpy import gelu
from strata.encoders.clip_config import Tower

Tensors = Mapping[str, np.ndarray]


def quick_gelu(x: np.ndarray) -> np.ndarray:
    """x · σ(1.702 x), with which OpenAI trained; x is used up."""
    scaled = x * np.float32(-1.702)
    np.minimum(scaled, np.float32(80), out=scaled)  # e to the 89th is no float32 any more
    np.exp(scaled, out=scaled)
    scaled += 1.0
    x /= scaled
    return x


ACTIVATION: dict[str, Callable[[np.ndarray], np.ndarray]] = {"quick_gelu": quick_gelu, "gelu": gelu}


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


def through(t: Tensors, x: np.ndarray, at: str, tower: Tower, hide: np.ndarray | None = None) -> np.ndarray:
    """float32[batch, length, width] after all layers of the tower whose tensors' names begin with `at`.

    hide: float32[length, length], added to the attention of each place to each; None for all to all.
    """
    activation = ACTIVATION[tower.activation]
    for i in range(tower.layers):
        layer = f"{at}.encoder.layers.{i}"
        x = x + _attention(t, norm(t, x, f"{layer}.layer_norm1", tower.epsilon), f"{layer}.self_attn", tower, hide)
        inner = activation(linear(t, norm(t, x, f"{layer}.layer_norm2", tower.epsilon), f"{layer}.mlp.fc1"))
        x += linear(t, inner, f"{layer}.mlp.fc2")
    return x


def _attention(t: Tensors, x: np.ndarray, at: str, tower: Tower, hide: np.ndarray | None) -> np.ndarray:
    batch, length, width = x.shape
    size = width // tower.heads

    def heads(part: str) -> np.ndarray:
        return linear(t, x, f"{at}.{part}").reshape(batch, length, tower.heads, size).transpose(0, 2, 1, 3)

    weights = heads("q_proj") @ heads("k_proj").transpose(0, 1, 3, 2)
    weights *= np.float32(size**-0.5)
    if hide is not None:
        weights += hide
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = (weights @ heads("v_proj")).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return linear(t, mixed, f"{at}.out_proj")
