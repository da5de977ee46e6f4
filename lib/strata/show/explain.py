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
    name = min(WIDEST_LABEL, max(len("fused"), *(columns_of(one.step.label) for one in explained.lists)))
    for one in explained.lists:
        yield from _list(one, trace, ws, name, columns)
    if trace.plan.fuse and explained.fused:
        yield from _sum(pad("fused", name), explained.rank, explained.score, explained.fused, columns)
    if explained.above:
        yield from _above(explained.above, explained, trace, ws, columns)
    yield from drawn(found.words)


def _head(explained: Explanation, found: Found, columns: int) -> str:
    trace = found.trace
    document = trace.corpus.document(explained.doc)
    year = f" ({document.fields['year']})" if document.fields.get("year") else ""
    fused = "fused" if trace.plan.fuse else "found"
    where = (
        f"stands {ordinal(explained.rank)} of {explained.of:,} {fused}"
        if explained.rank
        else f"is in no list that goes into fusion (depth {trace.plan.depth})"
        if trace.plan.fuse
        else f"is not in the list (depth {trace.plan.depth})"
    )
    right = f"  {origin(found)}"
    end = f" #{clean(str(document.id))} {where}"
    title = cut(clean(document.title) + year, max(12, columns - len(end)))
    left = title + end
    room = columns - columns_of(left) - len(right)
    return left + " " * room + right if room >= 0 else cut(left, columns)


def _list(one: InList, trace: Trace, ws: Workspace, name: int, columns: int) -> Iterator[Block]:
    """One list: place and score, then the terms or the passage behind it."""
    label = pad(clean(one.step.label), name)
    if not one.there:
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


def _sum(label: str, rank: int | None, total: float, part: Part, columns: int) -> list[str]:
    if rank is None:
        return [f"{label}  –  in no list"]
    return wrapped(_terms_of(part), columns, f"{label}  {ordinal(rank)}  {total:.5f} = ", "  ")


def _terms_of(part: Part) -> list[str]:
    return between([f"{one.how} {clean(one.label)}" for one in part.parts], " + ")


def _above(above: Above, explained: Explanation, trace: Trace, ws: Workspace, columns: int) -> Iterator[Block]:
    """Computed facts only: its sum, the lists in which it is ahead, the query's words in it, its passage."""
    word = "above" if explained.rank else "first"
    title = clean(trace.corpus.title(above.doc)) or "(no title)"
    total = f" {above.score:.5f} = " if above.fused else f" {score(above.score)}"
    sum_ = _terms_of(above.fused) if above.fused else []
    room = columns - len(word) - 2 - len(total) - sum(map(columns_of, sum_))
    yield from wrapped(sum_, columns, f"{word}: {cut(title, max(24, room))}{total}", "  ")
    ahead = [f"{clean(name)} {ordinal(there)} against {_rank(here)}" for name, there, here in above.ahead]
    known = list(dict.fromkeys(terms(trace, ws)))
    held = " ".join(ws.index.terms[t] for t in known if ws.index.tf(t, above.doc))
    if ahead:
        yield from wrapped(between(ahead, ", "), columns, "  ahead in ", "  ")
    else:
        yield "  ahead in no list: their scores are equal, and it comes first in the catalogue"
    passage = trace.passage(above.doc)
    text = passage.text if passage else trace.corpus.document(above.doc).text
    if known:
        said = f"matched {held}" if held else "no word of the query is in it"
        yield cut(f"  {said}{':' if text else ''}", columns)
    if text:
        yield drawn_passage(text, trace.corpus.premises.get(above.doc), known, ws.index, columns, "  ")


def _rank(rank: int | None) -> str:
    return ordinal(rank) if rank else "absent"
