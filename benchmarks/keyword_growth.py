"""Keyword search as a catalogue grows, from 1,000 documents to 1,000,000: what building costs, what a search takes.

    python benchmarks/keyword_growth.py [--documents 1000 10000 100000] [--folder FOLDER]

Made-up texts (zipf.py) in a folder in BEIR layout, as a user would have them. First `keyword_search_cli build` in a
process of its own with an empty cache: the catalogue read and kept by position, then the index. Then single queries of
one process from text (k = 10, one thread; 1,000 of them), the first time and then five times more, with p99: what 99
of 100 queries do not exceed, each query's time the median of its five. Last a whole cold `bm25search`, median of 5.
Size: all that the cache holds. Exits with 1 where the build took 3 GB or more, or p99 is over 10 ms. A million
documents take about 2 GB of disk.
"""

from __future__ import annotations

from rounds import ROOT, Child, Row, child, each_alone, finish, one_thread, p99, parser

one_thread()

import json  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

import zipf  # noqa: E402

from strata import settings  # noqa: E402
from strata.keyword.bm25 import BM25  # noqa: E402
from strata.pipeline.workspace import Workspace  # noqa: E402

K, QUERIES, ROUNDS, COLD = 10, 1000, 5, 5
MOST_MB, MOST_MS = 3000, 10.0


def measure(documents: int, folder: Path) -> Row:
    catalogue, cache = folder / "catalogue", folder / "cache"
    zipf.write(catalogue, documents, QUERIES)

    def cli(*args: str) -> Child:
        program = str(ROOT / "cli" / "keyword_search_cli.py")
        places = ("--dataset", str(catalogue), "--cache-dir", str(cache), "--log-dir", str(folder / "logs"))
        return child([sys.executable, program, *args, *places, "--json", "-q"])

    build = cli("build")
    built = json.loads(build.out)
    ws = Workspace(settings.load(str(catalogue), str(cache), str(folder / "logs")))
    index, layer = ws.index, BM25()
    queries = zipf.queries(QUERIES, documents)

    def search(query: str) -> None:
        layer.search(index, index.query_terms(query), K)

    first = each_alone(search, queries, 1)  # rows are mapped, memories fill
    again = each_alone(search, queries, ROUNDS)
    cold = [1000 * cli("bm25search", queries[0], "--no-log").seconds for _ in range(COLD)]
    ws.corpus.close()
    return {
        "documents": documents,
        "postings": built["postings"],
        "build, s": build.seconds,
        "of it the index": built["seconds"],
        "peak MB": round(build.peak),
        "on disk, MB": sum(f.stat().st_size for f in cache.rglob("*") if f.is_file()) / 1e6,
        "ms": statistics.median(again),
        "p99": p99(again),
        "p99, first time": p99(first),
        "cold, ms": statistics.median(cold),
    }


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--documents", type=int, nargs="+", default=[1000, 10_000, 100_000])
    asked.add_argument("--folder", help="where the catalogues lie meanwhile")
    given = asked.parse_args()
    rows, missed = [], []
    for documents in given.documents:
        with tempfile.TemporaryDirectory(prefix="strata-bench-", dir=given.folder) as folder:
            row = measure(documents, Path(folder))
        rows.append(row)
        if row["peak MB"] >= MOST_MB:  # type: ignore[operator]
            missed.append(f"{documents:,} documents: {MOST_MB:,} MB or more")
        if row["p99"] > MOST_MS:  # type: ignore[operator]
            missed.append(f"{documents:,} documents: p99 above {MOST_MS:g} ms")
    finish(given, {f"BM25 over made-up texts, k = {K}, one thread": rows}, (), missed)


if __name__ == "__main__":
    main()
