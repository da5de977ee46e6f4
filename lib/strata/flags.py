"""Options that several commands share, so that a flag means the same in every program, and flags → Plan."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import registry
from strata.core import analysis
from strata.core.types import Plan, Query
from strata.errors import UsageError
from strata.pipeline.workspace import Workspace

QueryText = Annotated[
    str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.", show_default=False)
]
DocRef = Annotated[
    str,
    typer.Argument(
        metavar="DOC_ID", help="A document's id, its title, or a unique part of its title.", show_default=False
    ),
]
TermText = Annotated[str, typer.Argument(metavar="TERM", help="One word.", show_default=False)]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many results to show.")]
Depth = Annotated[int, typer.Option("--depth", min=1, help="How far down each list goes into fusion.")]
K1 = Annotated[float, typer.Option("--k1", help="BM25: how soon repeats of a term stop counting (0 or more).")]
B = Annotated[float, typer.Option("--b", help="BM25: how much long documents are held back (0 to 1).")]
RankConstant = Annotated[float, typer.Option("-k", "--k", help="RRF's rank constant (0 or more).")]
Encoder = Annotated[
    str, typer.Option("--encoder", metavar="NAME|PATH", help=f"Text encoder: {registry.names(registry.ENCODERS)}.")
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="FIELD=VALUE|FIELD>=N", help="Only documents that meet this; repeatable.", show_default=False
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="DOC_ID", help="Leave this document out; repeatable.", show_default=False),
]
MinScore = Annotated[
    float | None, typer.Option("--min-score", help="Semantic lists: only cosines from here up.", show_default=False)
]
NoLog = Annotated[bool, typer.Option("--no-log", help="Write no run log.")]


def words(text: str) -> str:
    """A query, checked to hold at least one letter or digit."""
    if not analysis.tokens(text):
        raise UsageError(f'the query "{text}" holds no word', 'ask with words, e.g. "cute british bear"')
    return text


def query(text: str, ws: Workspace, exclude: list[str] | None, where: list[str] | None) -> Query:
    """The request that a command line asks for. Its text may hold stop words only: then the lists are empty."""
    return Query(
        words(text),
        exclude=frozenset(ws.corpus.find(ref) for ref in exclude or ()),
        where=tuple(where or ()),
    )


def keyword_plan(k1: float, b: float, limit: int) -> Plan:
    from strata.keyword.bm25 import BM25

    return Plan(retrieve=(BM25(k1, b),), depth=limit, limit=limit)


def tfidf_plan(limit: int) -> Plan:
    from strata.keyword.tfidf import TfIdf

    return Plan(retrieve=(TfIdf(),), depth=limit, limit=limit)


def chunk_plan(encoder: str, min_score: float | None, limit: int) -> Plan:
    from strata.semantic.chunks import Chunks

    return Plan(retrieve=(Chunks(encoder=encoder, min_score=min_score),), depth=limit, limit=limit)


def rrf_plan(k: float, encoder: str, min_score: float | None, depth: int, limit: int) -> Plan:
    """The lessons' hybrid: BM25 and chunks, fused by rank. The lists go at least as deep as what is shown."""
    from strata.hybrid.rrf import RRF
    from strata.keyword.bm25 import BM25
    from strata.semantic.chunks import Chunks

    fuse = RRF(int(k) if k == k // 1 else k)
    return Plan(
        retrieve=(BM25(), Chunks(encoder=encoder, min_score=min_score)), fuse=fuse, depth=max(depth, limit), limit=limit
    )
