"""A picture put into words by a model that sees, and searched with."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags
from strata.shell import Asked, Common, Program

app = Program("describe_image_cli", help=__doc__ or "")

OPTIONS = ("k", *(name for name in flags.SEARCHED if name != "enhance"))


@app.run("describe", plan="rrf", options=OPTIONS)
def describe(
    common: Common,
    asked: Asked,
    image: Annotated[
        str, typer.Option("--image", metavar="PATH", help="PNG, JPEG, WebP, GIF, BMP or TIFF.", show_default=False)
    ],
    query: Annotated[
        str, typer.Option("--query", metavar="TEXT", help="What is asked in words beside it.", show_default=False)
    ] = "",
    search: Annotated[bool, typer.Option("--search", help="Search with the words that come of it, by rrf.")] = False,
) -> None:
    """A picture, and the words beside it, as one request in words: a model that sees writes it (--llm). Without one
    nothing here can see, and the words alone are the request."""
    from strata.describing import describe

    describe(common, asked, image, query, search=search)


if __name__ == "__main__":
    app()
