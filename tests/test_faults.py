"""Real processes that are killed, race, or meet a cache that is damaged, read-only or full of rubbish."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from strata.storage import damage
from tests.conftest import ROOT, VARIABLES, Done, Run

STEPS = 20


def start(cache: Path, *args: str, pause: str = "") -> subprocess.Popen[str]:
    """A hybrid search over a catalogue. pause: the process stops for good before its pause-th fsync, rename or replace;
    without one it says on stderr how many there were: WRITES n."""
    stop = (
        "import atexit, os, signal, sys, time, pathlib\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where tests run in the background
        f"left = [{pause or -1}]\n"
        "atexit.register(lambda: print('WRITES', -1 - left[0], file=sys.stderr))\n"
        "def counted(real):\n"
        "    def call(*a, **k):\n"
        "        left[0] -= 1\n"
        "        if left[0] == 0:\n"
        "            print('STOPPED', flush=True)\n"
        "            time.sleep(60)\n"
        "        return real(*a, **k)\n"
        "    return call\n"
        "os.fsync = counted(os.fsync)\n"
        "pathlib.Path.rename = counted(pathlib.Path.rename)\n"
        "pathlib.Path.replace = counted(pathlib.Path.replace)\n"
        f"sys.argv = {['hybrid_search_cli', *args]!r}\n"
        "import runpy\n"
        f"runpy.run_path({str(ROOT / 'cli' / 'hybrid_search_cli.py')!r}, run_name='__main__')\n"
    )
    surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    surroundings |= {"STRATA_CACHE_DIR": str(cache), "STRATA_LOG_DIR": str(cache / "logs"), "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", stop], env=surroundings, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finished(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)


@pytest.fixture
def zoo(catalogue: Callable[..., Path]) -> Path:
    words = ("bear", "fox", "horse", "marmalade", "london", "train", "jungle", "river", "night")
    rng = random.Random(7)
    return catalogue(*(" ".join(rng.choices(words, k=12)) + "." for _ in range(12)), name="zoo.json")


def search(zoo: Path) -> tuple[str, ...]:
    return ("rrf-search", "bear in the jungle", "--json", "--no-log", "--dataset", str(zoo))


@pytest.fixture
def clean_results(zoo: Path, tmp_path: Path) -> str:
    done = finished(start(tmp_path / "clean", *search(zoo)))
    assert done.status == 0, done.err
    return json.dumps(done.json["results"])


def sound(cache: Path) -> bool:
    folders = [m.parent for m in cache.glob("*/*/manifest.json") if not m.parent.name.endswith(".tmp")]
    return all(damage(folder, verify=True) == "" for folder in folders)


def test_a_build_killed_at_any_write_step_leaves_the_next_run_right(zoo: Path, tmp_path: Path) -> None:
    """20 SIGKILLs spread over every write step of a build; the rubbish of each is left for the next to deal with."""
    clean = finished(start(tmp_path / "clean", *search(zoo)))
    writes = int(clean.err.split("WRITES")[1])
    assert writes > STEPS
    cache = tmp_path / "killed"
    for i in range(STEPS):
        for folder in ("documents", "keyword_index", "chunk_vectors"):
            for manifest in (cache / folder).glob("*/manifest.json"):
                manifest.unlink()  # so that the next build starts from nothing, beside all that was left
        shutil.rmtree(cache / "history", ignore_errors=True)
        process = start(cache, *search(zoo), pause=str(1 + i * writes // STEPS))
        assert process.stdout and "STOPPED" in process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=120)
        assert sound(cache)
        if i % 5 == 4:
            done = finished(start(cache, *search(zoo)))
            assert done.status == 0, done.err
            assert done.json["results"] == clean.json["results"]
    for manifest in cache.glob("*/*/manifest.json"):
        manifest.unlink()
    assert finished(start(cache, *search(zoo))).status == 0
    assert not [left for left in cache.glob("*/*.tmp") if left.is_dir()], "the next build sweeps what was half built"


def test_two_builders_at_once_both_answer_and_leave_one_sound_artefact(
    zoo: Path, tmp_path: Path, clean_results: str
) -> None:
    """cases.md 43."""
    cache = tmp_path / "raced"
    done = [finished(p) for p in [start(cache, *search(zoo)) for _ in range(3)]]
    assert [d.status for d in done] == [0, 0, 0], [d.err for d in done]
    assert {json.dumps(d.json["results"]) for d in done} == {clean_results}
    assert sound(cache)
    assert all(
        len(list((cache / kind).glob("*/manifest.json"))) == 1
        for kind in ("documents", "keyword_index", "chunk_vectors")
    )


def test_altered_and_truncated_files_never_change_an_answer(
    zoo: Path, tmp_path: Path, cli: Run, clean_results: str
) -> None:
    """50 corruptions: a byte flipped or the end cut off, anywhere in the cache."""
    cache = tmp_path / "altered"
    args = search(zoo)
    cli("hybrid_search_cli", *args, cache=cache)
    rng = random.Random(11)
    announced = 0
    for round_ in range(50):
        files = sorted(p for p in cache.rglob("*") if p.is_file() and p.suffix != ".lock" and "stamps" not in p.parts)
        file = rng.choice(files)
        data = bytearray(file.read_bytes())
        if round_ % 2 and data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            del data[rng.randrange(len(data) + 1) :]
        file.write_bytes(bytes(data))
        done = cli("hybrid_search_cli", *args, cache=cache)
        assert done.status == 0, (file, done.err)
        assert json.dumps(done.json["results"]) == clean_results, file
        announced += "built again" in done.err
    assert announced > 20


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="drops root's rights with setuid, so that modes count")
def test_read_only_and_unreadable_caches_are_one_clear_line(zoo: Path, tmp_path: Path, cli: Run) -> None:
    """Run as nobody: root may write anywhere."""
    cache = tmp_path / "cache"
    cli("keyword_search_cli", "bm25search", "bear", "--dataset", str(zoo), "--no-log", cache=cache)
    command = [sys.executable, str(ROOT / "cli" / "keyword_search_cli.py"), "bm25search", "bear", "--dataset", str(zoo)]

    def as_nobody(*more: str) -> Done:
        # The first search, still as root and elsewhere, loads every module: nobody may not be able to read Python's.
        script = (
            "import os, sys, filelock\n"
            "from strata.shell import execute; import keyword_search_cli as k\n"
            f"execute(k.app, {[*command[2:], '--no-log', '--cache-dir', str(tmp_path / 'warm')]!r})\n"
            "print('AS NOBODY', flush=True); print('AS NOBODY', file=sys.stderr, flush=True)\n"
            "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            f"sys.exit(execute(k.app, {[*command[2:], *more]!r}))\n"
        )
        surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        surroundings |= {"STRATA_CACHE_DIR": str(cache), "STRATA_LOG_DIR": str(cache)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=surroundings, capture_output=True, text=True, check=False
        )
        return Done(done.returncode, *(text.partition("AS NOBODY\n")[2] for text in (done.stdout, done.stderr)))

    for path in [tmp_path, *tmp_path.parents]:
        if path.stat().st_uid == 0 and path != path.parent and "pytest" in str(path):
            path.chmod(0o755)
    for path in [zoo, cache, *cache.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    done = as_nobody()
    assert done.status == 0 and "T" in done.out, done.err
    assert "not logged" in done.err, "a search is not lost because its log cannot be written"
    shutil_target = next((cache / "keyword_index").glob("*/manifest.json")).parent
    for file in [*shutil_target.iterdir()]:
        file.chmod(0o000)
    done = as_nobody("--no-log")
    assert done.status == 2 and len(done.err.splitlines()) == 1 and "cannot be read" in done.err
    for file in [*shutil_target.iterdir()]:
        file.chmod(0o444)
    done = as_nobody("--no-log", "--cache-dir", str(tmp_path / "cache" / "nowhere"))
    assert done.status == 2 and len(done.err.splitlines()) == 1
    assert "cannot be written" in done.err and "--cache-dir" in done.err


def test_ctrl_c_ends_with_130_and_no_traceback(zoo: Path, tmp_path: Path) -> None:
    process = start(tmp_path / "stopped", *search(zoo), pause="4")
    line = process.stdout.readline() if process.stdout else ""
    assert "STOPPED" in line
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    done = finished(process)
    assert done.status == 130 and "Traceback" not in done.err
    assert not list((tmp_path / "stopped").glob("*/*.tmp"))


def test_a_reader_that_goes_away_is_no_error(process: Run, tmp_path: Path, shared_cache: Path) -> None:
    """bm25search … | head -1"""
    command = f"{sys.executable} {ROOT / 'cli' / 'keyword_search_cli.py'} bm25search bear --limit 500 | head -1"
    surroundings = {**os.environ, "STRATA_CACHE_DIR": str(shared_cache), "STRATA_LOG_DIR": str(tmp_path)}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=surroundings, check=False)
    assert done.stderr == "" and done.stdout.startswith("keyword (")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_an_output_that_lacks_a_sign_is_no_traceback(process: Run, encoding: str) -> None:
    surroundings = {"PYTHONIOENCODING": encoding}
    done = process("hybrid_search_cli", "rrf-search", "amelie", "--limit", "1", env=surroundings, encoding=encoding)
    assert done.status == 0 and "Traceback" not in done.err
