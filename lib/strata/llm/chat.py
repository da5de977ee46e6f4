"""The chat completion format that Groq, OpenAI, Ollama, llama.cpp and vLLM share: requests out, replies in. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from strata.errors import BadReply
from strata.llm.faults import Answer
from strata.llm.images import address
from strata.llm.types import Message, Schema, Usage
from strata.llm.wire import Call, Raw, wanted

_UNENFORCED = {"minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "default"}
"""What servers that enforce a schema do not take; `parsing.checked` holds the reply against it afterwards."""


def request(call: Call, model: str, parameters: Mapping[str, Any], limit: str, *, strict: bool) -> dict[str, Any]:
    """The body of a request. limit: what the server calls the most tokens. strict: whether it enforces a schema."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": _content(message)} for message in call.told()],
        limit: call.max_tokens,
        **{name: value for name, value in parameters.items() if name not in call.dropped},
    }
    if call.form() == "json_object":
        body["response_format"] = {"type": "json_object"}
    elif call.form() == "json_schema" and call.schema is not None:
        named = {"name": "reply", "schema": enforced(wanted(call.schema)), "strict": strict}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if call.stream:
        body["stream"] = True
        if "stream_options" not in call.dropped:
            body["stream_options"] = {"include_usage": True}
    return body


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Plain text where there is nothing else: not every server knows parts."""
    if not message.images:
        return message.text
    shown = [{"type": "image_url", "image_url": {"url": address(image)}} for image in message.images]
    return [{"type": "text", "text": message.text}, *shown]


def sent(call: Call, parameters: Mapping[str, Any]) -> list[str]:
    """The parameters of a call that a server may refuse, by the names that `dropped` knows."""
    named = [*parameters, call.form(), "max_tokens", "stream_options" if call.stream else ""]
    return [name for name in named if name and name not in call.dropped]


def enforced(schema: Schema) -> Schema:
    """A schema in the form that servers enforce: nothing beside the properties, all of them required."""
    plain = {name: value for name, value in schema.items() if name not in _UNENFORCED}
    if "properties" in plain:
        plain["properties"] = {name: enforced(value) for name, value in plain["properties"].items()}
        plain |= {"required": list(plain["properties"]), "additionalProperties": False}
    if "items" in plain:
        plain["items"] = enforced(plain["items"])
    return plain


def reply(completion: Any) -> Raw:
    """What a chat completion says."""
    try:
        choice = completion["choices"][0]
        message = choice["message"]
        return _raw(_text(message.get("content")), choice.get("finish_reason"), completion.get("model"),
                    completion.get("usage"), message.get("refusal"))  # fmt: skip
    except (LookupError, TypeError, AttributeError):
        raise BadReply("what came is no chat completion", "check the base URL, or name another model") from None


def listed(found: Any) -> list[str]:
    """The names in a list of models; none where it is no such list."""
    rows = found.get("data") if isinstance(found, Mapping) else None
    return [str(row["id"]) for row in rows or () if isinstance(row, Mapping) and "id" in row]


def salvaged(answer: Answer) -> Raw | None:
    """What the model wrote when Groq refuses a reply that does not fit the schema; None for any other refusal."""
    error = answer.error()
    if error.get("code") != "json_validate_failed":
        return None
    written = error.get("failed_generation")
    text = written if isinstance(written, str) else ""
    cut = not text or "max completion tokens" in str(error.get("message"))
    return Raw(text, "length" if cut else "stop", answer.model)


class Chunks:
    """A streamed completion, put together; each piece of text is passed on as it comes."""

    def __init__(self, stream: Callable[[str], None]) -> None:
        self._stream = stream
        self._pieces: list[str] = []
        self._finish: str | None = None
        self._model: str | None = None
        self._usage: Any = None
        self._refusal: list[str] = []

    @property
    def finished(self) -> bool:
        return self._finish is not None

    def add(self, chunk: Any) -> None:
        if not isinstance(chunk, Mapping):
            raise BadReply("a piece of the streamed reply is not what it should be", "try again, or another model")
        self._model = chunk.get("model") or self._model
        self._usage = chunk.get("usage") or (chunk.get("x_groq") or {}).get("usage") or self._usage
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or {}
            self._finish = choice.get("finish_reason") or self._finish
            if delta.get("refusal"):
                self._refusal.append(str(delta["refusal"]))
            piece = _text(delta.get("content"))
            if piece:
                self._pieces.append(piece)
                self._stream(piece)

    def raw(self) -> Raw:
        return _raw("".join(self._pieces), self._finish, self._model, self._usage, "".join(self._refusal))


def _raw(text: str, finish: Any, model: Any, usage: Any, refusal: Any) -> Raw:
    refused = str(refusal or "") or ("content_filter" if finish == "content_filter" else "")
    return Raw(text, str(finish or "stop"), str(model or ""), _usage(usage), refused)


def _text(content: Any) -> str:
    """Text as it stands, or the text parts of a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping) or not isinstance(usage.get("prompt_tokens"), int):
        return None
    details = usage.get("completion_tokens_details") or {}
    return Usage(usage["prompt_tokens"], int(usage.get("completion_tokens") or 0),
                 int(details.get("reasoning_tokens") or 0), 1)  # fmt: skip
