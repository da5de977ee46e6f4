"""What a BM25 index costs: seconds, memory and size on disk, beside other engines, each build in a process of its own.

    python benchmarks/keyword_build.py COLLECTION [COLLECTION …] [--rounds 3]

COLLECTION: as for keyword_speed.py. The processes take turns. A build begins with the texts in memory, its packages
imported, and ends with an index that can be searched; ours is then in files, which the others write afterwards, not
timed. Memory is the process's peak, with the texts and the packages; `texts MB` is what it was before the build.
Exits with 1 where our build takes longer than bm25s's (the median of the rounds), or 3 GB or more.
"""

from __future__ import annotations

from rounds import Row, child, finish, one_thread, parser, ratio, seconds

one_thread()

import json  # noqa: E402
import resource  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

from collected import Collection, opened, read, written  # noqa: E402
from engines import ENGINES, PACKAGES, fit  # noqa: E402

LEFT_OUT = "bm25s kept"  # builds as bm25s does
MOST_MB = 3000


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def build(name: str, file: Path) -> dict[str, float | None]:
    """What the process of its own does."""
    engine = ENGINES[name]
    texts = read(file)
    engine(["a text with which packages are imported", "and another"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    made = []
    taken = seconds(lambda: made.append(engine(texts)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        made[0].save(Path(folder))
        size = megabytes(Path(folder))
    return {"seconds": taken, "before": before, "peak": peak, "size": size or None}


def measure(collection: Collection, rounds: int) -> list[Row]:
    found: dict[str, list[dict[str, float]]] = {n: [] for n in fit(len(collection.texts)) if n != LEFT_OUT}
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        file = written(collection.texts, Path(folder) / "texts.jsonl")
        count = len(collection.texts)
        collection.texts.clear()  # the processes need the memory
        for _ in range(rounds):
            for name, measured in found.items():
                line = [sys.executable, str(Path(__file__).resolve()), "--engine", name, str(file)]
                measured.append(json.loads(child(line).out))
    ours = [one["seconds"] for one in found["strata"]]

    def middle(measured: list[dict[str, float]], what: str) -> float:
        return statistics.median(one[what] for one in measured)

    return [
        {
            "collection": collection.name, "documents": count, "engine": name, "s": middle(measured, "seconds"),
            "strata is faster, ×": None if name == "strata" else ratio([one["seconds"] for one in measured], ours),
            "peak MB": round(middle(measured, "peak")), "texts MB": round(middle(measured, "before")),
            "on disk, MB": measured[0]["size"],
        }
        for name, measured in found.items()
    ]  # fmt: skip


def misses(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        name = row["collection"]
        if row["engine"] == "bm25s" and row["strata is faster, ×"]["median"] < 1:  # type: ignore[index,call-overload]
            yield f"{name}: built more slowly than by bm25s"
        if row["engine"] == "strata" and row["peak MB"] >= MOST_MB:  # type: ignore[operator]
            yield f"{name}: built with {MOST_MB:,} MB or more"


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("collections", nargs="+")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--engine", choices=ENGINES, help="build this one here, from a file of texts; print its figures")
    given = asked.parse_args()
    if given.engine:
        print(json.dumps(build(given.engine, Path(given.collections[0]))))
        return
    rows = []
    for name in given.collections:
        rows += measure(opened(name), given.rounds)
    finish(given, {f"Building, medians of {given.rounds} processes each": rows}, PACKAGES, list(misses(rows)))


if __name__ == "__main__":
    main()
