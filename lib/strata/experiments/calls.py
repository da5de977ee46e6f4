"""What a run asked of a language model, as its log holds it, and the model that gives those replies again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from strata import errors
from strata.errors import BadReply, NoRecording, ProviderError
from strata.experiments.fields import Fields
from strata.files import fingerprint
from strata.llm.faults import clean
from strata.llm.images import image_from
from strata.llm.parsing import fitted
from strata.llm.recording import identity
from strata.llm.types import Image, Message, Reply, Request, Role, Schema, Usage

KINDS = {
    kind.kind: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ProviderError)
}
"""Errors of providers by the name that a log has for them."""


@dataclass(frozen=True)
class Call:
    """reply: what came, None where nothing did. error: kind, message and next step, None where the reply was used."""

    request: Request
    provider: str
    model: str
    reply: Reply | None
    error: tuple[str, str, str] | None

    @property
    def key(self) -> str:
        """What was asked, whatever random boundary stood round the documents."""
        return fingerprint(identity(self.request))


def call(data: Fields) -> Call:
    """A call from a log; fields.Odd where it is none."""
    messages = tuple(_message(one) for one in data.tables("messages"))
    schema = data.table("schema").data or None
    provider, model = data.text("provider", ""), data.text("model", "")
    usage = data.table("usage")
    spent = Usage(*(usage.count(name, 0) for name in ("prompt", "completion", "reasoning", "calls")))
    ms, finish = data.number("ms", 0.0), data.text("finish_reason", "stop")
    reply = None
    if data.data.get("reply") is not None:
        reply = Reply(data.text("reply"), None, spent, ms, finish, provider, model, replayed=True)
    failed = data.table("error")
    error = (failed.text("kind"), failed.text("message"), failed.text("next_step", "")) if failed.data else None
    if reply is None and error is None:
        data.odd("has neither reply nor error")
    return Call(Request(messages, schema, data.count("max_tokens")), provider, model, reply, error)


def _message(data: Fields) -> Message:
    role = data.text("role")
    if role not in get_args(Role):
        data.odd("role is none of system, user, assistant")
    return Message(cast(Role, role), data.text("text"), tuple(map(_image, data.tables("images"))))


def _image(data: Fields) -> Image:
    try:
        return image_from(data.data)
    except (KeyError, TypeError):
        data.odd("is no picture")


class LoggedReplies:
    """A LanguageModel that answers from the calls of a log: the same request gets the same reply, or the same error.

    A request that was made several times gets its replies in their order, the last one again and again. given, missing:
    how many requests were answered, and were not in the log; unused: how many calls of the log were not asked for.
    provider, model: those of the log.
    """

    parameters: Mapping[str, Any] = {}

    def __init__(self, calls: Sequence[Call], run: str) -> None:
        self.provider, self.model = (
            ", ".join(dict.fromkeys(filter(None, names))) or "none"
            for names in ((call.provider for call in calls), (call.model for call in calls))
        )
        self.missing = 0
        self._run = run
        self._calls: dict[str, list[Call]] = {}
        for one in calls:
            self._calls.setdefault(one.key, []).append(one)
        self._asked = dict.fromkeys(self._calls, 0)
        self._lock = threading.Lock()  # a reranker asks several at a time

    @property
    def given(self) -> int:
        return sum(self._asked.values())

    @property
    def unused(self) -> int:
        return sum(max(0, len(calls) - self._asked[key]) for key, calls in self._calls.items())

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        found = self._next(fingerprint(identity(Request(tuple(messages), schema, max_tokens))))
        if found is None:
            raise NoRecording(f"the log of {self._run} holds no reply to this request: it was not asked then",
                              "ask anew with --llm NAME")  # fmt: skip
        if found.error is not None:
            raise _error(found)
        assert found.reply is not None
        if stream is not None:
            stream(found.reply.text)
        return fitted(found.reply, schema)

    def _next(self, key: str) -> Call | None:
        with self._lock:
            known = self._calls.get(key)
            if known is None:
                self.missing += 1
                return None
            self._asked[key] += 1
            return known[min(self._asked[key], len(known)) - 1]


def _error(found: Call) -> ProviderError:
    kind, message, next_step = found.error or ("", "", "")
    error = KINDS.get(kind, ProviderError)(clean(message), clean(next_step))
    error.reply = found.reply
    if isinstance(error, BadReply) and found.reply:
        error.text = found.reply.text
    return error
