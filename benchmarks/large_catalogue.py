"""A catalogue of tens of thousands of films: what a first index costs, and what a search does then.

    python benchmarks/large_catalogue.py MOVIES.json[.gz] [--vectors]

Index: a process of its own with an empty cache, its seconds and peak memory (which include reading the catalogue).
Warm: the layer in one process, a query at a time, over 200 queries made of the catalogue's own titles. Cold: whole
processes, medians of 5. Change: one text edited, the index built again. --vectors: also the document vectors, twice;
the second build must encode nothing. Exits with 1 when a figure is over what is expected (15 s, 1 GB, 5 ms, 0.6 s).
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rounds import ROOT, Row, child, finish, parser

from strata import settings
from strata.core.types import Query
from strata.keyword.bm25 import BM25
from strata.pipeline.workspace import Workspace


def command(program: str, *args: str, cache: str) -> tuple[float, float, dict[str, object]]:
    """Seconds, peak memory in MB and the JSON of one process."""
    line = [sys.executable, str(ROOT / "cli" / f"{program}.py"), *args, "--cache-dir", cache, "--json", "-q"]
    done = child(line)
    return done.seconds, done.peak, json.loads(done.out)


def edited(catalogue: Path, folder: str) -> Path:
    """The catalogue with one word more in one text."""
    with gzip.open(catalogue) if catalogue.suffix == ".gz" else catalogue.open("rb") as file:
        data = json.load(file)
    movies = data["movies"] if isinstance(data, dict) else data
    movies[len(movies) // 2]["description"] += " Edited."
    path = Path(folder) / "edited.json"
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("catalogue", type=Path)
    asked.add_argument("--vectors", action="store_true")
    given = asked.parse_args()
    rows: list[Row] = []
    over = []

    def report(what: str, value: float, unit: str, most: float | None = None) -> None:
        rows.append({"what": what, "value": value, "unit": unit, "at most": most})
        if most is not None and value > most:
            over.append(what)

    with tempfile.TemporaryDirectory(prefix="strata-bench-") as cache:
        dataset = ("--dataset", str(given.catalogue.resolve()))
        seconds, memory, built = command("keyword_search_cli", "build", *dataset, cache=cache)
        counted = f"{built['documents']:,} documents, {built['terms']:,} terms, {built['postings']:,} postings"
        report("catalogue read and index built", seconds, "s", 15)
        report("  of which the index", float(built["seconds"]), "s")  # type: ignore[arg-type]
        report("  peak memory", memory, "MB", 1000)
        ws = Workspace(settings.load(str(given.catalogue), cache))
        rng = random.Random(0)
        queries = [ws.corpus.title(rng.randrange(len(ws.corpus))) for _ in range(200)]
        layer, times = BM25(), []
        for query in queries:
            start = time.perf_counter()
            layer(Query(query), ws, 10)
            times.append((time.perf_counter() - start) * 1000)
        report("warm query, median", statistics.median(times), "ms", 5)
        report("warm query, slowest of 200", max(times), "ms")
        cold = [command("keyword_search_cli", "bm25search", "space pirates", "--no-log", *dataset, cache=cache)[0]
                for _ in range(5)]  # fmt: skip
        report("cold bm25search, median of 5", statistics.median(cold), "s", 0.6)
        with tempfile.TemporaryDirectory() as folder:
            path = edited(given.catalogue, folder)
            seconds, _, again = command("keyword_search_cli", "build", "--dataset", str(path), cache=cache)
            report("one text edited: all of it", seconds, "s")
            report("  of which the index", float(again["seconds"]), "s")  # type: ignore[arg-type]
            report("  documents analysed", float(again["analysed"]), "", 1)  # type: ignore[arg-type]
        if given.vectors:
            seconds, memory, first = command("semantic_search_cli", "verify_embeddings", *dataset, cache=cache)
            report(f"document vectors: {first['encoded']:,} encoded", seconds, "s")
            report("  peak memory", memory, "MB")
            seconds, _, second = command("semantic_search_cli", "verify_embeddings", *dataset, cache=cache)
            report("  the second time", seconds, "s")
            report("  encoded the second time", float(second["encoded"]), "", 0)  # type: ignore[arg-type]
    finish(given, {counted: rows}, (), [f"over what is expected: {what}" for what in over])


if __name__ == "__main__":
    main()
