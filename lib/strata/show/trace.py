"""A query's way through the layers, side by side: who stands where in each list, who left the top, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from strata.pipeline.moves import Move, largest_fall, left_the_top
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.show.beside import side_by_side
from strata.show.passage import passage
from strata.show.results import alpha_bar, nothing, origin, terms
from strata.show.text import Block, Line, between, clean, columns_of, cut, line, noun, ordinal, pad, width, wrapped
from strata.show.words import drawn

if TYPE_CHECKING:
    from strata.searching import Found


def view(found: Found) -> Iterator[Block]:
    trace, ws = found.trace, found.ws
    columns = width()
    yield from _picture(trace, columns)
    yield _head(found, columns)
    yield from alpha_bar(trace)
    steps = [*trace.rankings, *(found.beside.rankings if found.beside else [])]
    shown = trace.final.docs[: trace.plan.limit].tolist()
    names = short_names(trace, shown)
    rows = [
        ("matched", [f"{step.output.matched:,}" for step in steps]),
        ("list length", [f"{len(step.output.docs):,}" for step in steps]),
    ]
    for doc in shown:
        others = [_rank(step.output.place(doc)) for step in steps[len(trace.rankings) :]]
        rows.append((names[doc], _ranks(trace, doc) + others))
    yield from side_by_side(rows, steps, trace, columns)
    if not shown:
        yield nothing(trace)
    yield from _departures(trace, ws, columns)
    yield from drawn(found.words)
    for text in wrapped(between(_times(trace), " · "), columns, "ms: ", "ms: "):
        yield line((text, "dim"))


def _picture(trace: Trace, columns: int) -> Iterator[Block]:
    """Where a query had one: its name, and the words that it was put into."""
    asked, used = trace.query, trace.used
    if asked.picture is None:
        return
    way = ["picture", clean(asked.picture.name), *(["+", *f'"{clean(asked.text)}"'.split(" ")] if asked.text else [])]
    if used.text != asked.text:
        way += ["→", "words", *f'"{clean(used.text)}"'.split(" ")]
    for text in wrapped(between(way, " "), columns, then="  "):
        yield line((text, "bold"))


def _head(found: Found, columns: int) -> Line:
    trace, ws = found.trace, found.ws
    words = [ws.index.terms[t] for t in terms(trace, ws)]
    right = cut(f"{len(trace.corpus):,} {noun(trace.corpus.name)}s, {origin(found)}", columns - 22)
    left = cut("terms " + (" ".join(words) or "(none)"), columns - columns_of(right) - 2)
    return line((left, "bold"), pad("", columns - columns_of(left) - columns_of(right)), right)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _ranks(trace: Trace, doc: int) -> list[str]:
    ranks = trace.path(doc)
    cells = list(map(_rank, ranks))
    if trace.rankings[-1].slot != "rerank":
        return cells
    if ranks[-1] is None:
        return [*cells[:-1], "unread"]
    step = (ranks[-2] or 0) - ranks[-1]
    return [*cells[:-1], cells[-1] + (f" ▲{step}" if step > 0 else f" ▼{-step}" if step < 0 else " =")]


def short_names(trace: Trace, docs: list[int]) -> dict[int, str]:
    """Titles; where two of them are the same, with the year."""
    titles = {doc: clean(trace.corpus.title(doc)) or f"({trace.corpus.id(doc)})" for doc in docs}
    repeated = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    repeated |= {title for title in titles.values() if len(trace.corpus.titled(title)) > 1}
    return {
        doc: f"{t} ({trace.corpus.document(doc).fields.get('year', '?')})" if t in repeated else t
        for doc, t in titles.items()
    }


def _departures(trace: Trace, ws: Workspace, columns: int) -> Iterator[Block]:
    limit = trace.plan.limit
    moves = left_the_top(trace, limit)
    if not moves or len(trace.rankings) < 2:
        return
    names = short_names(trace, [move.doc for move in moves])
    yield f"left the top {limit}:"
    for move in moves[:5]:
        way = _way(trace, move)
        room = columns - 4 - columns_of(way)
        yield cut(f"  {cut(names[move.doc], min(48, max(12, room)))}: {way}", columns)
    if len(moves) > 5:
        yield f"  and {len(moves) - 5} more"
    fall = largest_fall(trace, moves)
    if fall:
        yield from _why(trace, ws, fall, names[fall.doc], columns)


def _way(trace: Trace, move: Move) -> str:
    last = trace.rankings[-1].label
    after = f"{last} {ordinal(move.after)}" if move.after else f"not in {last}"
    return f"{clean(move.name)} {ordinal(move.before)} → {after}"


def _why(trace: Trace, ws: Workspace, fall: Move, name: str, columns: int) -> Iterator[Block]:
    """Computed facts only: which of the query's terms the document holds, and the passage it was found by."""
    known = list(dict.fromkeys(terms(trace, ws)))
    held = [ws.index.terms[t] for t in known if ws.index.tf(t, fall.doc)]
    what = f"matched {' '.join(held)}" if held else "no word of the query is in it"
    way = _way(trace, fall)
    yield cut(f"fell the furthest: {cut(name, max(12, columns - 21 - columns_of(way)))}, {way}", columns)
    yield cut(f"  {what}:", columns)
    found = trace.passage(fall.doc)
    text = found.text if found else trace.corpus.document(fall.doc).text
    yield passage(text, trace.corpus.premises.get(fall.doc), known, ws.index, columns, "  ")


def _times(trace: Trace) -> list[str]:
    parts = []
    for step in trace.steps:
        spent = {name: ms for name, ms in step.usage.items() if name != "remembered_ms"}  # no part of the step's time
        inner = {name.removesuffix("_ms"): ms for name, ms in spent.items() if name.endswith("_ms")}
        parts += [f"{name} {_ms(ms)}" for name, ms in inner.items()]
        parts.append(f"{clean(step.label)} {_ms(step.ms - sum(inner.values()))}")
    return parts


def _ms(ms: float) -> str:
    return f"{ms:.1f}" if ms < 10 else f"{ms:.0f}"
