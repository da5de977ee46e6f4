"""Titles of a catalogue that are written nearly like one that it lacks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from strata.core.corpus import WITH_YEAR
from strata.core.documents import title_key

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

LEAST = 60
"""Of 100. "star wars episode iv" and "star wars" are 62 alike; below that it is chance."""


class Near:
    """Looks titles up in one catalogue; its titles are read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @cached_property
    def _titles(self) -> list[str]:
        return self._corpus.folded_titles()

    def labels(self, title: str, count: int = 3) -> tuple[str, ...]:
        """Up to `count` documents, the nearest first. A title whose year no document has: those of the bare title.

        Alike is the higher of two figures: letters in their order, and words in any order ("Matrix, The").
        """
        from rapidfuzz import fuzz, process

        dated = WITH_YEAR.fullmatch(title.strip())
        bare = dated.group(1) if dated else title
        exact = self._corpus.titled(bare)
        if exact:
            return tuple(self._corpus.label(at) for at in exact[:count])
        alike: dict[int, float] = {}
        for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
            found = process.extract(title_key(bare), self._titles, scorer=scorer, limit=count, score_cutoff=LEAST)
            for _, score, at in found:
                alike[at] = max(score, alike.get(at, 0.0))
        best = sorted(alike, key=lambda at: (-alike[at], at))[:count]
        return tuple(self._corpus.label(at) for at in best)
