"""Between `Asking`, which knows a way round models' whims, and the vendors' own formats: one call, one answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from strata.errors import BudgetSpent
from strata.llm.images import prompt_tokens
from strata.llm.types import Message, Schema, Usage


class Unsupported(Exception):
    """The server refused one parameter of the call; the same call without it may do."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


def wanted(schema: Schema) -> Schema:
    """A schema as servers and models are told it: where we take several types (a number, or its digits), the first."""
    plain = dict(schema)
    kinds = plain.get("type")
    if isinstance(kinds, list) and "null" not in kinds:
        plain["type"] = kinds[0]
    if "properties" in plain:
        plain["properties"] = {name: wanted(value) for name, value in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = wanted(plain["items"])
    return plain


@dataclass(frozen=True)
class Call:
    """max_tokens: of everything that the model writes, its thinking included. dropped: parameters refused before."""

    messages: tuple[Message, ...]
    schema: Schema | None
    max_tokens: int
    dropped: frozenset[str] = frozenset()
    stream: Callable[[str], None] | None = None

    @property
    def shown(self) -> tuple[bytes, ...]:
        """The pictures that are among what is sent."""
        return tuple(image.data for message in self.messages for image in message.images)

    def told(self) -> tuple[Message, ...]:
        """The messages; where the server is not given the schema, the model is told it."""
        if self.schema is None or self.form() == "json_schema":
            return self.messages
        order = f"Write nothing but one JSON value that fits this JSON schema: {json.dumps(wanted(self.schema))}"
        first = self.messages[0]
        if first.role == "system":
            return (replace(first, text=f"{first.text}\n\n{order}"), *self.messages[1:])
        return (Message("system", order), *self.messages)

    def form(self) -> str:
        """How the server is asked for JSON: "json_schema", "json_object", or "" for not at all."""
        forms = ("json_schema", "json_object") if self.schema else ()
        return next((form for form in forms if form not in self.dropped), "")


@dataclass(frozen=True)
class Raw:
    """finish: "stop", "length" or the vendor's word. refused: why the vendor blocked the reply, "" if it did not.

    usage: None where the server does not count. spent: set where the run's budget left a reply no more room, and it
    was cut off there.
    """

    text: str
    finish: str
    model: str
    usage: Usage | None = None
    refused: str = ""
    spent: BudgetSpent | None = None

    def used(self, call: Call) -> Usage:
        """Tokens as counted by the provider; where it does not count, about as many, so that budgets hold."""
        if self.usage is not None:
            return replace(self.usage, calls=1)
        return Usage(prompt_tokens(call.messages), len(self.text) // 4, 0, 1)


class Wire(Protocol):
    """A vendor's format. `send` and `models` raise ProviderError, `send` also Unsupported.

    parameters: what is sent beside the messages, as recordings name it. reserve: tokens that the model needs for
    thinking, on top of its visible reply.
    """

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    @property
    def reserve(self) -> int: ...

    @property
    def secrets(self) -> tuple[str, ...]: ...

    def send(self, call: Call) -> Raw: ...

    def models(self) -> list[str]: ...
