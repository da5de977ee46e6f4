"""Options of the programs that measure: which golden set, and what is compared by which figure."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import registry

GOLDEN = "The golden set"
GoldenFile = Annotated[
    str | None,
    typer.Option(
        "--golden", metavar="FILE", help="Queries with their answers; default: what comes with the catalogue.",
        show_default=False, rich_help_panel=GOLDEN,
    ),
]  # fmt: skip
Split = Annotated[
    str, typer.Option("--split", metavar="NAME", help="Of a BEIR folder: qrels/NAME.tsv.", rich_help_panel=GOLDEN)
]
Queries = Annotated[
    str | None,
    typer.Option(
        "--queries", metavar="FILE", help="For a file of TREC judgements: the queries' texts.", show_default=False,
        rich_help_panel=GOLDEN,
    ),
]  # fmt: skip
Kind = Annotated[
    str | None,
    typer.Option("--kind", help="Only queries of this kind.", show_default=False, rich_help_panel=GOLDEN),
]
Against = Annotated[str, typer.Option("--against", metavar="LAYER", help="The row that others are held against.")]
With = Annotated[
    str | None,
    typer.Option(
        "--with", metavar="rerank,enhance", help="With --layers, rows for these too; single layers can be named.",
        show_default=False,
    ),
]  # fmt: skip
Over = Annotated[
    list[str] | None,
    typer.Option(
        "--over", metavar="SETTING[=VALUES]", help="Sweep alpha, k=1,10,60 or alpha=0..1:0.1; repeatable.",
        show_default=False,
    ),
]  # fmt: skip
Metric = Annotated[
    str,
    typer.Option("--metric", metavar="NAME", help=f"The main one: {registry.names(registry.METRICS)}; also ndcg@20."),
]
