"""Words of the catalogue that a misspelt word may have been meant for, and how likely each is.

Distance is the optimal string alignment distance: letters inserted, deleted, replaced, or two neighbours exchanged,
one each (Damerau 1964). The likelihood is a noisy channel's (Kernighan, Church and Gale, "A spelling correction
program based on a noisy channel model", COLING 1990), linear in a few traits. Its weights were fitted by logistic
regression on 3,000 words of the bundled films' descriptions, misspelt by chance (the document that a word came from
was left out of its counts), and rounded; FIRST and SKELETON were then raised, since people slip in vowels and doubled
letters more often than chance does, and seldom in the first letter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from strata.keyword.index import Index

EDIT = 4.0
FREQUENT = 0.7
"""Times ln(1 + 40 · df / √N). The root, since the words of a catalogue grow about so (Heaps), and with them what is
near by chance."""
FIRST, LAST, SKELETON, EXCHANGED = 0.5, 0.15, 1.0, 2.0
"""The same first letter, the same last one; the same consonants (emporer, emperor); the same letters (yrok, york)."""
SURE, LIKELY = {4: 3.4, 5: 2.8, 6: 1.0, 7: 1.0}, 0.5
"""What must speak for a word besides its distance, by the letters there are for one edit. Of short words too many
are near by chance; two edits need two letters more."""
VOWELS = frozenset("aeiouy")
STOP = 1.8
"""What the logarithm is for a function word: enough for "thier", too little to win from content."""


@dataclass(frozen=True)
class Near:
    """word: of the catalogue or the stop list. evidence: what speaks for it besides its distance."""

    word: str
    distance: int
    evidence: float

    @property
    def score(self) -> float:
        return self.evidence - EDIT * self.distance


def most_edits(word: str, most: int) -> int:
    """How many edits a word may be away: none for one or two letters, one for up to five, else two."""
    return min(most, 0 if len(word) < 3 else 1 if len(word) < 6 else 2)


class Nearby:
    """The near words of one word after another."""

    def __init__(self, index: Index, stop: frozenset[str], most: int) -> None:
        self._index, self._stop, self._most = index, sorted(stop), most
        self._sized: dict[int, list[str]] = {}
        self._found: dict[str, list[Near]] = {}

    def to(self, word: str) -> list[Near]:
        """All within reach of a folded word, the likeliest first."""
        if word not in self._found:
            near = [Near(c, d, _evidence(word, c, self._index)) for c, d in self._within(word)]
            self._found[word] = sorted(near, key=lambda n: (-n.score, n.word))
        return self._found[word]

    def _within(self, word: str) -> list[tuple[str, int]]:
        """(word, distance). Function words are taken at one edit only."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        edits = most_edits(word, self._most)
        if not edits:
            return []
        sizes = range(len(word) - edits, len(word.encode()) + edits + 1)
        choices = [choice for size in sizes for choice in self._of(size)]
        found = extract(word, choices, scorer=OSA.distance, score_cutoff=edits, limit=None)
        found += extract(word, self._stop, scorer=OSA.distance, score_cutoff=1, limit=None)
        return [(choice, int(distance)) for choice, distance, _ in found]

    def _of(self, size: int) -> list[str]:
        """The catalogue's words of so many bytes: only lengths that are asked for are read, and once."""
        if size not in self._sized:
            self._sized[size] = self._index.surfaces.sized(size, size)
        return self._sized[size]


def _evidence(word: str, candidate: str, index: Index) -> float:
    term = index.term_of(candidate)
    return (
        FREQUENT * (STOP if term is None else math.log1p(40 * index.df(term) / math.sqrt(index.documents)))
        + FIRST * (word[0] == candidate[0])
        + LAST * (word[-1] == candidate[-1])
        + SKELETON * (skeleton(word) == skeleton(candidate))
        + EXCHANGED * (sorted(word) == sorted(candidate))
    )


def enough(word: str, near: Near) -> bool:
    """Whether a word may be replaced. Three letters are too few for anything but an exchange: teh, the."""
    letters = len(word) - 2 * (near.distance - 1)
    if letters < 4:
        return sorted(word) == sorted(near.word)
    return near.evidence >= SURE.get(letters, LIKELY)


def skeleton(word: str) -> str:
    """A word's consonants, doubled ones once: "mpr" for emperor and emporer."""
    kept = ""
    for letter in word:
        if letter not in VOWELS and letter != kept[-1:]:
            kept += letter
    return kept
