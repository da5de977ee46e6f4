"""What is to be said of thin entries: how many there are, their premises, what a model wrote that counts no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.core.premise import Premise
from strata.enrich.kept import Kept, Written, content
from strata.enrich.premises import premises
from strata.enrich.thin import FRANCHISE, Entries

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Survey:
    """thin: the entries that hold nothing to find. premises: position → premise; without: thin entries that have none.
    stale: what a model wrote of entries that were edited, replaced or taken out since, they or those with their story.
    franchises: whether entries say what they are a part of; without that no story is found."""

    thin: tuple[int, ...]
    premises: dict[int, Premise]
    stale: tuple[Written, ...]
    removed: bool
    franchises: bool

    @property
    def without(self) -> tuple[int, ...]:
        return tuple(doc for doc in self.thin if doc not in self.premises)

    @property
    def by_model(self) -> int:
        return sum(bool(premise.model) for premise in self.premises.values())


def survey(corpus: Corpus, kept: Kept) -> Survey:
    """Reads the whole catalogue. corpus: opened without premises."""
    entries = Entries(corpus)
    thin = tuple(doc for doc in range(len(corpus)) if entries.is_thin(doc))
    found = premises(entries, kept)
    valid = {content(corpus.document(doc)) for doc, premise in found.items() if premise.model}
    stale = tuple(one for key, one in kept.written.items() if key not in valid)
    return Survey(thin, found, stale, kept.removed, any(name in corpus.fields for name in FRANCHISE))
