"""What is ruled out, as conditions: on genres, people, and words that few documents say. What can be none is told."""

from __future__ import annotations

import re
from collections.abc import Callable

from strata.core.analysis import stopwords, tokens
from strata.enhance.fields import Parts, dropped
from strata.enhance.lookup import Lookup
from strata.enhance.years import WHEN


def conditions(parts: Parts, lookup: Lookup, note: Callable[[str], None]) -> tuple[str, ...]:
    """All that the request rules out but titles, whose films are left out by themselves."""
    words = [condition for what in parts.not_words if (condition := _against(what, lookup, note))]
    return tuple(dict.fromkeys([*parts.against(note), *words]))


def _against(what: str, lookup: Lookup, note: Callable[[str], None]) -> str:
    """The condition against a thing that is neither a genre nor people; "" where there can be none."""
    words = [word for word in tokens(what) if word not in stopwords()]
    if re.search(rf"\b{WHEN}", what, re.IGNORECASE):
        dropped(what, "--where sets years", note)
    elif len(words) != 1:
        # On the queries of NegConstraint, documents that say all of several words are as often what is looked for.
        dropped(what, "a condition is a genre, a person of the catalogue or one word", note)
    elif not lookup.documents_with(words[0]):
        dropped(what, "no document says it", note)
    elif not lookup.rare(words[0]):
        dropped(what, "too many documents say it", note)
    else:
        return f"text!~{words[0]}"
    return ""
