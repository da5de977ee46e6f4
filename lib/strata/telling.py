"""How long work tells of itself: notices, and bars of progress. Nothing here knows where they are shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Note = Callable[[str], None]
Advance = Callable[[int], None]
"""Told how many are done."""
Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""progress(what, total) opens a bar, and gives what advances it."""


def telling(progress: Progress | None, what: str, total: int) -> AbstractContextManager[Advance]:
    """A bar where there is anybody to see it and anything to do."""
    return progress(what, total) if progress and total else nullcontext(_unseen)


def _unseen(_: int) -> None:
    """Nobody looks."""
