"""Places of any kind: names with anything in them, a working directory or a home that is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Done, Run
from tests.outside import FILMS, raw

ODD = "we ird é🎬 'quo\"te$x;&"


def test_places_may_be_called_anything(tmp_path: Path) -> None:
    """Blanks, accents, an emoji, both quotes and a shell's own signs; all named relative to the working directory."""
    here = tmp_path / ODD
    here.mkdir()
    (here / f"{ODD}.json").write_text(json.dumps({"movies": FILMS}), encoding="utf-8")
    places = ("--cache-dir", f"c {ODD}", "--log-dir", f"l {ODD}")
    search = ("rrf-search", "bear", "--dataset", f"{ODD}.json", *places)
    status, out, err = raw("hybrid_search_cli", *search, cwd=here)
    assert (status, err) == (0, b"") and "1. (2) Łódź ½ 東京 🎬".encode() in out
    _, plan, _ = raw("hybrid_search_cli", *search, "--show-plan", cwd=here)
    (here / f"{ODD}.toml").write_bytes(b"\xef\xbb\xbf" + plan.replace(b"\n", b"\r\n"))
    status, out, _ = raw("hybrid_search_cli", *search, "--config", f"{ODD}.toml", "--json", cwd=here)
    assert status == 0 and json.loads(out)["preset"] == f"{ODD}.toml"
    status, out, err = raw("experiment_cli", "replay", "last", *places, cwd=here)
    assert (status, err) == (0, b"") and b"the same" in out
    assert {file.name for file in here.iterdir()} == {f"{ODD}.json", f"{ODD}.toml", f"c {ODD}", f"l {ODD}"}


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_directory_that_is_gone_matters_only_to_paths_in_it(
    odd_films: Path, own_places: dict[str, str], tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = (
        "import os, sys, runpy\n"
        f"os.rmdir({str(gone)!r})\n"
        "program, sys.argv = sys.argv[1], sys.argv[1:]\n"
        "runpy.run_path(program, run_name='__main__')\n"
    )

    def there(program: str, *args: str) -> tuple[int, str]:
        gone.mkdir(exist_ok=True)
        command = [sys.executable, "-c", script, str(ROOT / "cli" / f"{program}.py"), *args]
        surroundings = {**os.environ, **own_places, "PYTHONSAFEPATH": "1"}
        done = subprocess.run(command, env=surroundings, cwd=gone, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    assert there("keyword_search_cli", "bm25search", "bear", "--dataset", str(odd_films))[0] == 0
    for option in ("--dataset", "--cache-dir", "--config"):
        more = () if option == "--dataset" else ("--dataset", str(odd_films))
        status, said = there("keyword_search_cli", "bm25search", "bear", *more, option, "somewhere.x")
        assert status == 2 and said.startswith("error: ") and "somewhere.x" in said
    status, said = there("keyword_search_cli", "bm25search", "bear", "--dataset", str(odd_films), "--log-dir", "logs")
    assert status == 0 and "was not logged" in said


@pytest.mark.parametrize(
    "name", ["STRATA_CACHE_DIR", "STRATA_LOG_DIR", "STRATA_MODELS", "STRATA_REPLAY", "HF_HUB_CACHE", "HF_HOME"]
)
def test_the_home_of_nobody_is_one_line(cli: Run, odd_films: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    search = ("rrf-search", "bear", "--dataset", str(odd_films), "--no-log", "--encoder", "nobody/nothing")
    places = {"STRATA_CACHE_DIR": "--cache-dir", "STRATA_LOG_DIR": "--log-dir"}
    more = (places[name], "~nobody-of-this-name/x") if name in places else ()
    monkeypatch.setenv(name, "~nobody-of-this-name/x")
    done = cli("hybrid_search_cli", *search, *more)
    assert done.status == 2 and "there is no such home folder; write the path in full" in done.err
    monkeypatch.setenv(name, "")
    replayed = ("rag", "bear", "--dataset", str(odd_films), "--llm", "replay", "--replay", "~nobody-of-this-name/x")
    done = cli("augmented_generation_cli", *replayed)
    assert done.status == 2 and "there is no such home folder" in done.err


NO_HOME = (
    "import os, pwd, runpy, sys\n"
    "os.environ.pop('HOME', None)\n"
    "def unknown(uid): raise KeyError(uid)\n"
    "pwd.getpwuid = unknown\n"  # as in a container that is given a user's number
    "from strata import paths\n"
    "paths.clone = lambda: None\n"
    f"paths.data_dir = lambda: __import__('pathlib').Path({str(ROOT / 'data')!r})\n"
    "sys.argv = sys.argv[1:]\n"
    "runpy.run_path(sys.argv[0], run_name='__main__')\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="there a user's folders are told otherwise")
def test_a_user_without_a_home_is_told_what_to_name(
    odd_films: Path, own_places: dict[str, str], tmp_path: Path
) -> None:
    """An installed package has no place of its own then, and makes none up below the working directory."""
    here = tmp_path / "here"
    here.mkdir()
    command = [sys.executable, "-c", NO_HOME, str(ROOT / "cli" / "hybrid_search_cli.py"), "rrf-search", "bear"]

    def run(*args: str, **env: str) -> Done:
        kept = {name: value for name, value in os.environ.items() if name[:4] != "XDG_"}
        surroundings = {**kept, **env}
        done = subprocess.run(
            [*command, "--dataset", str(odd_films), *args],
            env=surroundings,
            cwd=here,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    done = run()
    assert done.status == 2 and len(done.err.splitlines()) == 1 and "STRATA_CACHE_DIR" in done.err
    done = run(**own_places)
    assert (done.status, done.err) == (0, "") and "1. (2)" in done.out
    assert not list(here.iterdir())
