"""Whole commands from a cold process, beside a bare program that only imports typer and numpy.

    python benchmarks/cold_start.py [--runs 7]

Artefacts are built first. The commands run in turn, round after round, so that a busy machine burdens all alike;
printed are medians in seconds, and the ratio to the bare program's median. Byte code is allowed to be written
(PYTHONDONTWRITEBYTECODE is unset), as on a user's machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile

from rounds import ROOT, child, finish, parser, ratio

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
    asked = parser(__doc__)
    asked.add_argument("--runs", type=int, default=7)
    given = asked.parse_args()
    logs = tempfile.mkdtemp(prefix="strata-bench-")
    todo = commands()
    rounds = [
        {name: child(line, STRATA_LOG_DIR=logs).seconds for name, line in todo.items()} for _ in range(given.runs + 1)
    ][1:]  # the first builds what is missing and warms the disk
    times = {name: [taken[name] for taken in rounds] for name in todo}
    bare = times["import typer, numpy"]
    rows = [{"command": n, "s": statistics.median(t), "× bare": ratio(t, bare)} for n, t in times.items()]
    finish(given, {f"Cold processes, medians of {given.runs}": rows}, ["typer"])


if __name__ == "__main__":
    main()
