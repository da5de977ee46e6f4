"""What a request says of genre, mood, place and people. By patterns, a list of words, and the catalogue.

Genres are the catalogue's own, in the singular or the plural or by the other names of ALIASES; people are those of its
fields. Moods are a list of words. A setting is what "set in" and its like lead to.
"""

from __future__ import annotations

import re

from strata.core.analysis import spans, stopwords, tokens
from strata.core.language import word_set
from strata.enhance.lookup import Lookup

ALIASES = {
    "sci fi": "Science Fiction", "scifi": "Science Fiction", "sf": "Science Fiction", "romcom": "Romantic Comedy",
    "rom com": "Romantic Comedy", "cartoon": "Animation", "anime": "Animation", "animated": "Animation",
    "noir": "Film Noir", "biopic": "Biography", "historic": "Historical", "history": "Historical",
    "love story": "Romance", "whodunit": "Mystery", "whodunnit": "Mystery", "children's": "Family",
    "childrens": "Family", "kids": "Family", "superheroes": "Superhero", "sporting": "Sports",
}  # fmt: skip
MOODS = word_set(
    """
    atmospheric austere bittersweet bleak brooding charming cheerful chilling claustrophobic clever cosy cozy
    creepy cute dark deadpan disturbing dreamlike dreamy eerie elegant emotional epic exciting fatalistic
    festive funny gentle gloomy gory gripping gritty happy harrowing haunting heartbreaking heartwarming
    hilarious hopeful hypnotic intense intimate ironic lighthearted lonely lyrical magical melancholic
    melancholy menacing moody moving mysterious nostalgic ominous philosophical playful poetic poignant
    psychedelic quiet quirky relaxing romantic sad satirical scary sentimental silly sinister slow soothing
    sombre somber spooky surreal suspenseful sweet tender tense terrifying thoughtful thrilling touching tragic
    uplifting violent warm weird whimsical wistful witty
    """
)
LONGEST_GENRE = 3
MOST_WORDS = 60
"""So many words of a request are looked at for names."""
_SETTING = re.compile(
    r"\b(?:set|takes?\s+place|taking\s+place|happens|plays\s+out)\s+(?:almost\s+|entirely\s+|mostly\s+)*"
    r"((?:in|on|at|aboard|on\s+board|inside|during|under|near|around)\s+[^,.;:!?()\"]{2,80}?)"
    r"(?=\s+(?:where|who|which|that|when|while|with|about|from|but|and)\b|[,.;:!?()\"]|$)",
    re.IGNORECASE,
)
_CREDITED = r"(?:directed|written|made)\s+by|starring|featuring|by|with|from\s+director"
_PEOPLE = re.compile(
    rf"\b(?:{_CREDITED})\s+(?:the\s+)?((?:[^\W\d_][\w.'’-]*\s*(?:,|and|or|&)?\s*){{1,8}})", re.IGNORECASE
)


def genres_in(text: str, lookup: Lookup) -> list[tuple[int, int, str]]:
    """(start, end, genre) of each run of words that names one, the longest first tried, in the order of the text."""
    words = spans(text)
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(words):
        for count in range(min(LONGEST_GENRE, len(words) - at), 0, -1):
            start, end = words[at][0], words[at + count - 1][1]
            genre = genre_named(text[start:end], lookup)
            if genre:
                found.append((start, end, genre))
                at += count - 1
                break
        at += 1
    return found


def genre_named(words: str, lookup: Lookup) -> str | None:
    """The catalogue's genre that these words are, or None."""
    known = lookup.named(words) or lookup.genre(words)
    if known:
        return known
    plain = " ".join(tokens(words))
    alias = ALIASES.get(plain) or ALIASES.get(plain.removesuffix("s"))
    return lookup.named(alias) if alias else None


def moods_in(text: str) -> list[str]:
    """Words of mood, once each."""
    return list(dict.fromkeys(word for word in tokens(text) if word in MOODS))


def setting_in(text: str) -> str:
    """ "in one spooky house", or ""."""
    match = _SETTING.search(text)
    return " ".join(match.group(1).split()) if match else ""


def people_in(text: str, lookup: Lookup) -> list[str]:
    """People of the catalogue: whole names wherever they stand, last names after "by", "starring" and their like."""
    words = spans(text)[:MOST_WORDS]
    found: list[str] = []
    for at in range(len(words)):
        for count in (4, 3, 2):
            run = words[at : at + count]
            if len(run) == count and run[0][2] not in stopwords() and run[-1][2] not in stopwords():
                person = lookup.person(text[run[0][0] : run[-1][1]])
                found += [person] if person else []
    for match in _PEOPLE.finditer(text):
        for name in re.split(r"\s*(?:,|\b(?:and|or)\b|&)\s*", match.group(1)):
            first = name.split()[:1]
            if first and first[0][:1].isupper() and first[0].lower() not in stopwords():
                person = lookup.person(first[0])
                found += [person] if person else []
    return list(dict.fromkeys(found))
