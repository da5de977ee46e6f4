"""A picture's file without all that is not its pixels, before a decoder sees it.

Text, colour profiles, EXIF data, thumbnails and later frames have all been used to make decoders spend memory and
time, and a profile over 1 MB makes Pillow refuse an honest PNG. What is left out can do none of that, nor leave the
machine. A TIFF is all directory and stays whole; its tags are looked at (tiff.py). WebP is taken apart by libwebp.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from strata.pictures import tiff
from strata.pictures.tiff import Absurd

MOST_PIXELS = 1 << 26
"""67 megapixels: at most 4 bytes each while they are decoded (268 MB)."""
MOST_WEBP = 1 << 25
"""A pixel of it costs 16 bytes and more: libwebp's canvases, their copy, Pillow's."""
MOST_RUN_LENGTH = 1 << 22
"""Of a BMP in runs, which Pillow decodes in Python, byte by byte."""
MOST_SEQUENTIAL = 1 << 28
"""Of a JPEG that is decoded row by row and scaled on the way, so that phones' 200 megapixels cost some 50 MB."""
MOST_PIECES = 1 << 17
"""Chunks of a PNG, or segments of a JPEG before its pixels; some dozens to thousands are usual."""
MOST_BLOCKS = 1 << 20
"""Of a GIF, each up to 255 bytes."""
MOST_SCANS = 100
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""In a JPEG's pixels; neither an escaped byte nor a point to restart from."""


@dataclass(frozen=True)
class Bare:
    """data: a whole file still. most: pixels that it may have. turn: EXIF orientation, 1 to 8; None where the decoder
    finds it. frames: how many there were. profile: a colour profile other than sRGB was left out. reduced: as in
    tiff.Tags."""

    data: bytes
    most: int = MOST_PIXELS
    turn: int | None = None
    frames: int = 1
    profile: bool = False
    reduced: bool = False


def bared(form: str, data: bytes) -> Bare:
    """form: one of kinds.FORMATS. Absurd for what no honest picture has; damage is left to the decoder to find."""
    if form == "PNG":
        return _png(data)
    if form == "JPEG":
        return _jpeg(data)
    if form == "GIF":
        return _gif(data)
    if form == "TIFF":
        tags = tiff.looked_at(data, MOST_PIXELS)
        return Bare(data, turn=tags.orientation, frames=tags.pages, reduced=tags.reduced)
    if form == "BMP" and data[14] >= 40 and data[30:34] in (b"\1\0\0\0", b"\2\0\0\0"):
        return Bare(data, MOST_RUN_LENGTH)
    return Bare(data, MOST_WEBP if form == "WEBP" else MOST_PIXELS)


def foreign_profile(profile: bytes) -> bool:
    """Whether a colour profile is there and is not one of sRGB's, by the name in it."""
    return bool(profile) and b"sRGB" not in profile and "sRGB".encode("utf-16-be") not in profile


def _png(data: bytes) -> Bare:
    kept: list[bytes | memoryview] = [data[:8]]
    at, frames, turn, profile, pieces = 8, 0, 1, False, 0
    view = memoryview(data)
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4], "big")
        name, body = data[at + 4 : at + 8], view[at + 8 : end - 4]
        if name in (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"):
            if end <= len(data) and zlib.crc32(view[at + 4 : end - 4]) != int.from_bytes(view[end - 4 : end], "big"):
                raise ValueError(f"the checksum of its part {name.decode()} is wrong")
            kept.append(view[at:end])
        elif name == b"eXIf":
            turn = tiff.orientation(bytes(body[: 1 << 16]))
        elif name == b"iCCP":
            profile = foreign_profile(bytes(body[:80]).partition(b"\0")[0])
        elif name == b"fcTL":
            frames += 1
        if name == b"IEND":
            break
        at, pieces = end, pieces + 1
        if pieces > MOST_PIECES:
            raise Absurd(f"is made of more than {MOST_PIECES:,} pieces")
    return Bare(data if len(kept) == pieces + 2 else b"".join(kept), turn=turn, frames=frames, profile=profile)


def _jpeg(data: bytes) -> Bare:
    """Keeps the segments that decoding needs: all but APP1 to APP13, APP15 and comments."""
    kept: list[bytes | memoryview] = [data[:2]]
    at, exif, profile, pieces, frame, components = 2, b"", b"", 0, 0, 0
    view = memoryview(data)
    while at + 4 <= len(data):
        pieces += 1
        if pieces > MOST_PIECES:
            raise Absurd(f"has more than {MOST_PIECES:,} segments before its first pixel")
        marker = data[at + 1]
        if data[at] != 0xFF:  # stray bytes, which decoders skip
            found = data.find(b"\xff", at)
            at = len(data) if found < 0 else found
            continue
        if marker == 0xFF:
            at += 1
            continue
        if marker in (0x00, 0x01, *range(0xD0, 0xDA)):
            at += 2
            continue
        end = at + 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
        body = view[at + 4 : end]
        if marker == 0xDA:
            break
        if marker == 0xE1 and not exif and data.startswith(b"Exif\0\0", at + 4):
            exif = bytes(body)
        elif marker == 0xE2 and not profile and data.startswith(b"ICC_PROFILE\0", at + 4):
            profile = bytes(body)
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(body) > 5:
            frame, components = marker, body[5]
        if marker not in (*range(0xE1, 0xEE), 0xEF, 0xFE):
            kept.append(view[at:end])
        at = end
    kept.append(view[at:])
    # As libjpeg decides it: without either, the whole picture's coefficients are held until its end.
    sequential = frame in (0xC0, 0xC1) and data[at + 4 : at + 5] == bytes([components])
    if not sequential and _scans(data, at) > MOST_SCANS:
        raise Absurd(f"is a JPEG of more than {MOST_SCANS} scans")
    return Bare(
        b"".join(kept),
        MOST_SEQUENTIAL if sequential else MOST_PIXELS,
        tiff.orientation(exif),
        profile=foreign_profile(profile),
    )


def _scans(data: bytes, at: int) -> int:
    """How many scans follow, up to the picture's end: each is a pass over all of its pixels."""
    count = 0
    for _ in range(MOST_PIECES):
        found = _MARKER.search(data, at)
        if found is None or data[found.end() - 1] == 0xD9 or count > MOST_SCANS:
            return count
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
        count += data[found.end() - 1] == 0xDA
    raise Absurd(f"has more than {MOST_PIECES:,} segments")


def _gif(data: bytes) -> Bare:
    """Keeps the screen, its palette and the first frame. What is cut off or not understood stays as it is."""
    head, control, first, frames, pieces = b"", b"", b"", 0, 0
    try:
        at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
        head = data[:at]
        while data[at] in b"!," and pieces < MOST_BLOCKS:
            start = at
            if data[at] == 0x21:
                at += 2
            else:
                at += 11 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 0x80 else 0)
                frames += 1
            while data[at] and pieces < MOST_BLOCKS:
                at, pieces = at + 1 + data[at], pieces + 1
            at += 1
            if data[start] == 0x2C:
                first = first or control + data[start:at]
            elif data[start + 1] == 0xF9 and not first:
                control = data[start:at]
    except IndexError:  # it ends early
        return Bare(data) if not first else Bare(head + first + b";", frames=frames)
    if not first and pieces >= MOST_BLOCKS:
        raise Absurd(f"has more than {MOST_BLOCKS:,} pieces before the end of its first frame")
    return Bare(head + first + b";", frames=frames) if first else Bare(data)
