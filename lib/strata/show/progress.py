"""A progress bar on stderr: how many, how fast, how long still. Work of under a second shows nothing.

Where stderr is no terminal, a line now and then instead of a bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
EVERY = 15.0
"""Seconds: before anything is shown, and between two lines where there is no terminal."""


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Opens a bar; the function it gives takes the number done so far."""
    with (_drawn if sys.stderr.isatty() else _written)(what, total) as advance:
        yield advance


@contextmanager
def _written(what: str, total: int) -> Iterator[Callable[[int], None]]:
    start = last = time.monotonic()

    def advance(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if (done >= total and now - start >= PATIENCE) or now - last >= EVERY:
            last = now
            rate = done / max(now - start, 1e-9)
            left = f", {(total - done) / rate:.0f} s left" if 0 < done < total else ""
            took = f" in {now - start:.1f} s" if done >= total else ""
            print(f"{done:,} of {total:,} {what}{took} ({rate:.0f}/s{left})", file=sys.stderr, flush=True)

    yield advance


@contextmanager
def _drawn(what: str, total: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}/s"),
        TimeRemainingColumn(),
    )
    start = time.monotonic()
    progress = Progress(*columns, console=Console(stderr=True))
    task = progress.add_task(what, total=total, rate="–")

    def advance(done: int) -> None:
        seconds = max(time.monotonic() - start, 1e-9)
        progress.update(task, completed=done, rate=f"{done / seconds:.0f}")
        if seconds >= PATIENCE and done < total and not progress.live.is_started:
            progress.start()

    try:
        yield advance
    finally:
        progress.stop()
