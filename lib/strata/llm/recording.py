"""Recordings: each call of a model as one JSON file, so that it can be replayed without the model.

A recording is found by its key, a hash of provider, model, parameters, messages, schema and max_tokens, in which the
random boundary round retrieved text is replaced by a fixed mark. Its header names provider, model and parameters, and
`made_by` says what wrote the reply: a model, or a hand. Format 1:

    {"format": 1, "provider", "model", "parameters", "made_by", "recorded",
     "request": {"messages": [{"role", "text"}], "schema", "max_tokens"},
     "reply": {"text", "finish_reason", "model", "ms", "usage": {"prompt", "completion", "reasoning", "calls"}}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from strata.errors import DataError
from strata.files import fingerprint, write_atomically
from strata.llm.fence import unmarked
from strata.llm.types import LanguageModel, Message, Reply, Request, Schema, Usage
from strata.llm.wrapped import Wrapped

FORMAT = 1


@dataclass(frozen=True)
class Header:
    """Who was asked, and how."""

    provider: str
    model: str
    parameters: Mapping[str, Any]


def request_json(request: Request) -> dict[str, Any]:
    """A request as a recording holds it, its random boundary replaced."""
    return {
        "messages": [{"role": message.role, "text": unmarked(message.text)} for message in request.messages],
        "schema": request.schema,
        "max_tokens": request.max_tokens,
    }


def key_of(header: Header, request: Request) -> str:
    """What a recording is found by: 32 hex digits."""
    return fingerprint({**asdict(header), "parameters": dict(header.parameters), "request": request_json(request)})


@dataclass(frozen=True)
class Recording:
    header: Header
    made_by: str
    request: Request
    reply: Reply

    @property
    def key(self) -> str:
        return key_of(self.header, self.request)

    def write(self, folder: Path) -> Path:
        """Write it whole or not at all; a recording with the same key is replaced."""
        reply = {
            "text": self.reply.text, "finish_reason": self.reply.finish_reason, "model": self.reply.model,
            "ms": round(self.reply.ms, 1), "usage": asdict(self.reply.usage),
        }  # fmt: skip
        data = {
            "format": FORMAT, "provider": self.header.provider, "model": self.header.model,
            "parameters": dict(self.header.parameters), "made_by": self.made_by,
            "recorded": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "request": request_json(self.request), "reply": reply,
        }  # fmt: skip
        path = folder / f"{self.key}.json"
        write_atomically(path, (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode())
        return path


def read(path: Path) -> Recording:
    """A recording from its file; DataError for one that is damaged, or of another format."""
    advice = "delete it, and record the call anew with --record"
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise DataError(f"{path} has format {data['format']}; this version reads format {FORMAT}", advice)
        asked, said = data["request"], data["reply"]
        messages = tuple(Message(entry["role"], entry["text"]) for entry in asked["messages"])
        header = Header(str(data["provider"]), str(data["model"]), dict(data["parameters"]))
        usage = Usage(**said.get("usage") or {})
        if not isinstance(said["text"], str) or not all(isinstance(message.text, str) for message in messages):
            raise TypeError("a text is no text")
        reply = Reply(said["text"], None, usage, float(said.get("ms", 0)), said.get("finish_reason", "stop"),
                      header.provider, said.get("model", header.model))  # fmt: skip
        request = Request(messages, asked["schema"], int(asked["max_tokens"]))
        return Recording(header, str(data["made_by"]), request, reply)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise DataError(f"the recording {path} cannot be read ({type(error).__name__}: {error})", advice) from error


class Recorded(Wrapped):
    """A LanguageModel that writes each reply into a folder. made_by: what wrote it, if not the model itself."""

    def __init__(self, model: LanguageModel, folder: Path | str, made_by: str | None = None) -> None:
        super().__init__(model)
        self._folder = Path(folder).expanduser()
        self._made_by = made_by

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        reply = self._model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
        header = Header(self.provider, self.model, self.parameters)
        request = Request(tuple(messages), schema, max_tokens)
        Recording(header, self._made_by or f"{reply.model} by {reply.provider}", request, reply).write(self._folder)
        return reply
