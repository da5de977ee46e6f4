"""Where things live: in a clone beside the code, or, for an installed wheel, in the user's own folders.

An installed wheel carries its data in `strata/_data`, by which it is told, and keeps cache, logs and imported
catalogues where the platform wants them (platformdirs, imported only there). A clone is recognised by its
pyproject.toml and data folder two levels above the package.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from strata.errors import DataError, UsageError, as_message

PACKAGE = Path(__file__).resolve().parent


def clone() -> Path | None:
    """The root of the clone this code runs from, or None in an installed wheel."""
    if (PACKAGE / "_data").is_dir():  # installed with `pip install --target lib` in somebody's own project, say
        return None
    root = PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "data").is_dir() else None


def data_dir() -> Path:
    """The bundled, read-only data: catalogue, golden set, stop words."""
    root = clone()
    return root / "data" if root else PACKAGE / "_data"


def expanded(text: str | Path) -> Path:
    """The path that is meant by what was typed, ~ resolved. UsageError for the home of nobody, and what is no path."""
    shown = as_message(str(text), 100)
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{shown}: there is no such home folder", "write the path in full") from error
    try:
        os.stat(path)
    except ValueError as error:
        raise UsageError(f"{shown} cannot be a path", "leave out the NUL, or half a letter") from error
    except OSError as error:  # what is not there may be made, and what may not be looked at is for whoever opens it
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{shown} cannot be a path ({error.strerror})", "write a shorter one") from error
    return path


def as_path(text: str | Path) -> Path:
    """The same, absolute and without links. DataError where the system cannot even look (no rights)."""
    try:
        path = expanded(text).resolve()
        path.exists()
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(
            f"{as_message(str(text), 200)} cannot be opened ({why})", "check the path and its permissions"
        ) from error
    return path


def _user(kind: str) -> Path:
    """UsageError where the user has no home: a folder relative to the working directory would be another each time."""
    import platformdirs

    how = "set HOME; or name folders with STRATA_CACHE_DIR and STRATA_LOG_DIR"
    try:
        folder = Path(getattr(platformdirs, f"user_{kind}_dir")("strata", appauthor=False))
    except RuntimeError as error:  # what newer releases say
        raise UsageError(f"there is no home folder to keep {kind} files in", how) from error
    if not folder.is_absolute():
        raise UsageError(f"the folder to keep {kind} files in is {folder}, which is not absolute", how)
    return folder


def cache_dir() -> Path:
    root = clone()
    return root / "cache" if root else _user("cache")


def log_dir() -> Path:
    root = clone()
    return root / "logs" if root else _user("log")


def imported_dir() -> Path:
    """Catalogues taken in by `data_cli import`, a folder each."""
    root = clone()
    return root / "data" / "imported" if root else _user("data") / "catalogues"


def premises_dir() -> Path:
    """What `data_cli enrich` keeps of each catalogue, a file each."""
    root = clone()
    return root / "data" / "premises" if root else _user("data") / "premises"


def choice_file() -> Path:
    """Holds the catalogue chosen by `data_cli use`."""
    root = clone()
    return root / ".strata.json" if root else _user("config") / "strata.json"
