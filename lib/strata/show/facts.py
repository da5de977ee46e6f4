"""Views of the semantic layer: facts, a vector, chunks, a matrix of cosines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from strata.show.figures import counted
from strata.show.text import Block, Grid, clean, columns_of, cut, width

SHOWN = 5
"""Numbers of a vector that are shown; --json has all."""
CELL = len("  -0.123")
"""The columns that a cosine takes at most."""


def facts(found: dict[str, Any]) -> Iterator[Block]:
    """Names and values, one a line."""
    yield Grid(tuple((name, clean(str(value))) for name, value in found.items()))


def vector(found: dict[str, Any]) -> Iterator[Block]:
    """The beginning of a vector, and how many numbers it has."""
    yield cut(f"{found['kind']}: {clean(found['text'])}", width())
    shown = ", ".join(f"{value:.4f}" for value in found["vector"][:SHOWN])
    yield f"vector: [{shown}, …]"
    yield f"dimensions: {found['dimensions']}, length 1 (--json prints all)"


def chunks(found: Sequence[str], count: int, noun: str) -> Iterator[Block]:
    """Each chunk under its number; the text they are of had `count` words, or sentences."""
    yield f"{counted(len(found), 'chunk')} of {counted(count, noun)}"
    for number, text in enumerate(found, start=1):
        lead = f"{number}. "
        for place, line in enumerate(broken(clean(text), width() - len(lead))):
            yield (" " * len(lead) if place else lead) + line


def broken(text: str, columns: int) -> list[str]:
    """Lines of whole words, at most `columns` wide (East Asian wide letters count two); a longer word is divided."""
    lines, room = [""], columns
    for word in text.split():
        if lines[-1] and columns_of(word) < room:
            lines[-1] += f" {word}"
            room -= columns_of(word) + 1
            continue
        if lines[-1]:
            lines.append("")
            room = columns
        for letter in word:
            if columns_of(letter) > room:
                lines.append("")
                room = columns
            lines[-1] += letter
            room -= columns_of(letter)
    return lines


def matrix(found: dict[str, Any]) -> Iterator[Block]:
    """Texts by number, then the cosine of each with each, so many columns at a time as there is room for."""
    texts = found["texts"]
    for number, text in enumerate(texts, start=1):
        yield cut(f"{number}. {clean(text)}", width())
    label = len(str(len(texts)))
    fit = max(1, (width() - label) // CELL)
    for first in range(0, len(texts), fit):
        numbers = range(first + 1, min(first + fit, len(texts)) + 1)
        rows = tuple(
            (f"{number:{label}}", *(f"{value:.3f}" for value in row[first : first + fit]))
            for number, row in enumerate(found["cosines"], start=1)
        )
        yield Grid(rows, head=(" " * label, *map(str, numbers)), align="r" * (len(numbers) + 1))
