"""Whether a model's reply says that the sources hold no answer, as the prompts ask it to. Pure, English.

A denial alone is none ("The hobbit is not given any gold"), nor is one about a character ("Gandalf has no
information"): the sentence must begin with the sources, or with whoever answers, and deny; or say that nothing is
there, or that something is not in the sources.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from strata.answer.cite import Statement

MOST = 2
"""Sentences that a model takes at most to say it."""

_GIVEN = (
    r"(?:(?:given|provided|numbered|retrieved|available|listed|supplied|cited|film|search|source|enough|such) ){0,2}"
)
_OF = rf"(?:(?:any |all |either )?of )?(?:the |these |those |this |your |my )?{_GIVEN}"
_SOURCES = (
    r"(?:sources?|passages?|documents?|excerpts?|context|catalogue|catalog|material|texts?|descriptions?|results|"
    r"information|data|entries)\b(?! of\b)"
)
_VERB = (
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|cannot|holds?|contains?|gives?|offers?|includes?|mentions?|"
    r"says?|tells?|lacks?|makes?|provides?|covers?|lists?)(?:n['’]t)?\b"
)
_NOT = r"(?:\b(?:no|not|none|nothing|neither|never|cannot|lacks?|unable|insufficient)\b|n['’]t\b)"
_BEFORE = (
    r"\W*(?:(?:unfortunately|sorry|however|i['’]m (?:sorry|afraid)|i am (?:sorry|afraid)|i apologi[sz]e|"
    r"(?:based on|according to|from) [^,]*),?\s+(?:but |that )?)*"
)
_RULES = (
    # The given sources do not …; source 1 says nothing of …
    rf"{_OF}{_SOURCES}(?: \d+| above| here| provided| given)?,? (?={_VERB})[^.;]{{0,60}}?{_NOT}",
    # None of the sources …; not enough information …
    rf"(?:none|neither|nothing|no(?:t (?:one|any|a single))?|not enough|insufficient) "
    rf"(?:in |from |among )?{_OF}{_SOURCES}",
    # None of the films matches the request
    rf"(?:none of the|no) (?:\w+ )?(?:films?|movies?|titles?|answer)\b[^.;]{{0,60}}\b"
    rf"(?:match|fit|answer|meet|satisf|request|ask|given|found|available|{_SOURCES})",
    # There is no mention of …
    rf"there(?: is| are| was| were|['’]s)(?: not| no|n['’]t)\b[^.;]{{0,80}}\b(?:{_SOURCES}|answer\b|mention\b)",
    # I cannot say …
    rf"(?:i|we) [^.;]{{0,30}}?{_NOT}[^.;]{{0,60}}?\b"
    rf"(?:answer|say|tell|determine|find|know|identify|recommend|provide|give|confirm|information|sources?)\b",
    # … is not told in the sources
    rf"[^.;]{{0,200}}?{_NOT}[^.;]{{0,60}}?\b(?:in|from|by|within|on|with|using|among) {_OF}{_SOURCES}",
)
_REFUSALS = tuple(re.compile(_BEFORE + rule, re.IGNORECASE) for rule in _RULES)


def refuses(sentence: str) -> bool:
    """Whether a sentence says that the sources, or whoever answers from them, have no answer."""
    return any(rule.match(sentence) for rule in _REFUSALS)


def declined(stated: Sequence[Statement]) -> bool:
    """Whether a reply says only that: a sentence or two without a citation, of which the first refuses."""
    if not stated or len(stated) > MOST or any(statement.numbers for statement in stated):
        return False
    return refuses(stated[0].text)
