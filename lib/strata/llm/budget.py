"""A run's own limit of calls and tokens, which all threads keep to together.

What a server gets is counted, one by one: a call that is made again, because it failed, was cut off or named a
parameter too many, is another call. One that never came to a server is none.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from strata.errors import BudgetSpent, ProviderError, UsageError
from strata.llm.images import prompt_tokens
from strata.llm.types import Usage
from strata.llm.wire import Call, Raw, Wire
from strata.llm.wrapped import WrappedWire

LEAST = 16
"""Tokens that a reply must have room for to be worth asking for."""
_NEXT = "allow more with {}; what is done is kept"


class Budgeted(WrappedWire):
    """A Wire within a limit of calls and of tokens, in and out.

    A call holds the tokens of its prompt (about, see images.py) and as many as its reply may have, until it is known
    what it used. Where the rest is less, the reply gets that much room; where it is less than LEAST, the call is
    refused with BudgetSpent. Before either, a call waits for those under way, which mostly leave some of what they
    hold. used: what was spent.
    """

    def __init__(self, wire: Wire, max_calls: int | None = None, max_tokens_total: int | None = None) -> None:
        for name, limit in (("--max-calls", max_calls), ("--max-tokens-total", max_tokens_total)):
            if limit is not None and limit < 0:
                raise UsageError(f"{name} is {limit}", "give a number of 0 or more")
        super().__init__(wire)
        self._max_calls = max_calls
        self._max_tokens = max_tokens_total
        self._changed = threading.Condition()
        self._calls = self._under_way = self._held = 0
        self.used = Usage()

    def send(self, call: Call) -> Raw:
        prompt = prompt_tokens(call.told())
        room = self._begin(prompt, call.max_tokens)
        try:
            raw = self._wire.send(replace(call, max_tokens=room))
        except BaseException as error:
            self._end(prompt + room, Usage(), reached=not isinstance(error, ProviderError) or error.reached)
            if isinstance(error, ProviderError):
                self._last(error, prompt)
            raise
        self._end(prompt + room, raw.used(call), reached=True)
        if raw.finish == "length" and room < call.max_tokens:
            return replace(raw, spent=BudgetSpent(
                f"the reply was cut off at {room} tokens, all that the run's {self._max_tokens} left for it",
                _NEXT.format("--max-tokens-total"),
            ))  # fmt: skip
        return raw

    def _begin(self, prompt: int, wanted: int) -> int:
        """How many tokens a reply may have, once they are held for it."""
        with self._changed:
            while self._under_way and (self._lack(prompt) or self._left() < prompt + wanted):
                self._changed.wait()
            if lack := self._lack(prompt):
                raise lack
            room = min(wanted, int(self._left()) - prompt) if self._max_tokens is not None else wanted
            self._calls += 1
            self._under_way += 1
            self._held += prompt + room
            return room

    def _end(self, held: int, usage: Usage, *, reached: bool) -> None:
        with self._changed:
            self._calls -= not reached
            self._under_way -= 1
            self._held -= held
            self.used += usage
            self._changed.notify_all()

    def _last(self, error: ProviderError, prompt: int) -> None:
        """Nobody need wait to ask again where there is nothing left to ask with."""
        with self._changed:
            lack = self._lack(prompt)
        if error.again and lack:
            error.again = False
            error.next_step = f"{error.next_step}; it is not asked again: {lack.message}"

    def _left(self) -> float:
        if self._max_tokens is None:
            return float("inf")
        return self._max_tokens - self.used.prompt - self.used.completion - self._held

    def _lack(self, prompt: int) -> BudgetSpent | None:
        """Why a call cannot be made now, None where it can."""
        spent = self.used.prompt + self.used.completion
        if self._max_calls is not None and self._calls >= self._max_calls:
            return BudgetSpent(f"the run's {self._max_calls} calls are used up ({spent} tokens)",
                               _NEXT.format("--max-calls"))  # fmt: skip
        if self._left() < prompt + LEAST:
            return BudgetSpent(f"of the run's {self._max_tokens} tokens {spent} are used in {self._calls} calls, "
                               f"and the next call sends about {prompt}, its reply not counted",
                               _NEXT.format("--max-tokens-total"))  # fmt: skip
        return None
