"""A run's own limit of calls and tokens. It is looked at before each call, by all threads together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from strata.errors import BudgetSpent, ProviderError, UsageError
from strata.llm.images import prompt_tokens
from strata.llm.types import LanguageModel, Message, Reply, Schema, Usage
from strata.llm.wrapped import Wrapped


class Budgeted(Wrapped):
    """A LanguageModel within a limit of calls and of tokens, in and out.

    A call is refused with BudgetSpent when its prompt (about, see images.py), with those under way, would go
    over the limit; a reply may go over it by what it writes. Calls that fail count as calls, and by their tokens where
    the model wrote something. used: what was spent.
    """

    def __init__(self, model: LanguageModel, max_calls: int | None = None, max_tokens_total: int | None = None) -> None:
        for name, limit in (("--max-calls", max_calls), ("--max-tokens-total", max_tokens_total)):
            if limit is not None and limit < 0:
                raise UsageError(f"{name} is {limit}", "give a number of 0 or more")
        super().__init__(model)
        self._max_calls = max_calls
        self._max_tokens = max_tokens_total
        self._lock = threading.Lock()
        self._calls = 0
        self._under_way = 0
        self.used = Usage()

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        prompt = prompt_tokens(messages)
        with self._lock:
            self._check(prompt)
            self._calls += 1
            self._under_way += prompt
        usage = Usage()
        try:
            reply = self._model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
            usage = reply.usage
            return reply
        except ProviderError as error:
            usage = error.reply.usage if error.reply else usage
            raise
        finally:
            with self._lock:
                self._under_way -= prompt
                self.used += usage

    def _check(self, prompt: int) -> None:
        spent = self.used.prompt + self.used.completion
        if self._max_calls is not None and self._calls >= self._max_calls:
            raise BudgetSpent(f"the run's {self._max_calls} calls are used up ({spent} tokens)",
                              "allow more with --max-calls; what is done is kept")  # fmt: skip
        if self._max_tokens is not None and spent + self._under_way + prompt > self._max_tokens:
            raise BudgetSpent(f"of the run's {self._max_tokens} tokens {spent} are used in {self._calls} calls, "
                              f"and the next call sends about {prompt}",
                              "allow more with --max-tokens-total; what is done is kept")  # fmt: skip
