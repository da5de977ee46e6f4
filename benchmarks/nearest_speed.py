"""Exact nearest vectors against faiss-cpu's flat index, one thread each, alternating rounds within one run.

    python benchmarks/nearest_speed.py [--vectors 100000] [--dimensions 384] [--rounds 5]

Random unit vectors (seeded). Both must find the same rows. A ratio above 1: Strata is faster. `read` is the time to
sum the vectors once: what memory alone allows. Exits with 1 where a median ratio is below 1.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

import faiss  # noqa: E402
import numpy as np  # noqa: E402

from strata.semantic.nearest import nearest_groups, nearest_many  # noqa: E402

K, SINGLES, BATCH = 10, 20, 200


def unit(rng: np.random.Generator, rows: int, dimensions: int) -> np.ndarray:
    vectors = rng.standard_normal((rows, dimensions), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    vectors, queries = unit(rng, given.vectors, given.dimensions), unit(rng, BATCH, given.dimensions)
    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(given.dimensions)
    flat.add(vectors)
    firsts = np.arange(given.vectors)
    ours = [nearest_groups(vectors, firsts, query, K).rows.tolist() for query in queries]
    assert ours == flat.search(queries, K)[1].tolist() == nearest_many(vectors, queries, K)[0].tolist()

    times: dict[str, list[float]] = {}

    def timed(name: str, work: object, per: int) -> None:
        start = time.perf_counter()
        work()  # type: ignore[operator]
        times.setdefault(name, []).append((time.perf_counter() - start) / per * 1000)

    for _ in range(given.rounds):
        timed("read", lambda: [vectors.sum() for _ in range(SINGLES)], SINGLES)
        timed("faiss, single", lambda: [flat.search(q[None], K) for q in queries[:SINGLES]], SINGLES)
        timed("strata, single", lambda: [nearest_groups(vectors, firsts, q, K) for q in queries[:SINGLES]], SINGLES)
        timed("faiss, batch", lambda: flat.search(queries, K), BATCH)
        timed("strata, batch", lambda: nearest_many(vectors, queries, K), BATCH)
    print(f"{given.vectors:,} × {given.dimensions}, k = {K}, one thread, medians of {given.rounds}; ms a query")
    for name, values in times.items():
        print(f"  {name:15} {statistics.median(values):8.2f}")
    low = False
    for way in ("single", "batch"):
        ratios = [f / s for f, s in zip(times[f"faiss, {way}"], times[f"strata, {way}"], strict=True)]
        middle = statistics.median(ratios)
        low |= middle < 1
        print(f"{way}: {middle:.2f} × faiss's speed ({min(ratios):.2f} to {max(ratios):.2f})")
    single = statistics.median(times["strata, single"]) / statistics.median(times["read"])
    print(f"single against reading the vectors once: {single:.2f} ×")
    if low:
        sys.exit("slower than faiss")


if __name__ == "__main__":
    main()
