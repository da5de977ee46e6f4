"""Reranking by late interaction, with no artefact: the token vectors of the candidates are made when they are asked.

Every word of the query counts in the score, and explain says which word of the document it met.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.core.types import Part, Query, Ranking
from strata.registry import DEFAULT_ENCODER
from strata.rerank.maxsim import MaxSim, best_cosines
from strata.rerank.order import CANDIDATES, checked_candidates, first, reranked
from strata.rerank.pairs import Remembered, remembered, timed
from strata.rerank.reading import texts_of

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

MARKS = 2
"""[CLS] text [SEP]"""


@dataclass(frozen=True)
class LateInteraction:
    """candidates: how many of the list are read. encoder: whose chunks tell which passages of a long document are
    read. token_encoder: whose token vectors are compared, a BERT that NumPy runs. most: the candidates that a larger
    limit does not add to, since each of their tokens is encoded."""

    most: ClassVar[int] = CANDIDATES
    candidates: int = CANDIDATES
    encoder: str = DEFAULT_ENCODER
    token_encoder: str = DEFAULT_ENCODER

    def __post_init__(self) -> None:
        checked_candidates(self.candidates)

    @property
    def name(self) -> str:
        return "late_interaction"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = first(found, self.candidates)
        if not docs:
            return reranked(self.name, [], [])
        start = time.perf_counter()
        scorer, maxsim = _opened(self.token_encoder, ws)
        texts = texts_of(q, docs, ws, maxsim.max_tokens - MARKS, maxsim.tokens, self.encoder)
        ws.spent({"read_ms": (time.perf_counter() - start) * 1000})
        scores = timed(scorer, q.text, texts, ws)
        ws.report(label="sum of cosines", token_encoder=maxsim.name)
        return reranked(self.name, docs, scores)

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The score as a sum: for each token of the query the token of the document that it met, and their cosine."""
        _, maxsim = _opened(self.token_encoder, ws)
        (text,) = texts_of(q, [doc], ws, maxsim.max_tokens - MARKS, maxsim.tokens, self.encoder)
        (asked, query), (there, vectors) = maxsim.vectors([q.text, text])
        cosines, places = best_cosines(query, vectors)
        met = ["nothing" if place < 0 else there[place] for place in places.tolist()]
        parts = tuple(
            Part(token, cosine, f"cosine to {other}", facts={"met": other})
            for token, other, cosine in zip(asked, met, cosines.tolist(), strict=True)
        )
        return Part(self.name, sum(part.value for part in parts), "the sum over the query's tokens", parts)


def _opened(encoder: str, ws: Workspace) -> tuple[Remembered, MaxSim]:
    """Opened once a workspace; the first remembers scores."""
    from strata.encoders.weights import find

    def opened() -> tuple[Remembered, MaxSim]:
        maxsim = MaxSim(find(encoder, ws.settings, ws.note))
        ws.opened[f"token vectors {encoder}"] = maxsim.fingerprint
        return remembered(maxsim, ws), maxsim

    return ws.once(f"token vectors {encoder}", opened)
