"""A catalogue of six films, searches over it that leave logs, and experiment_cli on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from strata.llm import opening
from strata.llm.scripted import Scripted

if TYPE_CHECKING:
    from tests.conftest import Done, Run

FILMS: tuple[dict[str, Any], ...] = (
    {"id": 1, "title": "Harbour Lights", "description": "A fisherman mends a net. The harbour is quiet.", "year": 1990},
    {"id": 2, "title": "The Long Net", "description": "A goalkeeper dreams of a net without holes.", "year": 2001},
    {"id": 3, "title": "Winter Harbour", "description": "Ice closes the harbour and a ship waits.", "year": 1975},
    {"id": "x4", "title": "Baker Street", "description": "A baker wakes before dawn and bakes bread.", "year": 2010},
    {"id": 5, "title": "Ship of Bread", "description": "A ship carries flour and bread to a harbour.", "year": 2015},
    {"id": 6, "title": "Night Train", "description": "A conductor counts passengers on a night train.", "year": 1960},
)
ESCAPE = "\x1b[31mred\x07"
Search = Callable[..., dict[str, Any]]


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def films_file(tmp_path: Path) -> Path:
    from tests.conftest import write_catalogue  # which imports this module

    return write_catalogue(tmp_path / "harbour.json", *FILMS)


@pytest.fixture(scope="session")
def harbour_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artefacts of the small catalogue: its path differs from test to test, its content does not."""
    return tmp_path_factory.mktemp("harbour-cache")


@pytest.fixture
def search(cli: Run, films_file: Path, log_dir: Path, harbour_cache: Path) -> Search:
    """search("rrf-search", "a query", options …): the log that the run left."""

    def run(command: str, *args: str) -> dict[str, Any]:
        before = set(log_dir.glob("*.json"))
        program = {"bm25search": "keyword_search_cli", "similar": "semantic_search_cli",
                   "citations": "augmented_generation_cli"}.get(command, "hybrid_search_cli")  # fmt: skip
        done = cli(program, command, *args, "--dataset", str(films_file), cache=harbour_cache)
        assert done.status == 0, done.err
        (path,) = set(log_dir.glob("*.json")) - before
        return read(path)

    return run


@pytest.fixture
def experiment(cli: Run, harbour_cache: Path) -> Run:
    def run(*args: str) -> Done:
        done = cli("experiment_cli", *args, cache=harbour_cache)
        assert "Traceback" not in done.err
        return done

    return run


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """scripted("a reply", …): every command asks a model that gives these replies."""

    def script(*replies: Any) -> Scripted:
        model = Scripted(*replies, provider="groq", model="a-model")
        monkeypatch.setattr(opening, "_provider", lambda *_: model)
        return model

    return script


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def rewrite(log_dir: Path, log: dict[str, Any], **changes: Any) -> str:
    """Put an edited log in place; its id."""
    (log_dir / f"{log['run_id']}.json").write_text(json.dumps({**log, **changes}), encoding="utf-8")
    return str(log["run_id"])
