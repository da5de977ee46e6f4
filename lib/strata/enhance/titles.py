"""Titles of the catalogue that a request compares with ("something like Alien") or rules out ("but not Aliens").

A title counts only after words that announce one, or in quotes, and the longest that fits is taken. A title that is
also a plain word must be written as one, with a capital or in quotes, unless the words before it speak of films; one
of function words only (Up, Her, It) always must.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strata.core.analysis import spans, stopwords
from strata.enhance.lookup import Lookup

_FILM = r"(?:films?|movies?|something|anything|nothing|ones?|stuff|stor(?:y|ies)|flicks?|shows?|more|vibes?|feel)"
_MANNER = r"along\s+the\s+lines\s+of|in\s+the\s+(?:style|vein|spirit|manner)\s+of"
_AS = rf"(?:like|such\s+as|similar\s+to|à\s+la|a\s+la|{_MANNER})"
_FOND = (
    r"(?:remind(?:s|ed|ing)?\s+(?:me|you)\s+of|reminiscent\s+of|comparable\s+to|fans?\s+of|"
    r"i\s+(?:really\s+)?(?:loved?|liked?|enjoy(?:ed)?))"
)
_NOT = (
    r"(?:(?:but|and|just|although)\s+not|not|without|except(?:ing)?(?:\s+for)?|excluding|other\s+than|apart\s+from|"
    r"aside\s+from|besides)"
)
_HEADS = tuple(
    (wanted, sure, re.compile(rf"(?<![\w'’-])(?:{head})\s+(?:the\s+(?:film|movie)s?\s+)?", re.IGNORECASE))
    for wanted, sure, head in (
        ("without", True, rf"(?:{_NOT}|nothing)\s+(?:(?:much|really|at\s+all|another)\s+)?{_AS}|(?<!not )unlike"),
        ("without", False, _NOT),
        (
            "like",
            True,
            rf"{_FILM}\s+(?:(?:just|much|a\s+bit|a\s+lot|kind\s+of|sort\s+of|exactly|very)\s+)*{_AS}|{_FOND}",
        ),
        (
            "like",
            True,
            rf"not\s+unlike|similar\s+to|{_MANNER}",
        ),
        ("like", False, r"like|such\s+as|à\s+la|a\s+la"),
    )
)
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{1,120})[\"”“»]|(?<!\w)['‘]([^'‘’\"]{2,120})['’](?!\w)")
_AND = re.compile(r"(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+)", re.IGNORECASE)
_YEAR = re.compile(r"\s*\((\d{4})\)")
_OF_FILMS = re.compile(
    r"(?:\A|[,;:(–—-]|\b(?:but|and|or|more|very|comedy|drama|horror|thriller|sci-?fi|fiction|fantasy|western|musical|"
    r"romance|mystery|adventure|animation|cartoon|noir))\s*\Z",
    re.IGNORECASE,
)
LONGEST = 12
"""So many words of a title are looked for."""
MOST_PLACES = 60
"""So many places of a request are looked at for titles round them."""


@dataclass(frozen=True)
class Mention:
    """A title in a request: where it stands with the words that lead to it, its films, and whether these are compared
    with ("like") or ruled out ("without")."""

    start: int
    end: int
    title: str
    docs: tuple[int, ...]
    wanted: str


def mentions(text: str, lookup: Lookup) -> list[Mention]:
    """In the order of the text; none overlaps another."""
    found: list[Mention] = []

    def add(start: int, end: int, title: str, docs: tuple[int, ...], wanted: str) -> None:
        if not any(start < other.end and other.start < end for other in found):
            found.append(Mention(start, end, title, docs, wanted))

    for wanted, sure, head in _HEADS:
        for match in head.finditer(text):
            start = match.start()
            compared = sure or _OF_FILMS.search(text[:start]) is not None
            strict = wanted == "like" and not compared  # "a girl like Rebecca"
            for end, title, docs in _listed(text, match.end(), sure or (wanted == "like" and compared), strict, lookup):
                add(start, end, title, docs, wanted)
                start = end
    for match in _QUOTED.finditer(text):
        whole = _quoted(text, match, lookup)
        if whole:
            add(match.start(), *whole, "like")
    return sorted(found, key=lambda mention: mention.start)


def around(text: str, places: Sequence[tuple[int, int]], lookup: Lookup) -> list[tuple[int, int]]:
    """Where titles stand of which one of these places is a part, the longest of each: what is said in a title ("No
    Country for Old Men", "Love Actually") is not said by the request."""
    words = spans(text)
    found: list[tuple[int, int]] = []
    for start, end in places[:MOST_PLACES]:
        within = [at for at, (a, b, _) in enumerate(words) if a < end and start < b]
        if within and not any(a <= start and end <= b for a, b in found):
            found += _title_around(text, words, within[0], within[-1], lookup)
    return found


def _title_around(
    text: str, words: list[tuple[int, int, str]], first: int, last: int, lookup: Lookup
) -> list[tuple[int, int]]:
    for count in range(min(LONGEST, len(words)), last - first + 1, -1):
        for at in range(max(0, last + 1 - count), min(first, len(words) - count) + 1):
            start, end = words[at][0], words[at + count - 1][1]
            written = [word for _, _, word in words[at : at + count]]
            if _is_written_as_title(text[start:end], written, False) and lookup.exactly(text[start:end]):
                return [(start, end)]
    return []


Found = tuple[int, str, tuple[int, ...]]
"""(end, title as the catalogue writes it, positions)."""


def _listed(text: str, at: int, sure: bool, strict: bool, lookup: Lookup) -> Iterator[Found]:
    """The title at a place of the text, and those listed after it: "Alien, Aliens and The Thing".

    sure: the words before it speak of films, so that it may be written like any word. strict: they may well not.
    """
    while found := _title_at(text, at, sure, strict, lookup):
        yield found
        more = _AND.match(text, found[0])
        if not more:
            return
        at, sure, strict = more.end(), False, False


def _title_at(text: str, at: int, sure: bool, strict: bool, lookup: Lookup) -> Found | None:
    quoted = _QUOTED.match(text, at)
    if quoted:
        return _quoted(text, quoted, lookup)
    words = [(at + a, at + b, word) for a, b, word in spans(text[at : at + 200])][:LONGEST]
    if not words or words[0][0] != at:
        return None
    for count in range(len(words), 1 if strict else 0, -1):
        end = words[count - 1][1]
        if _is_written_as_title(text[at:end], [word for _, _, word in words[:count]], sure):
            docs = lookup.titled(text[at:end])
            if docs:
                return _dated(text, end, docs, lookup)
    return None


def _is_written_as_title(written: str, words: list[str], sure: bool) -> bool:
    """With a capital, not in capitals; without one where films are spoken of, or where two of its words are telling."""
    telling = sum(word not in stopwords() for word in words)
    if written[:1].isupper() and not (len(written) > 3 and written.isupper()):
        return telling > 0 or written[1:2].islower()
    return telling > (0 if sure else 1)


def _quoted(text: str, match: re.Match[str], lookup: Lookup) -> Found | None:
    docs = lookup.titled((match.group(1) or match.group(2)).strip(" ,.;:"))
    return _dated(text, match.end(), docs, lookup) if docs else None


def _dated(text: str, end: int, docs: tuple[int, ...], lookup: Lookup) -> Found:
    """Of several films of one title those of the year that follows it, if there are."""
    year = _YEAR.match(text, end)
    same = lookup.of_year(docs, int(year.group(1))) if year else ()
    title = lookup.title(docs, "")
    return (year.end(), f"{title} ({year.group(1)})", same) if year and same else (end, title, docs)
