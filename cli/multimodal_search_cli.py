"""Pictures as queries: CLIP puts pictures and sentences into one space, and finds what a picture shows."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags, registry
from strata.shell import Asked, Common, Program

app = Program("multimodal_search_cli", help=__doc__ or "")

Words = Annotated[str, typer.Option("--query", metavar="TEXT", help="Words beside the picture.", show_default=False)]


@app.run("verify_image_embedding")
def verify_image_embedding(
    common: Common, image: flags.PicturePath, model: flags.PictureModel = registry.DEFAULT_PICTURE_ENCODER
) -> None:
    """A picture's vector: how it was opened, how many dimensions, how long it took."""
    from strata.picturing import embedded
    from strata.show.pictures import embedded as view

    found = embedded(image, model, common.workspace())
    common.emit(found, lambda: view(found))


@app.run("image_search", plan="clip", options=("limit", *flags.PICTURE, "debug"))
def image_search(common: Common, asked: Asked, image: flags.PicturePath, query: Words = "") -> None:
    """Documents by what a picture shows, each by its best sentence; with --query by the picture and words together."""
    from strata.picturing import search

    search(common, asked, image, query)


@app.run("explain", plan="clip", options=("depth", *flags.PICTURE))
def explain(common: Common, asked: Asked, image: flags.PicturePath, doc_id: flags.DocRef, query: Words = "") -> None:
    """Where a document stands for a picture, by which of its sentences (--json has them all), and what is above it."""
    from strata.picturing import explain

    explain(common, asked, image, query, doc_id)


if __name__ == "__main__":
    app()
