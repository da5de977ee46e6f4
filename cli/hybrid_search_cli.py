"""Hybrid search: keyword and semantic lists fused into one, and a query's way through the layers."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags
from strata.shell import Asked, Common, Program

app = Program("hybrid_search_cli", help=__doc__ or "")


@app.run("normalize", unquoted_negatives=True)
def normalize(
    common: Common,
    scores: Annotated[list[float], typer.Argument(metavar="SCORE…", help="Scores; negative ones need no quotes.")],
) -> None:
    """Min-max: the best becomes 1, the worst 0; all equal, all 1."""
    from strata.hybrid.normalise import min_max

    values = min_max(scores).tolist()
    common.emit({"scores": scores, "normalized": values}, lambda: [f"* {value:.4f}" for value in values])


@app.run("weighted-search", plan="weighted", options=("alpha", *flags.SEARCHED))
def weighted_search(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """BM25 and vectors by score: each list min-max normalised, then weighted by alpha."""
    from strata.searching import search
    from strata.show.results import fused

    search(common, asked, query, fused)


@app.run("rrf-search", plan="rrf", options=("k", *flags.SEARCHED))
def rrf_search(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """Reciprocal rank fusion of BM25 and vectors: a rank is worth 1/(k + rank)."""
    from strata.searching import search
    from strata.show.results import fused

    search(common, asked, query, fused)


@app.run("trace", plan="rrf", options=("fuse", "k", "alpha", *flags.HYBRID))
def trace(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """The query's way through the layers, side by side: who stands where, who left the top, and the largest fall."""
    from strata.pipeline.beside import not_fused
    from strata.pipeline.moves import to_json
    from strata.searching import search
    from strata.show.trace import view

    search(common, asked, query, view, more=lambda found: to_json(found.trace, found.beside), beside=not_fused)


@app.run("explain", plan="rrf", options=("fuse", "k", "alpha", *flags.HYBRID))
def explain(common: Common, asked: Asked, query: flags.QueryText, doc_id: flags.DocRef) -> None:
    """Every layer's part in where a document stands, down to the terms and the passage, and what stands above it."""
    from strata.explaining import explain

    explain(common, asked, query, doc_id)


if __name__ == "__main__":
    app()
