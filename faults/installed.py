"""The package and the programs as a wheel installs them, and everything that they import, in this process.

The folder is readable for everybody, so that a process without rights finds the package; Python's own files may not be,
so whatever the commands import is imported here, once a first round of them has told what that is.
"""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from faults.films import films, lesson

ROOT = Path(__file__).resolve().parent.parent


def install(site: Path, clone: Path) -> None:
    """lib/strata with its data beside it, and cli/*.py, in one folder; a small catalogue is the bundled one."""
    package = site / "strata"
    shutil.copytree(clone / "lib" / "strata", package)
    for program in (clone / "cli").glob("*.py"):
        shutil.copy2(program, site / program.name)
    data = package / "_data"
    data.mkdir()
    (data / "movies.json").write_bytes(lesson(films(5)))
    shutil.copy2(clone / "data" / "stopwords.txt", data)
    for path in [site, *site.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def import_all(site: Path) -> None:
    """Import the package there and what it uses, once; the programs import nothing more then."""
    sys.path.insert(0, str(site))
    package = importlib.import_module("strata")
    assert Path(package.__file__ or "").parent == site / "strata", "another strata was imported before"
    for found in pkgutil.walk_packages(package.__path__, "strata."):
        if not found.name.endswith(".__main__"):
            importlib.import_module(found.name)
    importlib.import_module("strata.__main__")
    for program in site.glob("*_cli.py"):
        importlib.import_module(program.stem)


def import_these(names: Iterable[str]) -> None:
    """What forked commands imported by themselves, so that the next ones need not."""
    for name in dict.fromkeys(names):
        with suppress(ImportError):  # some try what is not there
            importlib.import_module(name)


def models(folder: Path, *, pictures: bool) -> None:
    """Tiny models of random weights: an encoder, a cross-encoder, and for pictures a CLIP. Torch makes it in a process
    of its own: its threads have no place in one that forks."""
    from tests.tiny_bert import tiny_bert
    from tests.tiny_pairs import tiny_cross_encoder

    tiny_bert(folder / "encoder")
    tiny_cross_encoder(folder / "pairs")
    if pictures:
        script = (
            "import sys; from pathlib import Path; from tests.tiny_clip import tiny_clip; tiny_clip(Path(sys.argv[1]))"
        )
        subprocess.run([sys.executable, "-c", script, str(folder / "clip")], cwd=ROOT, check=True)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
