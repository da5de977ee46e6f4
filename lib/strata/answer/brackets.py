"""What stands inside a bracket: the numbers of sources, or something else. Pure; cite.py says what counts."""

from __future__ import annotations

import re
import unicodedata

MOST_IN_RANGE = 50
"""[1-999999999] names its ends and no more than so many numbers."""

_LABEL = (
    r"(?P<label>(?:sources?|srcs?|refs?|references?|docs?|documents?|films?|movies?|passages?|nos?\.?|[#^])[\s:]*)?"
)
_NUMBER = r"\d{1,9}"
_SEPARATOR = re.compile(r"\s*(?:[,;&+]\s*and\b|[,;&+-]|and\b|to\b)\s*", re.IGNORECASE)
_PAGE = r",?\s*(?:pp?\.?|pages?|lines?|paras?\.?|paragraphs?|sections?|chapters?|§)\s*\d{1,9}(?:\s*-\s*\d{1,9})?"
_TITLE = (
    rf"\s*(?::|\s-)\s*(?=[^\W\d]|[\"“'‘*_]).*?(?=$|[,;]\s*{_LABEL.replace('?P<label>', '?:')}{_NUMBER}\s*(?:[,;:]|$))"
)
_ITEM = re.compile(
    rf"{_LABEL}(?P<first>{_NUMBER})(?:\s*(?:-|to\b)\s*[#^]?(?P<last>{_NUMBER}))?(?:(?::\d+)?\s*†.*|{_PAGE}|{_TITLE})?",
    re.IGNORECASE,
)
DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−~〜～", "-") | {"、": ",", "，": ",", "；": ";", "·": ","})


def numbers_in(body: str, given: int) -> tuple[int, ...]:
    """The numbers that the inside of a bracket cites; () where it is no citation. given: how many sources there are."""
    body = unicodedata.normalize("NFKC", body).translate(DASHES).strip().rstrip(" ,;\\")
    found: list[int] = []
    labelled = False
    at = 0
    while True:
        item = _ITEM.match(body, at)
        if not item:
            return ()
        labelled = labelled or bool(item["label"])
        first, last = int(item["first"]), int(item["last"] or item["first"])
        if labelled or not (_year(first, given) and _year(last, given)):
            found += spread(first, last)
        if item.end() == len(body):
            return tuple(dict.fromkeys(found))
        separator = _SEPARATOR.match(body, item.end())
        if not separator:
            return ()
        at = separator.end()


def spread(first: int, last: int) -> list[int]:
    """A range in either direction, cut where it has no end in sight; its ends are kept."""
    low, high = min(first, last), max(first, last)
    return [*range(low, min(high, low + MOST_IN_RANGE - 1)), high]


def _year(number: int, given: int) -> bool:
    return 1000 <= number <= 2999 and number > given
