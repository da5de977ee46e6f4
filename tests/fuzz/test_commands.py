"""Command lines drawn from each program's own options, with odd values: a result or one line, and nothing else.

No network and no key. Whatever names a place to write to stays within the folder of the test.
"""

from __future__ import annotations

import io
import json
import socket
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given

from strata import paths
from strata.pipeline.planfile import preset, to_toml
from strata.shell import execute
from tests.conftest import VARIABLES, write_catalogue
from tests.fuzz.command_lines import app, command_lines
from tests.fuzz.common import bounded, fuzz
from tests.fuzz.drawing import dumped
from tests.fuzz.test_judgements import GOLDEN, POOL, QUERIES, RUN, lines
from tests.harbour import FILMS
from tests.seen import jpeg


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("commands")
    work = home / "work"
    work.mkdir()
    write_catalogue(work / "harbour.json", *FILMS)
    (work / "golden.json").write_bytes(dumped(GOLDEN))
    (work / "pool.jsonl").write_bytes(lines(POOL))
    (work / "run.txt").write_bytes(RUN)
    (work / "queries.jsonl").write_bytes(QUERIES)
    (work / "plan.toml").write_text(to_toml(preset("lessons", "rrf")), encoding="utf-8")
    jpeg(work / "seen.jpg")
    return home


@pytest.fixture
def here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the commands; everything that they keep is beside it."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("STRATA_DATASET", "harbour.json")
    monkeypatch.setenv("STRATA_CACHE_DIR", str(home / "cache"))
    monkeypatch.setenv("STRATA_LOG_DIR", str(home / "logs"))
    monkeypatch.setenv("HF_HUB_CACHE", str(home / "hub"))
    monkeypatch.setattr(paths, "imported_dir", lambda: home / "imported")
    monkeypatch.setattr(paths, "premises_dir", lambda: home / "premises")
    monkeypatch.setattr(paths, "choice_file", lambda: home / "choice.json")
    monkeypatch.chdir(home / "work")

    def refused(*_: Any) -> NoReturn:
        raise ConnectionRefusedError("there is no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    return home / "work"


def ran(program: str, args: list[str]) -> tuple[int, str, str]:
    """(status, stdout, stderr) of a command in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), bounded(20):
        status = execute(app(program), args)
        sys.stdout.flush()
        sys.stderr.flush()
    return status, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


def strict(text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


@fuzz(120)
@given(command_lines())
def test_a_command_line_is_a_result_or_one_line(here: Path, line: tuple[str, list[str]]) -> None:
    program, args = line
    status, out, err = ran(program, args)
    assert status in (0, 1, 2, 3)
    assert "Traceback" not in err and "Traceback" not in out
    told = err.split("\n")
    errors = [one for one in told if one.startswith(("error:", '{"error"'))]
    assert len(errors) == (1 if status == 2 else len(errors)) and len(errors) <= 1, err
    assert all(one == "" or one.startswith(("error:", '{"error"', "note:")) for one in told), err
    if "--json" in args and out[:1] in ("{", "["):  # "--json" may also have become another option's value
        for one in out.splitlines() if out.count("\n") > 1 else [out]:
            strict(one)
    else:
        assert not [c for c in out + err if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"], out + err
    there = {path.name for path in here.parent.iterdir()}
    assert there <= {"work", "cache", "logs", "imported", "premises", "choice.json", "hub"}, there
