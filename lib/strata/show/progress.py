"""A progress bar on stderr: how many, how fast, how long still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Opens a bar; the function it gives takes the number done so far. Without a terminal: a line at the end."""
    import sys
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    start, done = time.monotonic(), 0
    if not sys.stderr.isatty():

        def count(number: int) -> None:
            nonlocal done
            done = number

        yield count
        seconds = time.monotonic() - start
        print(f"{done:,} {what} in {seconds:.1f} s ({done / max(seconds, 1e-9):.0f}/s)", file=sys.stderr)
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total, rate="–")

        def advance(number: int) -> None:
            seconds = max(time.monotonic() - start, 1e-9)
            progress.update(task, completed=number, rate=f"{number / seconds:.0f}")

        yield advance
