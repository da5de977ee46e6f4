"""A sorted list of words on disk, searched by halving: nothing is parsed when it is opened."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np

from strata.storage import Artefact


class Words(Sequence[str]):
    """words[i] is the i-th word; find(word) its number or None. UTF-8 sorts as code points do."""

    def __init__(self, artefact: Artefact, name: str) -> None:
        self._blob = artefact.bytes(f"{name}.txt")
        self._offsets: np.ndarray = artefact.array(f"{name}_offsets")
        self._at = self._offsets.item

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(i)
        return self._raw(i).decode()

    def __iter__(self) -> Iterator[str]:
        """All of them, faster than one by one."""
        for start, end in pairwise(self._offsets.tolist()):
            yield self._blob[start:end].decode()

    def _raw(self, i: int) -> bytes:
        return self._blob[self._at(i) : self._at(i + 1)]

    def starting(self, prefix: str) -> list[str]:
        """All words that begin with a prefix, sorted."""
        wanted = prefix.encode()
        start = bisect_left(range(len(self)), wanted, key=self._raw)
        end = start
        while end < len(self) and self._raw(end).startswith(wanted):
            end += 1
        return self[start:end]

    def sized(self, shortest: int, longest: int) -> list[str]:
        """All words of so many bytes of UTF-8, sorted; only these are read."""
        starts, ends = self._offsets[:-1], self._offsets[1:]
        chosen = (ends - starts >= shortest) & (ends - starts <= longest)
        places = zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
        return [self._blob[start:end].decode() for start, end in places]

    def find(self, word: str) -> int | None:
        wanted = word.encode()
        i = bisect_left(range(len(self)), wanted, key=self._raw)
        return i if i < len(self) and self._raw(i) == wanted else None
