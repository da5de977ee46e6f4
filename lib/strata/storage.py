"""Artefacts on disk: folders of plain `.npy` and `.json` files, published whole or not at all.

An artefact is named by the fingerprint of what it was made from. It is written to a temporary folder,
fsynced and renamed, under a lock, so that a reader never meets half of one and two builders never race.
What does not match its manifest is a miss that is announced and rebuilt. Nothing is ever unpickled.

Every open checks the manifest and all sizes. Checksums are computed again only where a file's size,
modification time or inode differs from the stamp of the last full check (or when `verify` is asked for).
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from strata.errors import ArtefactError
from strata.files import (
    dumped,
    explained,
    file_digest,
    fingerprint,
    fsync,
    is_folder,
    locked,
    mapped,
    parsed,
    put_in_place,
    sealed,
    stamp_of,
    write_atomically,
)
from strata.telling import Note

if TYPE_CHECKING:
    import numpy as np

FORMAT = 1


@dataclass(frozen=True)
class Artefact:
    """An opened artefact: its folder, the facts its builder left in the manifest, and whether it was built just now."""

    path: Path
    facts: dict[str, Any]
    fresh: bool = False

    def array(self, name: str) -> np.ndarray:
        """A memory-mapped array, as a plain read-only ndarray (indexing a np.memmap is slower)."""
        file = self.path / f"{name}.npy"
        with _there(file):
            return mapped(file)

    def bytes(self, name: str) -> bytes:
        file = self.path / name
        with _there(file):
            return file.read_bytes()


@contextmanager
def _there(file: Path) -> Iterator[None]:
    """An artefact that another process removed after it was opened here becomes one line."""
    try:
        yield
    except FileNotFoundError as error:
        raise ArtefactError(
            f"{file} was removed while it was in use: its catalogue has changed", "run the command again"
        ) from error


def artefact_folder(cache: Path, kind: str, made_from: Mapping[str, Any]) -> Path:
    return cache / kind / fingerprint({"format": FORMAT, "kind": kind, **made_from})


def artefact_folders(cache: Path, kind: str = "*") -> list[Path]:
    """The published artefacts of a kind, or of all, whether sound or not; what killed builders left is none of them."""
    manifests = sorted(cache.glob(f"{kind}/*/manifest.json"))
    return [manifest.parent for manifest in manifests if not manifest.parent.name.endswith(".tmp")]


def recipe(folder: Path) -> dict[str, Any]:
    """What an artefact says that it was made from; {} where that cannot be read (it was removed, or is damaged)."""
    try:
        found = parsed((folder / "manifest.json").read_bytes())["made_from"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def open_artefact(
    cache: Path, kind: str, made_from: Mapping[str, Any], note: Note, *, verify: bool = False
) -> Artefact | None:
    """The artefact made from exactly this, or None. One that is damaged is announced and counts as missing."""
    folder = artefact_folder(cache, kind, made_from)
    if not is_folder(folder):
        return None
    why = damage(folder, verify=verify)
    if why:
        note(f"{kind} artefact {folder.name[:8]} {why}: it is built again")
        return None
    try:
        return Artefact(folder, parsed((folder / "manifest.json").read_bytes())["facts"])
    except FileNotFoundError:  # removed by another process just now
        return None


def damage(folder: Path, *, verify: bool) -> str:
    """What is wrong with an artefact's folder, in words that follow its name; empty when it is sound."""
    try:
        manifest = parsed((folder / "manifest.json").read_bytes())
        files: dict[str, dict[str, Any]] = manifest["files"]
        if manifest["format"] != FORMAT:
            return f"has format {manifest['format']}, not {FORMAT}"
        if manifest["facts_digest"] != fingerprint([manifest["facts"], files]):
            return "has an altered manifest"
        if folder != artefact_folder(folder.parent.parent, folder.parent.name, manifest["made_from"]):
            return "is another than its name says"
        stamps = _read_stamps(folder)
        stale = False
        for name, entry in files.items():
            stamp = stamp_of(folder / name)
            if stamp[0] != entry["bytes"]:
                return f"has {stamp[0]} bytes in {name} instead of {entry['bytes']}"
            if verify or stamps.get(name) != stamp:
                stale = True
                if file_digest(folder / name) != entry["sha256"]:
                    # Nobody may trust the stamps any more: whoever opens it next finds the same, and builds it again.
                    with suppress(OSError):
                        (folder / "stamps.json").unlink(missing_ok=True)
                    return f"has altered content in {name}"
        if stale:
            _write_stamps(folder, files)
    except PermissionError as error:
        raise ArtefactError(f"{error.filename} cannot be read ({error.strerror})", "check its permissions") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"cannot be read ({type(error).__name__})"
    return ""


def _read_stamps(folder: Path) -> dict[str, list[int]]:
    try:
        stamps = parsed((folder / "stamps.json").read_bytes())
        return stamps if isinstance(stamps, dict) else {}
    except (OSError, ValueError):
        return {}


def _write_stamps(folder: Path, names: Mapping[str, Any]) -> None:
    """Remember that these files were found whole. Failing to (a read-only cache) costs time, nothing else."""
    with suppress(OSError, ArtefactError):
        write_atomically(folder / "stamps.json", json.dumps({n: stamp_of(folder / n) for n in names}).encode())


def ensure(
    cache: Path, kind: str, made_from: Mapping[str, Any], fill: Callable[[Path], dict[str, Any]], note: Note
) -> Artefact:
    """Open the artefact made from exactly this, building it first when it is missing or damaged.

    fill: writes the files into the folder it is given and returns the facts for the manifest.
    """
    found = open_artefact(cache, kind, made_from, note)
    if found:
        return found
    folder = artefact_folder(cache, kind, made_from)
    with locked(cache / kind / f"{folder.name}.lock"):
        found = open_artefact(cache, kind, made_from, lambda _: None)  # another process may have built it meanwhile
        if found:
            return found
        with explained(folder):
            _sweep(folder)
            temporary = folder.with_name(f"{folder.name}.{uuid4().hex[:8]}.tmp")
            try:
                temporary.mkdir(parents=True)
                facts = fill(temporary)
                _seal(temporary, kind, made_from, facts)
                # A reader between its two renames finds nothing, asks for the lock, and then finds the new one.
                put_in_place(temporary, folder)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    return Artefact(folder, facts, fresh=True)


def _seal(folder: Path, kind: str, made_from: Mapping[str, Any], facts: dict[str, Any]) -> None:
    """Write the manifest and stamps last, and push everything to the disk."""
    files = {file.name: sealed(file) for file in sorted(folder.iterdir())}
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "made_from": dict(made_from),
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "facts": facts,
        "files": files,
        "facts_digest": fingerprint([facts, files]),
    }
    write_atomically(folder / "manifest.json", dumped(manifest, indent=1).encode(), durable=True)
    _write_stamps(folder, files)
    fsync(folder)


def _sweep(folder: Path) -> None:
    """Remove what killed builders of this artefact left behind; the lock is held, so nobody is writing there."""
    for left in folder.parent.glob(f"{folder.name}.*.tmp"):
        shutil.rmtree(left, ignore_errors=True)
