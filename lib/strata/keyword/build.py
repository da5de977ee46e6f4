"""Building the inverted index: from texts to arrays.

The index is a sparse matrix of terms × documents in compressed rows (CSR): the postings of term t are
`docs[indptr[t]:indptr[t + 1]]` with their `tfs`. Two sorted word lists go with it: the terms (stems), and
the surfaces (folded words as they stand in the texts) with the term of each, which spares a query the stemmer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from strata.core.analysis import Stemmer, stopwords, tokens
from strata.keyword import formulas


def build(texts: Iterable[str], folder: Path, stop: frozenset[str] | None = None) -> dict[str, Any]:
    """Write an index of the texts (document i is the i-th) into a folder; returns its sizes."""
    stop = stopwords() if stop is None else stop
    surface_ids: defaultdict[str, int] = defaultdict(count().__next__)
    number = surface_ids.__getitem__
    flat: list[np.ndarray] = []
    lengths: list[int] = []
    for text in texts:
        ids = np.fromiter(map(number, tokens(text)), dtype=np.int32)
        flat.append(ids)
        lengths.append(len(ids))
    documents = len(lengths)
    terms, surfaces, surface_terms = _vocabulary(surface_ids, stop)
    term_of = np.full(len(surface_ids) + 1, -1, dtype=np.int32)
    for surface, term in zip(surfaces, surface_terms, strict=True):
        term_of[surface_ids[surface]] = term
    all_terms = term_of[np.concatenate(flat)] if flat else np.empty(0, np.int32)
    all_docs = np.repeat(np.arange(documents, dtype=np.int64), lengths)
    kept = all_terms >= 0
    # One number a (term, document) pair: sorting these is the whole inversion.
    pairs = all_terms[kept].astype(np.int64) * documents + all_docs[kept]
    pairs.sort()
    starts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1]))) if pairs.size else np.empty(0, np.int64)
    tfs = np.diff(np.append(starts, pairs.size)).astype(np.int32)
    rows, docs = np.divmod(pairs[starts], documents) if pairs.size else (pairs, pairs)
    df = np.bincount(rows, minlength=len(terms))
    lengths_kept = np.bincount(all_docs[kept], minlength=documents).astype(np.int32)

    np.save(folder / "indptr.npy", np.concatenate(([0], np.cumsum(df))).astype(np.int64))
    np.save(folder / "docs.npy", docs.astype(np.int32))
    np.save(folder / "tfs.npy", tfs)
    np.save(folder / "lengths.npy", lengths_kept)
    avgdl = float(lengths_kept.mean()) if documents else 0.0
    np.save(folder / "impacts.npy", _impacts(df, docs, tfs, lengths_kept, avgdl))
    np.save(folder / "surface_terms.npy", np.array(surface_terms, dtype=np.int32))
    save_words(folder, "terms", terms)
    save_words(folder, "surfaces", surfaces)
    return {
        "documents": documents,
        "terms": len(terms),
        "postings": int(tfs.size),
        "tokens": int(lengths_kept.sum()),
        "empty": int((lengths_kept == 0).sum()),
        "avgdl": avgdl,
    }


def _vocabulary(seen: Iterable[str], stop: frozenset[str]) -> tuple[list[str], list[str], list[int]]:
    """Sorted terms, sorted surfaces (without stop words) and the term of each surface. Sorted by code point."""
    stem = Stemmer()
    surfaces = sorted(word for word in seen if word not in stop)
    stems = [stem(word) for word in surfaces]
    terms = sorted(set(stems))
    number = {term: i for i, term in enumerate(terms)}
    return terms, surfaces, [number[s] for s in stems]


def _impacts(df: np.ndarray, docs: np.ndarray, tfs: np.ndarray, lengths: np.ndarray, avgdl: float) -> np.ndarray:
    """float64[postings]: each posting's BM25 contribution at the usual k1 and b."""
    idf = np.array([formulas.bm25_idf(int(d), len(lengths)) for d in df])
    weight: np.ndarray = formulas.bm25_tf(tfs, lengths[docs], avgdl)
    impacts: np.ndarray = np.repeat(idf, df) * weight
    return impacts


def save_words(folder: Path, name: str, words: list[str]) -> None:
    """A sorted word list as one UTF-8 file and the byte offsets of its words, for look-up without parsing."""
    encoded = [word.encode() for word in words]
    (folder / f"{name}.txt").write_bytes(b"".join(encoded))
    np.save(folder / f"{name}_offsets.npy", np.cumsum([0, *map(len, encoded)], dtype=np.int64))
