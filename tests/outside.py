"""Programs in processes of their own, their output as bytes; a catalogue with letters of many kinds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILMS = (
    {"id": 1, "title": "Amélie", "description": "A shy waitress at a café in Montmartre – “très” shy."},
    {"id": 2, "title": "Łódź ½ 東京 🎬", "description": "Œuvre d’art: a bear in the wood."},
)


@pytest.fixture
def odd_films(catalogue: Callable[..., Path]) -> Path:
    return catalogue(*FILMS)


@pytest.fixture
def own_places(tmp_path: Path) -> dict[str, str]:
    """Variables for a cache and a log folder of the test's own."""
    return {"STRATA_CACHE_DIR": str(tmp_path / "cache"), "STRATA_LOG_DIR": str(tmp_path / "logs")}


def raw(program: str, *args: str | bytes, env: dict[str, str] | None = None, **more: Any) -> tuple[int, bytes, bytes]:
    """Exit status, stdout, stderr. The test's own surroundings hold (conftest empties our variables), `env` on top."""
    start = ["-m", "strata"] if program == "strata" else [str(ROOT / "cli" / f"{program}.py")]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    done = subprocess.run([sys.executable, *start, *args], env={**os.environ, **(env or {})}, check=False, **more)
    return done.returncode, done.stdout or b"", done.stderr or b""


def open_to_all(folder: Path, *files: Path) -> None:
    """Let a process without rights use a test's folder, which pytest makes for its own user only."""
    for path in [folder, *folder.parents]:
        if path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o077 == 0:
            path.chmod(0o755)
    folder.chmod(0o777)
    for file in files:
        file.chmod(0o644)
