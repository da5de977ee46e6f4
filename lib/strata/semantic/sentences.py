"""Where sentences end, by rule.

A stop (. ! ? … 。！？) ends a sentence when what follows it, past closing quotes and brackets, is the end, or
white space and then something that can begin a sentence. Not after a title (Dr.), an initial (J.), a number sign
(No. 5), nor where the next word begins in lower case, unless the whole text is in lower case. An abbreviation that
also closes sentences (U.S., Inc., p.m.) ends one only before a word that often opens one. A blank line always does.
Leaves out: languages that write stops otherwise, and abbreviations not in the lists.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEFORE_NAMES = _words(
    "mr mrs ms mx dr prof rev fr st hon capt cpt col cmdr gen lt maj sgt cpl pvt adm gov sen rep pres supt det insp "
    "vs est fig vol ed eds cf al viz approx e.g i.e mt ft jan feb mar apr jun jul aug sep sept oct nov dec"
)
_CLOSING_TOO = _words("jr sr inc ltd co corp bros dept univ assn ave blvd rd etc a.m p.m ph.d")
_OPENERS = _words(
    "a after all although and as at before but during each every for from he her his how however i if in it its "
    "later meanwhile my no now on one our she so some soon still that the their then there these they this those "
    "though through to two under until upon we what when where while who why with you"
)
_NUMBERED = _words("no nos vol ch pt fig p pp art sec ep nr")
_CLOSING = "\"'”’»)]}›"
_OPENING = "\"'“‘«([{‹¿¡—–-"

# Possessive, and never begun inside a run of stops: a line of a million dots is read once.
_STOP = re.compile(
    rf"(?<![.!?…])([.!?…]++)[{re.escape(_CLOSING)}]*+(?=\s|$)|[。！？]++[{re.escape(_CLOSING)}」』]*+|\n[^\S\n]*+\n"
)
_LAST_WORD = re.compile(r"[^\W\d_](?:[\w.]*\w)?$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_NEXT = re.compile(r"\s*(\S{0,32})")
_FIRST_WORD = re.compile(r"[^\W\d_]+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order, white space stripped; together they hold all other characters."""
    spans, start = [], 0
    lower = text == text.lower()
    for match in _STOP.finditer(text):
        if _ends(text, start, match, lower):
            spans.append(_stripped(text, start, match.end()))
            start = match.end()
    spans.append(_stripped(text, start, len(text)))
    return [(a, b) for a, b in spans if a < b]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _ends(text: str, start: int, match: re.Match[str], lower: bool) -> bool:
    """Whether the stop that was matched ends the sentence begun at `start`; lower: the text has no capitals."""
    stop = match.group(1)
    if stop is None:
        return True  # a CJK stop or a blank line
    ahead = _NEXT.match(text, match.end())
    following = ahead.group(1).lstrip(_OPENING) if ahead else ""
    if not following:
        return True
    if following[0].islower() and not lower:
        return False  # "Wait... what", and "Stop!" he said
    if stop != ".":
        return True
    before = _LAST_WORD.search(text, max(start, match.start() - 24), match.start())
    if before is None:
        return True
    word = before.group().lower()
    if word in _NUMBERED and following[0].isdigit():
        return False
    if word in _BEFORE_NAMES or (len(word) == 1 and word != "i" and (lower or before.group().isupper())):
        return False
    if word in _CLOSING_TOO or _INITIALS.fullmatch(word):
        opener = _FIRST_WORD.match(following)
        return opener is not None and opener.group().lower() in _OPENERS
    return True
