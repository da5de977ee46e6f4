"""Whatever pixels a file holds, as plain RGB of a bounded size.

Every mode is brought to RGB on purpose: 16 bits are scaled, not clipped; what is transparent lies on white; CMYK is
mixed without its profile. Colour profiles are not applied: the encoders have learnt from pictures opened that way.
It goes in strips, so that beside the decoded picture only the small one is ever whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

Size = tuple[int, int]
GAP = 2
"""Averaging in whole blocks goes down to this many times the final size; Lanczos does the rest."""
_STRIP = 1 << 20
_MINIMUM_IS_WHITE, _PHOTOMETRIC, _BITS = 0, 262, 258
_FULL_SCALES = (1, 255, 65535)


@dataclass(frozen=True)
class Numbers:
    """How grey values of more than 8 bits are brought to 0 … 255: low is black, high is white. key: the value that
    means transparent, -1 for none."""

    low: float
    high: float
    inverted: bool = False
    key: int = -1


def fitted(size: Size, longest: int) -> Size:
    """The size of the same shape whose longer side is `longest` at most; a side is at least 1."""
    width, height = size
    part = min(1.0, longest / max(size))
    return max(1, round(width * part)), max(1, round(height * part))


def as_rgb(image: Image, size: Size, box: tuple[float, float]) -> tuple[Image, list[str]]:
    """A decoded picture as RGB of `size`, and notes of what was done to its colours. box: width and height of what is
    to be seen of it, in its own pixels; less than its size where a decoder rounded up."""
    from PIL import Image as pil

    numbers, notes = _numbers(image)
    # Of a BMP whose alpha is 0 throughout, the byte was never used.
    opaque = image.format == "BMP" and image.mode == "RGBA" and image.getchannel("A").getextrema() == (0, 0)
    blocks = max(1, int(image.width / (GAP * size[0]))), max(1, int(image.height / (GAP * size[1])))
    seen_through = False
    small = pil.new("RGB", (-(-image.width // blocks[0]), -(-image.height // blocks[1])))
    for top, strip in _strips(image, blocks[1]):
        if numbers is not None:
            strip, through = _scaled(strip, numbers)
        elif strip.has_transparency_data and not opaque:
            strip, through = _on_white(strip)
        else:
            strip, through = strip.convert("RGB"), False
        seen_through |= through
        small.paste(strip.reduce(blocks), (0, top // blocks[1]))
    if image.mode == "CMYK":
        notes.append("CMYK mixed to RGB without its colour profile")
    if seen_through:
        notes.append("transparent parts on white")
    if small.size != size:
        small = small.resize(size, pil.Resampling.LANCZOS, (0, 0, box[0] / blocks[0], box[1] / blocks[1]))
    return small, notes


def _strips(image: Image, block: int) -> Iterator[tuple[int, Image]]:
    rows = max(1, _STRIP // (image.width * block)) * block
    for top in range(0, image.height, rows):
        yield top, image.crop((0, top, image.width, min(top + rows, image.height)))


def _on_white(strip: Image) -> tuple[Image, bool]:
    from PIL import Image as pil

    strip = strip.convert("LA") if strip.mode == "La" else strip
    strip = strip.convert("RGBA")
    alpha = strip.getchannel("A")
    white = pil.new("RGB", strip.size, "white")
    white.paste(strip, mask=alpha)
    return white, alpha.getextrema() != (255, 255)


def _numbers(image: Image) -> tuple[Numbers | None, list[str]]:
    """For grey values of more than 8 bits. A TIFF may say that its least is white, and that 12 of 16 bits are used."""
    tags: Any = getattr(image, "tag_v2", {})
    inverted = tags.get(_PHOTOMETRIC) == _MINIMUM_IS_WHITE
    if image.mode.startswith("I;16"):
        bits = (tags.get(_BITS) or (16,))[0]
        return Numbers(0, (1 << bits) - 1, inverted, image.info.get("transparency", -1)), [f"{bits} bits brought to 8"]
    if image.mode not in ("I", "F"):
        return None, []
    # Neither has a fixed white. The least full scale that holds all values is taken; else they are stretched.
    low, high = _range(image)
    scales = [full for full in _FULL_SCALES if low >= 0 and high <= full and (image.mode == "F" or full > 1)]
    found = (0.0, float(scales[0])) if scales else (low, high)
    return Numbers(*found, inverted), [f"values from {found[0]:g} to {found[1]:g} brought to 0 to 255"]


def _range(image: Image) -> tuple[float, float]:
    """The least and the greatest finite value."""
    import numpy as np

    found = []
    for _, strip in _strips(image, 1):
        values = np.asarray(strip)
        values = values[np.isfinite(values)]
        found += [float(values.min()), float(values.max())] if values.size else []
    return (min(found), max(found)) if found else (0.0, 0.0)


def _scaled(strip: Image, numbers: Numbers) -> tuple[Image, bool]:
    import numpy as np
    from PIL import Image as pil

    raw = np.asarray(strip)
    values = np.nan_to_num(raw.astype(np.float64), nan=numbers.low, posinf=numbers.high, neginf=numbers.low)
    part = (values - numbers.low) / ((numbers.high - numbers.low) or 1)
    grey = np.clip(np.rint(255 * (1 - part if numbers.inverted else part)), 0, 255).astype(np.uint8)
    through = raw == numbers.key
    grey[through] = 255
    return pil.fromarray(grey).convert("RGB"), bool(through.any())
