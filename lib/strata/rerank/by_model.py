"""What the two rerankers that ask a language model share: their settings, and the way they take without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.core.types import Query, Ranking
from strata.llm.types import LanguageModel
from strata.registry import DEFAULT_CROSS_ENCODER, DEFAULT_ENCODER
from strata.rerank.cross_encoder import CrossEncoder, by_rule
from strata.rerank.order import CANDIDATES, checked_candidates, checked_characters, first, reranked

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class ByModel:
    """candidates: how many of the list are shown to the model. encoder: whose chunks tell which passages of a long
    document are shown, and characters, of how many. cross_encoder: what is used without a language model."""

    candidates: int = CANDIDATES
    encoder: str = DEFAULT_ENCODER
    cross_encoder: str = DEFAULT_CROSS_ENCODER
    characters: int = 1200

    name: ClassVar[str]

    def __post_init__(self) -> None:
        checked_candidates(self.candidates)
        checked_characters(self.characters)

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        """What goes wrong at the provider, or with its reply, goes up as a ProviderError."""
        docs = first(found, self.candidates)
        if not docs:
            return reranked(self.name, [], [])
        if ws.model is None:
            return by_rule(self.name, CrossEncoder(self.cross_encoder, self.candidates, self.encoder), q, found, ws)
        return self.by_model(q, docs, ws.model, ws)

    def by_model(self, q: Query, docs: Sequence[int], model: LanguageModel, ws: Workspace) -> Ranking:
        raise NotImplementedError
