"""One catalogue read both ways, as it stands and with premises: each plan is run on what it names itself.

A table may hold plans of either kind. Encoders, cross-encoders and the language model with its budget are shared;
indices, vectors and whatever else is made of texts are each reading's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from strata.core.types import Plan
from strata.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel

T = TypeVar("T")


class Reading(Workspace):
    """The catalogue of another workspace, read the other way."""

    def __init__(self, other: Workspace) -> None:
        super().__init__(other.settings, other._say, other._progress, keep=other.keep, enriched=not other.enriched)
        self.other = other
        self.encoder = other.encoder

    @cached_property
    def model(self) -> LanguageModel | None:
        return self.other.model

    def once(self, what: str, make: Callable[[], T]) -> T:
        """What is opened once is of a model, and serves both; what is of a text names its catalogue."""
        return self.other.once(what, make)


def reading(ws: Workspace, plan: Plan | None) -> Workspace:
    """The workspace over the catalogue that a plan names: the one given, or its other reading, opened once. None, for a
    run that was read from a file: the one given."""
    if plan is None or plan.premises == ws.enriched:
        return ws
    if isinstance(ws, Reading):
        return ws.other
    return ws.once("the other reading", lambda: Reading(ws))
