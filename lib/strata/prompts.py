"""--show-prompt: the messages that a language model would get, printed instead of results."""

from __future__ import annotations

from typing import Any

from strata.common import Common


class Prompts:
    """Called by the llm room with each request; `emit` prints them all."""

    def __init__(self) -> None:
        self.shown: list[tuple[tuple[Any, ...], Any, int]] = []

    def __call__(self, messages: tuple[Any, ...], schema: Any, max_tokens: int) -> None:
        self.shown.append((messages, schema, max_tokens))

    def emit(self, common: Common) -> None:
        """The exact messages as JSON; as text without control characters."""
        data = [
            {
                "messages": [_message(message) for message in messages],
                "schema": schema,
                "max_tokens": most,
            }
            for messages, schema, most in self.shown
        ]
        common.emit({"prompts": data}, self._lines)

    def _lines(self) -> list[str]:
        from strata.llm.showing import as_text
        from strata.show.text import clean

        if not self.shown:
            return ["This plan asks no language model anything."]
        texts = [as_text(messages) for messages, _, _ in self.shown]
        return [clean(text) for text in "\n\n".join(texts).split("\n")]


def _message(message: Any) -> dict[str, Any]:
    from strata.llm.images import shown_json

    images = [shown_json(image) for image in message.images]
    return {"role": message.role, "text": message.text, **({"images": images} if images else {})}
