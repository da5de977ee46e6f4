"""How a query is put: in the catalogue's language or another, with words misspelt or not. By the rules of enhance/."""

from __future__ import annotations

import unicodedata
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from strata.core.analysis import tokens
from strata.enhance.correct import corrected
from strata.enhance.language import FOREIGN, is_english

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
        if _in_english(text) or not self._english:
            return ()
        words = dict.fromkeys(tokens(text))
        return tuple(word for word in words if word in FOREIGN or not _in_latin(word))

    @cached_property
    def _english(self) -> bool:
        """Whether most of the catalogue's texts are in English."""
        corpus = self._ws.corpus
        step = -(-len(corpus) // SAMPLE)
        texts = [corpus.vector_text(corpus.read(at)) for at in range(0, len(corpus), step)]
        return 2 * sum(map(_in_english, texts)) > len(texts)

    def _corrections(self, text: str) -> tuple[tuple[str, str], ...]:
        """(as written, as corrected) of the words of a query that no document has and spelling by rule corrects."""
        if not is_english(text):
            return ()
        return tuple((old, new) for old, new in corrected(text, self._ws, EDITS)[1])


def _in_english(text: str) -> bool:
    return is_english(text) and _in_latin(text)


def _in_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin ones."""
    letters = [c for c in text if c.isalpha()]
    latin = sum(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return 2 * latin >= len(letters)
