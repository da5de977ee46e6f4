"""Semantic search: texts as vectors, documents found by meaning, whole or by their best chunk."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags, registry
from strata.shell import Asked, Common, Program

app = Program("semantic_search_cli", help=__doc__ or "")

Text = Annotated[str, typer.Argument(metavar="TEXT", help="Any text.", show_default=False)]


@app.run("verify")
def verify(common: Common, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """Load the encoder and say what it is and where its weights are."""
    from strata.encoders.report import verified
    from strata.show.facts import facts

    found = verified(encoder, common.settings(), common.say)
    common.emit(found, lambda: facts(found))


@app.run("embed_text")
def embed_text(common: Common, text: Text, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """The vector of a text, as documents get it."""
    from strata.semantic.looking import embedded_text, something
    from strata.show.facts import vector

    found = embedded_text(something(text), encoder, "document", common.workspace())
    common.emit(found, lambda: vector(found))


@app.run("embed_query")
def embed_query(common: Common, query: flags.QueryText, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """The vector of a query; some encoders put a prefix before it."""
    from strata.semantic.looking import embedded_text
    from strata.show.facts import vector

    found = embedded_text(flags.words(query), encoder, "query", common.workspace())
    common.emit(found, lambda: vector(found))


@app.run("verify_embeddings")
def verify_embeddings(common: Common, encoder: flags.Encoder = registry.DEFAULT_ENCODER) -> None:
    """The document vectors, made when they are missing: how many, of how many dimensions, where."""
    from strata.semantic.report import embedded
    from strata.semantic.units import Whole
    from strata.show.facts import facts

    found = embedded(common.workspace(), encoder, Whole())
    common.emit(found, lambda: facts(found))


@app.run("search", plan="document", options=("limit", "encoder", "min_score"))
def search(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """Documents by the vector of their whole text."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, asked, query, simple)


@app.run("chunk")
def chunk(
    common: Common,
    text: Text,
    chunk_size: Annotated[int, typer.Option("--chunk-size", help="Words a chunk (1 or more).")] = 200,
    overlap: Annotated[int, typer.Option("--overlap", help="Words that the next chunk begins with.")] = 0,
) -> None:
    """Cut a text into chunks of words."""
    from strata.semantic.chunking import word_chunks
    from strata.show.facts import chunks

    found = word_chunks(text, chunk_size, overlap)
    common.emit({"chunks": found}, lambda: chunks(found, len(text.split()), "word"))


@app.run("semantic_chunk")
def semantic_chunk(
    common: Common,
    text: Text,
    max_chunk_size: flags.ChunkSize = 4,
    overlap: flags.Overlap = 0,
) -> None:
    """Cut a text into chunks of whole sentences."""
    from strata.semantic.looking import sentence_chunks
    from strata.semantic.sentences import sentence_spans
    from strata.show.facts import chunks

    found = sentence_chunks(text, max_chunk_size, overlap)
    common.emit({"chunks": found}, lambda: chunks(found, len(sentence_spans(text)), "sentence"))


@app.run("embed_chunks")
def embed_chunks(
    common: Common,
    encoder: flags.Encoder = registry.DEFAULT_ENCODER,
    max_chunk_size: flags.ChunkSize = 4,
    overlap: flags.Overlap = 1,
) -> None:
    """Make the chunk vectors (any search does, when they are missing): 4 sentences a chunk, overlap 1."""
    from strata.semantic.chunking import Chunking
    from strata.semantic.report import embedded
    from strata.semantic.units import Cut
    from strata.show.facts import facts

    found = embedded(common.workspace(), encoder, Cut(Chunking(max_chunk_size, overlap)))
    common.emit(found, lambda: facts(found))


@app.run("search_chunked", plan="chunks", options=("limit", *flags.SEMANTIC))
def search_chunked(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """Documents by their best chunk, which is shown."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, asked, query, simple)


@app.run("similar", plan="similar", options=("limit", "encoder", "min_score"))
def similar(common: Common, asked: Asked, doc_id: flags.DocRef) -> None:
    """The neighbours of a document by its stored vector; no text is encoded."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, asked, doc_id, simple, like=doc_id)


@app.run("compare")
def compare(
    common: Common,
    texts: Annotated[list[str], typer.Argument(metavar="TEXT TEXT…", help="Two texts or more.", show_default=False)],
    encoder: flags.Encoder = registry.DEFAULT_ENCODER,
) -> None:
    """How alike texts are: the cosine of each with each."""
    from strata.errors import UsageError
    from strata.semantic.looking import compared, something
    from strata.show.facts import matrix

    if len(texts) < 2:
        raise UsageError("one text has nothing to be compared with", "give two or more, each in quotes")
    given = [something(text, f"text {number}") for number, text in enumerate(texts, start=1)]
    found = compared(given, encoder, common.workspace())
    common.emit(found, lambda: matrix(found))


if __name__ == "__main__":
    app()
