"""A picture file opened, whatever it is: upright RGB pixels of a bounded size, or one line that says what is wrong.

Pillow is imported when a picture is opened, tries the one decoder that the first bytes call for, and sees the file
without its metadata. Whatever it raises becomes a DataError.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from strata.core.picture import Picture
from strata.errors import ArtefactError, DataError, as_message
from strata.pictures.bare import Bare, bared, foreign_profile
from strata.pictures.kinds import FORMATS, foreign, kind
from strata.pictures.place import SUFFIXES, content, shown_as
from strata.pictures.tiff import Absurd, orientation

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST = 1024
"""Pixels of the longer side; CLIP looks at 224, and what a vision model is sent is smaller still."""
_PLUGINS = {
    "PNG": "Png", "JPEG": "Jpeg", "WEBP": "WebP", "GIF": "Gif", "BMP": "Bmp", "TIFF": "Tiff",
}  # fmt: skip
_AGAIN = "copy or fetch it again, or open it in a viewer and save it anew"


def open_picture(path: str) -> Picture:
    """Open a picture by the path of its file, `~` allowed. UsageError for what is no path; DataError for a path that
    leads to no picture, and for a picture that cannot be read; ArtefactError without Pillow. Nothing is printed."""
    place, data = content(path)
    shown = shown_as(path)
    form = kind(data[:1024])
    if not form:
        what, step = foreign(data[:1024])
        raise DataError(f"{shown} {what}", step)
    image, original, notes = _opened(shown, form, data)
    if (named := SUFFIXES.get(place.suffix.lower())) and named != form:
        notes.insert(0, f"named {place.suffix}, is a {FORMATS[form]}")
    pixels = image.tobytes()
    return Picture(
        name=shown_as(place.name),
        format=FORMATS[form],
        width=image.width,
        height=image.height,
        original=original,
        digest=hashlib.sha256(b"%d %d " % image.size + pixels).hexdigest(),
        pixels=pixels,
        notes=tuple(notes),
        path=str(place).encode("utf-8", "replace").decode(),
    )


def _opened(shown: str, form: str, data: bytes) -> tuple[Image, tuple[int, int], list[str]]:
    """An RGB image, the size of the file's, upright, and what was done. DataError, beginning with `shown`."""
    try:
        pil = import_module("PIL.Image")
        import_module(f"PIL.{_PLUGINS[form]}ImagePlugin")
    except ImportError as error:
        raise ArtefactError(
            "pictures are opened by the package pillow, which cannot be imported",
            "pip install 'strata-search[pictures]'",
        ) from error
    from strata.pictures.quiet import quiet
    from strata.quiet import overheard

    what, most = f"{shown} begins as a {FORMATS[form]}", 0
    # libtiff alone writes to stderr
    listening: AbstractContextManager[list[str]] = overheard() if form == "TIFF" else nullcontext([])
    try:
        bare = bared(form, data)
        most = bare.most
        with quiet(most), listening as said, pil.open(BytesIO(bare.data), formats=[form]) as image:
            done, original, notes = _decoded(image, form, bare)
    except Absurd as error:
        raise DataError(f"{shown} {error}: it is damaged, or made to do harm", _AGAIN) from error
    except pil.DecompressionBombError as error:
        count = int(re.findall(r"\d+", str(error))[0])
        raise DataError(
            f"{shown} declares {count / 1e6:,.0f} million pixels; at most {most / 1e6:.0f} million are opened",
            "scale it down and save it anew",
        ) from error
    except MemoryError as error:
        raise DataError(f"{what}, but there is not enough memory to open it", "scale it down") from error
    except pil.UnidentifiedImageError as error:
        raise DataError(f"{what}, but is damaged, cut short or of a rare kind", _AGAIN) from error
    except Exception as error:  # Pillow raises nearly anything for a broken file
        reason = f" ({as_message(str(error), 80)})" if isinstance(error, OSError | SyntaxError | ValueError) else ""
        raise DataError(f"{what}, but is damaged or cut short{reason}", _AGAIN) from error
    if said:
        notes.append(f"damaged in places ({as_message(said[0], 80)})")
    return done, original, notes


def _decoded(image: Any, form: str, bare: Bare) -> tuple[Image, tuple[int, int], list[str]]:
    from strata.pictures.colours import as_rgb, fitted

    size = image.size
    draft = image.draft(None, _twice(fitted(size, LONGEST))) if form == "JPEG" else None
    image.load()
    size = image.size if form == "TIFF" else size  # which Pillow has turned upright by now
    notes = _about(image, form, bare)
    if form == "PNG":
        _mend_transparency(image, bare.data[24])
    small, colours = as_rgb(image, fitted(size, LONGEST), draft[1][2:] if draft else image.size)
    turn = orientation(image.info.get("exif", b"")) if bare.turn is None else bare.turn
    if turn > 1:
        notes.append(f"turned upright (EXIF orientation {turn})")
        small = small if form == "TIFF" else small.transpose(_method(turn))
    if turn > 4 and form != "TIFF":
        size = size[::-1]
    if small.size != size:
        colours.append("scaled from {} × {} to {} × {}".format(*size, *small.size))
    return small, size, notes + colours


def _about(image: Any, form: str, bare: Bare) -> list[str]:
    notes = []
    frames = image.n_frames if form == "WEBP" else bare.frames
    if frames > 1:
        notes.append(f"first of {frames:,} {'pages' if form == 'TIFF' else 'frames'}")
    if bare.reduced:
        notes.append("the preview in a camera's raw file")
    if bare.profile or foreign_profile(image.info.get("icc_profile") or b""):
        notes.append("colour profile not applied")
    return notes


def _mend_transparency(image: Any, depth: int) -> None:
    """A PNG names its transparent colour in its own depth, which Pillow compares with pixels of 8 bits."""
    key = image.info.get("transparency")
    if image.mode in ("L", "RGB") and key is not None and depth != 8:

        def to_8(value: int) -> int:
            return value >> 8 if depth == 16 else value * 255 // ((1 << depth) - 1)

        image.info["transparency"] = tuple(map(to_8, key)) if isinstance(key, tuple) else to_8(key)


def _method(turn: int) -> Any:
    from PIL.Image import Transpose

    return (
        Transpose.FLIP_LEFT_RIGHT, Transpose.ROTATE_180, Transpose.FLIP_TOP_BOTTOM, Transpose.TRANSPOSE,
        Transpose.ROTATE_270, Transpose.TRANSVERSE, Transpose.ROTATE_90,
    )[turn - 2]  # fmt: skip


def _twice(size: tuple[int, int]) -> tuple[int, int]:
    return 2 * size[0], 2 * size[1]
