"""BM25 from text, one query at a time, beside bm25s (numba back end), in one process on one thread.

    python benchmarks/keyword_speed.py FOLDER [FOLDER …]      folders in BEIR layout

bm25s is searched in both ways it offers: `bm25s.tokenize` for each query, as its README shows, and a Tokenizer that
keeps its vocabulary ("kept"). Each of five rounds runs every query through all, in turn; printed are the median
ratios of the rounds (above 1: ours is faster) and each side's time a query. Building is timed the same way: our
index from texts to arrays in files, bm25s from texts, with its stop words and PyStemmer's Porter, to arrays in memory.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import gzip  # noqa: E402
import json  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

import bm25s  # noqa: E402
import Stemmer  # noqa: E402

from strata.keyword.bm25 import BM25  # noqa: E402
from strata.keyword.build import build  # noqa: E402
from strata.keyword.index import Index  # noqa: E402
from strata.storage import Artefact  # noqa: E402

ROUNDS = 5
K = 10


def lines(path: Path) -> Iterator[dict[str, str]]:
    packed = path.with_name(path.name + ".gz")
    data = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    yield from map(json.loads, filter(None, data.decode().split("\n")))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(folder: Path) -> dict[str, float | str]:
    texts = [f"{d.get('title', '')} {d['text']}".strip() for d in lines(folder / "corpus.jsonl")]
    judged = {row.split("\t")[0] for row in (folder / "qrels" / "test.tsv").read_text().split("\n")[1:] if row}
    queries = [q["text"] for q in lines(folder / "queries.jsonl") if q["_id"] in judged]
    stemmer = Stemmer.Stemmer("porter")

    def build_theirs() -> bm25s.BM25:
        theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba")
        theirs.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
        return theirs

    def build_ours() -> Index:
        place = Path(tempfile.mkdtemp(prefix="strata-bench-"))
        return Index(Artefact(place, build(texts, place)))

    ours, theirs, layer = build_ours(), build_theirs(), BM25()
    # Their second way: a Tokenizer that keeps its vocabulary, with an index made from its numbers.
    tokenizer = bm25s.tokenization.Tokenizer(stopwords="en", stemmer=stemmer)
    kept = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba")
    kept.index(tokenizer.tokenize(texts, update_vocab=True, show_progress=False), show_progress=False)

    def search_ours() -> None:
        for query in queries:
            layer.search(ours, ours.query_terms(query), K)

    def search_theirs() -> None:
        for query in queries:
            tokens = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
            theirs.retrieve(tokens, k=K, show_progress=False, n_threads=0)

    def search_kept() -> None:
        for query in queries:
            tokens = tokenizer.tokenize([query], update_vocab=False, show_progress=False)
            kept.retrieve(tokens, k=K, show_progress=False, n_threads=0)

    for warm in (search_theirs, search_kept, search_ours):  # numba compiles, memories fill
        warm()
    rounds = [(seconds(search_ours), seconds(search_theirs), seconds(search_kept)) for _ in range(ROUNDS)]
    builds = [(seconds(build_ours), seconds(build_theirs)) for _ in range(ROUNDS)]
    count = len(queries)
    return {
        "collection": folder.name,
        "documents": len(texts),
        "queries": count,
        "ours ms": 1000 * statistics.median(r[0] for r in rounds) / count,
        "bm25s ms": 1000 * statistics.median(r[1] for r in rounds) / count,
        "kept ms": 1000 * statistics.median(r[2] for r in rounds) / count,
        "× bm25s": statistics.median(r[1] / r[0] for r in rounds),
        "× kept": statistics.median(r[2] / r[0] for r in rounds),
        "ours build s": statistics.median(b[0] for b in builds),
        "bm25s build s": statistics.median(b[1] for b in builds),
        "build ratio": statistics.median(b[1] / b[0] for b in builds),
    }


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        for key, value in compare(Path(name)).items():
            print(f"{key:14} {value if not isinstance(value, float) else f'{value:.3f}'}")


if __name__ == "__main__":
    main()
