"""A building command on a disk that fills up, at a random page of what it needs; then with room again.

The disk is a small tmpfs over the whole world: mounted here, else in a namespace of this user's own (unshare -rm), else
there is none. Beside it, and where there is none, a limit on the size of a file (RLIMIT_FSIZE) makes writes fail.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from faults.answers import answer, apart, clear_error, wrong
from faults.bench import Bench
from faults.kills import afterwards
from faults.process import run
from faults.strikes import file_limit
from faults.trial import Trial
from faults.world import clear, lay_out

WIDE = 64 * 2**20
PAGE = 4096
MOUNTED, SPACED, LIMITED = "tmpfs, mounted", "tmpfs, by unshare -rm", "RLIMIT_FSIZE"


def fill(bench: Bench, trial: Trial) -> None:
    """One full disk, then what must hold on it, and after it."""
    rng, places = trial.rng, bench.places
    builder = bench.builders[(trial.number * 5 + trial.seed) % len(bench.builders)]
    clean = bench.clean(builder)
    how = MOUNTED if mountable() else LIMITED
    if rng.randrange(3) == 0:
        how = LIMITED
    room = rng.randrange(1 + sum(-(-size // PAGE) for size in clean.sizes))
    limit, inodes = rng.randrange(max(clean.sizes, default=1)), rng.randrange(4) == 0
    trial.group = how
    if how == LIMITED:
        trial.what = f"{builder.name}: no file longer than {limit} bytes"
        lay_out(places, builder.start, builder.without)
        _on_it(bench, trial, builder.name, file_limit(limit))
        afterwards(bench, trial, builder, clean, rng)
        return
    trial.group = SPACED if "STRATA_FAULTS_SPACE" in os.environ else MOUNTED
    trial.what = f"{builder.name}: " + (f"{room} inodes left" if inodes else f"{room} pages left")
    with tmpfs(places.world):
        lay_out(places, builder.start, builder.without, linked=False)
        used = os.statvfs(places.world)
        size = (used.f_blocks - used.f_bfree + room) * used.f_frsize
        _remount(places.world, f"nr_inodes={used.f_files - used.f_ffree + room}" if inodes else f"size={size}")
        _on_it(bench, trial, builder.name, lambda: None)
        _remount(places.world, f"nr_inodes=100k,size={WIDE}")
        afterwards(bench, trial, builder, clean, rng)


def _on_it(bench: Bench, trial: Trial, name: str, setup: Callable[[], None]) -> None:
    """The command, and the questions, while there is no room: a clean answer or a clear error."""
    builder = bench.builder(name)
    clean = bench.clean(builder)
    done = run(builder.command, bench.places, setup)
    said = clear_error(done)
    if said and not wrong(done):
        trial.errors.append(f"{name}: {said}")
    elif wrong(done) or answer(done) != clean.answer:
        trial.defects.append(f"{name}: status {done.status} {wrong(done) or apart(answer(done), clean.answer)}")
    asked = {one: run(bench.questions[one], bench.places, setup) for one in builder.asked}
    right = {one: {clean.answers_before.get(one, ""), clean.answers_after[one]} for one in asked}
    bench.hold(trial, "no room", asked, right, errors=True)


@contextmanager
def tmpfs(folder: Path) -> Iterator[None]:
    clear(folder)
    folder.mkdir()
    _mount(["-t", "tmpfs", "-o", f"size={WIDE},mode=755", "strata-faults", str(folder)])
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


def _remount(folder: Path, options: str) -> None:
    _mount(["-o", f"remount,{options}", str(folder)])


def _mount(args: list[str]) -> None:
    subprocess.run(["mount", *args], check=True, capture_output=True)


@cache
def mountable() -> bool:
    """Whether a tmpfs can be mounted from here."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with tmpfs(Path(folder) / "disk"):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def spaced() -> bool:
    """Whether it can be in a namespace of this user's own, where it cannot from here."""
    if mountable() or not shutil.which("unshare"):
        return False
    script = "import sys; sys.path.insert(0, sys.argv[1]); from faults import disks; sys.exit(not disks.mountable())"
    root = str(Path(__file__).resolve().parent.parent)
    return subprocess.run([*_SPACE, sys.executable, "-c", script, root], capture_output=True).returncode == 0


_SPACE = ["unshare", "-rm"]


def in_a_space(names: list[str], asked: argparse.Namespace) -> Iterator[Trial]:
    """These trials, by this program in a namespace of its own."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as lines:
        command = [*_SPACE, sys.executable, "-m", "faults", "--seed", str(asked.seed), "--only", ",".join(names)]
        command += ["--source", asked.source, *(["--pictures"] if asked.pictures else [])]
        subprocess.run([*command, "--lines", lines.name], env={**os.environ, "STRATA_FAULTS_SPACE": "1"},
                       stdout=subprocess.DEVNULL, check=False)  # fmt: skip
        for line in lines:
            found = json.loads(line)
            yield Trial(**{name: value for name, value in found.items() if name not in ("trial", "verdict")})
