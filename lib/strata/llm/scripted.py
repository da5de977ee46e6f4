"""A model that says what it is told to say: for tests, and for recordings written by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from strata.errors import ProviderError
from strata.llm.parsing import fitted
from strata.llm.types import Message, Reply, Request, Schema


class Scripted:
    """Gives its replies in turn, the last one again and again; an error among them is raised. asked: every request."""

    parameters: Mapping[str, Any] = {}

    def __init__(
        self, *replies: str | Reply | ProviderError, provider: str = "scripted", model: str = "scripted"
    ) -> None:
        if not replies:
            raise ValueError("give at least one reply")
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.provider = provider
        self.model = model
        self.asked: list[Request] = []

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        with self._lock:
            self.asked.append(Request(tuple(messages), schema, max_tokens))
            given = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(given, ProviderError):
            raise given
        reply = given if isinstance(given, Reply) else Reply(given, provider=self.provider, model=self.model)
        if stream is not None:
            stream(reply.text)
        return fitted(reply, schema)
