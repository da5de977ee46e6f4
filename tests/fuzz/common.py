"""What every fuzz test shares: how many examples, and what a call may do with its input."""

from __future__ import annotations

import os
import signal
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings

from strata.errors import LONGEST, StrataError

T = TypeVar("T")
TIMES = int(os.environ.get("FUZZ_TIMES", "1"))
CPU, WALL = 10, 300
"""Seconds that one example may take: of this process's own time, so that a busy machine fails nothing, and in all."""


def fuzz(examples: int) -> settings:
    """Settings of a test: so many examples, the same each time; with FUZZ_TIMES so many times as many, new ones."""
    return settings(
        max_examples=examples * TIMES,
        derandomize=TIMES == 1,
        deadline=None,  # held() has its own, which ends what hangs
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


class Hung(Exception):
    """An example took longer than it may."""


@contextmanager
def bounded(cpu: float = CPU, wall: float = WALL) -> Iterator[None]:
    """Raises Hung within the block where it takes longer. Where there are no alarms (Windows) it only runs it."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, _: Any) -> None:
        raise Hung(f"over {cpu} s of processor time" if number == signal.SIGPROF else f"over {wall} s")

    before = [signal.signal(one, end) for one in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, cpu)
    signal.setitimer(signal.ITIMER_REAL, wall)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(one, handler)


def held(call: Callable[..., T], *args: Any, cpu: float = CPU, **more: Any) -> T | None:
    """What a call gives; None where it says, in one line, what is wrong. Anything else fails the test."""
    try:
        with bounded(cpu):
            return call(*args, **more)
    except StrataError as error:
        well_said(error)
        return None


def well_said(error: StrataError) -> None:
    """An error is a line that can be read, and a line that says what to do."""
    for text in (error.message, error.next_step):
        assert len(text) <= LONGEST, f"{len(text):,} characters"
        assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text), repr(text)
    assert error.message
