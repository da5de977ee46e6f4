"""Quotations in a claim, and whether a source holds them word for word. Pure.

Typography is folded: the kind of quotation mark and apostrophe, capitals, accents, runs of blanks, a stop or comma at
the end. Words left out (…) are taken for honest within one sentence of the source; a quotation that joins words from
two of its sentences by an ellipsis is none. Single marks (‘…’) count from three words on; straight ones (') never.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from strata.core.analysis import tokens

_SOME = "{1,2000}"  # or each of ten thousand opening signs would be followed to the end
_QUOTED = re.compile(
    rf"\"([^\"]{_SOME})\"|“([^”“]{_SOME})[”\"]|„([^“”]{_SOME})[“”]|«([^»]{_SOME})»|»([^«]{_SOME})«"
    rf"|「([^」]{_SOME})」|『([^』]{_SOME})』|‘([^‘]{_SOME})’(?!\w)"
)
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:…|\.{3,}|\. \. \.)\]?|\(…\))\s*")


@dataclass(frozen=True)
class Quote:
    """text: without its marks. start, end: of the whole in the claim, marks included."""

    text: str
    start: int
    end: int


def quotes(claim: str) -> list[Quote]:
    """The quotations of a claim that hold at least one word, in order."""
    found = []
    for match in _QUOTED.finditer(claim):
        text = next(group for group in match.groups() if group is not None)
        words = tokens(text)
        if words and (match.group(8) is None or len(words) >= 3):
            found.append(Quote(text.strip(), match.start(), match.end()))
    return found


def held(quote: str, sentences: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the words of a quotation stand in this order, with nothing between them, in one of the texts; with an
    ellipsis: each of its parts, in order, within one of the sentences. Both are given as `spaced` makes them."""
    parts = [words for part in _ELLIPSIS.split(quote) if (words := spaced(part)).strip()]
    if len(parts) <= 1:
        return not parts or any(parts[0] in text for text in texts)
    return any(_in_order(parts, sentence) for sentence in sentences)


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part) - 1
    return True


def spaced(text: str) -> str:
    """The folded words of a text with a blank before, between and behind them."""
    return f" {' '.join(tokens(text))} "
