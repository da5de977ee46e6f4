"""A picture as a vision model is sent it: a small file of its own making, with nothing in it but pixels."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from strata.core.picture import Picture
from strata.llm.types import Image
from strata.pictures.colours import fitted
from strata.pictures.kinds import MIME, kind

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage

SENT_LONGEST = 768
"""Pixels of the longer side. What a film is about shows at that size, and more costs tokens."""
QUALITY = 88
MOST_PNG = 1_000_000
"""Bytes; a larger PNG goes as JPEG."""
FEW_COLOURS = 64
"""A grey photograph has up to 256."""
_LOSSLESS = ("PNG", "GIF", "BMP", "TIFF")


def as_image(picture: Picture) -> Image:
    """PNG for what came from a lossless file or has few colours (drawings and screens keep their edges), where that is
    under MOST_PNG; else JPEG. The same pixels and format give the same bytes, as long as Pillow writes them alike; the
    digest is the picture's own, so that recordings outlive that."""
    from PIL import Image as pil

    image = pil.frombytes("RGB", (picture.width, picture.height), picture.pixels)
    size = fitted(image.size, SENT_LONGEST)
    if size != image.size:
        image = image.resize(size, pil.Resampling.LANCZOS)
    data = b""
    if picture.format in _LOSSLESS or image.getcolors(FEW_COLOURS):
        data = _saved(image, "PNG", optimize=True)
    if not 0 < len(data) <= MOST_PNG:
        data = _saved(image, "JPEG", quality=QUALITY)
    return Image(
        name=picture.name,
        mime=MIME[kind(data[:32])],
        width=image.width,
        height=image.height,
        digest=picture.digest,
        data=data,
    )


def _saved(image: PilImage, form: str, **how: Any) -> bytes:
    file = BytesIO()
    image.save(file, form, **how)
    return file.getvalue()
