"""What replies used and who gave them, left for the step that is running."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strata.llm.types import Reply

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def spent(replies: Iterable[Reply], ws: Workspace) -> None:
    for reply in replies:
        used = reply.usage
        ws.spent({"prompt_tokens": used.prompt, "completion_tokens": used.completion, "calls": used.calls})


def replied(reply: Reply, ws: Workspace) -> None:
    """A reply that the running step goes by: its usage, its provider and model."""
    spent([reply], ws)
    ws.report(by_rule=False, provider=reply.provider, model=reply.model)
