"""What CLIP's two towers share: layers that norm their input first, attention, and an activation, in NumPy, float32.

Source: Radford et al., "Learning Transferable Visual Models From Natural Language Supervision" (2021), as in the
published weights and under transformers' names for them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from strata.encoders.clip_config import Tower
from strata.encoders.network import Tensors, attention, gelu, linear, norm


def quick_gelu(x: np.ndarray) -> np.ndarray:
    """x · σ(1.702 x), with which OpenAI trained; x is used up."""
    scaled = x * np.float32(-1.702)
    np.minimum(scaled, np.float32(80), out=scaled)  # e to the 89th is no float32 any more
    np.exp(scaled, out=scaled)
    scaled += 1.0
    x /= scaled
    return x


ACTIVATION: dict[str, Callable[[np.ndarray], np.ndarray]] = {"quick_gelu": quick_gelu, "gelu": gelu}


def through(t: Tensors, x: np.ndarray, at: str, tower: Tower, hide: np.ndarray | None = None) -> np.ndarray:
    """float32[batch, length, width] after all layers of the tower whose tensors' names begin with `at`.

    hide: float32[length, length], added to the attention of each place to each; None for all to all.
    """
    activation = ACTIVATION[tower.activation]
    for i in range(tower.layers):
        layer = f"{at}.encoder.layers.{i}"
        own = f"{layer}.self_attn"
        normed = norm(t, x, f"{layer}.layer_norm1", tower.epsilon)
        taken = attention(t, normed, (f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj"), tower.heads, hide)
        x = x + linear(t, taken, f"{own}.out_proj")
        inner = activation(linear(t, norm(t, x, f"{layer}.layer_norm2", tower.epsilon), f"{layer}.mlp.fc1"))
        x += linear(t, inner, f"{layer}.mlp.fc2")
    return x
