"""Asking again, in one place for every provider: when, how often and how long to wait.

A time-out, a server error or a lost connection is asked again after a wait that grows and is drawn at random ("full
jitter"), so that many clients do not come back at once. Where the provider says how long to wait, that is how long.
All of it stays within one cap; what would take longer fails at once and names the wait. Once a provider has failed for
good, later requests get one try each, and until the end of a wait that was too long none at all.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

from strata.errors import ProviderError, RateLimited
from strata.llm.waits import spoken

_T = TypeVar("_T")


@dataclass(frozen=True)
class Patience:
    """attempts: tries in all. base: seconds of the first wait at most, doubled each time. cap: seconds for one request
    with all its tries and waits. clock, sleep, random (0 to 1): so that a test need not wait."""

    attempts: int = 5
    base: float = 0.5
    cap: float = 90.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random


class Tries:
    """Asks a provider again where that may help. provider: its name, for notes."""

    def __init__(self, provider: str, note: Callable[[str], None], patience: Patience | None = None) -> None:
        self._provider = provider
        self._note = note
        self._patience = patience or Patience()
        self._lock = threading.Lock()
        self._failing = False
        self._limited: tuple[float, ProviderError] | None = None

    def __call__(self, ask: Callable[[], _T], shown: Callable[[], bool] = lambda: False) -> _T:
        """What `ask` gives in the end. shown: whether a piece of a reply was: what was shown is not asked for again."""
        patience, begun = self._patience, self._patience.clock()
        tries = 0
        while True:
            self._still_limited()
            tries += 1
            try:
                found = ask()
                self._failing = False
                return found
            except ProviderError as error:
                problem = error
            wait = self._wait(problem, tries)
            left = patience.cap - (patience.clock() - begun)
            over = tries >= patience.attempts or self._failing or wait > left
            if not problem.again or shown() or over:
                self._remember(problem)
                raise problem
            if wait >= 2:
                self._note(f"{self._provider}: {problem.kind.replace('_', ' ')}; asking again in {spoken(wait)}")
            patience.sleep(wait)

    def _wait(self, problem: ProviderError, tries: int) -> float:
        drawn = float(self._patience.random() * self._patience.base * 2 ** (tries - 1))
        if problem.retry_after is None:
            return drawn
        return problem.retry_after + 0.1 * drawn  # never earlier than asked, and not all of us at the same moment

    def _remember(self, problem: ProviderError) -> None:
        with self._lock:
            if not isinstance(problem, RateLimited):
                self._failing = problem.again
            elif problem.retry_after is not None:
                now = copy(problem)  # a reply may be left with it later
                self._limited = (self._patience.clock() + problem.retry_after, now)

    def _still_limited(self) -> None:
        with self._lock:
            if self._limited and self._patience.clock() < self._limited[0]:
                raise copy(self._limited[1])
            self._limited = None
