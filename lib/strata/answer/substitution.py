"""A thing put in the place of another: a clause that the document says word for word but for one noun. Pure.

Looked for are rare words that the document lacks, in a place where a noun stands: after an article, a possessive or a
preposition, with or without an adjective. Where one sentence, or two in a row, hold what else the clause says, the word
is what was changed: "an architect in a pale suit" is no "dentist in a pale suit". A synonym that is as rare is
taken for a change too; a common word, or one in another place, is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from strata.answer.material import Material
from strata.answer.nearness import share
from strata.core.analysis import spans, stopwords
from strata.core.language import word_set

REST = 0.6
"""The share of the other words, by weight, that must stand together."""
LEAST = 3
"""Other words that the clause must have."""
SAME = 4
"""Letters that two words of one family begin with."""
_BEFORE_NOUNS = word_set("a an the his her their its this these those of in on at with from into by for no some any s")


def substituted(clause: str, weights: Mapping[str, float], material: Material, stem: Callable[[str], str],
                rare: Callable[[str], bool]) -> tuple[str, str] | None:  # fmt: skip
    """The word or words that were put in, and the sentence that says the rest; None where none was found.

    weights: stem → weight of the clause's words, without names. rare: of a folded word.
    """
    words = spans(clause)
    for first, last in _nouns([word for _, _, word in words]):
        foreign = [w for _, _, w in words[first:last] if stem(w) in weights and not _known(w, material, stem)]
        if not foreign or not any(map(rare, foreign)):
            continue
        rest = {s: weight for s, weight in weights.items() if s not in set(map(stem, foreign))}
        sentence = _saying(rest, material) if len(rest) >= LEAST else ""
        if sentence:
            named = [clause[a:b] for a, b, w in words[first:last] if w in foreign]
            return " ".join(named), sentence
    return None


def _nouns(words: Sequence[str]) -> list[tuple[int, int]]:
    """Where words that mean something stand in a row behind one that nouns follow."""
    found = []
    for i, word in enumerate(words):
        if word in _BEFORE_NOUNS:
            end = next((k for k in range(i + 1, len(words)) if words[k] in stopwords()), len(words))
            if end > i + 1:
                found.append((i + 1, min(end, i + 3)))
    return found


def _known(word: str, material: Material, stem: Callable[[str], str]) -> bool:
    """Whether the document has the word, or one of its family."""
    if word in material.words or any(stem(word) in stems for stems in material.stems):
        return True
    return len(word) > SAME and any(other[:SAME] == word[:SAME] for other in material.words)


def _saying(rest: Mapping[str, float], material: Material) -> str:
    """The sentence, or the nearer of two, that holds nearly all of these words; "" where none does."""
    shares = [share(rest, stems) for stems in material.stems]
    rows = range(1, len(material.stems))  # the first are the fields
    together = {row: share(rest, material.stems[row].union(*material.stems[row + 1 : row + 2])) for row in rows}
    best = max(together, key=lambda row: (together[row], shares[row]), default=0)
    if not best or together[best] < REST:
        return ""
    return material.sentences[max((best, min(best + 1, len(shares) - 1)), key=lambda row: shares[row])]
