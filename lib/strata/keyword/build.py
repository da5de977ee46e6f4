"""Building the inverted index: from texts to arrays.

The index is a sparse matrix of terms × documents in compressed rows (CSR): the postings of term t are
`docs[indptr[t]:indptr[t + 1]]` with their `tfs`. Two sorted word lists go with it: the terms (stems), and
the surfaces (folded words as they stand in the texts) with the term of each, which spares a query the stemmer.
Its forward list (forward.py) spares the next build whatever did not change; the files come out the same either way.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from strata.core.analysis import Stemmer, stopwords, tokens
from strata.keyword import formulas
from strata.keyword.forward import KEY_BYTES, Forward, counted, joined, order_by, pointers, run_starts, save
from strata.keyword.known import shared


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
    flat = [np.fromiter(map(number, tokens(text(i))), dtype=np.int32) for i in todo.tolist()]
    stems = {word: stem for part in known for word, stem in part.stems.items()}
    terms, surfaces, surface_terms = _vocabulary(numbers, stop, stems)
    # From the numbers that words were met under to their places among the sorted surfaces; −1 for stop words.
    place = np.full(len(numbers), -1, dtype=np.int32)
    place[np.fromiter(map(number, surfaces), dtype=np.int32)] = np.arange(len(surfaces), dtype=np.int32)
    parts = [(part.at, part.forward.renumbered(place[own])) for part, own in zip(known, ids, strict=True)]
    if todo.size or not parts:
        parts.append((todo, _analysed(flat, place)))
    forward = joined(parts, len(keys))
    save(folder, keys, forward)
    save_words(folder, "terms", terms)
    save_words(folder, "surfaces", surfaces)
    np.save(folder / "surface_terms.npy", surface_terms)
    return {"analysed": int(todo.size), **_invert(forward, surface_terms, len(terms), folder)}


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


def _analysed(flat: list[np.ndarray], place: np.ndarray) -> Forward:
    """The forward list of documents given as the numbers of their words, one after another."""
    surfaces = place[np.concatenate(flat)] if flat else np.empty(0, np.int32)
    docs = np.repeat(np.arange(len(flat), dtype=np.int32), [len(words) for words in flat])
    kept = surfaces >= 0
    return counted(surfaces[kept], docs[kept], len(flat))


def _invert(forward: Forward, surface_terms: np.ndarray, terms: int, folder: Path) -> dict[str, Any]:
    """Write the postings; returns their sizes. Rows go from documents to terms by one stable sort."""
    documents = len(forward.counts)
    rows = surface_terms[forward.surfaces]
    order = order_by(rows)
    rows, docs = rows[order], np.repeat(np.arange(documents, dtype=np.int32), forward.counts)[order]
    starts = run_starts(rows, docs)  # several surfaces of a document may have one term
    tfs = np.add.reduceat(forward.tfs[order], starts, dtype=np.int32) if starts.size else np.empty(0, np.int32)
    docs, df = docs[starts], np.bincount(rows[starts], minlength=terms)
    lengths = np.diff(pointers(forward.tfs)[forward.indptr]).astype(np.int32)
    avgdl = float(lengths.mean()) if documents else 0.0
    np.save(folder / "indptr.npy", pointers(df))
    np.save(folder / "docs.npy", docs)
    np.save(folder / "tfs.npy", tfs)
    np.save(folder / "lengths.npy", lengths)
    np.save(folder / "impacts.npy", _impacts(df, docs, tfs, lengths, avgdl))
    return {
        "documents": documents,
        "terms": terms,
        "postings": int(tfs.size),
        "tokens": int(lengths.sum()),
        "empty": int((lengths == 0).sum()),
        "avgdl": avgdl,
    }


def _impacts(df: np.ndarray, docs: np.ndarray, tfs: np.ndarray, lengths: np.ndarray, avgdl: float) -> np.ndarray:
    """float64[postings]: each posting's BM25 contribution at the usual k1 and b."""
    counts, which = np.unique(df, return_inverse=True)
    idf = np.array([formulas.bm25_idf(int(d), len(lengths)) for d in counts])[which]
    weight: np.ndarray = formulas.bm25_tf(tfs, lengths[docs], avgdl)
    impacts: np.ndarray = np.repeat(idf, df) * weight
    return impacts


def save_words(folder: Path, name: str, words: list[str]) -> None:
    """A sorted word list as one UTF-8 file and the byte offsets of its words, for look-up without parsing."""
    encoded = [word.encode() for word in words]
    (folder / f"{name}.txt").write_bytes(b"".join(encoded))
    np.save(folder / f"{name}_offsets.npy", np.cumsum([0, *map(len, encoded)], dtype=np.int64))
