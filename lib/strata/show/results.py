"""The result lists: what every command that ranks prints."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from strata import registry
from strata.core.premise import Premise
from strata.core.types import Plan, Term
from strata.pipeline.trace import Result, Step, Trace
from strata.pipeline.workspace import Workspace
from strata.show.enhanced import enhanced
from strata.show.passage import passage
from strata.show.text import Block, Line, bar, between, clean, columns_of, cut, line, ordinal, width, wrapped
from strata.show.words import drawn

if TYPE_CHECKING:
    from strata.searching import Found


COPIED = 300
"""Characters of a query that is repeated in a command to copy; a longer one is a file's."""


def score(value: float) -> str:
    """Keyword scores with two decimals, cosines with three; both read at a glance."""
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def titled(trace: Trace, doc: int) -> str:
    """Id and title as every result line shows them."""
    return f"({clean(str(trace.corpus.id(doc)))}) {clean(trace.corpus.title(doc)) or '(no title)'}"


def header(found: Found) -> Iterator[Line]:
    """What ran: the lists with how many documents each matched, the fusion, where the plan is from, and the time."""
    trace = found.trace
    *lists, last = between([_list_name(step) for step in trace.lists if step.searched] or ["no list"], " + ")
    fuse = trace.plan.fuse
    depth = f" · depth {trace.plan.depth}" if fuse and trace.plan.depth != Plan.depth else ""
    said = between([last, *([fuse.label + depth] if fuse else []), clean(found.origin), _seconds(trace.ms)], ", ")
    for text in wrapped([*lists, *said], width(), then="  "):
        yield line((text, "dim"))
    yield from enhanced(trace)


def origin(found: Found) -> str:
    """Where the plan is from: "preset lessons", or the plan file's name."""
    return f"preset {found.origin}" if found.origin in registry.PRESETS else clean(found.origin)


def _list_name(step: Step) -> str:
    counted = step.output.family == "keyword"  # a semantic list has a score for every document
    label = clean(step.label)
    return f"{label} ({step.output.matched:,} matched)" if counted else label


def _seconds(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 100 else f"{ms / 1000:.1f} s"


def simple(found: Found, form: str = "{n}. {title}  {score}") -> Iterator[Block]:
    """One line a result, for a single list; then what the words of the query came to."""
    trace, ws = found.trace, found.ws
    if trace.plan.fuse:
        yield from fused(found)  # a plan file may hold more lists than the command's own plan
        return
    results = trace.results()
    yield from header(found)
    known = [] if trace.query.like is not None else terms(trace, ws)
    for result in results:
        number = _fixed(trace, result)
        room = width() - columns_of(form.format(n=result.rank, title="", score=number))
        yield form.format(n=result.rank, title=cut(titled(trace, result.doc), room), score=number)
        if result.passage and result.passage.text:
            index = ws.index if known else None
            yield passage(result.passage.text, _premise(trace, result), known, index, width(), "   ")
    if not results:
        yield nothing(trace)
    yield from drawn(found.words)


def _fixed(trace: Trace, result: Result) -> str:
    return f"{result.score:.2f}" if trace.lists[0].output.family == "keyword" else f"{result.score:.3f}"


def _premise(trace: Trace, result: Result) -> Premise | None:
    return trace.corpus.premises.get(result.doc)


def nothing(trace: Trace) -> str:
    if any(getattr(step.layer, "min_score", None) is not None for step in trace.lists):
        return "Nothing close enough: no document reaches --min-score."
    return "No document matches."


def terms(trace: Trace, ws: Workspace) -> list[Term]:
    """Of the query's words; none, and no index is opened, where a picture alone asks."""
    return ws.index.query_terms(trace.used.text) if trace.used.text else []


def fused(found: Found) -> Iterator[Block]:
    """Three lines a result: title, score and bar; where each list had it; the best passage."""
    trace, ws = found.trace, found.ws
    if not trace.plan.fuse:
        yield from simple(found)
        return
    yield from header(found)
    results = trace.results()
    columns = width()
    yield from alpha_bar(trace)
    known = terms(trace, ws)
    for result in results:
        yield _title_line(trace, result, columns)
        yield from wrapped(between(placed_texts(trace, result), " · "), columns, "   ", "   ")
        if result.why:
            yield from wrapped([f"because: {clean(result.why)}"], columns, "   ", "   ")
        if result.doc in found.grades:
            grade, reason = found.grades[result.doc]
            yield from wrapped([f"judged {grade} of 3, an opinion: {clean(reason)}"], columns, "   ", "   ")
        if result.passage and result.passage.text:
            yield passage(result.passage.text, _premise(trace, result), known, ws.index, columns, "   ")
    if not results:
        yield nothing(trace)
    yield from drawn(found.words)
    command = why(found, str(trace.corpus.id(results[0].doc))) if results and trace.query.like is None else ""
    if command:  # in one piece, however long: it is there to be copied
        fits = columns_of(command) <= columns - len("Why this order: ")
        yield from [f"Why this order: {command}"] if fits else ["Why this order:", command]


def why(found: Found, doc_id: str) -> str:
    """The command that explains a result of this run; "" where none does."""
    trace, id = found.trace, quote(clean(doc_id))
    asked, picture = trace.query, trace.query.picture
    if picture and any(step.output.family == "picture" for step in trace.lists):
        if getattr(trace.plan.enhance, "sees", False):  # no command puts a picture into words and looks at it too
            return ""
        words = [f"--query {_quoted(asked.text)}"] if asked.text else []
        command = ["multimodal_search_cli explain", quote(clean(picture.path)), id, *words]
    else:
        asked = trace.used if picture else asked
        command = [f"hybrid_search_cli explain {_quoted(asked.text)} {id}"]
    if len(asked.text) > COPIED:
        return ""
    return " ".join([*command, *map(clean, found.options)])


def _quoted(text: str) -> str:
    query = clean(text)
    return quote(query) if set(query) & set('"$`\\!') else f'"{query}"'


def alpha_bar(trace: Trace) -> Iterator[Block]:
    """How a weighted fusion divides its weight: ▓ keyword, ░ semantic; and why, where the query sets it."""
    weights = getattr(trace.plan.fuse, "weights", None)
    if weights is None:
        return
    lists = [step.output for step in trace.lists]
    keyword = sum(weight for weight, one in zip(weights(lists), lists, strict=True) if one.family == "keyword")
    covered = next((one.coverage for one in lists if one.coverage is not None), None)
    by_query = hasattr(trace.plan.fuse, "power") and covered is not None
    why = f"  its first holds {covered:.0%} of the words" if by_query else ""
    yield f"keyword {keyword:.2f} {bar(keyword, 1 - keyword, full=1.0)} {1 - keyword:.2f} semantic{why}"


def placed_texts(trace: Trace, result: Result) -> list[str]:
    """For each list "keyword 3rd 6.75" (with its normalised score, "→ 0.82", where scores are fused), or that the list
    does not hold the document: a bar of one tone has one source."""
    families = [step.output.family for step in trace.lists]
    placed = {p.name: p for p in result.placed}
    parts = {part.label: part for part in result.parts}
    said = []
    for step in trace.lists:
        if not step.searched:
            continue
        family = step.output.family
        name = family if families.count(family) == 1 else step.label
        at = placed.get(step.label)
        if at is None:
            said.append(f"{name} absent")
            continue
        normalised = parts[step.label].facts.get("normalised") if step.label in parts else None
        arrow = "" if normalised is None else f" → {normalised:.2f}"
        said.append(f"{name} {ordinal(at.rank)} {score(at.score)}{arrow}")
    again = trace.step("rerank")
    if again:
        before = f"fused {ordinal(result.fused[0])} → " if result.fused else ""
        label = again.facts.get("label", "score")
        said.append(before + ("not read" if result.reranked is None else f"{label} {result.reranked:.2f}"))
    return said


def _title_line(trace: Trace, result: Result, columns: int) -> Line:
    name = cut(f"{result.rank}. {titled(trace, result.doc)}", columns - 31)
    gap = " " * max(1, columns - 30 - columns_of(name))
    number = result.fused[1] if result.fused else result.score
    return line((name, "bold"), gap, f"{number:.5f}", "  ", two_tone(trace, result))


def two_tone(trace: Trace, result: Result, columns: int = 20) -> str:
    """The fused score as a bar: ▓ from keyword lists, ░ from the others, scaled to the most that the lists can give."""
    fuse = trace.plan.fuse
    if fuse is None:
        return ""
    lists = [step.output for step in trace.lists]
    families = {ranking.name: ranking.family for ranking in lists}
    parts = result.parts
    keyword = sum(part.value for part in parts if families[part.label] == "keyword")
    other = sum(part.value for part in parts if families[part.label] != "keyword")
    return bar(keyword, other, full=fuse.most(lists), columns=columns, empty=" ").rstrip()
