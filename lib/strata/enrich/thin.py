"""Entries whose text holds nothing to find: a few words, and the story told in another entry of the franchise only.

By rule, from the data. An entry's own words are those of its text that are on no stop list and not in its title,
genres, names or franchise: a list finds an entry by its title anyway. On the bundled films 49 entries, all of them
sequels, have 5 to 14, every other one 67 or more.
"""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from strata.core.analysis import fold, stopwords, tokens
from strata.core.audit import THIN
from strata.core.templates import TEMPLATES, as_text
from strata.core.types import Document
from strata.enhance.lookup import PEOPLE

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

FEW = THIN // 2
"""Own words. About half of the words of an English text are function words, so this goes with audit's THIN."""
SAMPLE = 200
"""So many entries, evenly spaced, tell how many own words are usual."""
FRANCHISE = ("franchise", "series", "collection")
"""Fields that name what an entry is a part of."""
SEQUEL = re.compile(
    r"\b(?:sequels?|prequel|follow-?up|continu(?:ation|ing|es)|instal+ment|trilogy|series|saga|companion|chapter|entry|part)\b"
)
"""By such a word a thin text speaks of being a part of something."""


def year_of(document: Document) -> float:
    """Its year; infinity where it has none."""
    year = str(document.fields.get("year"))
    return int(year) if year.isascii() and year.isdigit() else float("inf")


@dataclass(frozen=True)
class Thin:
    """words: the entry's own words; usual: how many an entry of this catalogue has. sequel: the word by which its text
    speaks of being a part of something, or "". story: the position of the entry in which the story stands, if any."""

    words: int
    usual: int
    sequel: str = ""
    story: int | None = None


class Entries:
    """A catalogue, asked which of its entries are thin."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.own_words = lru_cache(maxsize=None)(self._own_words)

    def thin(self, doc: int) -> Thin | None:
        """None for an entry with enough to find."""
        if not self.is_thin(doc):
            return None
        said = SEQUEL.search(fold(self.corpus.document(doc).text))
        return Thin(self.own_words(doc), self.usual, said.group() if said else "", self._story(doc))

    def told_elsewhere(self) -> Iterator[tuple[int, int]]:
        """(thin entry, the entry in which its story stands), in the catalogue's order. Reads the texts of franchises
        with two entries or more, and of no others."""
        shared = sorted(doc for docs in self._franchises.values() if len(docs) > 1 for doc in docs)
        for doc in shared:
            if self.is_thin(doc) and (story := self._story(doc)) is not None:
                yield doc, story

    def is_thin(self, doc: int) -> bool:
        """What is short in a catalogue of short texts is not thin."""
        words = self.own_words(doc)
        return words < FEW and words < self.usual / 2

    def _own_words(self, doc: int) -> int:
        """How many different words the text has that are its own."""
        document = self.corpus.document(doc)
        shown = [name for name in TEMPLATES[self.corpus.template_id].keyword if name != "title"]
        said = " ".join(as_text(document.fields.get(name)) for name in (*shown, *FRANCHISE))
        return len({*tokens(document.text)} - stopwords() - {*tokens(f"{document.title} {said}")})

    @cached_property
    def usual(self) -> int:
        """The median of own words."""
        step = -(-len(self.corpus) // SAMPLE)
        return int(statistics.median(self._own_words(doc) for doc in range(0, len(self.corpus), step)))

    def _story(self, doc: int) -> int | None:
        """The entry of the franchise that has the story: the earliest that is not thin itself. Before it comes one
        whose whole title stands in this one's, for a franchise may hold several stories (Bride of Frankenstein is no
        part of Dracula), and one that shares a name, for a story may have been told twice (Ocean's Eleven)."""
        others = [at for at in self._franchises.get(self._franchise(doc), []) if at != doc]
        told = [at for at in others if not self.is_thin(at)]
        title, people = {*tokens(self.corpus.title(doc))}, self._people(doc)

        def far(at: int) -> tuple[bool, bool, float, int]:
            return not self._named_in(at, title), not people & self._people(at), year_of(self.corpus.document(at)), at

        return min(told, key=far, default=None)

    def _people(self, doc: int) -> set[str]:
        fields = self.corpus.document(doc).fields
        values = (fields.get(name) for name in PEOPLE)
        return {fold(str(one)) for value in values if value for one in (value if isinstance(value, list) else [value])}

    def _named_in(self, doc: int, title: set[str]) -> bool:
        words = {*tokens(self.corpus.title(doc))} - stopwords()
        return bool(words) and words <= title

    def _franchise(self, doc: int) -> str:
        fields = self.corpus.document(doc).fields
        return next((fold(said) for name in FRANCHISE if (said := as_text(fields.get(name)))), "")

    @cached_property
    def _franchises(self) -> dict[str, list[int]]:
        """Franchise → its entries. The one place that reads a whole catalogue, when its first thin entry is met."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        if any(name in self.corpus.fields for name in FRANCHISE):
            for at in range(len(self.corpus)):
                if name := self._franchise(at):
                    found[name].append(at)
        return found
