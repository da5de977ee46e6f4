"""What becomes of a list that is reranked: its first candidates are put into a new order, and the rest follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strata.core.types import Ranking
from strata.errors import UsageError

CANDIDATES = 25
"""5 × the default limit."""


def checked_candidates(candidates: int) -> None:
    if candidates < 1:
        raise UsageError(f"candidates must be a whole number from 1 up, not {candidates}", "5 times the limit is usual")


def checked_characters(characters: int) -> None:
    if characters < 1:
        raise UsageError(f"characters must be a whole number from 1 up, not {characters}", "1000 a document is usual")


def first(found: Ranking, candidates: int) -> list[int]:
    """The candidates: the first documents of a list, in its order."""
    docs: list[int] = found.docs[:candidates].tolist()
    return docs


def reranked(name: str, docs: Sequence[int], scores: Sequence[float] | np.ndarray) -> Ranking:
    """The documents by score, the highest first; equal scores keep the order in which the documents are given."""
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    return Ranking(name, np.asarray(docs, dtype=np.int32)[order], values[order], matched=len(docs))


def followed(ranking: Ranking, before: Ranking) -> Ranking:
    """A reranker's list, and behind it what it did not read of the list it was given, in that list's order and with its
    scores. The two kinds of scores do not compare: where the one follows the other they may rise."""
    unread = ~np.isin(before.docs, ranking.docs)
    if not unread.any():
        return ranking
    docs = np.concatenate([ranking.docs, before.docs[unread]])
    scores = np.concatenate([ranking.scores, before.scores[unread]])
    return replace(ranking, docs=docs, scores=scores, passages=(), matched=before.matched)
