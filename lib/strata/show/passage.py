"""A passage cut round its matched words, and the words of a text that a query's terms match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from strata.core.analysis import spans
from strata.core.premise import Premise
from strata.core.types import Term
from strata.keyword.index import Index
from strata.show.text import Line, Span, clean, columns_of


def highlighted(text: str, terms: Iterable[Term], index: Index | None, columns: int, before: str = "") -> Line:
    """The stretch of a text with the most distinct matched words that fits into `columns`, matches marked.

    Without a match it is the beginning. `before` (an indent, say) counts into the width. index: needed for terms only.
    """
    text = clean(text)
    wanted = set(terms)
    words = spans(text) if index and wanted else []
    hits = [(a, b, term) for a, b, word in words if index and (term := index.surface_term(word)) in wanted]
    room = columns - columns_of(before)
    start, end = _window(text, [(a, b, int(t)) for a, b, t in hits if t is not None], room)
    parts: list[Span] = [before]
    if start:
        parts.append("… ")
    at = start
    for a, b, _ in hits:
        if start <= a and b <= end:
            parts += [text[at:a], (text[a:b], "match")]
            at = b
    parts.append(text[at:end].rstrip())
    if end < len(text):
        parts.append(" …")
    return Line(tuple(parts))


def passage(
    text: str, premise: Premise | None, terms: Sequence[Term], index: Index | None, columns: int, before: str = ""
) -> Line:
    """A document's passage as `highlighted` draws it. Where its premise holds more of the terms, that stands there
    instead, marked as what it is: no part of the document's text."""
    if premise and index and _held(premise.text, terms, index) > _held(text, terms, index):
        return highlighted(premise.text, terms, index, columns, f"{before}[premise] ")
    return highlighted(text, terms, index, columns, before)


def _held(text: str, terms: Sequence[Term], index: Index) -> int:
    """How many of the terms a text holds."""
    return len({index.surface_term(word) for _, _, word in spans(text)} & {*terms})


def _window(text: str, hits: list[tuple[int, int, int]], room: int) -> tuple[int, int]:
    """The best stretch [start, end) at word borders. Marks ([ ]) and … take room too."""
    if columns_of(text) + 2 * len(hits) <= room:
        return 0, len(text)
    best, chosen = (-1, 0), (0, 0)
    for first in range(max(len(hits), 1)):
        anchor = hits[first][0] if hits else 0
        start = _word_start(text, max(0, anchor - room // 4), anchor) if anchor > room // 2 or first else 0
        inside = [h for h in hits if h[0] >= start]
        end = _fill(text, start, room - 4, inside)
        held = [h for h in inside if h[1] <= end]
        value = (len({h[2] for h in held}), len(held))
        if value > best:
            best, chosen = value, (start, end)
    return chosen


def _word_start(text: str, at: int, anchor: int) -> int:
    """The first word after `at`; `at` itself where no word begins before the matched one."""
    blank = text.find(" ", at, anchor)
    return 0 if at == 0 else blank + 1 if blank >= 0 else at


def _fill(text: str, start: int, room: int, hits: list[tuple[int, int, int]]) -> int:
    """The end of the last whole word that fits after `start`, counting two columns for the marks of each hit."""
    marks = {b: 2 for _, b, _ in hits}
    end, used = start, 0
    at = start
    while at < len(text):
        blank = text.find(" ", at + 1)
        stop = len(text) if blank < 0 else blank
        used += columns_of(text[at:stop]) + sum(cost for b, cost in marks.items() if at < b <= stop)
        if used > room:
            break
        end = at = stop
    return end if end > start else _letters(text, start, room, marks)


def _letters(text: str, start: int, room: int, marks: dict[int, int]) -> int:
    """The end of the last letter that fits, where no whole word does: some languages write no blanks."""
    used = 0
    for at in range(start, len(text)):
        used += columns_of(text[at]) + marks.get(at + 1, 0)
        if used > room:
            return at
    return len(text)
