"""Exact nearest vectors against faiss-cpu's flat index, and against reading the same memory, in alternating rounds.

    python benchmarks/nearest_speed.py [--vectors 10000 100000] [--dimensions 384] [--rounds 5] [--folder FOLDER]

Random unit vectors (seeded) lie in a memory-mapped .npy file; faiss has its own copy in memory. Both must find the
same. First all on one core, then, where there are two, single queries with two threads each: faiss's own, and ours,
which search does by itself where the matrix is large. `read` takes the maximum of all numbers, the fastest way that
NumPy has to read them once; GB/s is what that reads. Ratios above 1: Strata is faster; `÷ read`: how many times as long
as reading. Exits with 1 where faiss is faster on one core, or where, beyond the processor's caches, a query takes more
than 1.5 times as long as a read by two threads. A million vectors take 3 GB of memory and 1.5 GB of disk.
"""

from __future__ import annotations

from rounds import Row, alternating, finish, one_thread, parser, ratio

one_thread()

import os  # noqa: E402
import statistics  # noqa: E402
import tempfile  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from pathlib import Path  # noqa: E402

import faiss  # noqa: E402
import numpy as np  # noqa: E402

from strata.semantic.nearest import exact, nearest_groups, nearest_many  # noqa: E402

K, BATCH, BLOCK = 10, 200, 10_000
SINGLES, ROUND = 20, 2_000_000
"""Single queries of a round, and rows that it reads: short rounds would measure what the other engine left in the
caches."""
BEYOND_CACHES = 1 << 27
"""Bytes from which on a query is held to what memory gives."""
MOST = 1.5


def unit(rng: np.random.Generator, rows: int, dimensions: int) -> np.ndarray:
    vectors = rng.standard_normal((rows, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def mapped(file: Path, count: int, dimensions: int) -> np.ndarray:
    """Vectors written block by block, then opened as artefacts are."""
    rng = np.random.default_rng(0)
    out = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(count, dimensions))
    for start in range(0, count, BLOCK):
        out[start : start + BLOCK] = unit(rng, min(BLOCK, count - start), dimensions)
    out.flush()
    del out
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))


@contextmanager
def on_one_core() -> Iterator[None]:
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(vectors: np.ndarray, queries: np.ndarray, rounds: int) -> Row:
    flat = faiss.IndexFlatIP(vectors.shape[1])
    faiss.omp_set_num_threads(1)
    for start in range(0, len(vectors), BLOCK):
        flat.add(vectors[start : start + BLOCK])
    firsts, half = np.arange(len(vectors)), len(vectors) // 2
    singles = queries[: max(SINGLES, ROUND // len(vectors))]
    rows, scores = nearest_many(vectors, queries, K)
    for query, found, best in zip(queries, flat.search(queries, K)[1], scores, strict=True):
        # Where float32 puts two vectors the other way round, they are as good as each other.
        assert np.allclose(exact(vectors, query, found), best, rtol=0, atol=1e-6)
    for query, found in zip(singles, rows, strict=False):
        assert nearest_groups(vectors, firsts, query, K).rows.tolist() == found.tolist()

    def ours() -> None:
        for query in singles:
            nearest_groups(vectors, firsts, query, K)

    def theirs() -> None:
        for query in singles:
            flat.search(query[None], K)

    def read() -> None:
        for _ in singles:
            vectors.max()

    works = {"read": read, "faiss": theirs, "strata": ours}
    batches = {
        "faiss, batch": lambda: flat.search(queries, K),
        "strata, batch": lambda: nearest_many(vectors, queries, K),
    }
    with on_one_core():
        one = alternating(works | batches, rounds)
    row: Row = {
        "vectors": len(vectors),
        "ms, single": 1000 * statistics.median(one["strata"]) / len(singles),
        "× faiss, single": ratio(one["faiss"], one["strata"]),
        "ms, of a batch": 1000 * statistics.median(one["strata, batch"]) / len(queries),
        "× faiss, batch": ratio(one["faiss, batch"], one["strata, batch"]),
        "read, GB/s": vectors.nbytes * len(singles) / statistics.median(one["read"]) / 1e9,
        "÷ read": ratio(one["strata"], one["read"]),
    }
    if len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) < 2:
        return row
    faiss.omp_set_num_threads(2)
    with ThreadPoolExecutor(2) as pool:

        def read_by_two() -> None:
            for _ in singles:
                list(pool.map(np.max, (vectors[:half], vectors[half:])))

        two = alternating({"read": read_by_two, "faiss": theirs, "strata": ours}, rounds)
    return row | {
        "two threads: ms": 1000 * statistics.median(two["strata"]) / len(singles),
        "two: × faiss": ratio(two["faiss"], two["strata"]),
        "two: read, GB/s": vectors.nbytes * len(singles) / statistics.median(two["read"]) / 1e9,
        "two: ÷ read": ratio(two["strata"], two["read"]),
    }


def misses(row: Row, size: int) -> Iterator[str]:
    for way in ("× faiss, single", "× faiss, batch"):
        if row[way]["median"] < 1:  # type: ignore[index,call-overload]
            yield f"{row['vectors']:,} vectors: {way}"
    if size >= BEYOND_CACHES and "two: ÷ read" in row and row["two: ÷ read"]["median"] > MOST:  # type: ignore[index,call-overload]
        yield f"{row['vectors']:,} vectors: more than {MOST} × a read by two threads"


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--vectors", type=int, nargs="+", default=[10_000, 100_000])
    asked.add_argument("--dimensions", type=int, default=384)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--folder", help="where the files of vectors lie meanwhile")
    given = asked.parse_args()
    table, missed = [], []
    for count in given.vectors:
        with tempfile.TemporaryDirectory(prefix="strata-bench-", dir=given.folder) as folder:
            vectors = mapped(Path(folder) / "vectors.npy", count, given.dimensions)
            row = measure(vectors, unit(np.random.default_rng(1), BATCH, given.dimensions), given.rounds)
            missed += misses(row, vectors.nbytes)
            table.append(row)
    title = f"Vectors of {given.dimensions} dimensions, k = {K}, medians of {given.rounds} rounds"
    finish(given, {title: table}, ["faiss-cpu"], missed)


if __name__ == "__main__":
    main()
