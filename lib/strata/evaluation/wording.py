"""How a query is put: in the catalogue's language or another, with words misspelt or not. By the search's own rules."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from strata.core.language import foreign_words, in_latin, is_english
from strata.enhance.correct import corrected

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

SAMPLE = 50
"""So many texts of the catalogue, evenly spaced, tell its language."""
EDITS = 2
"""Letters of a word that may be wrong, as spelling by rule has it."""


class Wording:
    """Queries, held against one catalogue."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self.foreign = lru_cache(maxsize=None)(self._foreign)
        self.corrections = lru_cache(maxsize=None)(self._corrections)

    def _foreign(self, text: str) -> tuple[str, ...]:
        """The words by which a text shows that it is not in English, where the catalogue is; else none."""
        words = foreign_words(text)
        return words if words and self._english else ()

    @cached_property
    def _english(self) -> bool:
        """Whether most of the catalogue's texts are in English."""
        corpus = self._ws.corpus
        step = -(-len(corpus) // SAMPLE)
        texts = [corpus.vector_text(corpus.read(at)) for at in range(0, len(corpus), step)]
        return 2 * sum(map(is_english, texts)) > len(texts)

    def _corrections(self, text: str) -> tuple[tuple[str, str], ...]:
        """(as written, as corrected) of the words of a query that no document has and spelling by rule corrects."""
        if in_latin(text) and not is_english(text):
            return ()
        return tuple((old, new) for old, new in corrected(text, self._ws, EDITS)[1])
