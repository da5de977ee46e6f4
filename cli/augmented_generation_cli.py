"""Answers from what a search finds: numbered sources first, then the answer, then the check of every citation."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags
from strata.shell import Asked, Common, Program

app = Program("augmented_generation_cli", help=__doc__ or "")

OPTIONS = ("fuse", "k", "alpha", "min_evidence", "strict", *flags.HYBRID)


@app.run("rag", plan="rrf", options=OPTIONS)
def rag(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """An answer from the results."""
    from strata.answering import answer

    answer(common, asked, "rag", query)


@app.run("summarize", plan="rrf", options=OPTIONS)
def summarize(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """What the results say to the query, together."""
    from strata.answering import answer

    answer(common, asked, "summarize", query)


@app.run("citations", plan="rrf", options=OPTIONS)
def citations(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """An answer in which every claim names its source; each citation is checked."""
    from strata.answering import answer

    answer(common, asked, "citations", query)


@app.run("question", plan="rrf", options=OPTIONS)
def question(common: Common, asked: Asked, query: flags.QueryText) -> None:
    """A short answer to a question."""
    from strata.answering import answer

    answer(common, asked, "question", query)


@app.run("check", plan="rrf", options=("fuse", "k", "alpha", "strict", *flags.HYBRID))
def check(
    common: Common,
    asked: Asked,
    query: flags.QueryText,
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="An answer with citations like [1].", show_default=False)
    ],
) -> None:
    """Judge a pasted answer by what is retrieved for the query."""
    from strata.answering import check

    check(common, asked, query, answer)


if __name__ == "__main__":
    app()
