"""A claim cut into what it states one by one, so that one true half does not carry the other. Pure.

Cut at "and", "but", "who", "while" … and at semicolons, where both sides have at least two words that mean something;
never inside a quotation or a number. By rule: it also cuts in two what is one, which costs little, since each part must
then hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from strata.answer.quotes import quotes
from strata.core.analysis import stopwords, tokens

_CUT = re.compile(
    r"(?:,\s*|\s+)(?:(?<!hundred\s)(?<!thousand\s)and(?!\s+a\s+half\b)|but|while|who|whose|which|because|although|though|"
    r"when|then|whereas)\s+(?:(?:then|also|later)\s+)?"
    r"|;\s*|,\s+(?=[a-z]+ing\b)"
)
LEAST = 2
"""Words that a part must have, beside those of the stop list and names: "Kris meets Hari" alone says too little."""


def clauses(claim: str, named: Collection[str] = ()) -> list[str]:
    """The parts of a claim in order, at least one. named: the words of the names in it."""
    within = [(quote.start, quote.end) for quote in quotes(claim)]
    parts, start = [], 0
    for match in _CUT.finditer(claim):
        if any(a < match.end() and match.start() < b for a, b in within):
            continue
        if min(_meaning(claim[start : match.start()], named), _meaning(claim[match.end() :], named)) >= LEAST:
            parts.append(claim[start : match.start()])
            start = match.end()
    return [*parts, claim[start:]]


def _meaning(text: str, named: Collection[str]) -> int:
    """How many of the words are not on the stop list, nor names."""
    return sum(word not in stopwords() and word not in named for word in tokens(text))
