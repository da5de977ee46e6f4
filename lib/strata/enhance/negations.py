"""What a request does not want: "but not animated", "no gore or zombies", "excluding horror", "don't mention Moses".

Neither words nor vectors see a negation ("without sharks" is nearly "about sharks"), so what is meant as one is taken
out of the request: on the 198 queries of NegConstraint BM25's nDCG@10 goes from .716 to .785 by it. In the middle of a
plot it stays ("a man without memory" is about just that), and is only noted. What follows the words found here is read
by listed.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from strata.core.analysis import tokens
from strata.core.language import word_set
from strata.enhance.listed import FILM, LINKS, Thing, listed
from strata.enhance.lookup import Lookup
from strata.enhance.parts import MOODS
from strata.enhance.titles import around

_STRONG = (
    r"exclud(?:e|es|ing)|do(?:n['’]?t|\s+not)\s+(?:mention|include)|(?:except(?:ing)?(?:\s+for)?|leav(?:e|ing)\s+out)|"
    r"i\s+(?:really\s+)?do(?:n['’]?t|\s+not)\s+(?:want|like)(?!\s+to\b)"
)
_SURE = re.compile(r"exclud|do|i\b", re.IGNORECASE)
"""The others are also words of plots, and need a sign or a "but" before them."""
_WEAK = (
    r"not|no|without|non|isn['’]?t|aren['’]?t|nothing|minus|neither|anything\s+but|other\s+than|(?:apart|aside)\s+from"
)
_NOT = re.compile(
    r"(?P<mark>[,;:(–—-]\s*|\b(?:but|and|just|though|although|preferably|ideally|please)\s+)?(?:\bwith\s+)?"
    rf"\b(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\b[\s-]+(?P<links>{LINKS})(?=[^\W_])",
    re.IGNORECASE,
)
_CLAUSE, _BRACKET = re.compile(r"(?:(?!\s(?:but|though)\s)[^,.;:!?()\"–—]){1,120}"), re.compile(r"[^()]{1,200}")
_CLOSING = re.compile(r"\s*\)")
_KIND = (
    r"(?:comed(?:y|ies)|dramas?|horrors?|thrillers?|sci-?\s?fi|science\s+fiction|fantas(?:y|ies)|westerns?|musicals?|"
    r"animations?|anime|cartoons?|noirs?|documentar(?:y|ies)|slashers?|rom-?\s?coms?|whodunn?its?)"
)
"""Kinds of film whose names are no things of a plot, as a family, a war or a mystery are."""
_AFTER_A_FILM = re.compile(rf"(?:\A\W*|\b(?:{FILM}|{_KIND}))\Z", re.IGNORECASE)
_MEANT = re.compile(r"\b(?:about|too|set|overly|featuring|involving|starring|directed)\b", re.IGNORECASE)
_NO_NEGATION = re.compile(r"\b(?:not|never|if|why|whether\s+or|next\s+to|almost)\s+\Z", re.IGNORECASE)
""" "Not without humour", "funny if not hilarious", "next to no talking"."""
_NOUNS_ONLY = frozenset({"no", "without", "minus", "neither"})
_OF_A_PLOT = word_set("family families war wars crime crimes music disaster disasters")
"""Genres by such names a plot may well be without."""


@dataclass(frozen=True)
class Negation:
    """Where it stands, what is not wanted, the genre or the conditions against people that this comes to, and whether
    it is meant of the film (or may belong to the plot). Each thing of a list is one of its own."""

    start: int
    end: int
    what: str
    genre: str | None
    meant: bool
    people: tuple[str, ...] = ()


def negations(text: str, lookup: Lookup, films: Collection[int] = ()) -> list[Negation]:
    """In the order of the text; none overlaps another, and none is part of a title. films: where titles end that are
    spoken of ("like Alien without gore")."""
    found: list[Negation] = []
    heads = list(_NOT.finditer(text))
    titles = around(text, [match.span("strong" if match["strong"] else "weak") for match in heads], lookup)
    for match in heads:
        start, head = match.start(), match.end("strong" if match["strong"] else "weak")
        if (found and start < found[-1].end) or any(a < head <= b for a, b in titles):
            continue
        if not _NO_NEGATION.search(text[:start]):
            ends = [*films, *(one.end for one in found[-1:] if one.meant)]
            for one in _of(text, match, lookup, ends):
                found.append(replace(one, start=start))
                start = one.end
    return found


def _of(text: str, match: re.Match[str], lookup: Lookup, films: Collection[int]) -> list[Negation]:
    """What follows the words of a negation, if it is one; starts are not set yet."""
    if match["strong"]:
        things, meant = _clause(text, match, lookup), True
    else:
        head, links = match["weak"].lower(), match["links"]
        things = listed(text, match.end(), links, head, lookup)
        if not things:
            return []
        telling = _is_telling(things[0]) or not MOODS.isdisjoint(tokens(things[0].what)[:1])
        if head == "non" and not telling:
            return []  # "a non-linear story", "non-toxic": a word of its own
        meant = telling or bool(match["mark"]) or bool(_MEANT.search(links))
        if not meant and head not in _NOUNS_ONLY:
            return []  # "girls are not supposed to ride"
        before = text[: match.start()].rstrip()
        meant = meant or len(before) in films or _AFTER_A_FILM.search(before) is not None
    if things and (match["mark"] or "").startswith("("):
        bracket = _CLOSING.match(text, things[-1].end)
        things[-1] = replace(things[-1], end=bracket.end() if bracket else things[-1].end)
    return [Negation(0, one.end, one.what, one.genre, meant, one.people) for one in things]


def _is_telling(first: Thing) -> bool:
    """Whether a thing is none that a plot speaks of: a genre, people, years."""
    return first.years or bool(first.people) or (bool(first.genre) and first.what.lower() not in _OF_A_PLOT)


def _clause(text: str, match: re.Match[str], lookup: Lookup) -> list[Thing]:
    """What "excluding" leads to: a list of things; else one, as far as the clause or the bracket goes."""
    mark = match["mark"] or ""
    bracket = mark.startswith("(")
    clause = (_BRACKET if bracket else _CLAUSE).match(text, match.end())
    if not clause:
        return []
    until = match.end() + len(clause.group().rstrip())
    things = listed(text, match.end(), match["links"], match["strong"], lookup, until)
    if not (mark or _SURE.match(match["strong"]) or (things and _is_telling(things[0]))):
        return []
    if not things or things[-1].end < until:
        if match["strong"][:1] in "iI":
            return []  # "I don't like that he dies"
        things = [Thing(until, " ".join(clause.group().split()))]
    return things
