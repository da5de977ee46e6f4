"""What a CLIP folder's config.json says of its network, the values it leaves out filled in.

Source: transformers' CLIPConfig: its defaults, and how the older `text_config_dict` and `vision_config_dict` count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TEXT: dict[str, Any] = {
    "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "num_attention_heads": 8, "num_hidden_layers": 12,
    "max_position_embeddings": 77, "eos_token_id": 49407, "hidden_size": 512,
}  # fmt: skip
VISION: dict[str, Any] = {
    "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "num_attention_heads": 12, "num_hidden_layers": 12,
    "image_size": 224, "patch_size": 32, "num_channels": 3, "hidden_size": 768,
}  # fmt: skip
PROJECTION = 512
ACTIVATIONS = ("quick_gelu", "gelu")
"""Those that clip_layers.py has."""


@dataclass(frozen=True)
class Tower:
    """A stack of layers. activation: "quick_gelu" or "gelu". epsilon: of its layer norms."""

    layers: int
    heads: int
    epsilon: float
    activation: str


@dataclass(frozen=True)
class ClipConfig:
    """positions: tokens at most. end: the number of the token whose state stands for a text. image, patch: the sides,
    in pixels, of the square that is looked at and of its patches. dimensions: of the space both towers end in."""

    text: Tower
    vision: Tower
    positions: int
    end: int
    image: int
    patch: int
    dimensions: int


def clip_config(said: dict[str, Any]) -> ClipConfig:
    """ValueError, TypeError, KeyError or AttributeError where config.json is no CLIP's, or not one of plain numbers."""
    text, vision = of_tower(said, "text_config", TEXT), of_tower(said, "vision_config", VISION)
    projection = said.get("projection_dim")
    return ClipConfig(
        _tower(text),
        _tower(vision),
        positions=int(text["max_position_embeddings"]),
        end=int(text["eos_token_id"]),
        image=int(vision["image_size"]),
        patch=int(vision["patch_size"]),
        dimensions=PROJECTION if projection is None else int(projection),
    )


def of_tower(said: dict[str, Any], name: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """One tower's values. What the older second section says, its own defaults included, overrides the first."""
    older = said.get(f"{name}_dict")
    first = said.get(name) or {}
    return {**defaults, **first} if older is None else {**first, **defaults, **older}


def _tower(said: dict[str, Any]) -> Tower:
    return Tower(
        int(said["num_hidden_layers"]),
        int(said["num_attention_heads"]),
        float(said["layer_norm_eps"]),
        str(said["hidden_act"]),
    )
