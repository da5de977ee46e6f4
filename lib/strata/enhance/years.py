"""Years that a request sets: "from the 80s", "before 1960", "made in 1994", "between 1990 and 2000", "nineties horror".

A year or decade counts as the film's, not its story's, where "from", "before" and their like lead to it, or where it
stands beside a kind of film. "In 1942" alone is when a story happens, and "in her thirties" is no year at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = {
    "twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970,
    "eighties": 1980, "nineties": 1990, "noughties": 2000,
}  # fmt: skip
_PARTS = {"early": (0, 4), "mid": (3, 7), "late": (5, 9)}
_YEAR = r"(?:18[89]\d|19\d\d|20\d\d)"
_DECADE = rf"(?:(?:early|mid|late)[\s-]+)?(?:(?:18[89]|19\d|20\d|\d)0['’]?s|{'|'.join(_WORDS)})"
WHEN = rf"(?:the\s+)?(?:{_DECADE}|{_YEAR})\b"
_KIND = (
    r"(?:films?|movies?|pictures?|flicks?|cinema|classics?|ones?|horrors?|comed(?:y|ies)|dramas?|thrillers?|musicals?|"
    r"westerns?|action|adventures?|sci-?fi|science\s+fiction|romances?|romcoms?|cartoons?|animations?|documentar(?:y|ies)|"
    r"noirs?|slashers?|blockbusters?|mysteries|mystery|fantas(?:y|ies)|stor(?:y|ies))"
)
_MADE_IN = re.compile(rf"\b(?:{_KIND}|made|released|shot|filmed|produced|out|from)\s+\Z", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|nothing|isn['’]?t|aren['’]?t)\s+(?:made\s+|released\s+)?\Z", re.IGNORECASE)
_FORMS = tuple(
    (kind, re.compile(rf"(?<![\w-])(?:{pattern})", re.IGNORECASE))
    for kind, pattern in (
        (
            "range",
            rf"(?:between|from|in|of)\s+(?P<a>{WHEN})\s*(?:and|or|to|until|till|through|-|–|—)\s*(?P<b>{WHEN})",
        ),
        ("before", rf"(?:(?:from\s+)?(?:before|prior\s+to)|pre[\s-]|older\s+than|earlier\s+than)\s*(?P<a>{WHEN})"),
        ("until", rf"(?:until|till|up\s+to|(?:no|not)\s+later\s+than)\s+(?P<a>{WHEN})"),
        ("since", rf"from\s+(?P<a>{WHEN})\s+(?:on(?:wards?)?|(?:or|and)\s+later)\b|since\s+(?P<b>{WHEN})"),
        ("after", rf"(?:(?:from\s+)?after|post[\s-]|newer\s+than|later\s+than)\s*(?P<a>{WHEN})"),
        ("in", rf"from\s+(?P<a>{WHEN})"),
        ("made in", rf"(?:in|of)\s+(?P<a>{WHEN})"),
        ("in", rf"(?P<a>{_DECADE})(?=\s+(?:[\w-]+\s+){{0,2}}?{_KIND}\b)"),
    )
)


@dataclass(frozen=True)
class Years:
    """The first and the last year (None: no bound), and where in the request it says so."""

    first: int | None = None
    last: int | None = None
    spans: tuple[tuple[int, int], ...] = ()


def years_in(text: str) -> Years:
    """What the request says of years: of each bound the first thing. Bounds that leave no year are none."""
    first: int | None = None
    last: int | None = None
    spans: list[tuple[int, int]] = []
    for kind, pattern in _FORMS:
        match = next((m for m in pattern.finditer(text) if _counts(kind, text, m, spans)), None)
        if not match:
            continue
        named = [_bounds(value) for value in (match["a"], match.groupdict().get("b")) if value]
        low, high = min(low for low, _ in named), max(high for _, high in named)
        one_sided = {"before": (None, low - 1), "until": (None, high), "since": (low, None), "after": (high + 1, None)}
        start, end = one_sided.get(kind, (low, high))
        if (start is None or first is None) and (end is None or last is None):
            first, last = (first if start is None else start), (last if end is None else end)
            spans.append(match.span())
    if first is not None and last is not None and first > last:
        return Years()
    return Years(first, last, tuple(sorted(spans)))


def _counts(kind: str, text: str, match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    taken = any(start < match.end() and match.start() < end for start, end in spans)
    before, whole = text[: match.start()], match.group() == text.strip(" .,;:!?")
    if taken or _NOT.search(before):  # filters have no way to say "not from the 80s"
        return False
    return kind != "made in" or whole or _MADE_IN.search(before) is not None


def _bounds(text: str) -> tuple[int, int]:
    """The first and the last year of "1994", "the 80s", "late 1970s" or "nineties"."""
    words = text.lower().replace("-", " ").split()
    part = next((_PARTS[word] for word in words if word in _PARTS), (0, 9))
    word = words[-1]
    if word.isdigit():
        return int(word), int(word)
    digits = re.match(r"\d+", word)
    start = int(digits.group()) if digits else _WORDS[word]
    start += 0 if start > 100 else 1900 if start >= 20 else 2000  # the 20s: those of silent film
    return start + part[0], start + part[1]
