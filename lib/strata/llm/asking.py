"""A provider as a LanguageModel: what to do about models that refuse a parameter, break off or say nothing.

A parameter that the server refuses is left out, announced once and remembered as long as this object lives, which is
as long as the process does. A reply that was cut off before anything usable came is asked for once more with more
tokens, and what it used is counted whatever becomes of that. What comes is parsed by the schema, whatever the server
promised.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from strata.errors import BadReply, ProviderError, Refused
from strata.llm.faults import clean
from strata.llm.hiding import Hiding, without, without_any, without_data
from strata.llm.naming import plain_name
from strata.llm.parsing import fitted, parse
from strata.llm.retry import Tries
from strata.llm.thinking import Spoken, begins_thinking, visible
from strata.llm.types import Message, Reply, Schema, Usage
from strata.llm.wire import Call, Raw, Unsupported, Wire
from strata.llm.wrapped import WrappedWire

MORE = 3
"""How many times as many tokens a reply that was cut off gets."""


class Asking(WrappedWire):
    """A LanguageModel over a vendor's wire. tries: how often each call is made; once without it."""

    def __init__(
        self,
        wire: Wire,
        note: Callable[[str], None],
        tries: Tries | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(wire)
        self._note = note
        self._tries = tries
        self._clock = clock
        self._lock = threading.Lock()
        self._dropped: frozenset[str] = frozenset()

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        if schema is not None and stream is not None:
            raise ValueError("a reply with a schema is not streamed")
        call = Call(tuple(messages), schema, max_tokens + self._wire.reserve, self._dropped, stream)
        raw, ms = self._sent(call)
        spent = raw.used(call)
        cut = self._cut_off(raw, schema)
        if cut:
            self._note(f"{self.provider}: the reply was cut off at {call.max_tokens} tokens; asking once more")
            call = replace(call, max_tokens=call.max_tokens * MORE, dropped=self._dropped)
            try:
                again, more = self._sent(call)
            except ProviderError as error:
                self._first(error, self._reply(raw, spent, ms))
                raise
            raw, ms, spent = again, ms + more, spent + again.used(call)
            cut = self._cut_off(raw, schema)
        reply = self._reply(raw, spent, ms)
        problem = self._problem(raw, call, reply, cut)
        if problem:
            problem.reply = reply
            raise problem
        return fitted(reply, schema)

    def _first(self, error: ProviderError, reply: Reply) -> None:
        """Leave the reply that was cut off with the error that came when it was asked for again: it was paid for."""
        if isinstance(error, BadReply):  # its text is the model's, and here no model's text is of use
            error.text, reply = "", replace(reply, text="")
        error.reply = reply

    def _reply(self, raw: Raw, spent: Usage, ms: float) -> Reply:
        return Reply(visible(raw.text), None, spent, ms, raw.finish, self.provider, raw.model or self.model)

    def _who(self) -> str:
        return f"{self.provider} ({self.model})"

    def _problem(self, raw: Raw, call: Call, reply: Reply, cut: bool) -> ProviderError | None:
        """Why a reply is none to go by, whatever its schema says."""
        if raw.spent:
            return raw.spent
        if raw.refused:
            return Refused(f"{self._who()} blocked its reply: {clean(raw.refused)}",
                           "ask in other words, or leave out what may be the cause")  # fmt: skip
        if cut:
            return BadReply(f"{self._who()} used up {call.max_tokens} tokens before its reply was whole",
                            "ask with a smaller --limit, or another model with --llm-model", reply.text)  # fmt: skip
        if not reply.text:
            return BadReply(f"{self._who()} sent an empty reply (finish_reason {clean(raw.finish) or 'none'})",
                            "try again, or another model with --llm-model")  # fmt: skip
        return None

    def _clean(self, raw: Raw, call: Call) -> Raw:
        return replace(
            raw, text=self._safe(raw.text, call), finish=self._safe(raw.finish, call),
            model=plain_name(self._safe(raw.model, call)), refused=self._safe(raw.refused, call),
        )  # fmt: skip

    def _safe(self, text: str, call: Call) -> str:
        """A server may repeat the key, or the picture, that it was sent; what it says is shown, logged and recorded."""
        text = without(text, self._wire.secrets)
        return without_data(text, call.shown) if call.shown else text

    def _cut_off(self, raw: Raw, schema: Schema | None) -> bool:
        """Whether a reply ended for want of tokens before anything usable came."""
        if raw.finish != "length" or raw.refused or raw.spent:
            return False
        if schema is None or not visible(raw.text):
            return not visible(raw.text)
        try:
            parse(raw.text, schema)
        except BadReply:
            return True
        return False

    def _sent(self, call: Call) -> tuple[Raw, float]:
        """The answer to a call, without what the server refuses to be told, and the milliseconds that it took."""
        while True:
            try:
                return self._tried(call)
            except Unsupported as refusal:
                name = refusal.parameter
            if name in call.dropped:
                raise ProviderError(f"{self._who()} refuses {name}, also when it is left out",
                                    "name another model with --llm-model")  # fmt: skip
            with self._lock:
                news = name not in self._dropped
                self._dropped |= {name}
            if news:
                self._note(f"{self.provider}: {self.model} does not take {_SAID.get(name, name)}; left out from now on")
            call = replace(call, dropped=call.dropped | {name})

    def _tried(self, call: Call) -> tuple[Raw, float]:
        shown = _Shown(call.stream) if call.stream else None
        if self._tries is None:
            return self._once(call, shown)
        return self._tries(lambda: self._once(call, shown), lambda: shown is not None and shown.given)

    def _once(self, call: Call, shown: _Shown | None) -> tuple[Raw, float]:
        """One try. What a former one held back of its stream goes with it."""
        hiding = Hiding(shown, self._wire.secrets) if shown else None
        spoken = Spoken(hiding, begins_thinking(self.model)) if hiding else None
        begun = self._clock()
        try:
            raw = self._clean(self._wire.send(replace(call, stream=spoken)), call)
        except BadReply as error:
            error.text = without_any(self._safe(error.text, call), self._wire.secrets)
            raise
        if spoken and hiding:
            spoken.close()
            hiding.close()
        return raw, (self._clock() - begun) * 1000


class _Shown:
    """A stream that knows whether a piece was shown: what was shown cannot be asked for again."""

    def __init__(self, stream: Callable[[str], None]) -> None:
        self._stream = stream
        self.given = False

    def __call__(self, piece: str) -> None:
        self.given = True
        self._stream(piece)


_SAID = {
    "json_schema": "a JSON schema, the prompt names the form instead,",
    "json_object": "an order to write JSON",
    "max_tokens": "max_tokens (max_completion_tokens stands in)",
}
