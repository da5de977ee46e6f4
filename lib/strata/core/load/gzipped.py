"""Gzip as a stream that refuses to grow without end: a file of 1 MB may hold 1 GB of the same letter.

Text becomes about 4 to 20 times as long when it is unpacked, a table of zeros 100 times; gzip's limit is 1,030.
"""

from __future__ import annotations

import gzip
import io
from typing import Any

from strata.errors import DataError

FREE = 1 << 25
"""Bytes that any file may unpack to."""
MOST_TIMES = 100
"""Beyond FREE, so many bytes may come out for each that went in."""
PIECE = 1 << 17


def unpacked(packed: io.BufferedReader) -> io.BufferedReader:
    """The content of a gzipped file. Reading it may raise EOFError, zlib.error or gzip.BadGzipFile, and DataError for
    what unpacks to far more than a text does."""
    return io.BufferedReader(_Unpacked(packed), PIECE)


class _Unpacked(io.RawIOBase):
    def __init__(self, packed: io.BufferedReader) -> None:
        super().__init__()
        self._packed = packed
        self._content = gzip.GzipFile(fileobj=packed)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._content.readinto1(buffer)
        out = self._content.tell()
        if out > FREE and out > MOST_TIMES * self._packed.tell():
            raise DataError(
                f"{self._packed.name} unpacks to more than {MOST_TIMES} times its size", "no text does: fetch it again"
            )
        return count

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._content.seek(offset, whence)

    def tell(self) -> int:
        return self._content.tell()
