"""Measure: every layer by a golden set, why each document was missed, which setting is best, and how sure that is."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags, registry
from strata.shell import Asked, Common, Program

app = Program("evaluation_cli", help=f"{__doc__} Without a subcommand: evaluate.")
app.implied = "evaluate"

PLAN = ("fuse", "k", "alpha", *(name for name in flags.HYBRID if name != "show_prompt"))
ALWAYS = ("preset", "config")
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
Metric = Annotated[
    str,
    typer.Option("--metric", metavar="NAME", help=f"The main one: {registry.names(registry.METRICS)}; also ndcg@20."),
]


@app.run("evaluate", plan="rrf", options=PLAN, always=ALWAYS)
def evaluate(
    common: Common,
    asked: Asked,
    golden: GoldenFile = None,
    split: Split = "test",
    kind: Kind = None,
    layers: Annotated[bool, typer.Option("--layers", help="Every layer and fusion in one table.")] = False,
    with_: With = None,
    against: Against = "bm25",
    metric: Metric = "ndcg",
    kinds: Annotated[bool, typer.Option("--kinds", help="With --layers: by kind of query too.")] = False,
) -> None:
    """A plan query by query, then the means; or every layer side by side (--layers)."""
    from strata import evaluating
    from strata.errors import UsageError

    if not layers and (with_ or kinds):
        raise UsageError("--with and --kinds belong to the table of layers", "add --layers")
    bench = evaluating.opened(common, asked, evaluating.Golden(golden, split, kind))
    if layers:
        added = [name.strip() for name in (with_ or "").split(",") if name.strip()]
        evaluating.layers(bench, added, against, metric, kinds)
    else:
        evaluating.plain(bench)


if __name__ == "__main__":
    app()
