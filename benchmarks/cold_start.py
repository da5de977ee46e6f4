"""Whole commands from a cold process, beside a bare program that only imports typer and numpy.

    python benchmarks/cold_start.py [--runs 7]

Artefacts are built first. The commands run in turn, round after round, so that a busy machine burdens all alike;
printed are medians in seconds, and the ratio to the bare program's median. Byte code is allowed to be written
(PYTHONDONTWRITEBYTECODE is unset), as on a user's machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUERY, UNKNOWN = "cute british bear marmalade", "zebras unicorns quokkas axolotls"
PROGRAMS = ("keyword_search_cli", "semantic_search_cli", "hybrid_search_cli", "data_cli")


def commands() -> dict[str, list[str]]:
    def cli(name: str, *args: str) -> list[str]:
        return [sys.executable, str(ROOT / "cli" / f"{name}.py"), *args]

    return {
        "import typer, numpy": [sys.executable, "-c", "import typer, numpy"],
        "bm25search": cli("keyword_search_cli", "bm25search", QUERY),
        "bm25search (unknown words)": cli("keyword_search_cli", "bm25search", UNKNOWN),
        "rrf-search": cli("hybrid_search_cli", "rrf-search", QUERY),
        "rrf-search (unknown words)": cli("hybrid_search_cli", "rrf-search", UNKNOWN),
        "trace": cli("hybrid_search_cli", "trace", QUERY),
        "search_chunked": cli("semantic_search_cli", "search_chunked", QUERY),
        **{f"{name} --help": cli(name, "--help") for name in PROGRAMS},
        "strata --help": [sys.executable, "-m", "strata", "--help"],
        "rrf-search --help": cli("hybrid_search_cli", "rrf-search", "--help"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["STRATA_LOG_DIR"] = tempfile.mkdtemp(prefix="strata-bench-")
    todo = commands()
    times: dict[str, list[float]] = {name: [] for name in todo}
    for round_ in range(runs + 1):  # the first builds what is missing and warms the disk
        for name, command in todo.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=environment)
            if round_:
                times[name].append(time.perf_counter() - start)
    bare = statistics.median(times["import typer, numpy"])
    print(f"{'command':30} {'median s':>8} {'× bare':>7}")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:30} {median:8.3f} {median / bare:7.2f}")


if __name__ == "__main__":
    main()
