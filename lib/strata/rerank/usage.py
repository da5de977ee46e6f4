"""What requests to a language model used, left for the step that is running."""

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
