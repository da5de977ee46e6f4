"""Undoing the transfer's gzip piece by piece, so that a small body which unpacks to gigabytes is seen as it grows.

Not here: any other encoding. None is asked for, as its decoder might unpack a whole piece at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

PIECE = 1 << 16
"""Bytes: no piece of what comes out is longer."""


def inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The content of gzip members, one after another. EOFError where it is cut off, zlib.error where it is no gzip."""
    member = zlib.decompressobj(wbits=31)
    for piece in pieces:
        while piece:
            if member.eof:
                member = zlib.decompressobj(wbits=31)
            while out := member.decompress(piece, PIECE):
                yield out
                piece = member.unconsumed_tail
            piece = member.unused_data
    if not member.eof:
        raise EOFError("gzip is cut off")
