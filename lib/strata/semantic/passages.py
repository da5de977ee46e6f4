"""The passages of a list by vectors, each read from the catalogue when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from strata.core.types import Passage

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


class Passages(Sequence[Passage]):
    """Passage i is of document docs[i], its text from starts[i] to ends[i], scores[i] its score."""

    def __init__(
        self, corpus: Corpus, docs: np.ndarray, starts: np.ndarray, ends: np.ndarray, scores: np.ndarray
    ) -> None:
        self._corpus = corpus
        self._rows = (docs, starts, ends, scores)

    def __len__(self) -> int:
        return len(self._rows[0])

    @overload
    def __getitem__(self, i: int) -> Passage: ...
    @overload
    def __getitem__(self, i: slice) -> list[Passage]: ...
    def __getitem__(self, i: int | slice) -> Passage | list[Passage]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        doc, start, end, score = (row[i].item() for row in self._rows)
        return Passage(doc, self._corpus.document(doc).text[start:end], start, end, score)
