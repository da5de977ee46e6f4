"""Whether a clause says or denies what it speaks of, by its words. Pure.

Negators are counted; two cancel out ("will not stop trembling"). Leaves out irony, and denials without such a word.
"""

from __future__ import annotations

import re

from strata.core.analysis import fold
from strata.core.language import word_set

_NEGATORS = word_set(
    "not no never nobody nothing nowhere none neither nor without cannot hardly scarcely barely nt refuse refuses "
    "refused refusing fail fails failed decline declines declined lacks lacking lacked unable"
)
_STOPPERS = word_set("stop stops resist fail refuse avoid help deny but merely")
"""After a negator: what is denied is itself a denial."""
_NOT_ONLY = re.compile(
    r"\b(?:not|no)\s+(?:only|just|merely|simply|sooner|matter|longer than|less than|more than|one but)\b"
)
_WORD = re.compile(r"[^\W_]+")
WITHIN = 2
_SCOPE = re.compile(
    r"[,;:]\s+|\s+[–—]\s+|\s+(?=(?:and|but|or|that|which|who|whose|while|until|before|after|because|so|if|unless|as|when|"
    r"where|though|although|without)\b)"
)


def scopes(sentence: str) -> list[str]:
    """The stretches of a sentence that a negator in them is about, as far as commas and conjunctions tell."""
    return [piece for piece in _SCOPE.split(sentence) if piece.strip()]


def denies(text: str) -> bool:
    """Whether an odd number of negators stands in the text."""
    folded = _NOT_ONLY.sub(" ", fold(text).replace("n't", " not"))
    words = _WORD.findall(folded)
    count = 0
    i = 0
    while i < len(words):
        if words[i] in _NEGATORS:
            count += 1
            after = words[i + 1 : i + 1 + WITHIN]
            stopper = next((k for k, word in enumerate(after) if word in _STOPPERS), None)
            if stopper is not None:
                count += 1
                i += stopper + 1
        i += 1
    return count % 2 == 1
