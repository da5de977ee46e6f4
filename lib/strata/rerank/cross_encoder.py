"""Reranking by a cross-encoder: a small network reads the query and each candidate together and gives a logit.

A logit is no probability: any number, comparable within one query only. What is read of a candidate is said in
reading.py, where the weights come from in pair_weights.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strata.core.types import Part, Query, Ranking
from strata.errors import ArtefactError, Unavailable
from strata.registry import DEFAULT_CROSS_ENCODER, DEFAULT_ENCODER
from strata.rerank.order import CANDIDATES, checked_candidates, first, reranked
from strata.rerank.pair_tokens import room_for_text
from strata.rerank.pair_weights import named_folder
from strata.rerank.pairs import cross_encoder
from strata.rerank.reading import texts_of

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class CrossEncoder:
    """cross_encoder: a name of the registry or of the hub, or a folder of weights. candidates: how many of the list are
    read. encoder: whose chunks tell which passages of a long document are read."""

    cross_encoder: str = DEFAULT_CROSS_ENCODER
    candidates: int = CANDIDATES
    encoder: str = DEFAULT_ENCODER

    def __post_init__(self) -> None:
        checked_candidates(self.candidates)

    @property
    def name(self) -> str:
        return "cross_encoder"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        """Unavailable where there are no weights, or not what runs them: then the list stands as it was."""
        docs = first(found, self.candidates)
        if not docs:
            return reranked(self.name, [], [])
        start = time.perf_counter()
        with _list_stands(self.cross_encoder, ws):
            scorer = cross_encoder(self.cross_encoder, ws)
            room = room_for_text(scorer.tokens(q.text), scorer.max_tokens)  # the first use of its tokenizer
        texts = texts_of(q, docs, ws, room, scorer.tokens, self.encoder)
        read = time.perf_counter()
        with _list_stands(self.cross_encoder, ws):
            scores = scorer.scores(q.text, texts)
        ws.spent({"read_ms": (read - start) * 1000, "score_ms": (time.perf_counter() - read) * 1000})
        ws.report(label="logit", cross_encoder=scorer.name)
        return reranked(self.name, docs, scores)

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """One number, and what was read for it."""
        scorer = cross_encoder(self.cross_encoder, ws)
        room = room_for_text(scorer.tokens(q.text), scorer.max_tokens)
        (text,) = texts_of(q, [doc], ws, room, scorer.tokens, self.encoder)
        score = float(scorer.scores(q.text, [text])[0])
        return Part(self.name, score, f"logit of {scorer.name}", facts={"read": text})


@contextmanager
def _list_stands(model: str, ws: Workspace) -> Iterator[None]:
    """Missing weights or packages as a failed step, which leaves the list as it was, with what to install. A folder
    that was named and cannot be used stays an error of its own."""
    try:
        yield
    except ArtefactError as error:
        if named_folder(model):
            raise
        ws.note(f"for a cross-encoder: {error.next_step}")
        raise Unavailable(error.message, error.next_step) from error


def by_rule(name: str, layer: CrossEncoder, q: Query, found: Ranking, ws: Workspace) -> Ranking:
    """What the rerankers that ask a language model do without one. name: the layer's that was asked for."""
    ws.report(by_rule=True, provider=None, model=None)
    ranking = layer(q, found, ws)
    ws.note(f"no language model: {name} goes by rule, which is the cross-encoder")
    return replace(ranking, name=name)
