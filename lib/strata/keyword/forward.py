"""The forward list of an index: which words each document holds, and how often.

It is the inverted index the other way round and before stemming. The next build takes from it what is known of
documents that did not change; of searches only expanding opens it (enhance/rm3.py), for a few documents. Rows stand in
the order of the documents, a row's words ascending.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from strata.storage import Artefact

KEY_BYTES = 16
SLICE = 1 << 20
"""About so many words are worked on at once while an index is built."""


@dataclass(frozen=True)
class Forward:
    """surfaces[indptr[i]:indptr[i + 1]] are the words of document i as numbers of a sorted word list, tfs beside them.

    indptr int64[N+1], surfaces and tfs int32[n]; on disk the last two take no more bytes than their numbers need.
    """

    indptr: np.ndarray
    surfaces: np.ndarray
    tfs: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """int64[N]: how many different words each document holds."""
        return np.diff(self.indptr)

    def rows(self, at: np.ndarray) -> Forward:
        """The rows of these documents, in this order."""
        counts = self.counts[at]
        places = spread(self.indptr[at], counts)
        return Forward(pointers(counts), self.surfaces[places].astype(np.int32), self.tfs[places].astype(np.int32))

    def renumbered(self, numbers: np.ndarray) -> Forward:
        """The same for another word list, in which word i of this one has numbers[i]; the order must stay."""
        return Forward(self.indptr, numbers[self.surfaces], self.tfs)


def pointers(counts: np.ndarray) -> np.ndarray:
    """int64[N+1]: where rows of these sizes begin when they lie one after another, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def spread(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The places start, start + 1, … of each row, row after row: starts [5, 0], counts [2, 3] → 5 6 0 1 2."""
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1] if ends.size else 0)


def order_by(numbers: np.ndarray) -> np.ndarray:
    """The stable order of numbers from 0 up. NumPy sorts 16 bits by radix, so it is done in digits of 16 bits."""
    order = np.argsort((numbers & 0xFFFF).astype(np.uint16), kind="stable")
    shifted = numbers >> 16
    while shifted.size and shifted.max() > 0:
        digits = (shifted & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
        shifted = shifted >> 16
    return order


def counted(surfaces: np.ndarray, docs: np.ndarray, documents: int) -> Forward:
    """The forward list of words that stand one after another: word i, a number, is of document docs[i]."""
    pairs = docs.astype(np.int64) << 32 | surfaces
    pairs.sort()
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    tfs = np.diff(starts, append=pairs.size).astype(np.int32)
    pairs = pairs[starts]
    indptr = pointers(np.bincount(pairs >> 32, minlength=documents))
    return Forward(indptr, (pairs & 0xFFFFFFFF).astype(np.int32), tfs)


def stacked(parts: list[Forward]) -> Forward:
    """The rows of all parts, one part after another."""
    counts = np.concatenate([part.counts for part in parts])
    surfaces, tfs = (np.concatenate([getattr(part, name) for part in parts]) for name in ("surfaces", "tfs"))
    return Forward(pointers(counts), surfaces, tfs)


def run_starts(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where a new pair begins in two arrays whose equal pairs stand together."""
    new = np.ones(one.size, dtype=bool)
    new[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    return np.flatnonzero(new)


def joined(parts: list[tuple[np.ndarray, Forward]], documents: int) -> Forward:
    """One forward list from several with the same word list: each comes with its documents' positions in the whole."""
    if len(parts) == 1:
        return parts[0][1]  # it holds every document, and positions ascend
    counts = np.zeros(documents, dtype=np.int64)
    for at, part in parts:
        counts[at] = part.counts
    indptr = pointers(counts)
    whole = Forward(indptr, np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32))
    for at, part in parts:
        places = spread(indptr[at], part.counts)
        whole.surfaces[places], whole.tfs[places] = part.surfaces, part.tfs
    return whole


def save(folder: Path, keys: np.ndarray, forward: Forward) -> None:
    np.save(folder / "keys.npy", keys)
    np.save(folder / "forward_indptr.npy", forward.indptr)
    for name, numbers in (("surfaces", forward.surfaces), ("tfs", forward.tfs)):
        np.save(folder / f"forward_{name}.npy", numbers.astype(np.min_scalar_type(numbers.max(initial=0))))


def opened(artefact: Artefact) -> Forward:
    """What `save` wrote, memory-mapped; surfaces and tfs have the type that they have on the disk."""
    return Forward(*(artefact.array(f"forward_{name}") for name in ("indptr", "surfaces", "tfs")))
