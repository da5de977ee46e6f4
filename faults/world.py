"""One trial's folder: all that the programs read and write lies in it, at a path that is the same in every trial.

    films.json …         a user's own files (films.py)
    cache/ logs/         artefacts; run logs
    data/ config/        imported catalogues and premises; what `data_cli use` chose
    out/                 what evaluations are asked to write

Run logs and histories hold paths, so a trial is laid out where the template was made. It is linked, not copied, which
keeps sizes, times and inodes as their stamps say: nothing of Strata writes into a file that is there, and the template
is held against its digest at the end, to see that this is so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from faults.films import inputs

LONG_AGO = 1_700_000_000
"""Seconds since 1970: a file this old is trusted by its stamp."""
START = ("cold", "edited", "full")
"""How a trial begins: without a cache; with one, and a catalogue that was edited since; with one that fits."""


@dataclass(frozen=True)
class Places:
    """base: the run's folder. site: the package and the programs as a wheel installs them. models: two tiny models."""

    base: Path
    site: Path
    models: Path
    url: str = ""

    @property
    def encoder(self) -> str:
        return str(self.models / "encoder")

    @property
    def pairs(self) -> str:
        return str(self.models / "pairs")

    @property
    def clip(self) -> Path:
        """There only where pictures are wanted."""
        return self.models / "clip"

    @property
    def template(self) -> Path:
        return self.base / "template"

    @property
    def world(self) -> Path:
        return self.base / "world"

    @property
    def environment(self) -> dict[str, str]:
        """Everything that a command's surroundings say. Nothing of this machine's own gets in but PATH."""
        world = self.world
        own = {
            "STRATA_CACHE_DIR": world / "cache", "STRATA_LOG_DIR": world / "logs", "HOME": world,
            "XDG_DATA_HOME": world / "data", "XDG_CONFIG_HOME": world / "config", "PYTHONPATH": self.site,
        }  # fmt: skip
        return {
            **{name: str(path) for name, path in own.items()},
            "PATH": os.environ.get("PATH", ""), "COLUMNS": "80", "LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1",
            "STRATA_LLM_BASE_URL": f"{self.url}/v1", "STRATA_LLM_MODEL": "scripted", "TOKENIZERS_PARALLELISM": "false",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLCONFIGDIR": str(self.base / "matplotlib"),
        }  # fmt: skip


def empty(places: Places) -> Path:
    """A world with a user's own files and nothing else, in place of whatever is there."""
    world = places.world
    clear(world)
    for name in ("cache", "logs", "data", "config", "out"):
        (world / name).mkdir(parents=True)
    for name, data in inputs(places.encoder).items():
        (world / name).write_bytes(data)
        os.utime(world / name, (LONG_AGO, LONG_AGO))
    return world


def lay_out(places: Places, start: str, without: tuple[str, ...] = (), *, linked: bool = True) -> Path:
    """The world as a trial begins with it. without: patterns of what is not there. linked: False for copies, where
    modes will be changed or another disk is written to."""
    world = places.world
    if not world.is_mount():
        clear(world)
    shutil.copytree(places.template, world, copy_function=os.link if linked else shutil.copy2, dirs_exist_ok=True)
    if start == "cold":
        shutil.rmtree(world / "cache")
        (world / "cache").mkdir()
    if start == "edited":
        (world / "films.json").unlink()
        (world / "edited.json").rename(world / "films.json")
    for pattern in without:
        for path in sorted(world.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return world


def own(path: Path) -> Path:
    """The same file, no longer linked with the template's: it may be written into."""
    if path.stat().st_nlink > 1:
        copy = path.with_name(f"{path.name}.own")
        shutil.copy2(path, copy)
        copy.replace(path)
    return path


def clear(folder: Path) -> None:
    """Remove a folder, whatever modes were left in it."""
    if folder.is_dir():
        open_up(folder)
        shutil.rmtree(folder)


def open_up(folder: Path) -> None:
    """Give back the right to look into a folder and those in it."""
    folder.chmod(0o755)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            open_up(path)


def digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of all files, but for locks: those are opened to be written and stay empty."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.endswith("lock")):
        total.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return total.hexdigest()
