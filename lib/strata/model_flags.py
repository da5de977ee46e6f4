"""Options of every command that may ask a language model."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import registry

MODEL = "Language model"
Llm = Annotated[
    str,
    typer.Option(
        "--llm", metavar="NAME", help=f"Who is asked: auto, {registry.names(registry.PROVIDERS)}, or none (by rule).",
        rich_help_panel=MODEL,
    ),
]  # fmt: skip
LlmModel = Annotated[
    str | None,
    typer.Option("--llm-model", metavar="NAME", help="Its model.", show_default=False, rich_help_panel=MODEL),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="DIR",
        help="Keep each reply there, to be replayed.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Replay = Annotated[
    str | None,
    typer.Option(
        "--replay", metavar="DIR", help="What --llm replay reads; default: the bundled recordings.", show_default=False,
        rich_help_panel=MODEL,
    ),
]  # fmt: skip
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        min=1,
        help="Ask at most so often; asking again counts.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens-total", min=1, help="Use at most about so many tokens.", show_default=False, rich_help_panel=MODEL
    ),
]
ShowPrompt = Annotated[
    bool, typer.Option("--show-prompt", help="Print what would be sent, send nothing.", rich_help_panel=MODEL)
]
Judge = Annotated[
    bool,
    typer.Option("--evaluate", help="A language model grades each result, 0 to 3: an opinion.", rich_help_panel=MODEL),
]
