"""The result lists: what every command that ranks prints."""

from __future__ import annotations

from collections.abc import Iterator

from strata.core.types import Term
from strata.pipeline.trace import Result, Trace
from strata.pipeline.workspace import Workspace
from strata.show.passage import highlighted
from strata.show.text import Block, Line, bar, clean, columns_of, cut, line, ordinal, width


def score(value: float) -> str:
    """Keyword scores with two decimals, cosines with three; both read at a glance."""
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def titled(trace: Trace, doc: int) -> str:
    """Id and title as every result line shows them."""
    return f"({clean(str(trace.corpus.id(doc)))}) {clean(trace.corpus.title(doc)) or '(no title)'}"


def header(trace: Trace, preset: str = "lessons") -> Line:
    """What ran: the lists with how many documents each matched, the fusion, the preset and the time."""
    lists = " + ".join(_list_name(step.label, step.output.matched) for step in trace.lists)
    fuse = f", {trace.plan.fuse.label}" if trace.plan.fuse else ""
    depth = f" · depth {trace.plan.depth}" if trace.plan.fuse and trace.plan.depth != 100 else ""
    return line((f"{lists}{fuse}{depth}, {preset}, {_seconds(trace.ms)}", "dim"))


def _list_name(label: str, matched: int) -> str:
    return f"{label} ({matched:,} matched)" if label in ("keyword", "tfidf") else label


def _seconds(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 100 else f"{ms / 1000:.1f} s"


def simple(trace: Trace, ws: Workspace, words: list[Block], form: str = "{n}. {title}  {score}") -> Iterator[Block]:
    """One line a result, for a single list; then what the words of the query came to."""
    results = trace.results()
    yield header(trace)
    for result in results:
        yield form.format(n=result.rank, title=titled(trace, result.doc), score=_fixed(trace, result))
        if result.passage:
            yield highlighted(result.passage.text, terms(trace, ws), ws.index, width(), "   ")
    if not results:
        yield nothing(trace)
    yield from words


def _fixed(trace: Trace, result: Result) -> str:
    return f"{result.score:.3f}" if trace.lists[0].label == "chunks" else f"{result.score:.2f}"


def nothing(trace: Trace) -> str:
    if any(getattr(step.layer, "min_score", None) is not None for step in trace.lists):
        return "Nothing close enough: no document reaches --min-score."
    return "No document matches."


def terms(trace: Trace, ws: Workspace) -> list[Term]:
    return ws.index.query_terms(trace.used.text)


def fused(trace: Trace, ws: Workspace, words: list[Block]) -> Iterator[Block]:
    """Three lines a result: title, score and bar; where each list had it; the best passage."""
    yield header(trace)
    results = trace.results()
    columns = width()
    known = terms(trace, ws)
    for result in results:
        yield _title_line(trace, result, columns)
        yield "   " + " · ".join([placed_text(step_name, result) for step_name in _families(trace)])
        if result.passage:
            yield highlighted(result.passage.text, known, ws.index, columns, "   ")
    if not results:
        yield nothing(trace)
    yield from words
    if results:
        query = cut(clean(trace.used.text), 30)
        yield line(("Why this order: ", "dim"), f'hybrid_search_cli trace "{query}"')


def _families(trace: Trace) -> list[str]:
    return list(dict.fromkeys(getattr(step.layer, "family", step.label) for step in trace.lists))


def placed_text(family: str, result: Result) -> str:
    """ "keyword 3rd 6.75", or that the list does not hold the document: a bar of one tone has one source."""
    placed = result.by(family)
    return f"{family} {ordinal(placed.rank)} {score(placed.score)}" if placed else f"{family} absent"


def _title_line(trace: Trace, result: Result, columns: int) -> Line:
    name = cut(f"{result.rank}. {titled(trace, result.doc)}", columns - 31)
    gap = " " * max(1, columns - 30 - columns_of(name))
    return line((name, "bold"), gap, f"{result.score:.5f}", "  ", two_tone(trace, result))


def two_tone(trace: Trace, result: Result, columns: int = 20) -> str:
    """The fused score as a bar: ▓ from keyword lists, ░ from the others, scaled to the most that the lists can give."""
    fuse = trace.plan.fuse
    if fuse is None:
        return ""
    families = {step.label: getattr(step.layer, "family", step.label) for step in trace.lists}
    parts = fuse.explain([step.output for step in trace.lists], result.doc).parts
    keyword = sum(part.value for part in parts if families[part.label] == "keyword")
    other = sum(part.value for part in parts if families[part.label] != "keyword")
    return bar(keyword, other, full=fuse.most(len(trace.lists)), columns=columns, empty=" ").rstrip()
