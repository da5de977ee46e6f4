"""What a command loads: the guard of its start-up time. Lists of modules, no timers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, UNSET

HEAVY = {
    "torch", "transformers", "sentence_transformers", "scipy", "sklearn", "pydantic", "httpx", "filelock", "groq",
    "google", "PIL", "huggingface_hub", "platformdirs", "nltk",
}  # fmt: skip
QUERIES = ("cute british bear marmalade", "quokkas axolotls", "up")


def loaded_by(program: str, args: list[str], cache: Path, tmp_path: Path) -> set[str]:
    """The top-level modules in sys.modules when a program has ended, in a process of its own."""
    report = tmp_path / "modules.json"
    script = (
        "import sys, json, runpy\n"
        f"sys.argv = {[program, *args]!r}\n"
        "try:\n"
        f"    runpy.run_path({str(ROOT / 'cli' / (program + '.py'))!r}, run_name='__main__')\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        f"json.dump(sorted({{m.partition('.')[0] for m in sys.modules}}), open({str(report)!r}, 'w'))\n"
    )
    surroundings = {**os.environ, **UNSET, "STRATA_CACHE_DIR": str(cache), "STRATA_LOG_DIR": str(tmp_path / "logs")}
    subprocess.run([sys.executable, "-c", script], env=surroundings, check=True, capture_output=True)
    return set(json.loads(report.read_text(encoding="utf-8")))


@pytest.fixture
def built(shared_cache: Path, films: object) -> Path:
    """The shared cache with everything in it that a search needs."""
    from strata.semantic.chunking import Chunking
    from strata.semantic.units import Cut, Whole

    films.index  # type: ignore[attr-defined]  # noqa: B018 - opening builds
    films.vectors("all-MiniLM-L6-v2", Cut(Chunking()))  # type: ignore[attr-defined]
    films.vectors("all-MiniLM-L6-v2", Whole())  # type: ignore[attr-defined]
    films.encoder("all-MiniLM-L6-v2")  # type: ignore[attr-defined]  # stamps the weights
    return shared_cache


@pytest.mark.parametrize("query", QUERIES)
def test_a_keyword_search_loads_nothing_heavy(built: Path, tmp_path: Path, query: str) -> None:
    loaded = loaded_by("keyword_search_cli", ["bm25search", query], built, tmp_path)
    assert not loaded & (HEAVY | {"rich", "tokenizers", "safetensors"})


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("command", ["rrf-search", "trace"])
def test_a_hybrid_search_loads_nothing_heavy(built: Path, tmp_path: Path, query: str, command: str) -> None:
    loaded = loaded_by("hybrid_search_cli", [command, query], built, tmp_path)
    assert not loaded & (HEAVY | {"rich"})


@pytest.mark.parametrize(
    "program",
    [
        "keyword_search_cli",
        "semantic_search_cli",
        "hybrid_search_cli",
        "multimodal_search_cli",
        "describe_image_cli",
        "data_cli",
        "experiment_cli",
    ],
)
def test_help_loads_not_even_numpy(tmp_path: Path, program: str) -> None:
    """cases.md 79: no key, no weights, no catalogue is needed for --help."""
    loaded = loaded_by(program, ["--help"], tmp_path, tmp_path)
    assert not loaded & (HEAVY | {"numpy", "tokenizers", "safetensors"})


def test_the_first_bulk_build_may_load_torch_but_the_next_search_does_not(built: Path, tmp_path: Path) -> None:
    loaded = loaded_by("semantic_search_cli", ["search_chunked", "automobile"], built, tmp_path)
    assert not loaded & HEAVY
