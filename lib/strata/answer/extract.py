"""Sentences that answer best, taken from the sources as they stand: what an answer by rule is made of.

Relevance is MEANING × the cosine to the query plus (1 − MEANING) × the share of the query's words, weighted by idf.
Sentences are chosen one by one by maximal marginal relevance (Carbonell and Goldstein, 1998): relevance less likeness
to what was chosen, so that an answer does not say one thing twice. Only a dozen sentences are encoded: those whose
chunk is near to the query and that share words with it. What looks like an order (suspicious.py) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strata.answer import suspicious
from strata.answer.citable import uncitable
from strata.answer.evidence import query_weights
from strata.answer.nearness import share
from strata.answer.sources import Source
from strata.core.analysis import tokens
from strata.core.types import Query
from strata.printable import one_line
from strata.registry import DEFAULT_ENCODER
from strata.semantic.best import chunk_cosines
from strata.semantic.lists import query_vector
from strata.semantic.sentences import sentence_spans

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

MEANING = 0.75
BALANCE = 0.7
"""Of relevance against likeness to what was chosen."""
SENTENCES = 12
"""Encoded for one query: what NumPy does in a third of a second."""
LONGEST = 400
"""Characters of a sentence that is shown; a longer one is cut at a word."""


@dataclass(frozen=True)
class Sentence:
    """number: of its source. text: on one line, as it is shown. vector: float32[d]. cosine: to the query."""

    number: int
    text: str
    cosine: float
    relevance: float
    vector: np.ndarray


@dataclass(frozen=True)
class _Candidate:
    """promise: what is known of a sentence before it is encoded: its chunk's cosine and the words it shares."""

    source: Source
    text: str
    shared: float
    promise: float


def sentences(q: Query, sources: Sequence[Source], ws: Workspace, encoder: str) -> list[Sentence]:
    """Sentences of the sources' passages that may answer, in the order of the sources: the most promising of each, then
    the most promising of all, `SENTENCES` together or one a source. encoder: whose chunks tell what is promising."""
    weights = query_weights(q.text, ws)
    found = [c for source in sources for c in _candidates(source, q, weights, ws, encoder)]
    order = sorted(range(len(found)), key=lambda i: -found[i].promise)
    firsts = {found[i].source.number: i for i in reversed(order)}
    rest = [i for i in order if i not in firsts.values()]
    kept = [found[i] for i in sorted([*firsts.values(), *rest[: max(0, SENTENCES - len(firsts))]])]
    if not kept:
        return []
    vectors = ws.encoder(DEFAULT_ENCODER).encode([f"{c.source.title}. {c.text}" for c in kept])
    cosines = (vectors @ query_vector(DEFAULT_ENCODER, q, ws)).tolist()
    return [
        Sentence(c.source.number, c.text, cosine, MEANING * cosine + (1 - MEANING) * c.shared, vector)
        for c, cosine, vector in zip(kept, cosines, vectors, strict=True)
    ]


def _candidates(
    source: Source, q: Query, weights: Mapping[str, float], ws: Workspace, encoder: str
) -> Iterator[_Candidate]:
    chunks = chunk_cosines(q, source.doc, ws, encoder) if source.passages else []
    for passage in source.passages:
        for start, end in sentence_spans(passage.text):
            sentence = one_line(passage.text[start:end])
            stems = frozenset(ws.index.stem(word) for word in tokens(sentence))
            if not stems or not set(suspicious.findings(passage.text[start:end])) <= {suspicious.CITATION}:
                continue
            at = passage.start + start
            near = max((cosine for a, b, cosine in chunks if a <= at < b), default=0.0)
            shared = share(weights, stems) if weights else 0.0
            yield _Candidate(source, shown(sentence), shared, MEANING * near + (1 - MEANING) * shared)


def shown(sentence: str) -> str:
    """A sentence as an answer repeats it: its own brackets cannot be taken for citations."""
    text = uncitable(sentence)
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(maxsplit=1)[0]} …"


def chosen(found: Sequence[Sentence], most: int, a_source: int, least: float) -> list[Sentence]:
    """Up to `most` sentences, best first, at most `a_source` of one source.

    least: the share of the best relevance that each must have.
    """
    picked: list[Sentence] = []
    best = max((one.relevance for one in found), default=0.0)
    left = [one for one in found if one.relevance >= least * best]
    while left and len(picked) < most:

        def marginal(one: Sentence) -> float:
            like = max((float(one.vector @ other.vector) for other in picked), default=0.0)
            return BALANCE * one.relevance - (1 - BALANCE) * like

        first = max(left, key=marginal)
        picked.append(first)
        left = [o for o in left if o is not first and sum(p.number == o.number for p in picked) < a_source]
    return picked
