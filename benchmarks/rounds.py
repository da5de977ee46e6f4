"""What every speed benchmark here needs: alternating rounds, ratios, child processes, the machine, results as JSON.

A figure alone says little on a machine that others share. So what is compared runs in turn, round after round, and a
ratio is the median of the rounds' own ratios, with the smallest and the largest beside it.

Import this before numpy where one thread is meant, and call `one_thread` first.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from table import rendered

ROOT = Path(__file__).resolve().parent.parent
Figure = str | int | float | dict[str, float] | None
"""A cell of a table; a ratio is a dict of its median, low and high."""
Row = dict[str, Figure]
LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
"""Of the minute before the benchmark began."""
POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def one_thread() -> None:
    """The pools of threads that libraries open at import have one each, in this process and its children."""
    os.environ.update(dict.fromkeys(POOLS, "1"))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternating(works: Mapping[str, Callable[[], object]], rounds: int, warm: bool = True) -> dict[str, list[float]]:
    """The seconds of each work in each round. warm: a round before the first that does not count."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for round_ in range(rounds + warm):
        for name, work in works.items():
            taken = seconds(work)
            if round_ >= warm:
                times[name].append(taken)
    return times


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """How many times as fast as they we are: above 1 is faster. Round by round, then the median."""
    each = [a / b for a, b in zip(theirs, ours, strict=True)]
    return {"median": statistics.median(each), "low": min(each), "high": max(each)}


def each_alone(search: Callable[[str], object], queries: Sequence[str], rounds: int) -> list[float]:
    """The milliseconds of each query: the median of the rounds, so that a query pays for no other process's turn."""
    runs = [[1000 * seconds(partial(search, query)) for query in queries] for _ in range(rounds)]
    return [statistics.median(times) for times in zip(*runs, strict=True)]


def p99(values: Sequence[float]) -> float:
    """What 99 of 100 values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


class Child(NamedTuple):
    """What a process of its own took: seconds, peak memory in MB, what it printed, and the time of day at its start."""

    seconds: float
    peak: float
    out: str
    began: float


def child(line: Sequence[str], **environment: str) -> Child:
    """Run a command. Byte code may be written, as anywhere else."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | environment
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        file = Path(folder) / "taken"
        launcher = [sys.executable, "-I", str(Path(__file__).with_name("launched.py")), str(file)]
        done = subprocess.run([*launcher, *line], capture_output=True, env=env, check=True)
        began, taken, peak, status = file.read_text(encoding="utf-8").split()
    if status != "0":
        sys.exit(f"{done.stderr.decode()}\n{' '.join(line)} ended with {status}")
    return Child(float(taken), int(peak) / 1024, done.stdout.decode(), float(began))


def parser(doc: str | None) -> ArgumentParser:
    """One that knows --json; a script adds its own."""
    made = ArgumentParser(description=(doc or "").split("\n\n")[0])
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results there as well")
    return made


def finish(
    given: Namespace, tables: Mapping[str, Iterable[Row]], packages: Iterable[str] = (), missed: Sequence[str] = ()
) -> None:
    """Print the tables, write them where --json says, and exit with 1 where a target was missed."""
    results = {
        "command": command(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": {name: importlib.metadata.version(name) for name in ("numpy", *packages)},
        "tables": {title: [{k: _plain(v) for k, v in row.items()} for row in rows] for title, rows in tables.items()},
        "missed": list(missed),
    }
    print(rendered(results))
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def _plain(value: Figure) -> Figure:
    """Four digits are more than a repetition would give again."""
    if isinstance(value, dict):
        return {name: float(f"{number:.4g}") for name, number in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def command() -> str:
    """The command line, without folders and without --json."""
    args = iter(sys.argv[1:])
    kept = []
    for arg in args:
        if arg == "--json":
            next(args)
        elif not arg.startswith("--json="):
            kept.append(Path(arg).name if os.sep in arg else arg)
    return " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *kept])


def machine() -> dict[str, str | int | float]:
    """What figures depend on, and nothing that names one machine."""
    model = platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gib": round(memory, 1),
        "load": round(LOAD, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
