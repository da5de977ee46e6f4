"""From the name or path of a dataset to the file that holds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from strata import paths
from strata.core.load import beir, detect
from strata.errors import DataError
from strata.settings import DEFAULT_DATASET

ORIGIN = "origin.json"


@dataclass(frozen=True)
class Source:
    """A catalogue that can be opened. file: what its content is in (for BEIR, the corpus file of `path`)."""

    name: str
    path: Path
    loader: str

    @property
    def file(self) -> Path:
        return beir.part(self.path, "corpus.jsonl") if self.loader == "beir" else self.path


def bundled() -> Path:
    return paths.data_dir() / "movies.json"


def imported() -> dict[str, Path]:
    """Imported catalogues by name."""
    home = paths.imported_dir()
    found = sorted(home.iterdir()) if home.is_dir() else []
    return {folder.name: folder for folder in found if (folder / ORIGIN).is_file()}


def locate(dataset: str) -> Source:
    """A name (bundled or imported) or a path. A name wins over a file of the same name; write ./movies for the file."""
    if dataset == DEFAULT_DATASET:
        return Source(DEFAULT_DATASET, bundled(), "lessons")
    known = imported()
    if dataset in known:
        return Source(dataset, *_imported_source(known[dataset]))
    path = Path(dataset).expanduser()
    if not path.exists():
        names = ", ".join([DEFAULT_DATASET, *known])
        raise DataError(f'"{dataset}" is no known catalogue and no file', f"known: {names}; a path works as well")
    path = path.resolve()
    return Source(path.name if path.is_dir() else path.name.split(".")[0] or path.name, path, detect(path))


def _imported_source(folder: Path) -> tuple[Path, str]:
    try:
        loader = str(json.loads((folder / ORIGIN).read_text(encoding="utf-8"))["loader"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder / ORIGIN} cannot be read ({error})", "import the catalogue again") from error
    return (folder, "beir") if loader == "beir" else (folder / "corpus.jsonl", "jsonl")
