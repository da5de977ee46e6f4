"""Phrases of a request that are about the asking, not about what is looked for. English.

OPENING counts only where a sentence of the request begins, ANYWHERE wherever it stands. Apostrophes may be missing or
curly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from strata.semantic.sentences import sentence_spans

_FILM = r"(?:film|movie|flick|picture|motion picture|show)s?"
_SOME = r"(?:(?:a|an|the|some|any|that|this|those|these|one|another|good|great|nice|old|certain|specific|particular) )*"
_ABOUT = r"(?:about|where|in which|that|which|who|whose|with|when|featuring|called|is about|was about)"
_PERSON = r"(?:anyone|anybody|someone|somebody|you|u)"
_SEEN = (
    r"(?:it |this |that |one |once )*"
    r"(?:on (?:a plane|tv|television|vhs|dvd)|(?:many |some |a few )?years ago|as a (?:kid|child))?"
)
_VERB = r"(?:find|remember|recall|identify|name|see|watch)"

OPENING = (
    r"(?:hi|hello|hey|greetings)(?: (?:there|all|everyone|everybody|guys|folks))?",
    r"(?:so|ok|okay|um+|uh+|well|and|but|also|oh|then|again)",
    rf"(?:can|could|would|will) {_PERSON}(?: please| kindly| possibly)?"
    rf" (?:recommend|suggest|find|show|give|tell|name|help)(?: me| us)?(?: with| to)?(?: {_VERB})?",
    r"(?:please )?(?:recommend|suggest)(?: me| us)?",
    rf"(?:please )?(?:find|show|give|tell|get|help)(?: me| us)(?: to| with)?(?: {_VERB})?",
    rf"(?:does|do|did) {_PERSON}(?: here| else)? (?:know|remember|recall|recognize|recognise|have)",
    r"what(?:'s| is| was| are| were)? the (?:name|title)s? of",
    rf"(?:what|which)(?:'s| is| was| are| were)?(?: some| the)? {_SOME}{_FILM}"
    rf"(?: is it| was it| is| was| are)?(?: {_ABOUT})?",
    rf"(?:is|are|was|were) there {_SOME}{_FILM}(?: {_ABOUT})?",
    r"i(?:'m| am|'ve been| have been| was)?(?: (?:currently|just|really|still|now))*"
    rf" (?:(?:looking|searching|hunting|in the mood)(?: for)?|trying to {_VERB})",
    r"i(?:'d| would)?(?: (?:really|just))* (?:want|like|love|need|wish|feel like)"
    rf"(?: to)?(?: {_VERB}| watching| seeing)?",
    rf"(?:looking|searching|hunting) for|trying to {_VERB}",
    r"(?:it's|it is|it was|this is|this was|that's|that is)(?: all)? (?:about|called)",
    rf"{_SOME}(?:recommendation|suggestion)s?(?: (?:for|of|about))?",
    rf"{_SOME}{_FILM}(?: (?:that |which )?i (?:saw|watched|remember) ?{_SEEN})?(?: {_ABOUT})",
    rf"(?:the|that|this) one(?: {_FILM})? {_ABOUT}",
    rf"{_SOME}(?:something|anything) {_ABOUT}",
    r"(?:there's|there is|there was|there are|there were)(?: this| that)?",
)
ANYWHERE = (
    r"i(?:'m| am)(?: (?:fairly|pretty|quite|almost|not|very))* (?:sure|certain|positive)(?: that| but| if)?",
    r"i (?:think|believe|guess|suppose|reckon|assume|mean)(?: that)?",
    r"i(?: (?:vaguely|only|just|clearly|distinctly|still|also|do))* (?:remember|recall)(?: that)?",
    r"if i(?:'m)?(?: am)? (?:remember|recall)(?:ing)?(?: it)?(?: (?:right|rightly|correctly|well))?",
    r"(?:as far as|from what) i (?:know|remember|recall|can tell)",
    rf"(?:that |which )?i (?:saw|watched) {_SEEN}",
    r"when i was(?: (?:very|a|just|so|little|young|small|kid|child|younger|growing up))+",
    r"(?:we|i) had (?:it|this|a vhs|a dvd|a tape)(?: on (?:vhs|dvd|tape))?(?: where)?",
    r"for the life of me|off the top of my head|to be honest|by the way|in advance|any ideas?|any help|you know",
    r"or (?:something|anything|whatever)(?: (?:like (?:that|this)|similar))?",
    r"and (?:stuff|things)(?: like that)?|and so on",
    r"(?:kind|sort) of|kinda|sorta|basically|actually|honestly|literally|maybe|perhaps|probably|possibly|please",
    r"thanks(?! to)|thank you(?: so much| very much)?",
    r"(?:i )?can(?:'t|not) (?:remember|recall|think of) (?:the (?:name|title)|what it(?:'s| is| was) called|it)",
)


LONGEST_TITLE = 200
"""Letters; what is longer is not looked up."""


def _compiled(phrases: tuple[str, ...]) -> re.Pattern[str]:
    joined = "|".join(phrases).replace("'", "['’]?")
    return re.compile(rf"(?<![^\W_])(?:{joined})(?![^\W_])", re.IGNORECASE)


_OPENING, _ANYWHERE = _compiled(OPENING), _compiled(ANYWHERE)
_BEFORE_A_WORD = re.compile(r"[^\w\"“«(]+")
_LOOSE = re.compile(r"\s+(?=[,.;:!?])|[,;:]\s*(?=[,.;:!?])")
_SIGNS = " ,;:–—-"
_LAST = re.compile(r"\b(?:and|or|but)\Z")


def filler_spans(text: str) -> list[tuple[int, int]]:
    """Where such phrases stand, though they may be part of a title ("Love Actually")."""
    found = [match.span() for match in _ANYWHERE.finditer(text)]
    for start, _ in sentence_spans(text):
        match = _OPENING.match(text, _end(_BEFORE_A_WORD.match(text, start)) or start)
        found += [match.span()] if match else []
    return found


def without_filler(text: str, titles: Iterable[str] = ()) -> tuple[str, list[str]]:
    """(the request without such phrases, the phrases). "" where nothing else was said. titles: as they are written in
    it; of these nothing is dropped."""
    kept, dropped = [], list[str]()
    whole = [re.compile(re.escape(" ".join(title.split()))) for title in titles]

    def drop(match: re.Match[str]) -> str:
        if _within(match, whole):
            return match.group()
        dropped.append(" ".join(match.group().split()))
        return " "

    text = " ".join(text.split())
    for start, end in sentence_spans(text):
        sentence = " ".join(_ANYWHERE.sub(drop, text[start:end]).split())
        at = _end(_BEFORE_A_WORD.match(sentence))
        while (match := _OPENING.match(sentence, at)) and not _within(match, whole):
            drop(match)
            at = _end(_BEFORE_A_WORD.match(sentence, match.end())) or match.end()
        kept.append(tidy(sentence[at:]))
    return " ".join(filter(None, kept)), dropped


def _within(match: re.Match[str], titles: Iterable[re.Pattern[str]]) -> bool:
    """Whether a match is part of a title."""
    found = (one.span() for title in titles for one in title.finditer(match.string))
    return any(start <= match.start() and match.end() <= end for start, end in found)


def tidy(text: str) -> str:
    """Without the blanks, signs and conjunctions that are left where something was taken out."""
    text = _LOOSE.sub("", " ".join(text.split()))
    # In two steps, not by one pattern: that would begin anew at each of a million hyphens.
    text = text[_end(_BEFORE_A_WORD.match(text)) :].rstrip(_SIGNS)
    return _LAST.sub("", text).rstrip(_SIGNS)


def _end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0
