"""Text files as catalogues come: plain or gzipped, UTF-8 with or without a byte order mark, lines split on \\n only."""

from __future__ import annotations

import gzip
import io
import json
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from strata.core.load.gzipped import unpacked
from strata.errors import DataError


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """A text stream without newline translation. Gzip is told by the first two bytes, not by the name.

    DataError for what cannot be read, is not UTF-8 or is broken gzip, also while the stream is being read.
    """
    refuse_devices(path)
    try:
        try:
            with path.open("rb") as raw, io.TextIOWrapper(_content(raw), encoding="utf-8-sig", newline="\n") as text:
                yield text
        except UnicodeDecodeError as error:
            bad = f"byte 0x{error.object[error.start]:02x}"
            raise DataError(
                f"{path}, line {_line_of_bad_byte(path)}: not UTF-8 ({bad})", "save it as UTF-8, then try again"
            ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:  # also met while the bad byte is looked for
        raise DataError(f"{path} is broken gzip ({error})", "fetch or pack it again") from error
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder", "name a file, or a folder in BEIR layout") from error
    except OSError as error:
        raise DataError(
            f"{path} cannot be read ({error.strerror or error})", "check the path and its permissions"
        ) from error


def refuse_devices(path: Path) -> None:
    """DataError for a pipe or a device: it may have no end, and catalogues and golden sets are read more than once."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # whoever opens it says why
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataError(f"{path} is neither a file nor a folder", "write what it gives into a file, and name that")


def _content(raw: io.BufferedReader) -> io.BufferedReader:
    """The bytes of a file, out of gzip where its first two bytes say so."""
    return unpacked(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw


def _line_of_bad_byte(path: Path) -> int:
    """The number of the first line that is not UTF-8; a stream only knows that there was one."""
    with path.open("rb") as raw:
        number = 0
        for number, line in enumerate(_content(raw), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return number


def parsed(text: str, where: str) -> Any:
    """A JSON value. NaN and infinities, which JSON does not know, become null."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if error.lineno > 1 else ""
        raise DataError(f"{where}{line}: not JSON ({error.msg} at column {error.colno})", "mend that entry") from error
    except RecursionError as error:
        raise DataError(f"{where}: nested too deeply", "flatten that entry") from error
    except ValueError as error:  # an integer of thousands of digits
        raise DataError(f"{where}: {error}", "mend that entry") from error


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """(line number from 1, value) for each line that is not blank. U+2028 and U+0085 inside a string stay there."""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, parsed(line, f"{path}, line {number}")
