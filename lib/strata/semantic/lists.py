"""What lists by vectors do: encode the query, find the nearest documents, hand out their passages."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from strata.core.types import NO_WORDS, Query, Ranking
from strata.errors import UsageError
from strata.semantic.nearest import nearest_groups
from strata.semantic.passages import Passages
from strata.semantic.vectors import Vectors

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


WHEN = ("english", "foreign")
"""For which queries a list may be meant."""


def checked(min_score: float | None, weight: float | None = None, when: str | None = None) -> None:
    """UsageError for settings that make no sense."""
    if min_score is not None and not (math.isfinite(min_score) and -1 <= min_score <= 1):
        raise UsageError(f"min-score must be a cosine from -1 to 1, not {min_score}", "0.3 is a usual start")
    if weight is not None and not (math.isfinite(weight) and weight > 0):
        raise UsageError(f"a list's weight must be a number above 0, not {weight}", "leave the list out instead")
    if when is not None and when not in WHEN:
        raise UsageError(f'when cannot be "{when}"', f"one of: {', '.join(WHEN)}")


def speaks(when: str | None, encoder: str, q: Query, ws: Workspace) -> bool:
    """Whether a list is meant for this query: it has words, in its language. One that is left out or called in is
    said."""
    if not q.has_words:
        ws.report(not_searched=NO_WORDS)
        return False
    if when is None:
        return True
    from strata.core.language import is_english

    english = is_english(q.text)
    if english == (when == "english"):
        if not english:
            ws.note(f"the query does not look English: {encoder} searches")
        return True
    ws.report(not_searched="the query is English" if english else "the query does not look English")
    return False


def query_vector(encoder: str, q: Query, ws: Workspace) -> np.ndarray:
    """float32[d], unit length; the milliseconds go to the step as encode_ms, or as remembered_ms where the query was
    encoded before."""
    text, opened = q.meaning or q.text, ws.encoder(encoder)
    saved = opened.saved(text)
    start = time.perf_counter()
    vector: np.ndarray = opened.encode([text], "query")[0]
    ws.spent({"remembered_ms": saved} if saved else {"encode_ms": (time.perf_counter() - start) * 1000})
    return vector


def nearest(name: str, store: Vectors, query: np.ndarray, ws: Workspace, depth: int, least: float | None) -> Ranking:
    """The documents with the best vectors, each with the passage behind its best one. least: the lowest cosine."""
    found = nearest_groups(store.vectors, store.firsts, query, depth, least)
    docs = store.owners[found.groups].astype(np.int32)
    passages = Passages(ws.corpus, docs, store.starts[found.rows], store.ends[found.rows], found.scores)
    return Ranking(name, docs, found.scores, passages, found.matched)
