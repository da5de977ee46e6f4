"""Whether a clause says or denies what it speaks of, by its words. Pure.

Negators are counted; two cancel out ("will not stop trembling"). Leaves out irony, and denials without such a word.
"""

from __future__ import annotations

import re

from strata.core.analysis import fold, stopwords
from strata.core.language import word_set

_SMALL = word_set(
    "not no never nobody nothing nowhere none neither nor without cannot hardly scarcely barely nt unable"
)
_VERBS = word_set(
    "refuse refuses refused refusing fail fails failed decline declines declined lacks lacking lacked "
    "deny denies denied denying"
)
_NEGATORS = _SMALL | _VERBS
_HEDGES = word_set("falsely wrongly supposedly allegedly supposed alleged")
"""What they stand by is neither said nor denied."""
_UNSURE = _HEDGES | word_set("doubt doubts doubted doubting doubtful")
"""They deny nothing that can be named, but what follows may be untrue."""
_STOPPERS = word_set("stop stops resist fail refuse avoid help deny doubt but merely")
"""After a negator: what is denied is itself a denial."""
WITHIN = 2
_NOT_ONLY = re.compile(
    r"\b(?:not|no)\s+(?:only|just|merely|simply|sooner|matter|longer than|less than|more than|one but)\b"
)
_NOT = re.compile(
    r"\bdoubt(?:s|ed|ing|ful)?(?=\s+(?:that|whether|if)\b)|\b(?:forg[eo]t(?:s|ting|ten)?|neglect(?:s|ed|ing)?)(?=\s+to\b)"
    r"|\b(?:rather than|instead of|other than|any(?:thing|one|body) but)\b"
)
"""What denies by how it is built in."""
_JOINED = re.compile(r"\b(?:\w+n't|never|no(?!-one\b))-(?=\w)")
"""Part of an adjective: a can't-miss teenager."""
_OWN_WAY = re.compile(r"\b(?:doubt|forg[eo]t|neglect)")
_SCOPE = re.compile(
    r"[,;:]\s+|\s+[–—]\s+|\s+(?=(?:and|but|or|that|which|who|whose|while|until|before|after|because|so|if|whether|unless|"
    r"as|when|where|though|although|without|rather than|instead of|other than)\b)"
)
_SAYS = (
    r"\b(?:doubt(?:s|ed|ing|ful)?|den(?:y|ies|ied|ying)|says?|said|claims?|believes?|believed|thinks?|thought|"
    r"supposes?|sure|certain|convinced|proves?|proof|evidence)"
)
"""What is said or thought so may be denied with it; what somebody does not know or see is true all the same."""
_SAYING = re.compile(rf"{_SAYS}$")
_SAID = re.compile(rf"{_SAYS}\s+(?:that|whether|if)\b(.*)")
_WHAT = re.compile(r"(?:that|whether|if)\b")
_BARE = re.compile(r"(?:^|\s)(?:that|whether|if)$")
_NOTHING = re.compile(r"\b(?:any|no)(?:thing|body| ?one)$|\bnone$", re.IGNORECASE)


def scopes(sentence: str) -> list[str]:
    """The stretches of a sentence that a negator in them is about, as far as commas and conjunctions tell."""
    found: list[str] = []
    for piece in _SCOPE.split(sentence):
        if found and (
            (_WHAT.match(piece) and _SAYING.search(found[-1]))
            or (piece.startswith("but ") and _NOTHING.search(found[-1]))
            or (piece.startswith("without ") and denies(found[-1]))
            or _BARE.search(found[-1])
        ):
            found[-1] += f" {piece}"
        elif piece.strip():
            found.append(piece)
    return found


def denies(text: str) -> bool:
    """Whether an odd number of negators stands in the text."""
    return sum(count for _, count in _negators(_words(text))) % 2 == 1


def denied(text: str) -> frozenset[str]:
    """What the negators of a text are about first: the words after each, up to the next of the stop list but
    "of", or those before one that ends it; and all of what somebody is not sure of."""
    words = _words(text)
    found: set[str] = set()
    for after, _ in _negators(words):
        start = next((i for i in range(after, len(words)) if words[i] not in stopwords()), len(words))
        end = next((i for i in range(start, len(words)) if words[i] in stopwords() and words[i] != "of"), len(words))
        found.update(words[start:end] or words[: after - 1])
    for said in _SAID.findall(fold(text)):
        found.update(_words(said))
    return frozenset(found)


def lacks_only(text: str) -> bool:
    """Whether "without" is all that denies in a text: the rest of it is said."""
    words = _words(text)
    return {words[after - 1] for after, _ in _negators(words)} == {"without"}


def hedged(text: str, clause: str) -> bool:
    """Whether a text neither says nor denies what a clause says: it leaves it open ("falsely accused"), it has a word
    whose contrary is in the clause by its form (useless and use, unsure and sure), or both speak of doubting or
    forgetting, each in its own way."""
    own, words = set(_words(text)), set(_words(clause))
    if own & _HEDGES or (_OWN_WAY.search(fold(text)) and _OWN_WAY.search(fold(clause))):
        return True
    return any(
        {f"{word}less", f"un{word}"} & negative
        for positive, negative in ((words, own), (own, words))
        for word in positive
    )  # fmt: skip


def uncertain(text: str) -> bool:
    """Whether a word in a text may make untrue what follows it."""
    return any(word in _NEGATORS or word in _UNSURE for word in _words(text))


def only_denies(word: str) -> bool:
    """Of a folded word: it is a negator and says nothing else."""
    return word in _SMALL


_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> list[str]:
    folded = _NOT_ONLY.sub(" ", _JOINED.sub("", fold(text)).replace("n't", " not"))
    return _WORD.findall(_NOT.sub("not", folded))


def _negators(words: list[str]) -> list[tuple[int, int]]:
    """For each negator: where what it is about begins, and how many there are up to there."""
    found = []
    i = 0
    while i < len(words):
        count = 0
        if words[i] in _NEGATORS:
            count = 1
            after = words[i + 1 : i + 1 + WITHIN]
            stopper = next((k for k, word in enumerate(after) if word in _STOPPERS), None)
            if stopper is not None:
                count += 1
                i += stopper + 1
        i += 1
        if count:
            found.append((i, count))
    return found
