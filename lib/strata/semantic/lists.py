"""What both semantic lists do: encode the query, find the nearest documents, hand out their passages."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from strata.core.types import Query, Ranking
from strata.errors import UsageError
from strata.semantic.nearest import nearest_groups
from strata.semantic.passages import Passages
from strata.semantic.vectors import Vectors

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def checked_min_score(score: float | None) -> None:
    if score is not None and not (math.isfinite(score) and -1 <= score <= 1):
        raise UsageError(f"min-score must be a cosine from -1 to 1, not {score}", "0.3 is a usual start")


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
