"""Where sentences end, by rule.

A stop (. ! ? … 。！？) ends a sentence when what follows it, past closing quotes and brackets, is the end, or
white space and then something that can begin a sentence. Not after a known abbreviation (Dr.), an initial (J.), a
number sign (No. 5), nor where the next word begins in lower case (unless the whole text is lower case, as some old
collections are); a blank line always ends one.
Leaves out: languages that write stops otherwise, and abbreviations not in the list.
"""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """mr mrs ms mx dr prof rev fr st sr jr hon capt cpt col cmdr gen lt maj sgt cpl pvt adm gov sen rep pres supt
        det insp vs etc inc ltd co corp bros dept univ assn approx est fig vol ed eds cf al viz jan feb mar apr jun jul
        aug sep sept oct nov dec mt ft ave blvd rd e.g i.e a.m p.m ph.d u.s u.k""",
    )
)
_NUMBERED = frozenset(("no", "nos", "vol", "ch", "pt", "fig", "p", "pp", "art", "sec", "ep", "nr"))
_CLOSING = "\"'”’»)]}›"
_OPENING = "\"'“‘«([{‹¿¡—–-"

# The look-behind starts a run of stops at its first only, so that 100,000 dots are not tried from each of them.
_STOP = re.compile(
    rf"(?<![.!?…])([.!?…]++)[{re.escape(_CLOSING)}]*+(?=\s|$)|[。！？]+[{re.escape(_CLOSING)}」』]*|\n\s*\n"
)
_LAST_WORD = re.compile(r"[^\W\d_](?:[\w.]*\w)?$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order, stripped; together they hold every character that is no white space."""
    spans, start = [], 0
    cased = text != text.lower()
    for match in _STOP.finditer(text):
        if _ends(text, start, match, cased):
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


def _ends(text: str, start: int, match: re.Match[str], cased: bool) -> bool:
    stop = match.group(1)
    if stop is None:
        return True  # a CJK stop or a blank line
    begin = match.end()
    while begin < len(text) and text[begin].isspace():
        begin += 1
    following = text[begin : begin + 24].lstrip(_OPENING)
    if not following:
        return True
    if cased and following[0].islower():
        # "who is Dr. no one" or "Wait... what": one sentence. After ! or ? lower case may also follow a quotation.
        return False
    if stop != ".":
        return True
    before = _LAST_WORD.search(text, max(start, match.start() - 24), match.start())
    if before is None:
        return True
    word = before.group().lower()
    if word in _NUMBERED and following[0].isdigit():
        return False
    initial = len(word) == 1 and before.group().isupper() and word != "i"
    return not (initial or word in _ABBREVIATIONS)
