"""The small vocabulary that every view is drawn with: lines of styled spans, grids, bars, passages.

Plain text where stdout is no terminal, Rich where it is. Text from a catalogue is stripped of control
characters before it is drawn, so that no document can move the cursor or recolour the screen.
"""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import IO

UNSEEN = frozenset({"Cc", "Cf", "Co"})
"""Categories of characters that could forge output: control, format, private ones."""
Span = str | tuple[str, str]
"""Text, or (text, style) with a Rich style such as "bold" or "dim"."""


@dataclass(frozen=True)
class Line:
    """One line of spans. Style "match" is [bracketed] in plain text and bold on a terminal."""

    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Grid:
    """Columns that line up. align: "l" or "r" for each column; head may be empty."""

    rows: tuple[tuple[str, ...], ...]
    head: tuple[str, ...] = ()
    align: str = ""
    indent: int = 0


Block = str | Line | Grid


def line(*spans: Span) -> Line:
    return Line(spans)


def width(stream: IO[str] | None = None) -> int:
    """Columns to draw in: the terminal's (at most 100), or 80 where there is none."""
    stream = stream or sys.stdout
    return min(shutil.get_terminal_size((80, 24)).columns, 100) if stream.isatty() else 80


def clean(text: str) -> str:
    """Text without control and format characters, which could forge output; white space becomes blanks, and what is no
    letter (a byte of a file's name that is not UTF-8) U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if c.isspace() else "\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return "".join(c for c in kept if unicodedata.category(c) not in UNSEEN).strip()


def drawable(block: Block) -> Block:
    """A block without such characters, whatever drew it: a path that was typed may hold them. Its blanks stay."""
    if isinstance(block, str):
        return _kept(block)
    if isinstance(block, Line):
        return Line(tuple(_kept(one) if isinstance(one, str) else (_kept(one[0]), one[1]) for one in block.spans))
    rows = tuple(tuple(map(_kept, row)) for row in block.rows)
    return replace(block, rows=rows, head=tuple(map(_kept, block.head)))


def _kept(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in UNSEEN)


def cut(text: str, columns: int) -> str:
    """At most `columns` wide (East Asian wide letters count two), with … where something was left out."""
    if columns_of(text) <= columns:
        return text
    room = columns - 1
    kept: list[str] = []
    for letter in text:
        room -= columns_of(letter)
        if room < 0:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"


def columns_of(text: str) -> int:
    """How many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int, side: str = "l") -> str:
    blank = " " * max(0, columns - columns_of(text))
    return blank + text if side == "r" else text + blank


def wrapped(pieces: Sequence[str], columns: int, first: str = "", then: str = "") -> list[str]:
    """Lines of at most `columns` from pieces that are not broken; what stands between two is at the end of the former.
    first, then: how the first line and the others begin. A piece that is wider than a line is cut."""
    lines, held = [], first
    for piece in pieces:
        if held not in (first, then) and columns_of(held + piece.rstrip()) > columns:
            lines.append(held.rstrip())
            held = then
        held += piece
    return [cut(text, columns) for text in (*lines, held.rstrip())]


def between(texts: Sequence[str], sign: str) -> list[str]:
    """Each text but the last with the sign after it, for `wrapped`."""
    return [text + sign for text in texts[:-1]] + list(texts[-1:])


def bar(*parts: float, full: float, columns: int = 20, tones: str = "▓░", empty: str = "░") -> str:
    """A bar of `columns` cells for parts of `full`, each part in its own tone; what is left is `empty`."""
    cells, drawn, total = "", 0, 0.0
    for part, tone in zip(parts, tones, strict=False):
        total += max(part, 0.0)
        upto = min(columns, round(columns * total / full)) if full > 0 else 0
        cells += tone * (upto - drawn)
        drawn = max(drawn, upto)
    return cells + empty * (columns - drawn)


def ordinal(n: int) -> str:
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def plain(block: Block) -> list[str]:
    """A block as text lines without styles."""
    if isinstance(block, str):
        return [block]
    if isinstance(block, Line):
        return ["".join(s if isinstance(s, str) else f"[{s[0]}]" if s[1] == "match" else s[0] for s in block.spans)]
    rows = ([block.head] if block.head else []) + list(block.rows)
    widths = _widths(rows)
    return [
        " " * block.indent
        + "  ".join(pad(cell, widths[i], block.align[i : i + 1] or "l") for i, cell in enumerate(row)).rstrip()
        for row in rows
    ]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    count = max((len(row) for row in rows), default=0)
    return [max((columns_of(row[i]) for row in rows if i < len(row)), default=0) for i in range(count)]


def write(blocks: Iterable[Block], stream: IO[str]) -> None:
    """Draw blocks: with Rich on a terminal (without colours where NO_COLOR is set), as plain text elsewhere, also on a
    terminal that knows no styles."""
    blocks = map(drawable, blocks)
    if stream.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown"):
        _write_rich(blocks, stream)
        return
    for block in blocks:
        for text in plain(block):
            stream.write(text.rstrip() + "\n")


def _rich(span: Span) -> Span:
    return (span[0], "bold yellow") if isinstance(span, tuple) and span[1] == "match" else span


def _write_rich(blocks: Iterable[Block], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True, width=width(stream))
    for block in blocks:
        if isinstance(block, str):
            console.print(block)
        elif isinstance(block, Line):
            console.print(Text.assemble(*(_rich(span) for span in block.spans)))
        else:
            table = Table(
                box=None, show_header=bool(block.head), header_style="dim", pad_edge=False, padding=(0, 2, 0, 0)
            )
            count = max((len(row) for row in (block.head, *block.rows)), default=0)
            for i in range(count):
                right = block.align[i : i + 1] == "r"
                head = block.head[i] if i < len(block.head) else ""
                table.add_column(head, justify="right" if right else "left", no_wrap=True)
            for row in block.rows:
                table.add_row(*(Text(cell) for cell in row))
            console.print(Padding(table, (0, 0, 0, block.indent)))


def noun(dataset: str) -> str:
    """What an entry of the catalogue is called."""
    return "film" if dataset == "movies" else "document"
