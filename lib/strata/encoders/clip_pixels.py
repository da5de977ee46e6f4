"""A picture made ready for CLIP as the model's own image processor does it: shrunk to its shortest edge, the middle cut
out, each channel scaled and centred.

Source: transformers' CLIPImageProcessor on Pillow, whose bicubic filter the published weights were trained with. The
fields are those of preprocessor_config.json; older ones give sizes as one number.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.encoders.folder import json_of

if TYPE_CHECKING:
    from PIL.Image import Image

    from strata.core.picture import Picture

MOST = 1 << 24
"""Pixels of a whole resized picture, 48 MB. Of a longer strip only the part that is cut out is resized: the same but
for the last rounding, a level of 255 here and there."""
FURTHEST = 3
"""Pixels that the widest of Pillow's filters reaches to either side."""
DEFAULTS: dict[str, Any] = {
    "do_resize": True, "size": 224, "resample": 3, "do_center_crop": True, "crop_size": 224, "do_rescale": True,
    "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_std": [0.26862954, 0.26130258, 0.27577711],
}  # fmt: skip
OURS = ("CLIPImageProcessor", "CLIPImageProcessorFast", "CLIPImageProcessorPil", "CLIPFeatureExtractor")


def processor(home: Path) -> dict[str, Any]:
    """The image processor's fields. Newer releases keep them within processor_config.json."""
    nested = json_of(home / "processor_config.json").get("image_processor")
    said: dict[str, Any] = nested or json_of(home / "preprocessor_config.json")
    return said


def plain_pixels(said: dict[str, Any], side: int) -> bool:
    """Whether `Pixels` does all that this processor does, and makes a square of `side` pixels of every picture."""
    kind = said.get("image_processor_type") or said.get("feature_extractor_type") or OURS[0]
    if kind not in OURS or said.get("do_pad") or said.get("use_square_size"):
        return False
    pixels = Pixels(said)
    out = pixels.crop or (pixels.edges if len(pixels.edges) == 2 else ())
    return out == (side, side)


class Pixels:
    """Called with a picture: float32[3, height, width]."""

    def __init__(self, said: dict[str, Any]) -> None:
        given = DEFAULTS | {name: value for name, value in said.items() if value is not None}
        self.edges = _edges(given["size"], one="shortest_edge") if given["do_resize"] else ()
        self.crop = _edges(given["crop_size"], one="") if given["do_center_crop"] else ()
        self.filter = int(given["resample"])
        # A pixel's channel has 256 values: what becomes of each is worked out once, in the same steps.
        levels = np.arange(256)
        scaled = (levels * float(given["rescale_factor"]) if given["do_rescale"] else levels).astype(np.float32)
        self.table = np.repeat(scaled[None], 3, axis=0)
        if given["do_normalize"]:
            mean, deviation = (
                np.broadcast_to(np.array(given[name], dtype=np.float32), 3)[:, None]
                for name in ("image_mean", "image_std")
            )
            self.table = (self.table - mean) / deviation

    def __call__(self, picture: Picture) -> np.ndarray:
        from PIL import Image

        size = (picture.width, picture.height)
        levels = np.asarray(self._cut(Image.frombytes("RGB", size, picture.pixels)))
        return np.stack([self.table[channel][levels[:, :, channel]] for channel in range(3)])

    def _cut(self, image: Image) -> Image:
        """Resized, the middle cut out; where the crop is larger, black all round."""
        wide, high = self._resized(image.size)
        crop_high, crop_wide = self.crop or (high, wide)
        left, top = (wide - crop_wide) // 2, (high - crop_high) // 2
        if wide * high > MOST:
            kept = (max(left, 0), max(top, 0), min(left + crop_wide, wide), min(top + crop_high, high))
            image = self._middle(image, (wide, high), kept)
            left, top = min(left, 0), min(top, 0)
        elif (wide, high) != image.size:
            image = image.resize((wide, high), self.filter)
        if image.size == (crop_wide, crop_high):
            return image
        return image.crop((left, top, left + crop_wide, top + crop_high))

    def _middle(self, image: Image, size: tuple[int, int], kept: tuple[int, int, int, int]) -> Image:
        """What resize(size).crop(kept) gives, made from the part of the picture that reaches into it."""
        scales = (image.width / size[0], image.height / size[1]) * 2
        box = [edge * scale for edge, scale in zip(kept, scales, strict=True)]
        reach = [ceil(FURTHEST * max(1.0, scale)) + 1 for scale in scales[:2]]
        start = [max(0, int(box[axis]) - reach[axis]) for axis in (0, 1)]
        end = [min(image.size[axis], ceil(box[axis + 2]) + reach[axis]) for axis in (0, 1)]
        part = image.crop((start[0], start[1], end[0], end[1]))
        inside = (box[0] - start[0], box[1] - start[1], box[2] - start[0], box[3] - start[1])
        return part.resize((kept[2] - kept[0], kept[3] - kept[1]), self.filter, inside)

    def _resized(self, size: tuple[int, int]) -> tuple[int, int]:
        """Width and height after resizing."""
        wide, high = size
        if not self.edges:
            return size
        if len(self.edges) == 2:
            return self.edges[1], self.edges[0]
        edge = self.edges[0]
        return (edge, int(edge * high / wide)) if wide <= high else (int(edge * wide / high), edge)


def _edges(size: Any, one: str) -> tuple[int, ...]:
    """(height, width), or (shortest edge,). ValueError for anything else. one: what a single number means."""
    if isinstance(size, int):
        return (size,) if one else (size, size)
    if set(size) == {"height", "width"}:
        return int(size["height"]), int(size["width"])
    if set(size) == {one}:
        return (int(size[one]),)
    raise ValueError(f"a size of {', '.join(map(str, size))}")
