"""Each call as one record for whoever keeps them: what was asked and answered, what it cost. No key is in it, and of a
picture only its kind, size and digest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from strata.errors import ProviderError
from strata.llm.images import message_json
from strata.llm.types import LanguageModel, Message, Reply, Schema, Usage
from strata.llm.wrapped import Wrapped

Sink = Callable[[dict[str, Any]], None]


class Logged(Wrapped):
    """A LanguageModel whose calls, the failed ones too, go to a sink: {"provider", "model", "messages", "schema",
    "max_tokens", "reply", "error", "usage", "ms", "finish_reason", "replayed"}. A reply that is no use stands beside
    its error."""

    def __init__(self, model: LanguageModel, sink: Sink) -> None:
        super().__init__(model)
        self._sink = sink

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        record: dict[str, Any] = {
            "provider": self.provider,
            "model": None,
            "messages": [message_json(message) for message in messages],
            "schema": schema,
            "max_tokens": max_tokens,
            "reply": None,
            "error": None,
            "usage": asdict(Usage()),
            "ms": 0.0,
            "finish_reason": None,
            "replayed": self.provider == "replay",
        }
        begun = time.monotonic()
        try:
            reply = self._model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
        except ProviderError as error:
            said = {"kind": error.kind, "message": error.message, "next_step": error.next_step}
            record |= {"error": said, "ms": (time.monotonic() - begun) * 1000}
            self._sink(record | (self._said(error.reply) if error.reply else {}))
            raise
        self._sink(record | self._said(reply))
        return reply

    def _said(self, reply: Reply) -> dict[str, Any]:
        return {
            "provider": reply.provider or self.provider,
            "model": reply.model or self.model,
            "reply": reply.text,
            "usage": asdict(reply.usage),
            "ms": reply.ms,
            "finish_reason": reply.finish_reason,
            "replayed": reply.replayed,
        }
