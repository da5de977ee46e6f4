"""What a document says, as the citation check reads it: its sentences and their parts, words, numbers and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from strata.answer import numerals
from strata.answer.names import Cased, cased, families
from strata.answer.polarity import uncertain
from strata.answer.quotes import spaced
from strata.answer.sources import facts_of, title_of
from strata.core.analysis import spans, tokens
from strata.core.types import Document
from strata.printable import one_line
from strata.semantic.sentences import sentence_spans

_PART = re.compile(r"(?<=[,;:])\s+|\s+[–—]\s+")
SHORTEST = 3
"""Words that a part of a sentence has at least, and a text that may be held word for word."""


class Material:
    """One document. sentences: its facts in words (sources.py), then those of its text, each on one line."""

    def __init__(self, document: Document, stem: Callable[[str], str]) -> None:
        self.title = title_of(document)
        self._text = one_line(document.text)
        found = sentence_spans(self._text)
        self.sentences = [facts_of(document), *(self._text[start:end] for start, end in found)]
        self.text = f"{self.sentences[0]} {self._text}"
        self._texts = (self.title, self.sentences[0], self._text)
        self._starts = [0, *(start for start, _ in found)]
        self._stem = stem

    @cached_property
    def spaced(self) -> tuple[list[str], list[str]]:
        """The sentences, and the whole texts, as quotes.held takes them."""
        return [spaced(sentence) for sentence in self.sentences], [spaced(text) for text in self._texts]

    @cached_property
    def cased(self) -> Cased:
        """How it writes its words."""
        return cased(self.text)

    @cached_property
    def families(self) -> frozenset[str]:
        """The families in it, by name."""
        return families(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every folded word."""
        return frozenset(tokens(self.text))

    @cached_property
    def stems(self) -> list[frozenset[str]]:
        """The stems of each sentence."""
        return [frozenset(map(self._stem, tokens(sentence))) for sentence in self.sentences]

    @cached_property
    def numbers(self) -> list[numerals.Number]:
        """Those of its title, and then the others."""
        return [*numerals.numbers(self.title, self._stem), *self.counts]

    @cached_property
    def counts(self) -> list[numerals.Number]:
        """The numbers outside its title, which need not count what it is about."""
        return numerals.numbers(self.text.removeprefix(self.title), self._stem)

    @cached_property
    def values(self) -> frozenset[str]:
        """Every number that the document says, in digits."""
        return frozenset(number.value for number in self.numbers) | numerals.implied(self.text)

    def holds(self, text: str) -> bool:
        """Whether a text of some words stands in the document word for word, and nothing before it in the sentence
        that it begins in may make it untrue ("doubts that …")."""
        words = spaced(text)
        if words.count(" ") <= SHORTEST:
            return False
        *fields, whole = self.spaced[1]
        return any(words in field for field in fields) or any(not uncertain(b) for b in self._before(words, whole))

    def _before(self, words: str, whole: str) -> Iterator[str]:
        """For each place in the text where these words stand: what its sentence says before it."""
        at = whole.find(words)
        while at >= 0:
            place = self._places[whole.count(" ", 0, at)]
            yield self._text[max(start for start in self._starts if start <= place) : place]
            at = whole.find(words, at + 1)

    @cached_property
    def _places(self) -> list[int]:
        """Where each word of the text begins."""
        return [start for start, _, _ in spans(self._text)]


def parts(sentence: str) -> list[str]:
    """What a sentence says between its commas, colons and dashes; [] for one that has none."""
    found = [part.strip(" ,;:") for part in _PART.split(sentence)]
    return [part for part in found if len(part.split()) >= SHORTEST] if len(found) > 1 else []
