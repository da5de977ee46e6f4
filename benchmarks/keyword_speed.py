"""BM25 from text, one query at a time and all at once, beside other engines, in one process on one thread.

    python benchmarks/keyword_speed.py COLLECTION [COLLECTION …] [--rounds 5]

COLLECTION: a folder in BEIR layout, a file of films, or zipf:1000000 (zipf.py). k = 10. Each round runs every query
through all engines (engines.py), in turn; a ratio above 1 says how many times as fast Strata is. p99: what 99 of 100
queries do not exceed, each query's time the median of the rounds. Then the ten best are compared with bm25s's, given
the same terms; its formula "lucene" leaves out the factor k1 + 1. Exits with 1 where a score differs or a target is
missed: single queries at least 1.3 × bm25s up to 34,375 documents, 0.75 × beyond, and within 10 ms at p99; batches at
least 0.4 ×.
"""

from __future__ import annotations

from rounds import Row, alternating, each_alone, finish, one_thread, p99, parser, ratio

one_thread()

import statistics  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from functools import partial  # noqa: E402

import bm25s  # noqa: E402
import numpy as np  # noqa: E402
from collected import Collection, opened  # noqa: E402
from engines import ENGINES, K1, PACKAGES, B, Bm25s, Engine, K, Strata, fit  # noqa: E402

SMALL, LEAST, LEAST_BEYOND, LEAST_BATCH, MOST_MS = 34_375, 1.3, 0.75, 0.4, 10.0
AT_ONCE = ("strata", "bm25s", "bm25s kept")
"""Engines that take many queries at once, and ours."""


def each(engine: Engine, queries: list[str]) -> None:
    for query in queries:
        engine.search(query)


def measure(collection: Collection, rounds: int) -> tuple[Row, Row, list[str]]:
    """One query at a time, all at once, and what differs from bm25s."""
    engines = {name: ENGINES[name](collection.texts) for name in fit(len(collection.texts))}
    queries, count = collection.queries, len(collection.queries)
    single = alternating({name: partial(each, engine, queries) for name, engine in engines.items()}, rounds)
    batch = alternating({name: partial(engines[name].search_all, queries) for name in AT_ONCE}, rounds)
    about: Row = {"collection": collection.name, "documents": len(collection.texts), "queries": count}
    one = about | {
        "ms": 1000 * statistics.median(single["strata"]) / count,
        "p99, ms": p99(each_alone(engines["strata"].search, queries, rounds)),
        "bm25s ms": 1000 * statistics.median(single["bm25s"]) / count,
        **{f"× {name}": ratio(times, single["strata"]) for name, times in single.items() if name != "strata"},
    }
    all_ = about | {
        "ms": 1000 * statistics.median(batch["strata"]) / count,
        "bm25s ms": 1000 * statistics.median(batch["bm25s"]) / count,
        **{f"× {name}": ratio(batch[name], batch["strata"]) for name in AT_ONCE[1:]},
    }
    strata, theirs = engines["strata"], engines["bm25s"]
    assert isinstance(strata, Strata) and isinstance(theirs, Bm25s)
    return one, all_, list(differences(strata, theirs, collection))


def differences(strata: Strata, theirs: Bm25s, collection: Collection) -> Iterator[str]:
    """Queries whose ten best scores are not those of bm25s over the same terms. Equal scores may stand in any order."""
    index = strata.index

    def terms(text: str) -> list[str]:
        return [str(term) for term in index.query_terms(text)]

    split: Callable[[str], list[str]] = str.split
    if collection.name.startswith("zipf"):  # both split it into the same terms, so its index will do
        scores = theirs.scores
    else:
        split, scores = terms, bm25s.BM25(method="lucene", k1=K1, b=B)
        scores.index([terms(text) for text in collection.texts], show_progress=False)
    for query in collection.queries:
        docs, ours = strata.search(query)
        if not docs.size:
            continue
        every = scores.get_scores([term for term in split(query) if term in scores.vocab_dict]) * (K1 + 1)
        best = np.sort(every[every > 0])[::-1][:K]
        if best.size != ours.size or not (
            np.allclose(best, ours, rtol=1e-5) and np.allclose(every[docs], ours, rtol=1e-5)
        ):
            yield f"{collection.name}: other scores than bm25s for {query!r}"


def misses(one: Row, all_: Row) -> Iterator[str]:
    documents, name = one["documents"], one["collection"]
    least = LEAST if documents <= SMALL else LEAST_BEYOND  # type: ignore[operator]
    if one["× bm25s"]["median"] < least:  # type: ignore[index,call-overload]
        yield f"{name}: single queries below {least} × bm25s"
    if one["p99, ms"] > MOST_MS:  # type: ignore[operator]
        yield f"{name}: p99 above {MOST_MS:g} ms"
    if all_["× bm25s"]["median"] < LEAST_BATCH:  # type: ignore[index,call-overload]
        yield f"{name}: batches below {LEAST_BATCH} × bm25s"


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("collections", nargs="+")
    asked.add_argument("--rounds", type=int, default=5)
    given = asked.parse_args()
    single, batch, missed = [], [], []
    for name in given.collections:
        one, all_, differing = measure(opened(name), given.rounds)
        single.append(one)
        batch.append(all_)
        missed += [*misses(one, all_), *differing[:3]]
    tables = {f"One query at a time, k = {K}, one thread": single, "All queries in one call": batch}
    finish(given, tables, PACKAGES, missed)


if __name__ == "__main__":
    main()
