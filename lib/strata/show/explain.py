"""A document's place drawn out: each list's part down to the terms and the passage, the fused sum, and who is above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from strata.core.types import Part
from strata.pipeline.explanation import Above, Explanation, InList
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.show.keyword import absent_terms, term_rows
from strata.show.passage import highlighted
from strata.show.passage import passage as drawn_passage
from strata.show.premises import source
from strata.show.reread import higher, reread
from strata.show.results import alpha_bar, origin, score, terms
from strata.show.text import Block, between, clean, columns_of, cut, line, noun, ordinal, pad, width, wrapped
from strata.show.words import drawn

if TYPE_CHECKING:
    from strata.searching import Found


WIDEST_LABEL = 20
"""Longer names of lists push their own line to the right, not those of all lists."""


def view(found: Found, explained: Explanation) -> Iterator[Block]:
    trace, ws = found.trace, found.ws
    columns = width()
    yield line((_head(explained, found, columns), "bold"))
    premise = trace.corpus.premises.get(explained.doc)
    if premise:
        yield highlighted(premise.text, terms(trace, ws), ws.index, columns, "[premise] ")
        yield source(premise, trace.corpus)
    yield from alpha_bar(trace)
    made = ["fused"] if explained.read is None else ["fused", "reranked"]
    name = min(WIDEST_LABEL, max(map(columns_of, [*made, *(one.step.label for one in explained.lists)])))
    for one in explained.lists:
        yield from _list(one, trace, ws, name, columns, ruled_out=bool(explained.ruled_out))
    if explained.fused:
        stands = explained.stands.fused if explained.stands else None
        yield from _sum(pad("fused", name), stands, explained.fused, columns)
    yield from reread(explained, trace, pad("reranked", name), columns)
    if explained.above:
        yield from _above(explained.above, explained, trace, ws, columns)
    yield from drawn(found.words)


def _head(explained: Explanation, found: Found, columns: int) -> str:
    trace = found.trace
    document = trace.corpus.document(explained.doc)
    year = f" ({document.fields['year']})" if document.fields.get("year") else ""
    right = f"  {origin(found)}"
    end = f" #{clean(str(document.id))} {_where(explained, trace)}"
    title = cut(clean(document.title) + year, max(12, columns - len(end)))
    left = title + end
    room = columns - columns_of(left) - len(right)
    return left + " " * room + right if room >= 0 else cut(left, columns)


def _where(explained: Explanation, trace: Trace) -> str:
    """Where it stands in the end, or why nowhere."""
    stands = explained.stands
    if explained.ruled_out:
        return "is ruled out by " + clean(": ".join(explained.ruled_out))
    if stands is None:
        into = "in no list that goes into fusion" if trace.plan.fuse else "not in the list"
        return f"is {into} (depth {trace.plan.depth})"
    if explained.read is None:
        return f"stands {ordinal(stands.rank)} of {explained.of:,} {'fused' if trace.plan.fuse else 'found'}"
    if stands.reranked is None:
        return f"stands {ordinal(stands.rank)} of {explained.of:,}, not among the {explained.read} read"
    return f"stands {ordinal(stands.rank)} of {explained.read} reranked"


def _list(one: InList, trace: Trace, ws: Workspace, name: int, columns: int, *, ruled_out: bool) -> Iterator[Block]:
    """One list: place and score, then the terms or the passage behind it."""
    label = pad(clean(one.step.label), name)
    if ruled_out and one.part.value:
        yield cut(f"{label}  ruled out, though it scores {score(one.part.value)}{_facts(one.part)}", columns)
    elif not one.there:
        yield cut(f"{label}  absent: {_why_absent(one, ws)}", columns)
    else:
        place = ordinal(one.rank) if one.rank else f"{ordinal(one.below or 0)} (cut at {trace.plan.depth})"
        yield cut(f"{label}  {place}  {score(one.part.value)}{_facts(one.part)}", columns)
    if any("tf" in part.facts for part in one.part.parts):
        rows = term_rows(one.part)
        if rows.rows:
            yield rows
        absent = absent_terms(one.part, noun(ws.corpus.name))
        if absent:
            yield cut(f"  {absent}", columns)
    for part in one.part.parts:
        if "cosine" in part.facts:  # a picture and words beside it
            yield f"  {pad(part.label, 7)}  cosine {part.facts['cosine']:.3f}  {part.how} = {part.value:.2f}"
    passage = _passage(one.part)
    if passage:
        yield highlighted(passage, terms(trace, ws), ws.index, columns, "  ")


def _why_absent(one: InList, ws: Workspace) -> str:
    if getattr(one.step.layer, "min_score", None) is not None and one.part.value:
        return f"its score {score(one.part.value)} is below --min-score"
    if one.step.output.family == "keyword":
        return f"no word of the query is in this {noun(ws.corpus.name)}"
    return one.part.how


def _facts(part: Part) -> str:
    """What a list's score was computed with: k1, b and lengths, or which chunk."""
    if "avgdl" in part.facts:
        f = part.facts
        return f"    k1 {f['k1']:g} b {f['b']:g} · {f['dl']} terms, average {f['avgdl']:.1f}"
    best = part.parts[0] if part.parts else part
    return f"    chunk {best.facts['chunk']} of {best.facts['of']}" if "chunk" in best.facts else ""


def _passage(part: Part) -> str:
    best = part.parts[0] if part.parts else part
    return str(best.facts.get("passage", ""))


def _sum(label: str, stands: tuple[int, float] | None, part: Part, columns: int) -> list[str]:
    """stands: rank and score in the fused list."""
    if stands is None:
        return [f"{label}  –  in no list"]
    return wrapped(_terms_of(part), columns, f"{label}  {ordinal(stands[0])}  {stands[1]:.5f} = ", "  ")


def _terms_of(part: Part) -> list[str]:
    return between([f"{one.how} {clean(one.label)}" for one in part.parts], " + ")


def _above(above: Above, explained: Explanation, trace: Trace, ws: Workspace, columns: int) -> Iterator[Block]:
    """Computed facts only: what put it there, the query's words in it, its passage."""
    start, doc = "above: " if explained.rank else "first: ", above.stands.doc
    title = clean(trace.corpus.title(doc)) or "(no title)"
    again = trace.step("rerank")
    if again and above.stands.reranked is not None:
        yield from higher(above.stands, explained, again, columns, start, title)
    else:
        yield from _ahead(above, start, title, columns)
    known = list(dict.fromkeys(terms(trace, ws)))
    held = " ".join(ws.index.terms[t] for t in known if ws.index.tf(t, doc))
    passage = above.stands.passage
    text = passage.text if passage else trace.corpus.document(doc).text
    if known:
        said = f"matched {held}" if held else "no word of the query is in it"
        yield cut(f"  {said}{':' if text else ''}", columns)
    if text:
        yield drawn_passage(text, trace.corpus.premises.get(doc), known, ws.index, columns, "  ")


def _ahead(above: Above, start: str, title: str, columns: int) -> Iterator[Block]:
    """Its sum, and the lists in which it is ahead."""
    total = f" {above.stands.score:.5f} = " if above.fused else f" {score(above.stands.score)}"
    sum_ = _terms_of(above.fused) if above.fused else []
    room = columns - len(start) - len(total) - sum(map(columns_of, sum_))
    yield from wrapped(sum_, columns, f"{start}{cut(title, max(24, room))}{total}", "  ")
    ahead = [f"{clean(name)} {ordinal(there)} against {_rank(here)}" for name, there, here in above.ahead]
    if ahead:
        yield from wrapped(between(ahead, ", "), columns, "  ahead in ", "  ")
    else:
        yield "  ahead in no list: their scores are equal, and it comes first in the catalogue"


def _rank(rank: int | None) -> str:
    return ordinal(rank) if rank else "absent"
