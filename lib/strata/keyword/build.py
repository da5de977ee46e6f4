"""Building the inverted index: from texts to arrays.

The index is a sparse matrix of terms × documents in compressed rows (CSR): the postings of term t are
`docs[indptr[t]:indptr[t + 1]]` with their `tfs`. Two sorted word lists go with it: the terms (stems), and
the surfaces (folded words as they stand in the texts) with the term of each, which spares a query the stemmer.
Its forward list (forward.py) spares the next build whatever did not change; the files come out the same either way.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from strata.core.analysis import Stemmer, stopwords, tokens
from strata.keyword.forward import KEY_BYTES, SLICE, Forward, counted, joined, save, stacked
from strata.keyword.known import shared
from strata.keyword.postings import invert


def build(texts: Iterable[str], folder: Path) -> dict[str, Any]:
    """Write an index of the texts (document i is the i-th) into a folder; returns its sizes."""
    texts = list(texts)
    keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest() for text in texts]
    return rebuild(np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY_BYTES), texts.__getitem__, folder)


def rebuild(keys: np.ndarray, text: Callable[[int], str], folder: Path, former: Iterable[Path] = ()) -> dict[str, Any]:
    """The same for documents with these keys (uint8[N, 16]); text(i) is asked for only where nothing is known of one.

    former: published indexes made by the same analyser and stop list. Its facts say how many documents were `analysed`.
    """
    stop = stopwords()
    known = shared(keys, list(former))
    fresh = np.ones(len(keys), dtype=bool)
    for part in known:
        fresh[part.at] = False
    todo = np.flatnonzero(fresh)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    number = numbers.__getitem__
    ids = [np.fromiter(map(number, part.words), dtype=np.int32) for part in known]
    read = deque(_read(map(text, todo.tolist()), number))
    stems = {word: stem for part in known for word, stem in part.stems.items()}
    terms, surfaces, surface_terms = _vocabulary(numbers, stop, stems)
    # From the numbers that words were met under to their places among the sorted surfaces; −1 for stop words.
    place = np.full(len(numbers), -1, dtype=np.int32)
    place[np.fromiter(map(number, surfaces), dtype=np.int32)] = np.arange(len(surfaces), dtype=np.int32)
    parts = [(part.at, part.forward.renumbered(place[own])) for part, own in zip(known, ids, strict=True)]
    if todo.size or not parts:
        parts.append((todo, _analysed(read, place)))
    forward = joined(parts, len(keys))
    save(folder, keys, forward)
    save_words(folder, "terms", terms)
    save_words(folder, "surfaces", surfaces)
    np.save(folder / "surface_terms.npy", surface_terms)
    return {"analysed": int(todo.size), **invert(forward, surface_terms, len(terms), folder)}


def _vocabulary(
    seen: Iterable[str], stop: frozenset[str], known: Mapping[str, str]
) -> tuple[list[str], list[str], np.ndarray]:
    """Sorted terms, sorted surfaces (without stop words) and the term of each surface. Sorted by code point.

    known: stems that need not be computed again.
    """
    stem = Stemmer()
    surfaces = sorted(word for word in seen if word not in stop)
    stems = [known.get(word) or stem(word) for word in surfaces]
    terms = sorted(set(stems))
    number = {term: i for i, term in enumerate(terms)}
    return terms, surfaces, np.fromiter(map(number.__getitem__, stems), dtype=np.int32)


def _read(texts: Iterable[str], number: Callable[[str], int]) -> Iterator[tuple[np.ndarray, list[int]]]:
    """The words of the texts as numbers, int32, about SLICE at a time, and how many of them are of each text."""
    words: list[str] = []
    counts: list[int] = []
    for text in texts:
        found = tokens(text)
        words += found
        counts.append(len(found))
        if len(words) >= SLICE:
            yield np.fromiter(map(number, words), np.int32, len(words)), counts
            words, counts = [], []
    yield np.fromiter(map(number, words), np.int32, len(words)), counts


def _analysed(read: deque[tuple[np.ndarray, list[int]]], place: np.ndarray) -> Forward:
    """The forward list of documents given as the numbers of their words. What was read is given back on the way."""
    parts = []
    while read:
        words, counts = read.popleft()
        surfaces = place[words]
        docs = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        kept = surfaces >= 0
        parts.append(counted(surfaces[kept], docs[kept], len(counts)))
    return stacked(parts)


def save_words(folder: Path, name: str, words: list[str]) -> None:
    """A sorted word list as one UTF-8 file and the byte offsets of its words, for look-up without parsing."""
    encoded = [word.encode() for word in words]
    (folder / f"{name}.txt").write_bytes(b"".join(encoded))
    np.save(folder / f"{name}_offsets.npy", np.cumsum([0, *map(len, encoded)], dtype=np.int64))
