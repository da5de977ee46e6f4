"""The inverted index as it is read: counts of terms, their postings, and the way from a word to its term.

Opening maps files and parses nothing. Terms are numbers that only `Index.term` and `Index.analyse` give out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from strata.core import analysis
from strata.core.types import Term
from strata.errors import UsageError
from strata.files import fingerprint
from strata.keyword.words import Words
from strata.storage import Artefact, ensure

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

KIND = "keyword_index"
VERSION = 2
"""A change of an index's files must change it."""


@dataclass(frozen=True)
class Analysed:
    """What became of a text. terms: one a kept word, in order, repeats included, None where no document has the
    word; words: the folded word behind each; dropped: stop words, in order, once each."""

    words: tuple[str, ...]
    terms: tuple[Term | None, ...]
    dropped: tuple[str, ...]

    @property
    def known(self) -> tuple[Term, ...]:
        """The terms that some document holds, in the order of the text, repeats included."""
        return tuple(t for t in self.terms if t is not None)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that no document holds, once each."""
        return tuple(dict.fromkeys(w for w, t in zip(self.words, self.terms, strict=True) if t is None))


class Row(NamedTuple):
    """A term's postings as views: documents ascending, their tfs, their impacts; `start` is its place in the whole."""

    start: int
    docs: np.ndarray
    tfs: np.ndarray
    impacts: np.ndarray


class Index:
    """docs int32[P], tfs int32[P], impacts float64[P] lie in rows `indptr[t]:indptr[t + 1]`; lengths int32[N]."""

    def __init__(self, artefact: Artefact) -> None:
        self.path = artefact.path
        self.facts = artefact.facts
        self.fresh = artefact.fresh
        self.documents: int = artefact.facts["documents"]
        self.avgdl: float = artefact.facts["avgdl"]
        self.indptr = artefact.array("indptr")
        self.docs = artefact.array("docs")
        self.tfs = artefact.array("tfs")
        self.impacts = artefact.array("impacts")
        self.lengths = artefact.array("lengths")
        self.terms = Words(artefact, "terms")
        self.surfaces = Words(artefact, "surfaces")
        self.surface_terms = artefact.array("surface_terms")
        self._stop = analysis.stopwords()
        self.stem = analysis.Stemmer()
        self._memory: dict[str, Term | None] = {}
        self._rows: dict[Term, Row] = {}

    def term_of(self, surface: str) -> Term | None:
        """The term of a folded word that is no stop word, or None when no document has it."""
        try:
            return self._memory[surface]
        except KeyError:
            place = self.surfaces.find(surface)
            number = self.terms.find(self.stem(surface)) if place is None else int(self.surface_terms[place])
            term = self._memory[surface] = None if number is None else Term(number)
            return term

    def surfaces_from(self, prefix: str) -> list[str]:
        """The catalogue's words that begin with a prefix, sorted."""
        return self.surfaces.starting(prefix)

    def surface_term(self, surface: str) -> Term | None:
        """As `term_of`, and None for a stop word: for words of a document's text."""
        return None if surface in self._stop else self.term_of(surface)

    def analyse(self, text: str) -> Analysed:
        """A text's words, their terms, and what the stop list dropped."""
        words: list[str] = []
        dropped: list[str] = []
        for word in analysis.tokens(text):
            (dropped if word in self._stop else words).append(word)
        return Analysed(tuple(words), tuple(map(self.term_of, words)), tuple(dict.fromkeys(dropped)))

    def query_terms(self, text: str) -> list[Term]:
        """The known terms of a query, in order, repeats included: `analyse(text).known`, and fast."""
        term_of, stop = self.term_of, self._stop
        return [t for w in analysis.tokens(text) if w not in stop and (t := term_of(w)) is not None]

    def term(self, word: str) -> Term | None:
        """The term of one word as a user types it. UsageError when it is not one word, or a stop word."""
        found = self.analyse(word)
        if len(found.words) == 1:
            return found.terms[0]
        if found.dropped and not found.words:
            raise UsageError(
                f'"{word}" is on the stop list, so no document is indexed under it', "try a word that carries meaning"
            )
        raise UsageError(f'"{word}" is not one word', "give a single word, e.g. bear")

    def df(self, term: Term) -> int:
        """In how many documents the term stands."""
        return self.row(term).docs.size

    def row(self, term: Term) -> Row:
        """The term's postings; remembered, since making views is most of a short query's time."""
        row = self._rows.get(term)
        if row is None:
            start, end = int(self.indptr[term]), int(self.indptr[term + 1])
            row = Row(start, self.docs[start:end], self.tfs[start:end], self.impacts[start:end])
            self._rows[term] = row
        return row

    def tf(self, term: Term, doc: int) -> int:
        """How often the term stands in a document; 0 when it does not."""
        row = self.row(term)
        place = int(np.searchsorted(row.docs, doc))
        return int(row.tfs[place]) if place < row.docs.size and row.docs[place] == doc else 0


def open_index(corpus: Corpus, cache: Path, note: Callable[[str], None]) -> Index:
    """The index of a catalogue, built on first use. Keyed by the catalogue's content and the analyser.

    Documents that another published index knows are not analysed again.
    """
    from strata.keyword.build import rebuild
    from strata.keyword.known import published

    made_from = {
        "version": VERSION,
        "corpus": corpus.fingerprint,
        "text": corpus.template_id,
        "analyser": analysis.NAME,
        "stopwords": fingerprint(sorted(analysis.stopwords())),
    }

    def fill(folder: Path) -> dict[str, object]:
        former = published(cache, KIND, made_from)
        facts = rebuild(corpus.keys(), lambda i: corpus.keyword_text(corpus.read(i)), folder, former)
        known = facts["documents"] - facts["analysed"]
        if known:
            of = f"{facts['analysed']:,} of {facts['documents']:,} documents analysed"
            note(f"{of}, {known:,} {'was' if known == 1 else 'were'} known")
        if facts["terms"] == 0:
            note(f"no document of {corpus.name} holds an index term: every keyword search will be empty")
        return facts

    return Index(ensure(cache, KIND, made_from, fill, note))
