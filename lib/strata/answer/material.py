"""What a document says, as the citation check reads it: its sentences and their parts, words, numbers and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from strata.answer import numerals
from strata.answer.names import Cased, cased
from strata.answer.quotes import spaced
from strata.answer.sources import facts_of, title_of
from strata.core.analysis import tokens
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
        text = one_line(document.text)
        self.sentences = [facts_of(document), *(text[start:end] for start, end in sentence_spans(text))]
        self.text = f"{self.sentences[0]} {text}"
        self._texts = (self.title, self.sentences[0], text)
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
    def words(self) -> frozenset[str]:
        """Every folded word."""
        return frozenset(tokens(self.text))

    @cached_property
    def stems(self) -> list[frozenset[str]]:
        """The stems of each sentence."""
        return [frozenset(map(self._stem, tokens(sentence))) for sentence in self.sentences]

    @cached_property
    def numbers(self) -> list[numerals.Number]:
        return numerals.numbers(self.text, self._stem)

    @cached_property
    def values(self) -> frozenset[str]:
        """Every number that the document says, in digits."""
        return frozenset(number.value for number in self.numbers) | numerals.implied(self.text)

    def holds(self, text: str) -> bool:
        """Whether a text of some words stands in the document word for word."""
        words = spaced(text)
        return words.count(" ") > SHORTEST and any(words in whole for whole in self.spaced[1])


def parts(sentence: str) -> list[str]:
    """What a sentence says between its commas, colons and dashes; [] for one that has none."""
    found = [part.strip(" ,;:") for part in _PART.split(sentence)]
    return [part for part in found if len(part.split()) >= SHORTEST] if len(found) > 1 else []
