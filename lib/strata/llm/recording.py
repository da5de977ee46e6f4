"""Recordings: each call of a model as one JSON file, so that it can be replayed without the model.

A recording is found by its key, a hash of provider, model, parameters, messages, schema and max_tokens, in which the
random boundary round retrieved text is replaced by a fixed mark. Its header names provider, model and parameters, and
`made_by` says what wrote the reply: a model, or a hand. Format 1:

    {"format": 1, "provider", "model", "parameters", "made_by", "recorded",
     "request": {"messages": [{"role", "text", "images": [{"mime", "width", "height", "digest"}]}], "schema",
                 "max_tokens"},
     "reply": {"text", "finish_reason", "model", "ms", "usage": {"prompt", "completion", "reasoning", "calls"},
               "refusal": {"message", "next_step"}}}

A picture's bytes are not in it: `images` stands only in messages that have some, and of it only the digests, which are
of pixels, are part of the key.

A reply that is no use is recorded too, so that a replay ends as the call did. refusal stands only where its text does
not say so by itself, as it does where it does not fit the schema: it was empty, or cut off. A recording may be written
or changed by hand, unless it is sealed: then "seal" is a hash of everything else (kept.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from strata.errors import BadReply, DataError
from strata.files import dumped, fingerprint, parsed, write_atomically
from strata.llm.fence import unmarked
from strata.llm.images import image_from, message_json
from strata.llm.parsing import fitted
from strata.llm.types import LanguageModel, Message, Reply, Request, Schema, Usage
from strata.llm.wrapped import Wrapped
from strata.paths import expanded

FORMAT = 1
LARGEST = 2**53
"""Tokens and milliseconds are below it."""
_REFUSAL = ("message", "next_step")


@dataclass(frozen=True)
class Header:
    """Who was asked, and how."""

    provider: str
    model: str
    parameters: Mapping[str, Any]


def request_json(request: Request) -> dict[str, Any]:
    """A request as a recording holds it, its random boundary replaced."""
    return {
        "messages": [message_json(message, unmarked(message.text)) for message in request.messages],
        "schema": request.schema,
        "max_tokens": request.max_tokens,
    }


def identity(request: Request) -> dict[str, Any]:
    """What tells one request from another: a picture is its pixels, however they were packed."""
    told = request_json(request)
    for message in told["messages"]:
        if "images" in message:
            message["images"] = [image["digest"] for image in message["images"]]
    return told


def key_of(header: Header, request: Request) -> str:
    """What a recording is found by: 32 hex digits."""
    return fingerprint({**asdict(header), "parameters": dict(header.parameters), "request": identity(request)})


@dataclass(frozen=True)
class Recording:
    """refusal: what was wrong with the reply and what to do about it, where its text does not say so."""

    header: Header
    made_by: str
    request: Request
    reply: Reply
    refusal: tuple[str, str] | None = None

    @property
    def key(self) -> str:
        return key_of(self.header, self.request)

    def again(self, stream: Callable[[str], None] | None = None) -> Reply:
        """The reply as it was given: parsed anew, or refused anew."""
        if self.refusal:
            error = BadReply(*self.refusal, text=self.reply.text)
            error.reply = self.reply
            raise error
        if stream is not None:
            stream(self.reply.text)
        return fitted(self.reply, self.request.schema)

    def write(self, folder: Path, *, sealed: bool = False) -> Path:
        """Write it whole or not at all; a recording with the same key is replaced."""
        reply = {
            "text": self.reply.text, "finish_reason": self.reply.finish_reason, "model": self.reply.model,
            "ms": round(self.reply.ms, 1), "usage": asdict(self.reply.usage),
            **({"refusal": dict(zip(_REFUSAL, self.refusal, strict=True))} if self.refusal else {}),
        }  # fmt: skip
        data: dict[str, Any] = {
            "format": FORMAT, "provider": self.header.provider, "model": self.header.model,
            "parameters": dict(self.header.parameters), "made_by": self.made_by,
            "recorded": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "request": request_json(self.request), "reply": reply,
        }  # fmt: skip
        if sealed:
            data["seal"] = _seal(data)
        path = folder / f"{self.key}.json"
        write_atomically(path, (dumped(data, indent=1) + "\n").encode())
        return path


def _seal(data: Mapping[str, Any]) -> str:
    return fingerprint({name: value for name, value in data.items() if name != "seal"})


def read(path: Path, *, sealed: bool = False) -> Recording:
    """A recording from its file; DataError for one that is damaged, or of another format. sealed: it must be."""
    advice = "delete it, and record the call anew with --record"
    try:
        data = parsed(path.read_bytes())
        if data["format"] != FORMAT:
            raise DataError(f"{path} has format {data['format']}; this version reads format {FORMAT}", advice)
        if (sealed or "seal" in data) and data["seal"] != _seal(data):
            raise ValueError("its seal is broken")
        asked, said = data["request"], data["reply"]
        messages = tuple(
            Message(entry["role"], entry["text"], tuple(map(image_from, entry.get("images", ()))))
            for entry in asked["messages"]
        )
        header = Header(str(data["provider"]), str(data["model"]), dict(data["parameters"]))
        usage = Usage(**said.get("usage") or {})
        if not isinstance(said["text"], str) or not all(isinstance(message.text, str) for message in messages):
            raise TypeError("a text is no text")
        if not all(type(count) is int and 0 <= count < LARGEST for count in vars(usage).values()):
            raise TypeError("its usage is no count")
        if not (asked["schema"] is None or isinstance(asked["schema"], dict)):
            raise TypeError("its schema is none")
        if not 0 <= float(said.get("ms", 0)) < LARGEST:
            raise ValueError("its time is none")
        reply = Reply(said["text"], None, usage, float(said.get("ms", 0)), str(said.get("finish_reason", "stop")),
                      header.provider, str(said.get("model", header.model)), replayed=True)  # fmt: skip
        request = Request(messages, asked["schema"], int(asked["max_tokens"]))
        refusal = said.get("refusal")
        why = None if refusal is None else (str(refusal["message"]), str(refusal["next_step"]))
        return Recording(header, str(data["made_by"]), request, reply, why)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise DataError(f"the recording {path} cannot be read ({type(error).__name__}: {error})", advice) from error


def recording(header: Header, request: Request, reply: Reply, error: BadReply | None, made_by: str = "") -> Recording:
    """Of a call that was answered. error: why the answer is no use, where it is none. made_by: what wrote it, if not
    the model itself."""
    refusal = (error.message, error.next_step) if error else None
    try:
        fitted(reply, request.schema)
    except BadReply as again:  # a replay finds this by itself
        refusal = None if error and again.message == error.message else refusal
    return Recording(header, made_by or f"{reply.model} by {reply.provider}", request, reply, refusal)


class Recorded(Wrapped):
    """A LanguageModel that writes each reply, also one that is no use, into a folder. made_by: what wrote it, if not
    the model itself."""

    def __init__(self, model: LanguageModel, folder: Path | str, made_by: str = "") -> None:
        super().__init__(model)
        self._folder = expanded(folder)
        self._made_by = made_by

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        request = Request(tuple(messages), schema, max_tokens)
        try:
            reply = self._model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
        except BadReply as error:
            if error.reply:
                self._write(request, error.reply, error)
            raise
        self._write(request, reply, None)
        return reply

    def _write(self, request: Request, reply: Reply, error: BadReply | None) -> None:
        header = Header(self.provider, self.model, self.parameters)
        recording(header, request, reply, error, self._made_by).write(self._folder)
