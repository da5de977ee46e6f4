"""--show-prompt: the exact messages, and nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from strata.errors import NotSent
from strata.llm.images import in_words
from strata.llm.types import Message, Reply, Schema

Show = Callable[[tuple[Message, ...], Schema | None, int], None]


class Showing:
    """A LanguageModel that shows what would be sent, (messages, schema, max_tokens), and answers with NotSent."""

    provider = "none"
    model = "none"

    def __init__(self, show: Show) -> None:
        self._show = show

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        self._show(tuple(messages), schema, max_tokens)
        raise NotSent("the messages are shown, nothing was sent (--show-prompt)")


def as_text(messages: Sequence[Message]) -> str:
    """Messages to read: each under its role, character for character, and a line for each picture. Whoever prints them
    strips control characters."""
    return "\n\n".join(
        "\n".join((f"[{message.role}]", message.text, *map(in_words, message.images))) for message in messages
    )
