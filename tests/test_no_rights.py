"""Places that others may not look into: a locked working directory, model folder, hub cache, or place for results.

Run as nobody, since root may look everywhere: the process loads what it needs, then gives up its rights for good.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.outside import open_to_all

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="drops root's rights with setuid")

SCRIPT = """
import contextlib, importlib, io, json, os, sys, traceback
sys.path.insert(0, {cli!r})
cases, warm = json.loads(sys.argv[1]), sys.argv[2]
from strata.shell import execute
apps = {{name: importlib.import_module(name).app for name, *_ in cases}}

def run(program, *args):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = execute(apps[program], args)
        except BaseException:
            status = traceback.format_exc()
    return status, out.getvalue(), err.getvalue()

for program, *args in cases:  # as root, and elsewhere: nobody may not be able to read Python's own files
    run(program, *args, "--cache-dir", warm, "--log-dir", warm)
os.chdir({locked!r})
os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(json.dumps([run(*case) for case in cases]))
"""


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A folder that only root may look into, with a catalogue, a plan and a model's place in it."""
    folder = tmp_path / "locked"
    (folder / "hub" / "models--nobody--nothing" / "refs").mkdir(parents=True)
    (folder / "plan.toml").write_text('[[retrieve]]\nlayer = "bm25"\n', encoding="utf-8")
    (folder / ".env").write_text("STRATA_KEEP_RUNS=5\n", encoding="utf-8")
    folder.chmod(0o700)
    return folder


def as_nobody(locked: Path, tmp_path: Path, *cases: tuple[str, ...], **env: str) -> list[tuple[Any, str, str]]:
    script = SCRIPT.format(cli=str(ROOT / "cli"), locked=str(locked))
    surroundings = {**os.environ, "STRATA_CACHE_DIR": str(tmp_path / "cache"), "STRATA_LOG_DIR": str(tmp_path / "logs")}
    command = [sys.executable, "-c", script, json.dumps(cases), str(tmp_path / "warm")]
    done = subprocess.run(command, env=surroundings | env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [tuple(found) for found in json.loads(done.stdout)]


def test_a_search_needs_neither_the_working_directory_nor_a_hubs_cache(
    odd_films: Path, locked: Path, tmp_path: Path
) -> None:
    """Containers run commands in root's folder, beside a cache of the hub that root filled."""
    open_to_all(tmp_path, odd_films)
    given = ("--dataset", str(odd_films))
    keyword, hybrid, named, reranked, doctor = as_nobody(
        locked, tmp_path,
        ("keyword_search_cli", "bm25search", "bear", *given),
        ("hybrid_search_cli", "rrf-search", "bear", *given),
        ("hybrid_search_cli", "rrf-search", "bear", "--encoder", "nobody/nothing", *given),
        ("hybrid_search_cli", "rrf-search", "bear", "--rerank", "cross_encoder", "--cross-encoder", "nobody/x", *given),
        ("strata.__main__", "doctor", "--json"),
        HF_HOME=str(locked), STRATA_MODELS=str(locked),
    )  # fmt: skip
    assert keyword[0] == 0 and "1. (2)" in keyword[1] and keyword[2] == ""
    assert hybrid[0] == 0 and "1. (2)" in hybrid[1] and hybrid[2] == ""
    assert named[0] == 2 and "may not be read" in named[2] and len(named[2].splitlines()) == 1
    assert reranked[0] == 0 and "rerank failed" in reranked[2] and "1. (2)" in reranked[1]
    assert doctor[0] == 0 and json.loads(doctor[1])["encoders"][0]["state"] == "ready"


def test_what_is_named_and_locked_is_one_line(odd_films: Path, locked: Path, tmp_path: Path) -> None:
    open_to_all(tmp_path, odd_films)
    search = ("hybrid_search_cli", "rrf-search", "bear", "--dataset")
    cases = {
        "dataset": (*search, "films.json"),
        "config": (*search, str(odd_films), "--config", "plan.toml"),
        "cache": (*search, str(odd_films), "--cache-dir", "cache"),
        "encoder": (*search, str(odd_films), "--encoder", "model/here"),
        "replay": ("augmented_generation_cli", "rag", "bear", "--dataset", str(odd_films), "--llm", "replay",
                   "--replay", str(locked / "replies")),
        "golden": ("evaluation_cli", "check", "--dataset", str(odd_films), "--golden", "golden.json"),
        "logs": ("experiment_cli", "list", "--log-dir", str(locked / "logs")),
        "import": ("data_cli", "import", "films.json"),
    }  # fmt: skip
    for name, (status, out, err) in zip(cases, as_nobody(locked, tmp_path, *cases.values()), strict=True):
        assert status in (2, 3), (name, status)
        assert out == "" and err.startswith("error: ") and len(err.splitlines()) == 1, (name, out, err)


def test_results_outlive_a_log_that_cannot_be_written(odd_films: Path, locked: Path, tmp_path: Path) -> None:
    open_to_all(tmp_path, odd_films)
    search = ("keyword_search_cli", "bm25search", "bear", "--dataset", str(odd_films), "--log-dir")
    found, told = as_nobody(
        locked, tmp_path, (*search, "logs"), ("strata.__main__", "doctor", "--cache-dir", str(locked / "c"), "--json")
    )
    assert found[0] == 0 and "1. (2)" in found[1] and "was not logged" in found[2] and "Permission denied" in found[2]
    assert told[0] == 0 and "cannot be read (Permission denied)" in json.loads(told[1])["artefacts"][0]["state"]
