"""What replies used and who gave them, left for the step that is running."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from strata.errors import ProviderError
from strata.llm.types import LanguageModel, Message, Reply, Schema

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def reply_to(
    messages: Sequence[Message],
    schema: Schema | None,
    model: LanguageModel,
    ws: Workspace,
    *,
    max_tokens: int = 1024,
    stream: Callable[[str], None] | None = None,
) -> Reply:
    """The model's reply. What it used and who gave it stands with the running step, also where it is no use."""
    try:
        reply = model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
    except ProviderError as error:
        if error.reply:
            _replied(error.reply, ws)
        raise
    _replied(reply, ws)
    return reply


def spent(replies: Sequence[Reply], ws: Workspace, at_once: int = 1) -> None:
    """Add what replies used to what the running step used. at_once: how many were asked for at a time."""
    for reply in replies:
        used = reply.usage
        ws.spent({"prompt_tokens": used.prompt, "completion_tokens": used.completion, "calls": used.calls})
    waited = [reply.ms for reply in replies if reply.replayed]
    if waited:
        ws.spent({"remembered_ms": _lasting(waited, at_once)})


def _lasting(each: Sequence[float], at_once: int) -> float:
    """How long requests lasted together, each begun as soon as one of those under way had ended."""
    lanes = [0.0] * at_once
    for ms in each:
        heapq.heapreplace(lanes, lanes[0] + ms)
    return max(lanes)


def _replied(reply: Reply, ws: Workspace) -> None:
    spent([reply], ws)
    ws.report(by_rule=False, provider=reply.provider, model=reply.model)
