"""BM25's nDCG@10 and recall@100 on collections in BEIR layout, by the program itself and trec_eval's own code.

    python benchmarks/bm25_quality.py FOLDER [FOLDER …]

Each folder is opened as `--dataset` would open it; every judged query runs through the bm25 layer; scores handed
to trec_eval are 1/rank, so that its own tie-break cannot change the order that is shown. Queries without a
relevant document are left out, as trec_eval does. Exits with 1 when a figure is below its floor.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import pytrec_eval

from strata import settings
from strata.core.golden import load_golden
from strata.core.types import Plan, Query
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace

DEPTH = 100
FLOORS = {"beir-scifact": 0.685, "beir-nfcorpus": 0.325, "cranfield": 0.440}


def evaluate(folder: Path) -> tuple[float, float, int]:
    """Mean nDCG@10, mean recall@100, number of judged queries."""
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as cache:
        ws = Workspace(settings.load(str(folder), cache), say=print)
        golden = load_golden(folder)
        qrels = {q.id: q.relevant for q in golden.queries if q.judged}
        plan = Plan(retrieve=(BM25(),), depth=DEPTH, limit=DEPTH)
        found = {}
        for query in golden.queries:
            if query.id in qrels:
                docs = run(plan, Query(query.text), ws).final.docs.tolist()
                found[query.id] = {str(ws.corpus.id(doc)): 1 / rank for rank, doc in enumerate(docs, start=1)}
    measures = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.100"}).evaluate(found)
    # trec_eval leaves out a query for which nothing was retrieved; it counts 0 here.
    values = [measures.get(name, {"ndcg_cut_10": 0.0, "recall_100": 0.0}) for name in qrels]
    mean = {name: statistics.fmean(value[name] for value in values) for name in ("ndcg_cut_10", "recall_100")}
    return mean["ndcg_cut_10"], mean["recall_100"], len(qrels)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    low = []
    print(f"{'collection':16} {'queries':>7} {'nDCG@10':>8} {'R@100':>6}  floor")
    for name in sys.argv[1:]:
        folder = Path(name)
        ndcg, recall, count = evaluate(folder)
        floor = FLOORS.get(folder.name)
        print(f"{folder.name:16} {count:7} {ndcg:8.4f} {recall:6.3f}  {floor or ''}")
        if floor and ndcg < floor:
            low.append(folder.name)
    if low:
        sys.exit(f"below the floor: {', '.join(low)}")


if __name__ == "__main__":
    main()
