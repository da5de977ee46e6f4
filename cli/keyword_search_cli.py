"""Keyword search: a hand-built inverted index, TF-IDF and BM25, and everything that a score is made of."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from strata import flags
from strata.shell import Asked, Common, Program

app = Program("keyword_search_cli", help=__doc__ or "")


@app.run("build")
def build(common: Common) -> None:
    """Build the index (any search does, when it is missing) and say what is in it."""
    from strata.keyword.report import build_report
    from strata.show.facts import facts

    found = build_report(common.workspace())
    common.emit(found, lambda: facts(found))


@app.run("search", plan="tfidf", options=("limit",))
def search(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """Documents that share a term with the query, ranked by TF-IDF."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, asked, query, simple)


@app.run("bm25search", plan="bm25", options=("limit", "k1", "b"))
def bm25search(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """Documents ranked by BM25."""
    from strata.searching import search
    from strata.show.results import simple

    search(common, asked, query, partial(simple, form="{n}. {title} - Score: {score}"))


@app.run("tf")
def tf(common: Common, doc_id: flags.DocRef, term: flags.TermText) -> None:
    """How often a term stands in a document."""
    from strata.keyword.figures import tf

    figure = tf(common.workspace(), doc_id, term)
    common.emit(figure, lambda: [f"{figure['value']}"])


@app.run("idf")
def idf(common: Common, term: flags.TermText) -> None:
    """Inverse document frequency: ln((N+1)/(df+1))."""
    from strata.keyword.figures import idf

    figure = idf(common.workspace(), term)
    common.emit(figure, lambda: [f"{figure['value']:.2f}"])


@app.run("tfidf")
def tfidf(common: Common, doc_id: flags.DocRef, term: flags.TermText) -> None:
    """A term's weight in a document: tf × idf."""
    from strata.keyword.figures import tfidf

    figure = tfidf(common.workspace(), doc_id, term)
    common.emit(figure, lambda: [f"{figure['value']:.2f}"])


@app.run("bm25idf")
def bm25idf(common: Common, term: flags.TermText) -> None:
    """BM25's idf: ln(1 + (N−df+0.5)/(df+0.5))."""
    from strata.keyword.figures import bm25idf

    figure = bm25idf(common.workspace(), term)
    common.emit(figure, lambda: [f"{figure['value']:.2f}"])


@app.run("bm25tf", unquoted_negatives=True)
def bm25tf(
    common: Common,
    doc_id: flags.DocRef,
    term: flags.TermText,
    k1: Annotated[float, typer.Argument(metavar="[K1]", help="0 or more.")] = 1.5,
    b: Annotated[float, typer.Argument(metavar="[B]", help="0 to 1.")] = 0.75,
) -> None:
    """BM25's tf weight: tf·(k1+1)/(tf + k1·(1−b+b·dl/avgdl))."""
    from strata.keyword.figures import bm25tf

    figure = bm25tf(common.workspace(), doc_id, term, k1, b)
    common.emit(figure, lambda: [f"{figure['value']:.2f}"])


@app.run("analyze")
def analyze(common: Common, text: Annotated[str, typer.Argument(metavar="TEXT", help="Any text.")]) -> None:
    """What becomes of each word: dropped as a stop word, or its term and document frequency."""
    from strata.keyword.figures import analyze
    from strata.show.keyword import analysed

    rows = analyze(common.workspace(), text)
    common.emit({"text": text, "words": rows}, lambda: analysed(rows))


@app.run("postings")
def postings(common: Common, term: flags.TermText, limit: flags.Limit = 10) -> None:
    """A term's postings: the documents that hold it, most often first."""
    from strata.keyword.figures import postings
    from strata.show.keyword import postings as view

    ws = common.workspace()
    found = postings(ws, term, limit)
    common.emit(found.to_json(ws), lambda: view(term, found.term, ws, found.docs, found.tfs, limit))


@app.run("explain")
def explain(
    common: Common, query: flags.QueryText, doc_id: flags.DocRef, k1: flags.K1 = 1.5, b: flags.B = 0.75
) -> None:
    """A document's BM25 score, down to the term; the sum is the score."""
    from strata.keyword.figures import explain
    from strata.show.keyword import explained

    ws = common.workspace()
    found = explain(ws, flags.words(query), doc_id, k1, b)
    common.emit(found.to_json(ws), lambda: explained(found.part, query, found.doc, ws, found.rank, found.matched))


if __name__ == "__main__":
    app()
