"""From what was typed to a file's bytes. Nothing but a plain file is ever opened, and no more of it than MOST_BYTES."""

from __future__ import annotations

import errno
import os
import re
import stat
from itertools import islice
from pathlib import Path

from strata.errors import DataError, UsageError, as_message
from strata.paths import expanded

MOST_BYTES = 64 << 20
"""A larger file is not read. A photograph of 200 megapixels has about 50 MB."""
SUFFIXES = {
    ".png": "PNG", ".apng": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".jpe": "JPEG", ".jfif": "JPEG", ".mpo": "JPEG",
    ".webp": "WEBP", ".gif": "GIF", ".bmp": "BMP", ".dib": "BMP", ".tif": "TIFF", ".tiff": "TIFF",
}  # fmt: skip
LOOKED_THROUGH = 2000
"""Names of a folder that are looked at for one that was meant."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_OTHER = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def shown_as(text: str, longest: int = 100) -> str:
    """A path, or what is said of one, as a message names it."""
    return as_message(text, longest)


def content(path: str) -> tuple[Path, bytes]:
    """The file that is meant, with `~` resolved, and what is in it. UsageError for what is no path, DataError for a
    path that leads to no readable file."""
    place, shown = _place(path), shown_as(path)
    try:
        mode = place.stat().st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{shown} is a folder, not a picture", _pictures_in(place))
        if not stat.S_ISREG(mode):
            what = next((name for test, name in _OTHER if test(mode)), "no plain file")
            raise DataError(f"{shown} is {what}, not a picture", "save the picture to a file and name that")
        with place.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(error, place, shown) from error
    if not data:
        raise DataError(f"{shown} is empty (0 bytes)", "copy or fetch the picture again")
    if len(data) > MOST_BYTES:
        raise DataError(
            f"{shown} is larger than {MOST_BYTES >> 20} MB, the most that is read", "scale it down, or save it as JPEG"
        )
    return place, data


def _place(path: str) -> Path:
    if not path.strip():
        raise UsageError("no picture is named", "give the path of a file, as data/images/rocket.jpg")
    if path[:5].lower() == "data:":
        raise UsageError(
            "a data: address holds the picture itself; pictures are read from files", "save it to a file and name that"
        )
    if found := _ADDRESS.match(path):
        local = found.group().lower() == "file://"
        raise UsageError(
            f"{shown_as(path)} is an address; pictures are read from files",
            "leave out file://" if local else "fetch it first, then name the file",
        )
    return expanded(path)


def _unreadable(error: OSError, place: Path, shown: str) -> DataError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return DataError(f"{shown} cannot be read: permission denied", "give yourself the right to read it, or copy it")
    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
        return DataError(f"{shown} cannot be read ({error.strerror or error})", "check the path and the disk")
    if not place.parent.is_dir():
        return DataError(f"{shown} does not exist, nor is there a folder {shown_as(str(place.parent))}",
                         "check the path")  # fmt: skip
    near = _nearest(place)
    return DataError(f"{shown} does not exist", f"did you mean {near}?" if near else "check the path")


def _files(folder: Path) -> list[str]:
    """Names of the folder's plain files; none where it may not be looked into."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, LOOKED_THROUGH) if entry.is_file())
    except OSError:
        return []


def _nearest(place: Path) -> str:
    """The file beside it whose name is most like it, as it could have been typed; "" where none is near."""
    import difflib

    names = {name.lower(): name for name in _files(place.parent)}
    same = [low for low in names if Path(low).stem == place.stem.lower() and Path(low).suffix in SUFFIXES]
    found = same or difflib.get_close_matches(place.name.lower(), names, n=1, cutoff=0.7)
    return shown_as(str(place.parent / names[found[0]])) if found else ""


def _pictures_in(folder: Path) -> str:
    names = [shown_as(name) for name in _files(folder) if Path(name).suffix.lower() in SUFFIXES]
    if not names:
        return "there is no picture in it; name a file"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"name one of the pictures in it: {', '.join(names[:3])}{more}"
