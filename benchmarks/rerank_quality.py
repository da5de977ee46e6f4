"""What reranking is worth: nDCG@10 by trec_eval's own code, by kind of query, wins and losses alike, and milliseconds.

    python benchmarks/rerank_quality.py [FOLDER] [--cross-encoder NAME|FOLDER …] [--candidates 25] [--cache-dir DIR]

Without a folder: the bundled films and their golden set. The lists are those of rrf-search: BM25 and chunks, fused by
reciprocal rank, depth 100; a reranker reads the first candidates. Every judged query runs through plans as the
programs run them. Without --cross-encoder: the default one, or what stands in for it. Rerankers that ask a language
model are not measured here: what they give hangs on the model. "won" and "lost" count the queries whose nDCG@10 is
above and below that of plain rrf. Milliseconds are the median of the reranking alone, in a process that has opened
everything; they hang on what else the machine does. Exits with 1 when a figure misses what is expected of it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

import pytrec_eval

from strata import paths, registry, settings
from strata.core.golden import GoldenSet, load_golden
from strata.core.types import Plan, Query, Rerank
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace
from strata.rerank.cross_encoder import CrossEncoder
from strata.rerank.late_interaction import LateInteraction
from strata.rerank.pairs import cross_encoder
from strata.semantic.chunks import Chunks

DEPTH = 100
BANDS = {
    ("movies", "rrf"): (0.334, 0.364),
    ("movies", f"cross_encoder {registry.STAND_IN}"): (0.449, 0.479),
}
"""(collection, row) → the lowest and highest nDCG@10 that is expected, with 25 candidates."""


def rerankers(names: Sequence[str], candidates: int, ws: Workspace) -> dict[str, Rerank]:
    """A cross-encoder is called by the model that really reads."""
    found: dict[str, Rerank] = {
        f"cross_encoder {cross_encoder(name, ws).name.rpartition('/')[2]}": CrossEncoder(name, candidates)
        for name in names
    }
    return {**found, "late_interaction": LateInteraction(candidates)}


def plans(ws: Workspace, names: Sequence[str], candidates: int) -> dict[str, Plan]:
    lists = (BM25(), Chunks())
    found = {"bm25": Plan(lists[:1]), "chunks": Plan(lists[1:]), "rrf": Plan(lists, fuse=RRF())}
    for name, layer in rerankers(names, candidates, ws).items():
        found[name] = Plan(lists, fuse=RRF(), rerank=layer)
    return found


def evaluate(
    golden: GoldenSet, ws: Workspace, made: dict[str, Plan]
) -> dict[str, tuple[dict[str, float], float | None]]:
    """plan → nDCG@10 of each judged query, and the median milliseconds of its reranking."""
    evaluator = pytrec_eval.RelevanceEvaluator({q.id: q.relevant for q in golden.judged}, {"ndcg_cut.10"})
    memo: Memo = {}
    figures = {}
    for name, plan in made.items():
        ranked, ms = {}, []
        for query in golden.judged:
            trace = run(plan, Query(query.text), ws, memo)
            docs = trace.final.docs.tolist()
            ranked[query.id] = {str(ws.corpus.id(doc)): 1 / rank for rank, doc in enumerate(docs, start=1)}
            if plan.rerank:
                if trace.steps[-1].failed:
                    sys.exit(f"{name}: {trace.steps[-1].failed}")
                ms.append(trace.steps[-1].ms)
        measures = evaluator.evaluate(ranked)
        # trec_eval leaves out a query for which nothing was retrieved; it counts 0 here.
        values = {q.id: measures.get(q.id, {"ndcg_cut_10": 0.0})["ndcg_cut_10"] for q in golden.judged}
        figures[name] = values, statistics.median(ms) if ms else None
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cross-encoder", action="append")
    parser.add_argument("--candidates", type=int, default=25)
    parser.add_argument("--cache-dir")
    given = parser.parse_args()
    folder = given.folder
    ws = Workspace(settings.load(str(folder or "movies"), given.cache_dir), say=lambda text: print(f"note: {text}"))
    golden = load_golden(folder or paths.data_dir() / "golden_dataset.json", None if folder else ws.corpus)
    made = plans(ws, given.cross_encoder or [registry.DEFAULT_CROSS_ENCODER], given.candidates)
    figures = evaluate(golden, ws, made)
    kinds = [kind for kind in dict.fromkeys(q.kind for q in golden.judged) if kind]
    print(f"\n{golden.name}, {len(golden.judged)} judged queries, {given.candidates} candidates, nDCG@10\n")
    print(f"| | all | {'| '.join(f'{kind} ' for kind in kinds)}| won | lost | ms |\n|{'---|' * (len(kinds) + 5)}")
    missed = []
    for name, (values, ms) in figures.items():
        mean = statistics.fmean(values.values())
        by_kind = (statistics.fmean(values[q.id] for q in golden.judged if q.kind == kind) for kind in kinds)
        against = [values[q] - figures["rrf"][0][q] for q in values]
        won, lost = sum(d > 1e-9 for d in against), sum(d < -1e-9 for d in against)
        cells = [f"{mean:.4f}", *(f"{value:.2f}" for value in by_kind), str(won), str(lost), f"{ms:.0f}" if ms else ""]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        low, high = BANDS.get((folder.name if folder else "movies", name), (0, 1))
        if given.candidates == 25 and not low <= mean <= high:
            missed.append(f"{name} {mean:.4f}, expected {low} to {high}")
    if missed:
        sys.exit(f"not as expected: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
