"""CLIP's two towers: a text's token numbers, or a picture's pixels, to a vector of the space they share.

Source: as in clip_layers.py. Vectors are as the projections leave them; whoever compares them makes them unit length.
"""

from __future__ import annotations

import numpy as np

from strata.encoders.clip_config import ClipConfig
from strata.encoders.clip_layers import through
from strata.encoders.network import Tensors, norm

OLD_END = 2
"""What configurations before transformers 4.31 called the end of a text, wrongly: for them it is the highest number,
which no word of a published vocabulary has."""


def text_vectors(t: Tensors, config: ClipConfig, coded: list[list[int]]) -> np.ndarray:
    """float32[texts, dimensions]. Each place sees only those before it: what pads the shorter texts changes nothing."""
    ids = np.zeros((len(coded), max(map(len, coded))), dtype=np.int64)
    ends = np.empty(len(coded), dtype=np.int64)
    for row, tokens in enumerate(coded):
        ids[row, : len(tokens)] = tokens
        found = ids[row] if config.end == OLD_END else ids[row] == config.end
        ends[row] = np.argmax(found[: len(tokens)])
    length = ids.shape[1]
    x = t["text_model.embeddings.token_embedding.weight"][ids]
    x += t["text_model.embeddings.position_embedding.weight"][:length]
    hide = np.triu(np.full((length, length), -1e9, dtype=np.float32), k=1)
    x = through(t, x, "text_model", config.text, hide)
    x = norm(t, x[np.arange(len(coded)), ends], "text_model.final_layer_norm", config.text.epsilon)
    out: np.ndarray = x @ t["text_projection.weight"].T
    return out


def picture_vectors(t: Tensors, config: ClipConfig, pixels: np.ndarray) -> np.ndarray:
    """float32[pictures, dimensions] of float32[pictures, 3, side, side], the model's own side."""
    batch, side, patch = len(pixels), config.image, config.patch
    grid = side // patch
    kept = pixels[:, :, : grid * patch, : grid * patch]
    patches = kept.reshape(batch, 3, grid, patch, grid, patch).transpose(0, 2, 4, 1, 3, 5)
    # A convolution whose steps are as wide as its kernel: each patch by itself, so one product of matrices.
    kernel = t["vision_model.embeddings.patch_embedding.weight"]
    rows = patches.reshape(batch, grid * grid, 3 * patch * patch) @ kernel.reshape(len(kernel), -1).T
    x = np.empty((batch, grid * grid + 1, len(kernel)), dtype=np.float32)
    x[:, 0] = t["vision_model.embeddings.class_embedding"]
    x[:, 1:] = rows
    x += t["vision_model.embeddings.position_embedding.weight"]
    x = norm(t, x, "vision_model.pre_layrnorm", config.vision.epsilon)  # so it is written in the weights
    x = through(t, x, "vision_model", config.vision)
    x = norm(t, x[:, 0], "vision_model.post_layernorm", config.vision.epsilon)
    out: np.ndarray = x @ t["visual_projection.weight"].T
    return out
