"""Every retrieval layer and both fusions on judged collections: nDCG@10 and recall@100, by trec_eval's own code.

    python benchmarks/quality.py [FOLDER …] [--encoder NAME] [--cache-dir DIR]

Without a folder: the bundled films and their golden set. A folder in BEIR layout is opened as `--dataset` would open
it. Every judged query runs through plans as the programs run them, depth 100; one memo serves all plans, so each list
is computed once. Scores handed to trec_eval are 1/rank: its own tie-break cannot change the order that is shown.
Queries without a relevant document are left out, as trec_eval does. Vectors are made on first use and kept in the
cache (a few minutes for the larger collections). Exits with 1 when a figure misses what is expected of it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import pytrec_eval

from strata import paths, registry, settings
from strata.core.golden import load_golden
from strata.core.types import Plan, Query
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents

DEPTH = 100
MINILM, BGE = "all-MiniLM-L6-v2", "bge-small-en-v1.5"
Band = tuple[float, float]
BANDS: dict[tuple[str, str, str], Band] = {
    ("beir-scifact", "", "bm25"): (0.685, 1),
    ("beir-scifact", MINILM, "document"): (0.642, 0.648),
    ("beir-scifact", MINILM, "rrf, document"): (0.715, 1),
    ("beir-scifact", MINILM, "weighted, document"): (0.726, 1),
    ("beir-nfcorpus", "", "bm25"): (0.325, 1),
    ("beir-nfcorpus", MINILM, "document"): (0.313, 0.319),
    ("beir-nfcorpus", MINILM, "rrf, document"): (0.351, 1),
    ("beir-nfcorpus", MINILM, "weighted, document"): (0.350, 1),
    ("cranfield", "", "bm25"): (0.440, 1),
    ("cranfield", MINILM, "document"): (0.432, 0.438),
    ("cranfield", MINILM, "rrf, document"): (0.477, 1),
    ("cranfield", MINILM, "weighted, document"): (0.480, 1),
    ("movies", "", "bm25"): (0.235, 0.265),
    ("movies", MINILM, "document"): (0.405, 0.435),
    ("movies", MINILM, "chunks"): (0.415, 0.445),
    ("movies", MINILM, "rrf, document"): (0.348, 0.378),
    ("movies", MINILM, "rrf, chunks"): (0.334, 0.364),
    ("movies", BGE, "document"): (0.525, 0.555),
    ("movies", BGE, "rrf, document"): (0.388, 0.418),
}
"""(collection, encoder, layer) → the lowest and highest nDCG@10 that is expected, after independent prototypes."""


def plans(encoder: str) -> dict[str, Plan]:
    keyword, document, chunks = BM25(), Documents(encoder), Chunks(encoder)
    lists = {"tf-idf": (TfIdf(),), "bm25": (keyword,), "document": (document,), "chunks": (chunks,)}
    found = {name: Plan(retrieve=one, depth=DEPTH, limit=DEPTH) for name, one in lists.items()}
    for name, fuse in (("rrf", RRF()), ("weighted", Weighted(0.5))):
        for unit, layer in (("document", document), ("chunks", chunks)):
            found[f"{name}, {unit}"] = Plan(retrieve=(keyword, layer), fuse=fuse, depth=DEPTH, limit=DEPTH)
    return found


def evaluate(folder: Path | None, encoder: str, cache: str | None) -> tuple[int, dict[str, tuple[float, float]]]:
    """Number of judged queries; layer → mean nDCG@10, mean recall@100."""
    ws = Workspace(settings.load(str(folder or "movies"), cache), say=lambda text: print(f"note: {text}", flush=True))
    golden = load_golden(folder) if folder else load_golden(paths.data_dir() / "golden_dataset.json", ws.corpus)
    qrels = {q.id: q.relevant for q in golden.judged}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.100"})
    memo: Memo = {}
    figures = {}
    for name, plan in plans(encoder).items():
        found = {}
        for query in golden.judged:
            docs = run(plan, Query(query.text), ws, memo).final.docs[:DEPTH].tolist()
            found[query.id] = {str(ws.corpus.id(doc)): 1 / rank for rank, doc in enumerate(docs, start=1)}
        measures = evaluator.evaluate(found)
        # trec_eval leaves out a query for which nothing was retrieved; it counts 0 here.
        values = [measures.get(q, {"ndcg_cut_10": 0.0, "recall_100": 0.0}) for q in qrels]
        figures[name] = (
            statistics.fmean(v["ndcg_cut_10"] for v in values),
            statistics.fmean(v["recall_100"] for v in values),
        )
    return len(qrels), figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--encoder", default=registry.DEFAULT_ENCODER)
    parser.add_argument("--cache-dir")
    given = parser.parse_args()
    missed = []
    for folder in given.folders or [None]:
        collection = folder.name if folder else "movies"
        count, figures = evaluate(folder, given.encoder, given.cache_dir)
        print(f"\n{collection}, {count} judged queries, {given.encoder}\n{'layer':20} nDCG@10   R@100  expected")
        for layer, (ndcg, recall) in figures.items():
            band = BANDS.get((collection, given.encoder, layer)) or BANDS.get((collection, "", layer))
            wanted = "" if band is None else f"≥ {band[0]}" if band[1] == 1 else f"{band[0]} to {band[1]}"
            held = band is None or band[0] <= ndcg <= band[1]
            print(f"{layer:20} {ndcg:7.4f}  {recall:6.3f}  {wanted}{'' if held else '   MISSED'}", flush=True)
            if not held:
                missed.append(f"{collection} {layer}")
    if missed:
        sys.exit(f"not as expected: {', '.join(missed)}")


if __name__ == "__main__":
    main()
