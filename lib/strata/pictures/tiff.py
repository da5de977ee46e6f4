"""The tags of a TIFF, which EXIF data is too: looked at before any decoder unpacks them.

Pillow turns a tag's values into Python objects, and one strip or tile into a bigger one: 8 MB of them took it 25 s and
half a gigabyte here. So the counts are read first, and a file with absurd ones goes no further.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MOST_VALUES = 1 << 16
"""Of one tag, but for those that are plain bytes. A picture of 67 megapixels in strips of one row has some 8,000."""
MOST_TAGS = 4096
MOST_PAGES = 1000

Entries = dict[int, tuple[int, int, int]]
"""tag → (type, count, value, or its offset where it does not fit in)."""
ORIENTATION, _SUBFILE, _TILE_WIDTH, _TILE_LENGTH = 274, 254, 322, 323
_WITHIN = (34665, 34853, 40965)  # EXIF, GPS, interoperability: directories of their own, which Pillow unpacks whole
_PLAIN = (1, 2, 7)  # bytes, text, undefined


class Absurd(ValueError):
    """A picture that no program writes; the text goes on after the file's name."""


@dataclass(frozen=True)
class Tags:
    """orientation: 1 to 8, as EXIF has it. pages: how many pictures follow each other, at most MOST_PAGES. reduced: the
    first is marked as a smaller version of another."""

    orientation: int = 1
    pages: int = 1
    reduced: bool = False


@dataclass(frozen=True)
class _Reader:
    data: bytes
    order: str
    big: bool

    def number(self, form: str, at: int) -> int:
        return int(struct.unpack_from(self.order + form, self.data, at)[0])

    def directory(self, at: int) -> tuple[Entries, int]:
        """The tags of one directory and where the next one is, 0 for none. struct.error where the data ends early."""
        count = self.number("Q" if self.big else "H", at)
        if count > MOST_TAGS:
            raise Absurd(f"has a directory of {count:,} tags")
        at += 8 if self.big else 2
        entries: Entries = {}
        for _ in range(count):
            tag, type_ = self.number("H", at), self.number("H", at + 2)
            values = self.number("Q" if self.big else "L", at + 4)
            if values > MOST_VALUES and type_ not in _PLAIN:
                raise Absurd(f"has {values:,} values in one tag (number {tag})")
            form = {1: "B", 3: "H", 4: "L"}.get(type_ if values == 1 else 0, "Q" if self.big else "L")
            entries.setdefault(tag, (type_, values, self.number(form, at + (12 if self.big else 8))))
            at += 20 if self.big else 12
        return entries, self.number("Q" if self.big else "L", at)


def looked_at(data: bytes, most_pixels: int) -> Tags:
    """What the tags of a TIFF file say. Absurd for counts and tiles beyond measure; what is cut off is left to the
    decoder to complain of."""
    reader = _reader(data)
    seen: list[int] = []
    first: Entries = {}
    try:
        at = reader.number("Q" if reader.big else "L", 8 if reader.big else 4)
        while at and at not in seen and len(seen) < MOST_PAGES:
            entries, following = reader.directory(at)
            if not seen:
                first = entries
                for tag in _WITHIN:
                    if tag in entries:
                        reader.directory(entries[tag][2])
            seen.append(at)
            at = following
    except struct.error:
        pass
    width, length = (first.get(tag, (0, 0, 0))[2] for tag in (_TILE_WIDTH, _TILE_LENGTH))
    if width * length > most_pixels:
        raise Absurd(f"is cut into tiles of {width:,} × {length:,} pixels")
    return Tags(_turn(first), len(seen) or 1, bool(first.get(_SUBFILE, (0, 0, 0))[2] & 1))


def orientation(exif: bytes) -> int:
    """1 to 8 from a picture's EXIF data; 1 where it says nothing, or is broken."""
    while exif.startswith(b"Exif\0\0"):  # some programs write it twice
        exif = exif[6:]
    try:
        reader = _reader(exif)
        return _turn(reader.directory(reader.number("L", 4))[0])
    except (struct.error, Absurd):
        return 1


def _reader(data: bytes) -> _Reader:
    return _Reader(data, ">" if data[:1] == b"M" else "<", 43 in data[2:4])


def _turn(entries: Entries) -> int:
    type_, count, value = entries.get(ORIENTATION, (3, 1, 1))
    return value if type_ in (1, 3, 4) and count == 1 and 1 <= value <= 8 else 1
