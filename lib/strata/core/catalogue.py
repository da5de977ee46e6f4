"""From the name or path of a dataset to the file that holds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strata import paths
from strata.core.load import beir, detect
from strata.errors import DataError, UsageError
from strata.files import parsed
from strata.paths import as_path
from strata.settings import DEFAULT_DATASET

ORIGIN = "origin.json"
_ASIDE = re.compile(r"\.(.+)\.[0-9a-f]{8}\.former\.tmp")


@dataclass(frozen=True)
class Source:
    """A catalogue that can be opened. file: what its content is in (for BEIR, the corpus file of `path`). known:
    whether `name` finds it again; else `path` does."""

    name: str
    path: Path
    loader: str
    known: bool = True

    @property
    def file(self) -> Path:
        return beir.part(self.path, "corpus.jsonl") if self.loader == "beir" else self.path


def bundled() -> Path:
    return paths.data_dir() / "movies.json"


def imported() -> dict[str, Path]:
    """Imported catalogues by name. What a killed import left has a name that begins with a dot, and is none of them.

    But one killed between its two renames had moved the former catalogue aside: that is used where it stands.
    """
    try:
        home = paths.imported_dir()
    except UsageError:  # no home, so nothing was imported
        return {}
    try:
        there = [folder for folder in home.iterdir() if _is_catalogue(folder)]
    except (FileNotFoundError, NotADirectoryError):
        there = []
    except OSError as error:
        raise DataError(f"{home} cannot be read ({error.strerror})", "check its permissions") from error
    aside = {match[1]: folder for folder in there if (match := _ASIDE.fullmatch(folder.name))}
    own = {folder.name: folder for folder in there if folder.name[0] != "."}
    return dict(sorted({**aside, **own}.items()))


def _is_catalogue(folder: Path) -> bool:
    """One that we may not look into is one: whoever opens it says so, and nobody else is kept from anything."""
    try:
        return (folder / ORIGIN).is_file()
    except PermissionError:
        return True


def locate(dataset: str) -> Source:
    """A name (bundled or imported) or a path. A name wins over a file of the same name; write ./movies for the file."""
    if dataset == DEFAULT_DATASET:
        return Source(DEFAULT_DATASET, bundled(), "lessons")
    known = imported()
    if dataset in known:
        return Source(dataset, *_imported_source(known[dataset]))
    path = as_path(dataset)
    if not path.exists():
        names = ", ".join([DEFAULT_DATASET, *known])
        raise DataError(f'"{dataset[:200]}" is no known catalogue and no file', f"known: {names}; a path works as well")
    # A path's name is the file's whole name, so that no other film catalogue passes for the bundled "movies".
    name = path.name if path.name not in (DEFAULT_DATASET, *known) else f"./{path.name}"
    return Source(name, path, detect(path), known=False)


def origin(folder: Path) -> dict[str, Any]:
    """What was written down when a catalogue was imported: loader, documents, from, imported."""
    file = folder / ORIGIN
    try:
        found = parsed(file.read_bytes())
        return {"loader": str(found["loader"]), "documents": int(found["documents"]), "from": str(found["from"])}
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise DataError(f"{file} cannot be read ({error})", "import the catalogue again with --replace") from error


def _imported_source(folder: Path) -> tuple[Path, str]:
    return (folder, "beir") if origin(folder)["loader"] == "beir" else (folder / "corpus.jsonl", "jsonl")
