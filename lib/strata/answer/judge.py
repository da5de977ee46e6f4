"""Whether a document says what a claim says. By rule: it compares words and meanings and does not reason.

A claim is cut into clauses (clauses.py), and each must hold. A clause does not hold where
1. a quotation in it does not stand in the document word for word (quotes.py);
2. a number in it is not in the document, or counts there what the claim counts otherwise (numerals.py);
3. a proper name in it is not in the document (names.py), or the document says the same of somebody else;
4. the document denies what it says, or says what it denies (contradiction.py);
5. the document says it word for word but for a noun (substitution.py);
6. its score is below `SUPPORTED`: WORDS × the share of its words, weighted by idf, that one sentence or two in a row
   hold, plus (1 − WORDS) × the best cosine to a sentence, two in a row, or a part of one. A name counts as "someone"
   there, since names make anything that is said of the same people look alike.

The thresholds were chosen on the calibration part of data/citation_pairs.jsonl;
benchmarks/citation_check.py measures them on the other part. Known limits: a strong paraphrase may be taken for
unsupported, and an untruth made of words that stand near each other in the source for supported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from strata.answer import names
from strata.answer import objections as against
from strata.answer.clauses import clauses
from strata.answer.material import Material
from strata.answer.nearness import nearest, weighed
from strata.answer.quotes import quotes
from strata.answer.substitution import substituted
from strata.core.analysis import stopwords, tokens
from strata.core.language import word_set
from strata.registry import DEFAULT_ENCODER

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

_VAGUE = word_set(
    "not no never nobody nothing neither without anyone anybody anything someone somebody something everyone "
    "everybody everything people person man woman many much several few"
)
"""Words that say too little for a source to be held to them; whether one of the two denies is asked by itself."""
WORDS = 0.15
SUPPORTED = 0.36
RARE = 0.018
"""The share of the catalogue's documents that have a word, up to which it names something in particular."""


@dataclass(frozen=True)
class Verdict:
    """On one clause. score: 0 to 1, as above. evidence: what of the document is nearest. why: what is wrong, or ""."""

    clause: str
    score: float
    evidence: str
    why: str = ""

    @property
    def holds(self) -> bool:
        return not self.why


@dataclass
class Judge:
    """Judges claims by documents. What was encoded is remembered as long as it lives."""

    ws: Workspace
    _materials: dict[int, Material] = field(default_factory=dict)
    _vectors: dict[str, np.ndarray] = field(default_factory=dict)

    def material(self, doc: int) -> Material:
        if doc not in self._materials:
            self._materials[doc] = Material(self.ws.corpus.document(doc), self.ws.index.stem)
        return self._materials[doc]

    def parts(self, claim: str, docs: Sequence[int]) -> list[str]:
        """The clauses of a claim about these documents, which tell what is a name in it."""
        found = [one for doc in docs for one in names.names(claim, self.material(doc).cased)]
        return clauses(claim, {word for one in found for word in one.words})

    def verdicts(self, claim: str, parts: Sequence[str], doc: int, name: str, beside: Sequence[int]) -> list[Verdict]:
        """One for each part of the claim.

        name: what the document is called where something speaks against it. beside: all documents that the claim cites;
        a name or number in one of them is not missing in another.
        """
        material = self.material(doc)
        if material.holds(claim):
            return [Verdict(part, 1.0, part) for part in parts]
        others = [self.material(other) for other in beside]
        return [self._verdict(part, material, others, name) for part in parts]

    def _verdict(self, clause: str, material: Material, others: Sequence[Material], name: str) -> Verdict:
        stem = self.ws.index.stem
        found = names.names(clause, material.cased)
        weights = self._weights(clause, found)
        near = nearest(names.masked(clause, found), weights, material, self._encoded, WORDS)
        named = {word for one in found for word in one.words}
        fields = frozenset(tokens(material.sentences[0]))
        # A title alone, or a name from the fields, says no more than that.
        score = 1.0 if found and not weights and named <= fields else near.score(WORDS)
        why = against.quoted(clause, material, name) or against.miscounted(clause, material, name, stem)
        if not why and score < SUPPORTED:
            why = against.unsaid(clause, found, name)
        cited = (material, *others)
        why = why or against.uncounted(clause, cited, name, stem) or against.unnamed(found, cited, name)
        if not why and not quotes(clause):  # a quotation is the source's own wording
            why = against.contradicted(clause, found, near, name, stem) or against.another(found, near, material, name)
            why = why or self._substituted(clause, weights, material, name)
        return Verdict(clause, score, near.text, why)

    def _substituted(self, clause: str, weights: Mapping[str, float], material: Material, name: str) -> str:
        found = substituted(clause, weights, material, self.ws.index.stem, self._rare)
        return f"{name} says nothing of “{found[0]}”: {found[1]}" if found else ""

    def _rare(self, word: str) -> bool:
        term = self.ws.index.term_of(word)
        return term is None or self.ws.index.df(term) <= RARE * self.ws.index.documents

    def _weights(self, clause: str, found: Sequence[names.Name]) -> dict[str, float]:
        """Stem → idf of each word that says something and is no name."""
        named = {word for name in found for word in name.words} | _VAGUE
        return weighed((w for w in tokens(clause) if w not in stopwords() and w not in named), self.ws.index)

    def _encoded(self, texts: Sequence[str]) -> np.ndarray:
        """float32[len(texts), d]"""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            encoded = self.ws.encoder(DEFAULT_ENCODER).encode(new)
            self._vectors.update(zip(new, encoded, strict=True))
        return np.stack([self._vectors[text] for text in texts])
