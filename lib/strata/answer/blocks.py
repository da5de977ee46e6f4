"""The blocks and sentences of an answer as a model writes it: paragraphs, list items, quotations that span stops.

A line ends a block where the next is blank or begins an item or with a citation, or where it closes a sentence
itself; otherwise it was only wrapped. Headings say nothing that could be cited and are left out, and so are the marks
of emphasis.
"""

from __future__ import annotations

import re

from strata.semantic.sentences import sentence_spans

_ITEM = re.compile(r"^\s*(?:[-*•–—+]|\d{1,3}[.)])\s+")
_BEGINS = re.compile(r"\s*(?:(?:[-*•–—+]|\d{1,3}[.)])\s|[\[［【〔]|#|\|)")
_CLOSED = re.compile(r"[.!?…:。！？\]］】〕|][\"”’»)*_]*\s*$")
_HEADING = re.compile(r"\s*(?:#{1,6}\s[^\[［【〔]*|[^.!?\[［【〔]{1,80}:)\s*")
_EMPHASIS = re.compile(r"\*{1,3}|_{2,3}|`+|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_PAIRS = {"“": "”", "«": "»", "„": "“”", "「": "」", "『": "』"}
LONGEST = 8
"""Sentences of one quotation that are taken for one; beyond, its opening sign is taken for a slip."""


def blocks(text: str) -> list[str]:
    """The blocks of a text, each on one line, without list signs and emphasis; headings are left out."""
    found: list[list[str]] = []
    ended = True
    for line in text.split("\n"):
        if not line.strip():
            ended = True
            continue
        if ended or _BEGINS.match(line):
            found.append([])
        found[-1].append(line)
        ended = bool(_CLOSED.search(line))
    joined = (" ".join(" ".join(lines).split()) for lines in found)
    return [_EMPHASIS.sub("", _ITEM.sub("", block, count=1)) for block in joined if not _HEADING.fullmatch(block)]


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence; one that ends inside a quotation goes on to where the quotation closes."""
    spans = sentence_spans(text)
    found: list[tuple[int, int]] = []
    i = 0
    while i < len(spans):
        start, end = spans[i]
        last = i
        if _open(text[start:end]):
            for j in range(i + 1, min(i + LONGEST, len(spans))):
                if not _open(text[start : spans[j][1]]):
                    last = j
                    break
        found.append((start, spans[last][1]))
        i = last + 1
    return found


def _open(text: str) -> bool:
    """Whether a quotation is begun and not closed."""
    if text.count('"') % 2:
        return True
    return any(
        text.count(sign) > sum(text.count(end) for end in closing) for sign, closing in _PAIRS.items() if sign in text
    )
