"""Pictures from a command line: opened, encoded, searched with, explained."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from strata import explaining, searching
from strata.asked import Asked
from strata.common import Common
from strata.searching import Found
from strata.show.text import Block

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def embedded(path: str, model: str, ws: Workspace) -> dict[str, Any]:
    """A picture's vector as plain floats, and what was done to get it."""
    from strata.encoders.weights import find
    from strata.pictures.open import open_picture

    picture = open_picture(path)
    find(model, ws.settings, ws.note, pictures=True)
    start = time.perf_counter()
    encoder = ws.encoder(model)
    opened = time.perf_counter()
    vector = encoder.encode_pictures([picture])[0]
    done = time.perf_counter()
    return {
        "image": picture.to_json(),
        "model": model,
        "dimensions": int(vector.size),
        "open_ms": round((opened - start) * 1000, 1),
        "encode_ms": round((done - opened) * 1000, 1),
        "vector": [float(value) for value in vector],
    }


def search(common: Common, asked: Asked, path: str, text: str) -> None:
    """One picture is encoded; sentences were when the catalogue's artefact was built."""
    from strata.pictures.open import open_picture
    from strata.show.pictures import opened
    from strata.show.results import simple

    picture = None if asked.show_plan else open_picture(path)

    def draw(found: Found) -> Iterator[Block]:
        if picture is not None:
            yield from opened(picture)
        yield from simple(found)

    searching.search(common, asked, text, draw, picture=picture)


def explain(common: Common, asked: Asked, path: str, text: str, ref: str) -> None:
    """As hybrid_search_cli explain, for a picture."""
    from strata.pictures.open import open_picture

    picture = None if asked.show_plan else open_picture(path)
    explaining.explain(common, asked, text, ref, picture=picture)
