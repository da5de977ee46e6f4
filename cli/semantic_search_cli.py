"""Semantic search: chunks of text as vectors, found by meaning."""

from __future__ import annotations

from strata import flags, registry
from strata.shell import Common, Program

app = Program("semantic_search_cli", help=__doc__ or "")


@app.run("verify")
def verify(common: Common, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """Load the encoder and say what it is and where its weights are."""
    from strata.encoders.report import verified
    from strata.show.facts import facts

    found = verified(encoder, common.settings(), common.say)
    common.emit(found, lambda: facts(found))


@app.run("embed_chunks")
def embed_chunks(common: Common, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """Make the chunk vectors (any search does, when they are missing): 4 sentences a chunk, overlap 1."""
    from strata.semantic.report import embedded
    from strata.show.facts import facts

    found = embedded(common.workspace(), encoder)
    common.emit(found, lambda: facts(found))


@app.run("search_chunked")
def search_chunked(
    common: Common,
    query: flags.QueryText,
    limit: flags.Limit = 5,
    encoder: flags.Encoder = registry.DEFAULT_ENCODER,
    min_score: flags.MinScore = None,
    where: flags.Where = None,
    exclude: flags.Exclude = None,
    no_log: flags.NoLog = False,
) -> None:
    """Documents by their best chunk, which is shown."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, "semantic_search_cli search_chunked", flags.chunk_plan(encoder, min_score, limit), query, simple,
           exclude=exclude, where=where, no_log=no_log)  # fmt: skip


if __name__ == "__main__":
    app()
