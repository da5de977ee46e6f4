"""Lists side by side: one column each, under its name, or under a letter where the names do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from strata.pipeline.trace import Step, Trace
from strata.show.text import Block, Line, between, clean, columns_of, cut, pad, wrapped

WIDEST_NAME = 44
NARROWEST_NAME = 20
CELL = 9
SECOND = 11
"""Columns of the second part of a list's name: an encoder, say."""
RULE = " │"
"""Before the first list that was made from others."""
Row = tuple[str, list[str]]


def side_by_side(rows: Sequence[Row], steps: Sequence[Step], trace: Trace, columns: int) -> Iterator[Block]:
    """rows: a name and a cell for each step. steps: the run's rankings, then lists beside the run."""
    own = len(trace.rankings)
    heads = _headings(steps, own)
    shown = list(range(len(steps)))
    widths = _widths([*heads, *(cells for _, cells in rows)], CELL)
    room = columns - len(RULE)
    if len({*zip(*heads, strict=True)}) < len(steps) or room - sum(widths) < NARROWEST_NAME:
        heads = [[letter for letter, _ in zip(ascii_uppercase * len(steps), steps, strict=False)]]
        widths = _widths([*heads, *(cells for _, cells in rows)], 4)
        while len(shown) > 2 and room - sum(widths[i] for i in shown) < NARROWEST_NAME:
            shown.pop(-1 if len(shown) > own else -2)  # those beside the run first; the last list stays
        yield from _legend(heads[0], steps, own, shown, columns)
    name = min(WIDEST_NAME, room - sum(widths[i] for i in shown))
    for head in heads:
        if any(head):
            yield _line("", head, shown, widths, name, trace)
    for text, cells in rows:
        yield _line(f"  {cut(text, name - 3)}", cells, shown, widths, name, trace)


def _headings(steps: Sequence[Step], own: int) -> list[list[str]]:
    """The lists' names, and where a name has a second part that below. Lists beside the run are in brackets, with
    "not fused"."""
    firsts, seconds = [], []
    for i, step in enumerate(steps):
        first, _, second = clean(step.label).partition(" ")
        firsts.append(first if i < own else f"({first},")
        seconds.append(cut(second, SECOND) if i < own else "not fused)")
    return [firsts, seconds]


def _widths(rows: Sequence[Sequence[str]], least: int) -> list[int]:
    return [max(least, *(columns_of(cell) + 2 for cell in cells)) for cells in zip(*rows, strict=True)]


def _legend(
    letters: Sequence[str], steps: Sequence[Step], own: int, shown: Sequence[int], columns: int
) -> Iterator[Block]:
    """What the letters stand for, and how many lists there was no room for."""
    named = [f"{letters[i]} {clean(steps[i].label)}{'' if i < own else ' (not fused)'}" for i in shown]
    yield from wrapped(between(named, " · "), columns, "lists: ", "  ")
    if len(shown) < len(steps):
        yield f"  and {len(steps) - len(shown)} more, for which there is no room here (--json has them)"


def _line(
    text: str, cells: Sequence[str], shown: Sequence[int], widths: Sequence[int], name: int, trace: Trace
) -> Line:
    drawn = []
    for i in shown:
        if i == len(trace.lists) < len(trace.rankings):
            drawn.append(RULE)
        drawn.append(pad(cells[i], widths[i], "r"))
    return Line((pad(text, name), *drawn))
