"""A query's way through the layers, side by side: who stands where in each list, who left the top, and why."""

from __future__ import annotations

from collections.abc import Iterator

from strata.pipeline.moves import Move, largest_fall, left_the_top
from strata.pipeline.trace import Step, Trace
from strata.pipeline.workspace import Workspace
from strata.show.passage import highlighted
from strata.show.results import nothing, terms
from strata.show.text import Block, Line, clean, columns_of, cut, line, noun, ordinal, pad, width

WIDEST_NAME = 44


def view(trace: Trace, ws: Workspace, words: list[Block], preset: str = "lessons") -> Iterator[Block]:
    columns = width()
    yield _head(trace, ws, preset, columns)
    steps = trace.rankings
    name = min(WIDEST_NAME, columns - sum(map(len, _cells([""] * len(steps), steps))))
    yield Line((" " * name, *_cells([step.label for step in steps], steps)))
    yield Line((pad("  matched", name), *_cells([f"{s.output.matched:,}" for s in steps], steps)))
    yield Line((pad("  list length", name), *_cells([f"{len(s.output.docs):,}" for s in steps], steps)))
    shown = trace.final.docs[: trace.plan.limit].tolist()
    names = short_names(trace, shown)
    for doc in shown:
        yield Line((pad("  " + cut(names[doc], name - 3), name), *_cells(_ranks(trace, doc), steps)))
    if not shown:
        yield nothing(trace)
    yield from _departures(trace, ws, columns)
    yield from words
    yield line((_times(trace), "dim"))


def _head(trace: Trace, ws: Workspace, preset: str, columns: int) -> Line:
    words = [ws.index.terms[t] for t in terms(trace, ws)]
    right = f"{len(trace.corpus):,} {noun(trace.corpus.name)}s, preset {preset}"
    left = cut("terms " + (" ".join(words) or "(none)"), columns - len(right) - 2)
    return line((left, "bold"), pad("", columns - columns_of(left) - len(right)), right)


def _cells(values: list[str], steps: list[Step]) -> list[str]:
    """One right-aligned cell a list, with a rule before the first list that was made from others."""
    cells, ruled = [], False
    for value, step in zip(values, steps, strict=True):
        if step.slot != "retrieve" and not ruled:
            cells.append(" │")
            ruled = True
        cells.append(pad(value, max(9, len(step.label) + 2), "r"))
    return cells


def _ranks(trace: Trace, doc: int) -> list[str]:
    ranks = trace.path(doc)
    cells = ["–" if rank is None else str(rank) for rank in ranks]
    if trace.rankings[-1].slot == "rerank" and ranks[-1] is not None and ranks[-2] is not None:
        step = ranks[-2] - ranks[-1]
        cells[-1] += f" ▲{step}" if step > 0 else f" ▼{-step}" if step < 0 else " ="
    return cells


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
    yield line(f"left the top {limit}:")
    for move in moves[:5]:
        yield f"  {cut(names[move.doc], 48)}: {move.name} {ordinal(move.before)} → {_after(trace, move)}"
    if len(moves) > 5:
        yield f"  and {len(moves) - 5} more"
    fall = largest_fall(trace, moves)
    if fall:
        yield from _why(trace, ws, fall, names[fall.doc], columns)


def _after(trace: Trace, move: Move) -> str:
    last = trace.rankings[-1].label
    return f"{last} {ordinal(move.after)}" if move.after else f"not in {last}"


def _why(trace: Trace, ws: Workspace, fall: Move, name: str, columns: int) -> Iterator[Block]:
    """Computed facts only: which of the query's terms the document holds, and the passage it was found by."""
    known = list(dict.fromkeys(terms(trace, ws)))
    held = [ws.index.terms[t] for t in known if ws.index.tf(t, fall.doc)]
    what = f"matched {' '.join(held)}" if held else "no word of the query is in it"
    way = f"{fall.name} {ordinal(fall.before)} → {_after(trace, fall)}"
    yield f"fell the furthest: {cut(name, columns - 21 - len(way))}, {way}"
    yield cut(f"  {what}:", columns)
    passage = trace.passage(fall.doc)
    text = passage.text if passage else trace.corpus.document(fall.doc).text
    yield highlighted(text, known, ws.index, columns, "  ")


def _times(trace: Trace) -> str:
    parts = []
    for step in trace.steps:
        inner = {name.removesuffix("_ms"): ms for name, ms in step.usage.items() if name.endswith("_ms")}
        parts += [f"{name} {_ms(ms)}" for name, ms in inner.items()]
        parts.append(f"{step.label} {_ms(step.ms - sum(inner.values()))}")
    return "ms: " + " · ".join(parts)


def _ms(ms: float) -> str:
    return f"{ms:.1f}" if ms < 10 else f"{ms:.0f}"
