"""The project built as it is released, and installed in a virtual environment: nothing is downloaded.

The environment holds the wheel and nothing else; what the wheel requires is lent by the interpreter that runs the
tests, whose site-packages stand behind its own in the path. (An editable install of the clone there does not count: it
works by a .pth file, and those are read in an environment's own folder only.)
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import VARIABLES, Done

USER = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
"""Where a user's folders are told from; XDG's own variables are left out, so that platformdirs' defaults count."""


def built(source: Path, target: str, into: Path) -> Path:
    """The wheel or sdist of a source tree, built by hatchling in a process of its own."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return file


def unpacked(sdist: Path, into: Path) -> Path:
    """The one folder that an sdist holds."""
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (folder,) = into.iterdir()
    return folder


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and a user with a home and an empty working directory."""

    environment: Path
    home: Path
    work: Path

    @property
    def site(self) -> Path:
        return Path(sysconfig.get_path("purelib", "venv", {"base": str(self.environment)}))

    def run(self, program: str, *args: str, **env: str) -> Done:
        """A console command as the user runs it: no variable of ours is set, and no clone is near."""
        script = Path(sysconfig.get_path("scripts", "venv", {"base": str(self.environment)})) / program
        kept = {name: value for name, value in os.environ.items() if name not in VARIABLES and name[:4] != "XDG_"}
        kept |= dict.fromkeys(USER, str(self.home)) | {"COLUMNS": "80"}
        done = subprocess.run([script, *args], cwd=self.work, env=kept | env, capture_output=True, text=True,
                              encoding="utf-8", check=False)  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def places(self) -> dict[str, Path]:
        """What platformdirs says of this user: cache, log, data, config."""
        script = "import platformdirs as p; print(*(getattr(p, f'user_{k}_dir')('strata', appauthor=False) for k in "
        script += "('cache', 'log', 'data', 'config')), sep=chr(10))"
        kept = {name: value for name, value in os.environ.items() if name[:4] != "XDG_"}
        done = subprocess.run([sys.executable, "-c", script], env=kept | dict.fromkeys(USER, str(self.home)),
                              capture_output=True, text=True, check=True)  # fmt: skip
        return dict(zip(("cache", "log", "data", "config"), map(Path, done.stdout.splitlines()), strict=True))


def installed(wheel: Path, into: Path) -> Installed:
    """Install a wheel for a new user. The environment's folder is called as a clone's is, with blanks and accents."""
    one = Installed(into / "my prôject" / "strata", into / "hôme of a user", into / "empty dir")
    for folder in (one.home, one.work):
        folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(one.environment)], check=True)
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (one.site / "lent.pth").write_text("\n".join(sorted(lent)), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "--python", str(one.environment), "install", "--quiet", "--no-deps"]
    more = ["--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([*command, *more], check=True)
    return one


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder with its size and time; what Python itself keeps of modules is left out."""
    stats = {file: file.stat() for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
    return {str(file.relative_to(folder)): (stat.st_size, stat.st_mtime_ns) for file, stat in stats.items()}
