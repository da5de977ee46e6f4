"""Shared by the tests: one cache for the whole session, programs run in this process, small catalogues."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from strata import settings
from strata.pipeline.workspace import Workspace
from strata.shell import execute
from tests.counting import encoders, opened  # noqa: F401 - fixtures
from tests.deep_tide import kept_in  # noqa: F401 - a fixture
from tests.harbour import experiment, films_file, harbour_cache, log_dir, scripted, search  # noqa: F401 - fixtures
from tests.llm_client import client  # noqa: F401 - a fixture
from tests.llm_server import llm_server  # noqa: F401 - a fixture
from tests.outside import odd_films, own_places  # noqa: F401 - fixtures
from tests.seen import describe  # noqa: F401 - a fixture
from tests.site import asked, catalogues, site  # noqa: F401 - fixtures for the tests of fetching
from tests.tiny_clip import clips  # noqa: F401 - a fixture

ROOT = Path(__file__).resolve().parent.parent
DATASETS = ROOT.parent / "shared" / "datasets"

VARIABLES = (
    "STRATA_DATASET", "STRATA_CACHE_DIR", "STRATA_LOG_DIR", "STRATA_MODELS", "STRATA_REPLAY", "STRATA_LLM_BASE_URL",
    "STRATA_LLM_API_KEY", "STRATA_LLM_MODEL", "STRATA_LLM_TIMEOUT", "STRATA_KEEP_RUNS", "GROQ_API_KEY", "GROQ_BASE_URL",
    "GROQ_MODEL", "GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL",
)  # fmt: skip
UNSET = dict.fromkeys(VARIABLES, "")
"""For a process of its own. Empty, not gone: so that a .env file on this machine does not count either."""


@dataclass(frozen=True)
class Done:
    """What a program did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artefacts of the bundled films, built once for all workers of a session (storage's own lock sees to that)."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "strata-cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def films(shared_cache: Path, tmp_path: Path) -> Workspace:
    """A workspace over the bundled films."""
    return Workspace(settings.load("movies", str(shared_cache), str(tmp_path / "logs")))


@pytest.fixture
def cli(shared_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """cli("bm25search horse" as arguments …): runs a program's command line in this process."""

    def run(program: str, *args: str, cache: Path | None = None, logs: Path | None = None) -> Done:
        monkeypatch.setenv("STRATA_CACHE_DIR", str(cache or shared_cache))
        monkeypatch.setenv("STRATA_LOG_DIR", str(logs or tmp_path / "logs"))
        module = importlib.import_module("strata.__main__" if program == "strata" else program)
        capsys.readouterr()
        status = execute(module.app, args)
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return run


@pytest.fixture
def process(shared_cache: Path, tmp_path: Path) -> Run:
    """The same in a process of its own, as a user runs it: python cli/PROGRAM.py ARGS."""

    def run(
        program: str, *args: str, cache: Path | None = None, env: dict[str, str] | None = None, **more: Any
    ) -> Done:
        start = ["-m", "strata"] if program == "strata" else [str(ROOT / "cli" / f"{program}.py")]
        command = [sys.executable, *start, *args]
        surroundings = {
            **os.environ,
            **UNSET,
            "STRATA_CACHE_DIR": str(cache or shared_cache),
            "STRATA_LOG_DIR": str(tmp_path / "logs"),
            **(env or {}),
        }
        done = subprocess.run(
            command, capture_output=True, text=True, env=surroundings, cwd=tmp_path, check=False, **more
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def write_catalogue(path: Path, *documents: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"movies": list(documents)}, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture
def catalogue(tmp_path: Path) -> Callable[..., Path]:
    """catalogue("text", …) or catalogue({"id": …}, …): a lessons' file; texts get ids 1, 2, … and titles T1, T2, …"""

    def make(*entries: str | dict[str, Any], name: str = "small.json") -> Path:
        documents = [
            entry if isinstance(entry, dict) else {"id": i, "title": f"T{i}", "description": entry}
            for i, entry in enumerate(entries, start=1)
        ]
        return write_catalogue(tmp_path / name, *documents)

    return make


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[Path], Workspace]:
    """workspace(path): a workspace over a catalogue, with a cache of its own."""

    def make(path: Path) -> Workspace:
        return Workspace(settings.load(str(path), str(tmp_path / "cache"), str(tmp_path / "logs")))

    return make
