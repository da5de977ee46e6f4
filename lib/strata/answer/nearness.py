"""How near a document comes to saying a clause: shared words and likeness of meaning, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strata.answer.material import Material, parts
from strata.keyword.formulas import bm25_idf

if TYPE_CHECKING:
    from strata.keyword.index import Index

SENTENCES = 24
"""Of a long document, so many sentences are compared by meaning: those that share most with the clause."""
NEAREST = 3
"""Sentences of which the parts are compared too."""

Encode = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True)
class Near:
    """text: the sentence, or two in a row, nearest to the clause. words: the share of the clause's words in it, by
    weight. cosine: to it, or to a part of it.

    part, part_cosine: the part of a sentence, or whole sentence, nearest by meaning. wording, shared: the sentence that
    shares most words, and how much; 0 where the clause has no words to share.
    """

    text: str
    words: float
    cosine: float
    part: str
    part_cosine: float
    wording: str
    shared: float

    def score(self, weight: float) -> float:
        """0 to 1, from words (by this weight) and meaning."""
        return min(1.0, max(0.0, weight * self.words + (1 - weight) * self.cosine))


def nearest(clause: str, weights: Mapping[str, float], material: Material, encode: Encode, weight: float) -> Near:
    """clause: as it is compared by meaning. weights: stem → weight of each of its words; none: only meaning counts.
    encode: float32[n, d], unit length. weight: of words against meaning in choosing the nearest."""
    sentences = material.sentences
    shares = [share(weights, stems) for stems in material.stems]
    rows = sorted(np.argsort([-s for s in shares], kind="stable")[:SENTENCES].tolist())
    wanted = encode([clause])[0]
    vectors = dict(zip(rows, encode([sentences[row] for row in rows]), strict=True))
    near = {row: float(vector @ wanted) for row, vector in vectors.items()}
    parted = [(near[row], sentences[row]) for row in rows]
    for row in sorted(rows, key=lambda r: -(weight * shares[r] + (1 - weight) * near[r]))[:NEAREST]:
        pieces = parts(sentences[row])
        cosines = (encode(pieces) @ wanted).tolist() if pieces else []
        near[row] = max([near[row], *cosines])
        parted += zip(cosines, pieces, strict=True)
    found = [(sentences[row], shares[row], near[row]) for row in rows]
    for row in rows:
        if row and row + 1 in vectors:  # two in a row; the facts stand alone
            both = vectors[row] + vectors[row + 1]
            cosine = float(both @ wanted) / (float(np.linalg.norm(both)) or 1.0)
            shared = share(weights, material.stems[row] | material.stems[row + 1])
            found.append((f"{sentences[row]} {sentences[row + 1]}", shared, cosine))
    text, words, cosine = max(found, key=lambda f: weight * f[1] + (1 - weight) * f[2])
    part_cosine, part = max(parted)
    wording = max(rows, key=lambda row: (shares[row], near[row]))
    return Near(text, words, cosine, part, part_cosine, sentences[wording], shares[wording] if weights else 0.0)


def share(weights: Mapping[str, float], stems: frozenset[str]) -> float:
    """The share of the weights whose stems are there, 0 to 1; 1 where there is nothing to look for."""
    whole = sum(weights.values())
    return sum(w for stem, w in weights.items() if stem in stems) / whole if whole else 1.0


def weighed(words: Iterable[str], index: Index) -> dict[str, float]:
    """Stem → idf of each, as BM25's; a word that no document has weighs most."""
    terms = {index.stem(word): index.term_of(word) for word in words}
    return {stem: bm25_idf(0 if term is None else index.df(term), index.documents) for stem, term in terms.items()}
