"""Reranking at once: the language model sees all candidates in one request and gives them in order, with a why each.

Candidates are shown under their numbers in the list, 1 … n: an id of the catalogue may be any text. The longer the
list, the less is shown of each document, so that all together stay within a small model's input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.core.types import Query, Ranking
from strata.llm.types import LanguageModel
from strata.rerank.asking import CHARACTERS, asked, numbered
from strata.rerank.by_model import ByModel
from strata.rerank.order import reranked
from strata.rerank.replies import ordered

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Batch(ByModel):
    """characters: of the candidates' texts, all together."""

    characters: int = CHARACTERS

    name: ClassVar[str] = "batch"

    def by_model(self, q: Query, docs: Sequence[int], model: LanguageModel, ws: Workspace) -> Ranking:
        """BadReply where the reply names no candidate."""
        value = asked("rerank_batch", q, numbered(q, docs, ws, self.encoder, self.characters), model, ws)
        reply = ordered(value, len(docs))
        missing = len(docs) - reply.named
        ws.report(
            label="place, from the end", why={docs[place]: why for place, why in reply.why.items()},
            unknown_ids=reply.unknown, repeated_ids=reply.repeated, missing_ids=missing,
        )  # fmt: skip
        if reply.unknown or missing:
            ws.note(
                f"the reply ranks {reply.named} of {len(docs)} candidates and names {reply.unknown} that are none: "
                "these are left out, and candidates that are not named keep their order behind the others"
            )
        # n for the first that is named, one less for each that follows; 0 for all that are not.
        scores = {place: float(len(docs) - at) for at, place in enumerate(reply.order[: reply.named])}
        return reranked(self.name, docs, [scores.get(place, 0.0) for place in range(len(docs))])
