"""Set up once, run the trials one after another, say what came of them."""

from __future__ import annotations

import argparse
import fcntl
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from faults.bench import Bench
    from faults.trial import Trial

SHM = Path("/dev/shm")
"""A disk in memory spares the waiting for fsync. A kill loses no page of it either."""
ROOM = 256 * 2**20
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_all(asked: argparse.Namespace) -> int:
    """Returns 1 where there was a defect."""
    for name in THREADS:  # before NumPy is imported: a process with threads is not to be forked
        os.environ[name] = "1"
    os.environ |= {"TOKENIZERS_PARALLELISM": "false", "MPLBACKEND": "svg"}
    started = time.monotonic()
    with _base() as base, _bench(base, asked) as bench:
        from faults.trial import summary
        from faults.world import digest

        template = digest(bench.places.template)
        print(f"set up in {time.monotonic() - started:.1f} s, in {base}", file=sys.stderr)
        done = []
        with open(asked.lines or os.devnull, "w", encoding="utf-8") as lines:
            for trial in _run(bench, _wanted(asked), asked):
                done.append(trial)
                lines.write(json.dumps(trial.to_json(), ensure_ascii=False) + "\n")
                lines.flush()
                _tell(trial, " --pictures" if asked.pictures else "")
        if asked.keep:
            shutil.copytree(bench.places.world, asked.keep, dirs_exist_ok=True)
        print(summary(done))
        defects = sum(bool(trial.defects) for trial in done)
        if digest(bench.places.template) != template:
            print("the template changed: a command wrote into a file that was there, instead of replacing it")
            defects += 1
        print(f"{len(done)} trials, {defects} defects, {time.monotonic() - started:.0f} s, seed {asked.seed}")
    return 1 if defects else 0


def _run(bench: Bench, wanted: list[tuple[str, int]], asked: argparse.Namespace) -> Iterator[Trial]:
    from faults import disks
    from faults.trial import Trial

    disk = [f"{kind}:{number}" for kind, number in wanted if kind == "disks"]
    if disk and disks.spaced():
        yield from disks.in_a_space(disk, asked)
        wanted = [one for one in wanted if one[0] != "disks"]
    kinds = _kinds()
    for kind, number in wanted:
        trial, start = Trial(kind, number, asked.seed), time.monotonic()
        try:
            kinds[kind](bench, trial)
        except AssertionError as error:  # what should have an answer undisturbed has none
            trial.defects.append(str(error))
        trial.seconds = round(time.monotonic() - start, 3)
        yield trial


def _tell(trial: Trial, more: str) -> None:
    for defect in trial.defects:
        print(f"{trial.name} ({trial.what}): {defect}", file=sys.stderr)
    if trial.defects:
        print(f"  again: python -m faults --seed {trial.seed}{more} --only {trial.name}", file=sys.stderr)


@contextmanager
def _base() -> Iterator[Path]:
    """A folder of the same name every time, since a trial chooses files by name, and some names (of histories, of
    stamps) hang on paths. The next one where another run holds it; what a killed run left is cleared."""
    from faults.world import clear

    roomy = SHM.is_dir() and os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > ROOM
    home = (SHM if roomy else Path(tempfile.gettempdir())).resolve()
    for number in itertools.count(1):
        base = home / f"strata-faults-{os.geteuid()}-{number}"
        with suppress(FileExistsError):
            base.mkdir()
        if base.stat().st_uid != os.geteuid() or base.is_symlink():
            continue
        handle = os.open(base, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        try:
            for left in base.iterdir():
                clear(left) if left.is_dir() else left.unlink()
            base.chmod(0o755)
            yield base
        finally:
            clear(base)
            os.close(handle)
        return


@contextmanager
def _bench(base: Path, asked: argparse.Namespace) -> Iterator[Bench]:
    from faults import installed, peer
    from faults.bench import Bench
    from faults.world import Places

    sys.dont_write_bytecode = False  # or every cold process would compile the package anew
    installed.install(base / "site", Path(asked.source))
    installed.import_all(base / "site")
    (base / "models").mkdir()
    installed.models(base / "models", pictures=asked.pictures)
    url, pid = peer.serve()
    try:
        bench = Bench(Places(base, base / "site", base / "models", url))
        bench.make_template()
        yield bench
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _wanted(asked: argparse.Namespace) -> list[tuple[str, int]]:
    """Kind and number of each trial that was asked for."""
    from faults.rights import CASES

    rights = len(CASES) if asked.rights is None else asked.rights
    counts = {"kills": asked.kills, "corruptions": asked.corruptions, "disks": asked.disks, "rights": rights,
              "crowds": asked.crowds}  # fmt: skip
    if not asked.only:
        return [(kind, number) for kind, count in counts.items() for number in range(count)]
    named = [name.partition(":") for name in asked.only.split(",")]
    return [(kind, int(n)) for kind, _, number in named for n in ([number] if number else range(counts[kind]))]


def _kinds() -> dict[str, Callable[[Bench, Trial], None]]:
    from faults import corruptions, crowds, disks, kills, rights

    return {"kills": kills.kill, "corruptions": corruptions.corrupt, "disks": disks.fill, "rights": rights.take,
            "crowds": crowds.crowd}  # fmt: skip
