"""Reranking by a cross-encoder: a small network reads the query and each candidate together and gives a logit.

A logit is no probability: any number, comparable within one query only. By itself it throws away what the lists knew;
with `mix` both are brought to 0 … 1 over the candidates (min-max) and added. What is read of a candidate is said in
reading.py, where the weights come from in pair_weights.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strata.core.types import Part, Query, Ranking
from strata.errors import ArtefactError, Unavailable, UsageError
from strata.hybrid.normalise import min_max
from strata.registry import DEFAULT_CROSS_ENCODER, DEFAULT_ENCODER
from strata.rerank.order import CANDIDATES, checked_candidates, first, reranked
from strata.rerank.pair_tokens import room_for_text
from strata.rerank.pair_weights import named_folder
from strata.rerank.pairs import cross_encoder, timed
from strata.rerank.reading import texts_of

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class CrossEncoder:
    """cross_encoder: a name of the registry or of the hub, or a folder of weights. candidates: how many of the list are
    read. encoder: whose chunks tell which passages of a long document are read. mix: the logit's part of the new score,
    0 to 1, the rest being the list's own score; None: the logit is the score."""

    cross_encoder: str = DEFAULT_CROSS_ENCODER
    candidates: int = CANDIDATES
    encoder: str = DEFAULT_ENCODER
    mix: float | None = None

    def __post_init__(self) -> None:
        checked_candidates(self.candidates)
        if self.mix is not None and not 0 <= self.mix <= 1:
            raise UsageError(f"mix must be between 0 and 1, not {self.mix}", "1 is the logit alone, 0 the list alone")

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
        ws.spent({"read_ms": (time.perf_counter() - start) * 1000})
        with _list_stands(self.cross_encoder, ws):
            scores = timed(scorer, q.text, texts, ws)
        ws.report(
            label="logit" if self.mix is None else "mixed", cross_encoder=scorer.name, best_logit=float(max(scores))
        )
        if self.mix is None:
            return reranked(self.name, docs, scores)
        before = min_max(found.scores[: len(docs)])
        return reranked(self.name, docs, (1 - self.mix) * before + self.mix * min_max(scores))

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
