"""Where the milliseconds of a command go, from a cold process: interpreter, imports by package, opening, the work.

    python benchmarks/whole_parts.py [--runs 7]

Each command runs alone, as users start it, and inside parts_inside.py, which books its time, in turn. Medians, in ms;
a part's time is without those within it. `interpreter` is from the start of the process to the first line of Python,
`exit` from the last one to the process's end. The parts' sum is compared with the command alone: the difference is what
booking costs.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from rounds import POOLS, ROOT, Row, child, finish, parser
from whole_commands import FILM, QUERY

COMMANDS = (
    ("keyword_search_cli", "bm25search", QUERY),
    ("semantic_search_cli", "search_chunked", QUERY),
    ("hybrid_search_cli", "rrf-search", QUERY),
    ("hybrid_search_cli", "explain", QUERY, FILM),
)
NAMED = 6
"""So many packages are named, the slowest to import; others are one line."""


def inside(command: tuple[str, ...], folder: str) -> dict[str, float]:
    """Milliseconds of each part of one run."""
    file = Path(folder) / "parts.json"
    environment = {
        "STRATA_LOG_DIR": f"{folder}/logs",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "cli"), str(ROOT / "lib")]),
    }
    done = child([sys.executable, str(ROOT / "benchmarks" / "parts_inside.py"), str(file), *command], **environment)
    found = json.loads(file.read_text(encoding="utf-8"))
    if any(
        module not in ("strata.encoders.tokens", "strata.encoders.memo", "strata.searching")
        for module in found["unwrapped"]
    ):
        sys.exit(f"not booked: {found['unwrapped']}")
    parts = {
        "interpreter": found["begun"] - done.began,
        "exit": done.began + done.seconds - found["ended"],
    }
    own = {"strata", *(path.stem for path in (ROOT / "cli").glob("*.py"))}
    for part, seconds in found["spent"].items():
        package = part.removeprefix("import ")
        if part.startswith("import ") and package in own:
            part = "import strata"
        elif part.startswith("import ") and {package, package.lstrip("_")} & sys.stdlib_module_names:
            part = "import the standard library"
        parts[part] = parts.get(part, 0.0) + seconds
    return {part: 1000 * seconds for part, seconds in parts.items()}


def alone(command: tuple[str, ...], folder: str) -> float:
    program, *args = command
    line = [sys.executable, str(ROOT / "cli" / f"{program}.py"), *args]
    return 1000 * child(line, STRATA_LOG_DIR=f"{folder}/logs").seconds


def measure(command: tuple[str, ...], runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        rounds = [(inside(command, folder), alone(command, folder)) for _ in range(runs + 1)][1:]
    whole = statistics.median(taken for _, taken in rounds)
    medians = {
        part: statistics.median(parts.get(part, 0.0) for parts, _ in rounds)
        for part in dict.fromkeys(part for parts, _ in rounds for part in parts)
    }
    by_size = sorted(medians, key=lambda part: -medians[part])
    packages = [part for part in by_size if part.startswith("import ")]
    shown: dict[str, float] = defaultdict(float)
    for part in by_size:
        shown["import other packages" if part in packages[NAMED:] else part] += medians[part]
    rows: list[Row] = [
        {"part": part, "ms": ms, "%": round(100 * ms / sum(shown.values()))} for part, ms in shown.items()
    ]
    rows.sort(key=lambda row: -row["ms"])  # type: ignore[operator,arg-type,return-value]
    return [*rows, {"part": "all parts", "ms": sum(shown.values())}, {"part": "the command alone", "ms": whole}]


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--runs", type=int, default=7)
    given = asked.parse_args()
    for name in POOLS:
        os.environ.pop(name, None)
    tables = {}
    for command in COMMANDS:
        said = " ".join(f'"{word}"' if " " in word else word for word in command)
        tables[f"`{said}`"] = measure(command, given.runs)
    finish(given, tables, ["typer", "rich", "tokenizers"])


if __name__ == "__main__":
    main()
