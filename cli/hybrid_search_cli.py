"""Hybrid search: keyword and semantic lists fused into one, and a query's way through the layers."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags, registry
from strata.shell import Common, Program

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


@app.run("rrf-search")
def rrf_search(
    common: Common,
    query: flags.QueryText,
    k: flags.RankConstant = 60,
    limit: flags.Limit = 5,
    depth: flags.Depth = 100,
    encoder: flags.Encoder = registry.DEFAULT_ENCODER,
    min_score: flags.MinScore = None,
    where: flags.Where = None,
    exclude: flags.Exclude = None,
    no_log: flags.NoLog = False,
) -> None:
    """Reciprocal rank fusion of BM25 and chunk vectors: a rank is worth 1/(k + rank)."""
    from strata.searching import search
    from strata.show.results import fused

    search(common, "hybrid_search_cli rrf-search", flags.rrf_plan(k, encoder, min_score, depth, limit), query, fused,
           exclude=exclude, where=where, no_log=no_log)  # fmt: skip


@app.run("trace")
def trace(
    common: Common,
    query: flags.QueryText,
    k: flags.RankConstant = 60,
    limit: flags.Limit = 5,
    depth: flags.Depth = 100,
    encoder: flags.Encoder = registry.DEFAULT_ENCODER,
    min_score: flags.MinScore = None,
    where: flags.Where = None,
    exclude: flags.Exclude = None,
    no_log: flags.NoLog = False,
) -> None:
    """The query's way through the layers, side by side: who stands where, who left the top, and the largest fall."""
    from strata.pipeline.moves import to_json
    from strata.searching import search
    from strata.show.trace import view

    plan = flags.rrf_plan(k, encoder, min_score, depth, limit)
    search(common, "hybrid_search_cli trace", plan, query, view, exclude=exclude, where=where, no_log=no_log,
           more=lambda found: {"moves": to_json(found, limit)})  # fmt: skip


if __name__ == "__main__":
    app()
