"""How much the sources have to say to a query: the figure below which an answer is not given.

evidence = the larger of
- closeness: the mean of the best chunk's cosine to the query and the mean cosine of the three best sentences;
- half the share of the query's words, weighted by idf, that one source holds: for names and titles, of which vectors
  know little. A source with every word counts 0.5.

ENOUGH was chosen by benchmarks/evidence.py, which prints how often it is wrong both ways. On queries that had no part
in it (benchmarks/abstention.py, rrf-search with a cross-encoder) it answers 0 of 18 on topics that the catalogue lacks
and 3 of 18 on films that it lacks, but 13 of 16 on subjects that it has, only never together, and 14 of 14 that ask of
one of its films what no entry says. It refuses 8 of 42 whose film was found; in another language than English, all.

The best logit of a cross-encoder has no say: held out, alone or with the evidence, it errs as often or more, but for
differences that chance gives (the same benchmark). An unanswerable question that names a film has a high logit, and a
mood or a paraphrase a low one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.answer.nearness import weighed
from strata.answer.sources import Source
from strata.core.analysis import stopwords, tokens
from strata.core.types import Query

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

ENOUGH = 0.41
BEST = 3
"""Sentences whose mean counts."""


@dataclass(frozen=True)
class Evidence:
    """closeness and words as above, words from 0 to 1. lacking: the query's words that no source holds."""

    closeness: float
    words: float
    lacking: tuple[str, ...]

    @property
    def score(self) -> float:
        return min(1.0, max(0.0, self.closeness, self.words / 2))


def evidence(q: Query, sources: Sequence[Source], cosines: Sequence[float], ws: Workspace) -> Evidence:
    """cosines: of the sources' sentences to the query."""
    chunks = [passage.score for source in sources for passage in source.passages]
    best = sorted(cosines, reverse=True)[:BEST]
    closeness = (max(chunks) + sum(best) / len(best)) / 2 if chunks and best else max(chunks, default=0.0)
    weights = query_weights(q.text, ws)
    held = [words_of(source, ws) for source in sources]
    shares = [sum(w for word, w in weights.items() if word in stems) for stems in held]
    whole = sum(weights.values())
    lacking = tuple(
        dict.fromkeys(
            w for w in tokens(q.text) if w not in stopwords() and not any(ws.index.stem(w) in s for s in held)
        )
    )
    return Evidence(closeness, max(shares, default=0.0) / whole if whole else 0.0, lacking)


def query_weights(text: str, ws: Workspace) -> dict[str, float]:
    """Stem → idf of each word of a query that is not on the stop list; a word that no document has weighs most."""
    return weighed((w for w in tokens(text) if w not in stopwords()), ws.index)


def words_of(source: Source, ws: Workspace) -> frozenset[str]:
    """The stems of a source's fields and passages."""
    return frozenset(ws.index.stem(word) for word in tokens(f"{source.title} {source.facts} {source.text}"))
