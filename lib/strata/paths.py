"""Where things live: in a clone beside the code, or, for an installed wheel, in the user's own folders.

A clone is recognised by its pyproject.toml and data folder two levels above the package; an installed
wheel carries its data in `strata/_data` and keeps cache, logs and imported catalogues where the
platform wants them (platformdirs, imported only there).
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def clone() -> Path | None:
    """The root of the clone this code runs from, or None in an installed wheel."""
    root = PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "data").is_dir() else None


def data_dir() -> Path:
    """The bundled, read-only data: catalogue, golden set, stop words."""
    root = clone()
    return root / "data" if root else PACKAGE / "_data"


def _user(kind: str) -> Path:
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("strata", appauthor=False))


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
