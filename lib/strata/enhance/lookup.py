"""Looking up in a catalogue what a request names: titles, people, genres. No catalogue is read as a whole."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

from strata.core.analysis import fold, tokens
from strata.core.corpus import Corpus
from strata.core.types import Term
from strata.keyword.index import Index

SAMPLE = 2000
"""So many documents, evenly spaced, are read for the values of a field."""
LOOKED_AT = 200
"""So many documents that hold all words of a name are compared with it."""
RARE = 0.1
"""Only a word in no more than this share of the documents rules out those that say it: a film may well say "love"
and not be about it."""
ARTICLES = ("the", "a", "an")
PEOPLE = ("director", "directors", "cast", "actors", "writer", "writers")


class Lookup:
    """A catalogue and its index, asked by words."""

    def __init__(self, corpus: Corpus, index: Index) -> None:
        self._corpus, self._index = corpus, index
        self._titled: dict[str, tuple[int, ...]] = {}

    def titled(self, title: str) -> tuple[int, ...]:
        """Documents with this title, however it is punctuated, and with or without its article."""
        if title not in self._titled:
            exact = self._corpus.titled(title) or self._corpus.titled(f"The {title}")
            self._titled[title] = tuple(exact or self._same_words(title))
        return self._titled[title]

    def exactly(self, title: str) -> bool:
        """Whether a document has this title, letter by letter but for accents and case."""
        return bool(self._corpus.titled(title))

    def title(self, docs: tuple[int, ...], written: str) -> str:
        """The title as the catalogue writes it; as it was written where the catalogue has none."""
        return self._corpus.title(docs[0]) if docs else written

    def _same_words(self, title: str) -> list[int]:
        wanted = _bare(title)
        return [doc for doc in self._holding(title) if _bare(self._corpus.title(doc)) == wanted]

    def of_year(self, docs: tuple[int, ...], year: int) -> tuple[int, ...]:
        return tuple(doc for doc in docs if str(self._corpus.document(doc).fields.get("year")) == str(year))

    def person(self, name: str) -> str | None:
        """A director's, actor's or writer's name as the catalogue writes it: the whole name, or the last part of it
        where only that is given. None for nobody's."""
        wanted = tokens(name)
        for doc in self._holding(name):
            for value in self._people(doc):
                parts = tokens(value)
                if parts == wanted or (len(wanted) == 1 and parts[-1:] == wanted):
                    return value
        return None

    def credits(self, name: str) -> dict[str, str]:
        """The fields in which people of this name stand (or of this last name, as in `person`), each with the name as
        it is written there."""
        wanted = tokens(name)
        found: dict[str, str] = {}
        for doc in self._holding(name):
            for field, value in self._credits(doc):
                parts = tokens(value)
                if value.isprintable() and (parts == wanted or (len(wanted) == 1 and parts[-1:] == wanted)):
                    found.setdefault(field, value)
        return found

    def _people(self, doc: int) -> list[str]:
        return [value for _, value in self._credits(doc)]

    def _credits(self, doc: int) -> list[tuple[str, str]]:
        fields = self._corpus.document(doc).fields
        return [(name, str(value).strip()) for name in PEOPLE for value in _listed(fields.get(name))]

    def documents_with(self, word: str) -> int:
        """How many documents hold a word, in any form."""
        term = self._index.term_of(word)
        return 0 if term is None else self._index.df(term)

    def rare(self, word: str) -> bool:
        """Whether so few say it that those are about it."""
        return self.documents_with(word) <= RARE * len(self._corpus)

    def _holding(self, words: str) -> list[int]:
        """Documents that hold all words of a text; [] where one of them is in none."""
        analysed = self._index.analyse(words)
        if not analysed.words or analysed.unknown:
            return []
        rows = sorted((self._index.row(Term(term)).docs for term in set(analysed.known)), key=len)
        docs = rows[0]
        for row in rows[1:]:
            docs = np.intersect1d(docs, row, assume_unique=True)
        return [int(doc) for doc in docs[:LOOKED_AT]]

    def genres_of(self, doc: int) -> list[str]:
        return [str(value) for value in _listed(self._corpus.document(doc).fields.get("genres"))]

    @cached_property
    def genres(self) -> dict[str, int]:
        """The values of the field genres and how many of the documents read have each, the most frequent first."""
        if "genres" not in self._corpus.fields:
            return {}
        step = -(-len(self._corpus) // SAMPLE)
        read = (self._corpus.read(doc).fields.get("genres") for doc in range(0, len(self._corpus), step))
        counts = Counter(str(value).strip() for values in read for value in _listed(values))
        usual_first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return {value: count for value, count in usual_first if tokens(value) and value.isprintable()}

    def stems(self, text: str) -> tuple[str, ...]:
        return tuple(map(self._index.stem, tokens(text)))

    def named(self, value: str) -> str | None:
        """A genre as the catalogue writes it, accents and case aside."""
        return self._folded.get(fold(value.strip()))

    def genre(self, words: str) -> str | None:
        """A genre by its words, in the singular or the plural, however they are joined. Not by their stems: those of
        "animals" and "Animation" are the same."""
        return self._forms.get(" ".join(tokens(words)))

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {fold(genre): genre for genre in reversed(self.genres)}

    @cached_property
    def _forms(self) -> dict[str, str]:
        """What is written in a field goes before what is made of it (Sports, and the plural of Sport), and the more
        frequent genre before the other."""
        plain = {" ".join(tokens(genre)): genre for genre in reversed(self.genres)}
        made = {form: genre for words, genre in reversed(plain.items()) for form in reversed(_numbers(words))}
        return {**made, **plain}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


def _numbers(words: str) -> list[str]:
    """The plural of a genre's words, and their singular where they may be one: comedy, comedies."""
    if words.endswith("ies"):
        return [f"{words[:-3]}y"]
    if words.endswith("s") and not words.endswith("ss"):
        return [words[:-1]]
    if words.endswith("y") and words[-2:-1] not in "aeiou":
        return [f"{words[:-1]}ies"]
    return [f"{words}es" if words.endswith(("s", "x", "z", "ch", "sh")) else f"{words}s"]


def _bare(title: str) -> list[str]:
    """A title's words without the article before them."""
    words = tokens(title)
    return words[1:] if len(words) > 1 and words[0] in ARTICLES else words
