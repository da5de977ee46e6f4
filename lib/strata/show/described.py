"""A picture put into words, drawn: what was sent of it, what it shows, the request before and after, who said so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strata.core.picture import Picture
from strata.llm.images import kilobytes
from strata.pictures.described import Described
from strata.pictures.vision import BLIND, EYES
from strata.show.figures import tokens
from strata.show.text import Block, between, clean, line, width, wrapped

SIDE = 9
"""Columns of the names at the left."""


def view(found: Described) -> Iterator[Block]:
    columns = width()
    yield from _sided("picture", [*facts(found.picture), _sent(found)], " · ", columns)
    if found.shows is not None:
        yield from _sided("shows", clean(found.shows).split(" "), " ", columns)
    yield from _sided("query", _words(found), " ", columns)
    if found.by_rule:
        yield from _sided("by rule", f"{BLIND}: {EYES}".split(" "), " ", columns)
    elif found.failed:
        said = f"{clean(found.failed.message)}: the words stand as they were asked"
        yield from _sided("failed", said.split(" "), " ", columns)
    else:
        who = f"{clean(str(found.provider))}, {clean(str(found.model))}"
        for text in wrapped(between([who, tokens(found.usage)], " · "), columns, "by".ljust(SIDE), " " * SIDE):
            yield line((text, "dim"))


def facts(picture: Picture) -> list[str]:
    """Its name, what it is, its size, and what was done to open it."""
    wide, high = picture.original
    return [clean(picture.name), f"{clean(picture.format)} {wide} × {high}", *map(clean, picture.notes)]


def _sent(found: Described) -> str:
    if found.sent is None:
        return "not sent"
    if found.replayed:
        return "not sent: the reply was recorded"
    size = f"{found.sent['width']} × {found.sent['height']}"
    file = f"{found.sent['mime']}, {size}, {kilobytes(found.sent['bytes'])}, no metadata"
    return f"to be sent as {file}" if found.failed else f"sent as {file}"


def _words(found: Described) -> list[str]:
    before = f'"{clean(found.asked)}"' if found.asked else "none"
    if found.used == found.asked:
        return f"{before}, as it was asked".split(" ")
    return f'{before} → "{clean(found.used)}"'.split(" ")


def _sided(name: str, parts: Sequence[str], sign: str, columns: int) -> Iterator[str]:
    yield from wrapped(between(parts, sign), columns, name.ljust(SIDE), " " * SIDE)
