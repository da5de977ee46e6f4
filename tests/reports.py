"""A small bench to make reports of: every part of one, without a model, over texts of one's choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.types import Plan, Query, Ranking
from strata.evaluation.failures import failures
from strata.evaluation.grid import axes
from strata.evaluation.measure import measure
from strata.evaluation.misses import Failures
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.sweep import sweep
from strata.evaluation.swept import Sweep
from strata.evaluation.table import Table, table
from strata.evaluation.unanswerable import Unanswerable
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.workspace import Workspace
from strata.reporting import page

LONG = "endless " * 1250
HOSTILE = (
    "<script>alert(1)</script>", "</style></title><img src=x onerror=alert(1)>", LONG,
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd\u200f",
    "$\\frac{$ & $x$", '" onload="alert(1)', "\x1b[31mred\x07\uffff",
    "\u6f22\u5b57 \u0e44\u0e17\u0e22 \U0001f43b", "{{ 7 * 7 }} {% raw %}", "]]>&#0;<!--",
)  # fmt: skip


@dataclass(frozen=True)
class Backwards:
    """A reranker that turns its candidates round."""

    candidates: int = 25
    name: str = "backwards"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = found.docs[: self.candidates][::-1]
        return Ranking(self.name, docs, np.arange(len(docs), 0, -1, dtype=float))


class Measured(NamedTuple):
    ws: Workspace
    golden: GoldenSet
    outcomes: list[Outcome]
    table: Table
    failures: Failures
    sweeps: list[Sweep]

    def page(self, **more: Any) -> str:
        given = {"failures": self.failures, "sweeps": self.sweeps, "command": "evaluation_cli report x.html", **more}
        return page.page(self.table, self.golden, self.outcomes, **given)


Open = Callable[..., Workspace]
"""A workspace over entries of a catalogue."""


def measured(
    open: Open, titles: tuple[str, ...], asked: tuple[str, ...], kinds: tuple[str, ...], fused: str
) -> Measured:
    """A bench of documents with these titles and queries that end with these texts. fused: what a row is called."""
    texts = ("bear honey forest", "bear river bear", "fox forest den fox", "river boat", "honey bee bear bee")
    ws = open(*({"id": i, "title": t, "description": f"{texts[i % 5]} word{i}"} for i, t in enumerate(titles, 1)))
    keys = ("bear", "forest", "river boat", "honey", "fox den", "bee")
    queries = [
        GoldenQuery(f"q{i}{text[:9]}", f"{keys[i % 6]} {text}", {str(1 + i % len(titles)): 2, "2": 1}, kind, text)
        for i, (text, kind) in enumerate(zip(asked, cycle(kinds), strict=False))
    ]
    golden = GoldenSet("small", (*queries, GoldenQuery("none", f"opera {asked[0]}", {}, kinds[0])), ("a problem",))
    plan = Plan((BM25(), TfIdf()), fuse=RRF(), limit=3)
    plans = {"bm25": Plan((BM25(),)), fused: plan, f"{fused} > backwards": replace(plan, rerank=Backwards())}
    outcomes = evaluate([Contender(name, one) for name, one in plans.items()], golden, ws).outcomes
    without = [Unanswerable(("none",), ()), None, Unanswerable((), ("none",))]
    grids = (["k=0,1,60"], ["k1=1,2", "b=0,0.7"])
    return Measured(
        ws,
        golden,
        outcomes,
        table(outcomes, golden, 3, "bm25", unanswerable=without),
        failures(outcomes[1], golden, ws, 3),
        [sweep(plan, axes(grid, plan), golden, ws, measure("ndcg", 3)) for grid in grids],
    )


def plain_bench(open: Open) -> Measured:
    return measured(open, tuple(f"Film {n}" for n in range(1, 11)), tuple("abcdefgh"), ("keyword", "mood"), "fused")


def hostile_bench(open: Open) -> Measured:
    """Every text that a page shows is of HOSTILE."""
    return measured(open, HOSTILE, HOSTILE, HOSTILE[:3], HOSTILE[0])
