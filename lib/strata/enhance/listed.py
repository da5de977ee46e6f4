"""The things that a negation leads to: "sharks", "horror and animation", "zombies, vampires or ghosts", "Tom Cruise".

A list goes on over "or" and "nor". "And" and a comma may as well lead to what is wanted ("no gore and lots of
suspense", "no romance, set in Paris"): over these it goes on only to a thing of the same kind. Each thing is a genre,
people, or words, three at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from strata.core.analysis import spans, stopwords
from strata.core.language import word_set
from strata.enhance.lookup import Lookup
from strata.enhance.parts import LONGEST_GENRE, MOODS, genre_named
from strata.enhance.years import WHEN

FILM = r"(?:films?|movies?|something|anything|one|ones|flicks?|shows?|stor(?:y|ies))"
_FILMS = r"(?:films?|movies?|flicks?|anything|ones)"
_BY = r"(?:(?:directed|written|made)\s+)?by"
_OF = rf"(?:about|with|set\s+in|involving|featuring|starring|{_BY})"
LINKS = (
    r"(?:(?:any|a|an|the|too|so|really|very|that|much|of|all|overly|another|mentioning|including|"
    rf"(?:{_FILMS}\s+(?:(?:that|which)\s+(?:is|are)\s+)?)?{_OF})\s+)*"
)
"""Words between a negation and its thing: "any films about"."""
_JOIN = re.compile(  # each blank before a word that must be there, so that a run of them is read once
    r"(?:\s*(?P<comma>,))?(?:\s*(?P<or>(?:and\s*/\s*or|or|nor)\b|(?<!\d)/)|\s*(?P<and>and\b|&))?\s*"
    rf"(?P<again>(?:no|not|without)\s+)?(?P<links>{LINKS})(?=[^\W_])",
    re.IGNORECASE,
)
_CAST, _MAKERS = re.compile(r"\b(?:starring|featuring)\b", re.IGNORECASE), re.compile(rf"\b{_BY}\b", re.IGNORECASE)
_ABOUT = re.compile(rf"\b{_OF}\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\ban?\s", re.IGNORECASE)
_MADE = re.compile(rf"(?:(?:made|released)\s+(?:in|before|after)|from)\s+{WHEN}", re.IGNORECASE)
_KIND_OF = re.compile(rf"[\s-]+(?:{_FILMS}|elements?|scenes?|stuff|genre)\b", re.IGNORECASE)
_OWN = re.compile(r"\s+(?:by|from|set|like|about)\b", re.IGNORECASE)
"""What follows a thing that is wanted: "no dialogue and music by Vangelis"."""
_THAN = re.compile(r"\s+than\b", re.IGNORECASE)
_IDIOMS = word_set(
    "one longer matter time idea doubt way more less man sooner wonder need use only sense hurry end joke sure just "
    "merely simply solely purely necessarily exactly quite entirely totally completely strictly "
    "film films movie movies something anything"
)
_WANTED = word_set("lots plenty tons loads good great nice strong happy better best")
_AFTER = word_set("please pls thanks thank either whatsoever allowed involved ideally preferably")
_NO_LIST = frozenset({"not", "isn't", "aren't", "nothing", "non"})
MOST_WORDS, MOST_NAMES = 3, 4
"""Words of a thing, and of a person's name."""


@dataclass(frozen=True)
class Thing:
    """end: in the request. what: in its words. genre: the catalogue's. people: conditions against them. years: it is
    when a film was made. alone: no word that belongs to it is left over. article: it is written with one."""

    end: int
    what: str
    genre: str | None = None
    people: tuple[str, ...] = ()
    years: bool = False
    alone: bool = True
    article: bool = False


def listed(text: str, at: int, links: str, head: str, lookup: Lookup, until: int = 0) -> list[Thing]:
    """The things that begin at a place of the request; [] where there is none. links, head: the words before it.
    until: as far as this everything belongs to the list."""
    first = _thing(text, at, links, head, lookup)
    if not first:
        return []
    nouns = head.lower().replace("’", "'") not in _NO_LIST or bool(_ABOUT.search(links))
    things, waiting = [first], list[Thing]()
    while join := _JOIN.match(text, (waiting or things)[-1].end):
        if not (join["comma"] or join["or"] or join["and"]):
            break
        one = _thing(text, join.end(), join["links"] or links, head, lookup)
        if not one:
            break
        one = replace(one, article=bool(_ARTICLE.search(join["links"])))
        if join["or"] or join["again"] or one.end <= until or (join["and"] and _alike(text, first, one, nouns)):
            things, waiting = [*things, *waiting, one], []
        elif join["and"]:
            break
        else:
            waiting.append(one)
    return [*things, *waiting] if _of_one_form([first, *waiting], bool(until)) else things


def _alike(text: str, first: Thing, one: Thing, nouns: bool) -> bool:
    """Whether "and" joins a thing to the first of its list."""
    if _OWN.match(text, one.end):
        return False
    if (first.genre and one.genre and one.alone) or (first.people and one.people):
        return True
    word = one.what.split()[0].lower()
    return nouns and one.alone and one.article == first.article and word not in MOODS and word not in _WANTED


def _of_one_form(things: list[Thing], strong: bool) -> bool:
    """Whether a list that nothing closes is one: people, genres (three, since "no horror, comedy" may ask for comedy),
    or bare plurals."""
    if all(one.people for one in things) or all(one.genre for one in things):
        return strong or len(things) > 2
    return all(re.fullmatch(r"\w+[^\Ws]s", one.what) and not one.article for one in things)


def _thing(text: str, at: int, links: str, head: str, lookup: Lookup) -> Thing | None:
    if made := _MADE.match(text, at):
        return Thing(made.end(), " ".join(made.group().split()), years=True)
    if person := _person(text, at, links, lookup):
        return person
    words = _words_at(text, at)[: 1 if head.lower() == "non" else MOST_WORDS]
    genre, count = _genre_of(text, words, lookup)
    if not genre and (not words or words[0][2] in _IDIOMS or _THAN.match(text, words[-1][1])):
        return None  # "no longer", "no fewer than three", "not only"
    if re.fullmatch(r"\s*by\s*", links, re.IGNORECASE):
        return None  # "killed not by a stranger"
    end = words[count - 1][1]
    what = " ".join(text[at:end].split())
    kind = _KIND_OF.match(text, end) if genre else None
    end = kind.end() if kind else end
    alone = len(_words_at(text, end)) == 0
    return Thing(end, what, genre, alone=alone, article=bool(_ARTICLE.search(links)))


def _words_at(text: str, at: int) -> list[tuple[int, int, str]]:
    """The words from here up to a function word or a sign, three at most."""
    words: list[tuple[int, int, str]] = []
    for start, end, word in spans(text[at : at + 120]):
        gap = text[at + (words[-1][1] - at if words else 0) : at + start]
        if word in stopwords() or word in _AFTER or gap.strip(" -") or len(words) == MOST_WORDS:
            break
        words.append((at + start, at + end, word))
    return words


def _genre_of(text: str, words: list[tuple[int, int, str]], lookup: Lookup) -> tuple[str | None, int]:
    """The genre that the first words name, and how many these are; else (None, all)."""
    for count in range(min(LONGEST_GENRE, len(words)), 0, -1):
        genre = genre_named(text[words[0][0] : words[count - 1][1]], lookup)
        if genre:
            return genre, count
    return None, len(words)


def _goes_on(text: str, words: list[tuple[int, int, str]]) -> bool:
    """Whether a name of which the first word is one has a second: John Hamm is no John."""
    (_, end, _), (start, _, _) = words[:2]
    return text[start : start + 1].isupper() and not text[end:start].strip(" -'’")


def _person(text: str, at: int, links: str, lookup: Lookup) -> Thing | None:
    """People by their whole name, or by the last one where the words before it speak of people or it has a capital.
    "Not directed by" them rules out what they made, "not starring" what they play in."""
    words = [(at + a, at + b, word) for a, b, word in spans(text[at : at + 80])][:MOST_NAMES]
    if not words or words[0][0] != at:
        return None
    makers, cast = bool(_MAKERS.search(links)), bool(_CAST.search(links))
    for count in range(len(words), 0, -1):
        name, word = text[at : words[count - 1][1]], words[0][2]
        sure = makers or cast or (name[:1].isupper() and not genre_named(name, lookup))
        if count == 1 and (not sure or word in stopwords() or (len(words) > 1 and _goes_on(text, words))):
            return None
        found = lookup.credits(name)
        if not found or re.search(r"[^\w\s.'’-]", name):
            continue
        roles = [role for role in found if role in (("cast", "actors") if cast else ())]
        roles = roles or [role for role in found if makers and role not in ("cast", "actors")] or list(found)
        if count > 1:
            against = tuple(f"{role}!={found[role]}" for role in roles)
        else:
            against = tuple(f"{role}!~{name}" for role in roles)
            against += (f"text!~{name}",) if not (makers or cast) and lookup.rare(word) else ()
        return Thing(words[count - 1][1], name, None, against, alone=not _words_at(text, words[count - 1][1]))
    return None
