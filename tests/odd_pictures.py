"""Files of pictures that are odd, old, broken or hostile, made on the spot; the pieces that they are put together from.

Everything comes from a seed. What a library will not write is written here by hand.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]

SECRET = b"Waldweg-7-GPS-52.5163"
"""Planted wherever a format has room for more than pixels; it must never be seen again."""
BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED = 1, 2, 3, 4, 5, 7
_FORMS = {BYTE: "B", ASCII: "B", SHORT: "H", LONG: "I", RATIONAL: "I", UNDEFINED: "B"}


def noise(width: int, height: int, *more: int, seed: int = 1) -> Pixels:
    """Random bytes, uint8[height, width, …]; three channels where nothing else is said."""
    shape = (height, width, *(more or (3,)))
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def scene(width: int, height: int) -> Pixels:
    """Smooth, and different in every corner: what JPEG keeps well. uint8[height, width, 3]."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    return np.rint(255 * np.stack([x, y, (1 - x) * (1 - y)], axis=-1)).astype(np.uint8)


def saved(pixels: Any, form: str, mode: str | None = None, **how: Any) -> bytes:
    """A file as Pillow writes it, from an array or an image."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    file = BytesIO()
    (image.convert(mode) if mode else image).save(file, form, **how)
    return file.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(
    width: int, height: int, depth: int, colour: int, rows: Sequence[bytes], *more: bytes, after: bytes = b""
) -> bytes:
    """colour: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA. more: chunks before the pixels."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = [chunk(b"IHDR", head), *more, chunk(b"IDAT", body), after, chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def png_of(pixels: Pixels, *more: bytes, after: bytes = b"") -> bytes:
    return png(pixels.shape[1], pixels.shape[0], 8, 2, [row.tobytes() for row in pixels], *more, after=after)


def exif(turn: int = 1, order: str = "<") -> bytes:
    """EXIF data with an orientation, a place and a maker's name, without the six bytes that JPEG puts before."""
    gps = struct.pack(order + "H", 1) + struct.pack(order + "HHI4s", 1, ASCII, 2, b"N\0\0\0") + bytes(4)
    maker = SECRET.ljust(24, b"\0")
    head = 8 + 2 + 3 * 12 + 4
    entries = [
        struct.pack(order + "HHII", 271, ASCII, 24, head),
        struct.pack(order + "HHIHH", 274, SHORT, 1, turn, 0),
        struct.pack(order + "HHII", 34853, LONG, 1, head + 24),
    ]
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "IH", 8, 3) + b"".join(entries) + bytes(4) + maker + gps


def tiff(
    tags: dict[int, tuple[int, Sequence[int]]], body: bytes = b"", *, order: str = "<", following: int = 0
) -> bytes:
    """A TIFF of one directory. A strip's offset given as -1 is where `body` lies."""
    start = 8 + 2 + 12 * len(tags) + 4
    sizes = {tag: len(values) * struct.calcsize(_FORMS[kind]) for tag, (kind, values) in tags.items()}
    at = start + sum(size for size in sizes.values() if size > 4)
    entries, outside = b"", b""
    for tag, (kind, values) in sorted(tags.items()):
        whole = struct.pack(f"{order}{len(values)}{_FORMS[kind]}", *(at if v == -1 else v for v in values))
        count = len(values) // (2 if kind == RATIONAL else 1)
        entries += struct.pack(order + "HHI", tag, kind, count)
        entries += whole.ljust(4, b"\0") if len(whole) <= 4 else struct.pack(order + "I", start + len(outside))
        outside += whole if len(whole) > 4 else b""
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return (
        magic + struct.pack(order + "IH", 8, len(tags)) + entries + struct.pack(order + "I", following) + outside + body
    )


def grey_tiff(values: NDArray[Any], photometric: int = 1, bits: int = 0, sample: int = 1, order: str = "<") -> bytes:
    """Grey values as they are. bits: where it is not what the type has. sample: 1 unsigned, 2 signed, 3 floating."""
    body = values.astype(values.dtype.newbyteorder(order)).tobytes()
    if bits == 12:
        pairs = values.reshape(-1, 2).astype(int)
        body = b"".join(bytes([a >> 4, (a & 15) << 4 | b >> 8, b & 255]) for a, b in pairs)
    height, width = values.shape
    return tiff(
        {
            256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, [bits or values.dtype.itemsize * 8]),
            259: (SHORT, [1]), 262: (SHORT, [photometric]), 273: (LONG, [-1]), 277: (SHORT, [1]),
            278: (LONG, [height]), 279: (LONG, [len(body)]), 339: (SHORT, [sample]),
        },
        body,
        order=order,
    )  # fmt: skip


def samples_tiff(
    pixels: Pixels, photometric: int, extra: int | None = None, **more: tuple[int, Sequence[int]]
) -> bytes:
    """Interleaved bytes, uint8[height, width, channels]. extra: what the last channel is: 1 premultiplied, 2 alpha."""
    height, width, channels = pixels.shape
    tags: dict[int, tuple[int, Sequence[int]]] = {
        256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, [8] * channels), 259: (SHORT, [1]),
        262: (SHORT, [photometric]), 273: (LONG, [-1]), 277: (SHORT, [channels]), 278: (LONG, [height]),
        279: (LONG, [pixels.size]),
    }  # fmt: skip
    if extra is not None:
        tags[338] = (SHORT, [extra])
    return tiff(tags | {int(name[1:]): value for name, value in more.items()}, pixels.tobytes())


def bmp(
    width: int, height: int, bits: int, compression: int, body: bytes, palette: bytes = b"", masks: bytes = b""
) -> bytes:
    header = 108 if masks else 40
    start = 14 + header + len(palette)
    info = struct.pack(
        "<IiiHHIIiiII", header, width, height, 1, bits, compression, len(body), 0, 0, len(palette) // 4, 0
    )
    return (
        b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start)
        + info + masks.ljust(header - 40, b"\0") + palette + body
    )  # fmt: skip


def segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def with_segments(jpeg: bytes, *segments: bytes) -> bytes:
    """A JPEG with more segments right after its beginning."""
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def without_segment(jpeg: bytes, marker: int) -> bytes:
    at = jpeg.index(bytes([0xFF, marker]))
    return jpeg[:at] + jpeg[at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big") :]


def declaring(jpeg: bytes, width: int, height: int) -> bytes:
    """A JPEG that says it is of another size."""
    at = next(i for i in range(len(jpeg)) if jpeg[i] == 0xFF and jpeg[i + 1] in (0xC0, 0xC2))
    return jpeg[: at + 5] + struct.pack(">HH", height, width) + jpeg[at + 9 :]


def planted_png(pixels: Pixels) -> bytes:
    """A PNG with something in every place for metadata."""
    return png_of(
        pixels,
        chunk(b"iCCP", SECRET + b"\0\0" + zlib.compress(SECRET)),
        chunk(b"eXIf", exif()),
        chunk(b"tEXt", b"Comment\0" + SECRET),
        chunk(b"zTXt", b"Author\0\0" + zlib.compress(SECRET)),
        chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta>" + SECRET),
        chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1)),
        after=chunk(b"tEXt", b"Later\0" + SECRET),
    )


def planted_jpeg(pixels: Pixels) -> bytes:
    """A JPEG with something in every place for metadata, and a thumbnail."""
    return with_segments(
        saved(pixels, "JPEG", quality=92),
        segment(0xE1, b"Exif\0\0" + exif()),
        segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>" + SECRET),
        segment(0xE2, b"ICC_PROFILE\0\1\1" + SECRET),
        segment(0xED, b"Photoshop 3.0\0" + SECRET),
        segment(0xFE, SECRET),
    )
