"""What every provider takes and gives. No vendor's words appear above this room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
Schema = dict[str, Any]
"""A JSON schema of an object; what a reply must be parsed by."""


@dataclass(frozen=True)
class Image:
    """A picture as it is sent. data: a whole file of the type `mime`, without metadata; b"" where it was read from a
    recording, for logs and recordings never hold it. digest: of the pixels that it was made from (Picture.digest), by
    which recordings know it: encoders of one version and the next write other bytes. name: for people."""

    name: str
    mime: str
    width: int
    height: int
    digest: str
    data: bytes = field(repr=False, compare=False)


@dataclass(frozen=True)
class Message:
    """images: shown to the model after the text; most models read text only."""

    role: Role
    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True)
class Usage:
    """Tokens in, out and of reasoning (part of out), as the provider counts them; calls: answered requests."""

    prompt: int = 0
    completion: int = 0
    reasoning: int = 0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.reasoning + other.reasoning,
            self.calls + other.calls,
        )


@dataclass(frozen=True)
class Reply:
    """text: as written; empty only in what comes with an error. parsed: what the schema asked for, None where no schema
    was given.

    finish_reason: "stop", "length" or the provider's own word. provider and model: who really answered (a replayed
    reply names those that were recorded). ms: wall time of the call that was answered. replayed: it was read from a
    file; usage and ms are then those of the first time.
    """

    text: str
    parsed: Any = None
    usage: Usage = field(default_factory=Usage)
    ms: float = 0.0
    finish_reason: str = "stop"
    provider: str = ""
    model: str = ""
    replayed: bool = False


@dataclass(frozen=True)
class Request:
    """What `complete` is asked, as one value."""

    messages: tuple[Message, ...]
    schema: Schema | None = None
    max_tokens: int = 1024


class LanguageModel(Protocol):
    """One provider and model. `complete` raises a ProviderError of errors.py for whatever goes wrong."""

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str:
        """Its name. Where a server chooses (openai without --llm-model), the server is asked once for it."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        """max_tokens: of the visible reply; a provider adds what its model needs for reasoning. stream: is given the
        text piece by piece as it comes (not together with a schema)."""
        ...
