"""Views of pictures as queries: how one was opened, and its vector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.core.picture import Picture
from strata.show.described import facts
from strata.show.facts import SHOWN
from strata.show.text import Block, Grid, between, clean, line, width, wrapped


def opened(picture: Picture) -> Iterator[Block]:
    """Name, format, size, and what was done on opening, as far as there is room."""
    name, *said = facts(picture)
    for text in wrapped(between(said, " · "), width(), f"picture {name}  ", "  "):
        yield line((text, "dim"))


def embedded(found: dict[str, Any]) -> Iterator[Block]:
    """What `verify_image_embedding` says: facts, then the beginning of the vector."""
    image = found["image"]
    rows = [
        ("picture", f"{clean(image['name'])}, {image['format']} {image['width']} × {image['height']}"),
        *((("", clean(note))) for note in image["notes"]),
        ("model", clean(found["model"])),
        ("dimensions", str(found["dimensions"])),
        ("model opened in", f"{found['open_ms']:.0f} ms"),
        ("encoded in", f"{found['encode_ms']:.0f} ms"),
    ]
    yield Grid(tuple(rows))
    shown = ", ".join(f"{value:.4f}" for value in found["vector"][:SHOWN])
    yield f"vector: [{shown}, …], length 1 (--json prints all)"
