"""Proper names in a claim: words with a capital where the sentence does not ask for one. Pure.

A sentence's first word is a name where the source writes it with a capital only, or a second name or a possessive
follows. Words for peoples and languages ("French") and forms of address ("Captain") are left to the ordinary words.
Where every word that matters has a capital, as in a headline, capitals say nothing and no name is seen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from strata.core.analysis import stopwords, tokens
from strata.core.language import word_set

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PEOPLES = word_set(
    "american british english french german italian spanish japanese chinese korean russian soviet indian irish "
    "scottish welsh australian canadian mexican brazilian swedish danish norwegian finnish dutch polish iranian "
    "european asian african latin western eastern christmas"
)
_ADDRESS = word_set(
    "mr mrs ms miss dr doctor professor captain detective president king queen prince princess lord lady sir "
    "officer lieutenant major colonel general sergeant inspector judge aunt uncle father mother st saint"
)
_STARTS = '.!?:;"“”„«»‘('
_SMALL = word_set("a an and as at but by for from in into of on or the to vs with")
"""Words that headlines write small."""
_FAMILY = re.compile(
    r"\b[Tt]he\s+(?:[a-zà-þ][\w-]*\s+)?([A-ZÀ-Þ][\w-]*s\b(?!\s+[A-ZÀ-Þ])|[A-ZÀ-Þ][\w-]*(?=\s+(?:family|clan|brothers|sisters)\b))"
)
HEADLINE = 5
"""Words from which on a text can be one."""


@dataclass(frozen=True)
class Name:
    """words: folded, without those that name a people or a form of address. start, end: in the claim."""

    text: str
    words: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Cased:
    """How a source writes its words: those with a small first letter, in lower case, and those with a capital."""

    small: frozenset[str]
    capital: frozenset[str]


def cased(source: str) -> Cased:
    words = [match.group() for match in _WORD.finditer(source)]
    return Cased(
        frozenset(word.lower() for word in words if word[0].islower()),
        frozenset(_base(word) for word in words if word[0].isupper()),
    )


def names(claim: str, source: Cased) -> list[Name]:
    """The names in a claim, in order; neighbours are one name."""
    found = list(_WORD.finditer(claim))
    letters = [m.group() for m in found if m.group()[0].isalpha()]
    if len(letters) >= HEADLINE and all(word[0].isupper() or word in _SMALL for word in letters):
        return []
    out: list[Name] = []
    for i, match in enumerate(found):
        following = found[i + 1].group() if i + 1 < len(found) else ""
        if not _named(claim, match, following, source):
            continue
        words = tuple(w for w in tokens(_base(match.group())) if w not in _PEOPLES and w not in _ADDRESS)
        if not words:
            continue
        if out and claim[out[-1].end : match.start()].strip(" .-") == "" and out[-1].end < match.start():
            before = out.pop()
            text = claim[before.start : match.end()]
            out.append(Name(text, before.words + words, before.start, match.end()))
        else:
            out.append(Name(match.group(), words, match.start(), match.end()))
    return out


def _base(word: str) -> str:
    """Without a possessive ending."""
    return re.sub(r"['’]s?$", "", word)


def _named(claim: str, match: re.Match[str], following: str, source: Cased) -> bool:
    word = match.group()
    base = _base(word)
    if not word[0].isupper() or base.lower() in stopwords() or word == "I" or word.startswith(("I'", "I’")):
        return False
    before = claim[: match.start()].rstrip()
    if before and before[-1] not in _STARTS:
        return True
    if base.lower() in source.small:
        return False
    return base in source.capital or base != word or following[:1].isupper()


def missing(found: Sequence[Name], known: Collection[str]) -> list[Name]:
    """The names of which a word is not among the source's (folded) words, nor is what it is made from."""
    return [name for name in found if not all(_known(word, known) for word in name.words)]


def _known(word: str, known: Collection[str]) -> bool:
    if word in known or word.removesuffix("s") in known or f"{word}s" in known:
        return True
    # Texan, Texas; Mexican, Mexico; Italian, Italy
    places = [word.removesuffix(end) for end in ("n", "an", "ian", "ean", "ese") if word.endswith(end)]
    return any(len(place) >= 4 and other.startswith(place) for place in places for other in known)


def singular(words: Iterable[str]) -> frozenset[str]:
    """Names as they are compared where one may stand in the plural: Kims and Kim."""
    return frozenset(word.removesuffix("s") for word in words)


def families(text: str) -> frozenset[str]:
    """The names in a text that stand for several people ("the wealthy Parks", "the Kim family"), folded, singular."""
    return singular(word for match in _FAMILY.finditer(text) for word in tokens(match.group(1)))


def begins_with_family(sentence: str) -> re.Match[str] | None:
    return _FAMILY.match(sentence)


def masked(text: str, found: Sequence[Name]) -> str:
    """The text with "someone" for each name: what is said is then compared, and not of whom."""
    for name in reversed(found):
        ending = "'s" if re.search(r"['’]s$", name.text) else ""
        text = f"{text[: name.start]}someone{ending}{text[name.end :]}"
    return text
