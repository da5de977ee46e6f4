"""What became of a picture and of the words beside it, as one value: views and JSON read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.picture import Picture
from strata.core.types import Query
from strata.errors import ProviderError

if TYPE_CHECKING:
    from strata.pipeline.trace import Step


@dataclass(frozen=True)
class Described:
    """asked, used: the words before and after. shows: what the model saw, None where none did. sent: what it was shown:
    {"mime", "width", "height", "bytes"}. by_rule: nothing saw it. failed: why no reply could be used, then the words
    stand as they were asked. usage: of the call."""

    picture: Picture
    asked: str
    used: str
    shows: str | None
    sent: dict[str, Any] | None
    provider: str | None
    model: str | None
    by_rule: bool
    usage: Mapping[str, float]
    failed: ProviderError | None = None

    @property
    def replayed(self) -> bool:
        """Whether the reply was read from a file, so that nothing was sent."""
        return "remembered_ms" in self.usage

    def to_json(self) -> dict[str, Any]:
        failed = {"failed": {"kind": self.failed.kind, "message": self.failed.message}} if self.failed else {}
        return {
            "image": {**self.picture.to_json(), "sent": self.sent},
            "query": {"original": self.asked, "used": self.used},
            "shows": self.shows,
            "provider": self.provider,
            "model": self.model,
            "by_rule": self.by_rule,
            "usage": {name: round(amount, 3) for name, amount in self.usage.items()},
            **failed,
        }


def described(q: Query, step: Step) -> Described:
    """Of a query and the step that put its picture into words."""
    assert q.picture is not None
    used: Query = step.output
    said = step.facts
    return Described(
        q.picture, q.text, used.text, said.get("shows"), said.get("sent"), said.get("provider"), said.get("model"),
        bool(said.get("by_rule", False)), dict(step.usage), step.failed,
    )  # fmt: skip
