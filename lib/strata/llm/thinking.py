"""Models that think aloud in <think> tags before they answer: a stream shows the answer only."""

from __future__ import annotations

from collections.abc import Callable

OPEN, CLOSE = "<think>", "</think>"


class Spoken:
    """Passes the pieces of a stream on, but not a leading block of thinking, nor white space before the answer.

    given: whether anything was passed on.
    """

    def __init__(self, stream: Callable[[str], None]) -> None:
        self._stream = stream
        self._held = ""
        self._thinking = False
        self.given = False

    def __call__(self, piece: str) -> None:
        if self.given:
            self._stream(piece)
            return
        self._held = (self._held + piece).lstrip()
        if not self._thinking and self._held.startswith(OPEN):
            self._thinking = True
        if self._thinking:
            _, closed, answer = self._held.partition(CLOSE)
            if not closed:
                return
            self._thinking, self._held = False, answer.lstrip()
        if self._held and not OPEN.startswith(self._held):
            self._pass()

    def close(self) -> None:
        """Pass on what was held back in case it became a tag."""
        if self._held and not self._thinking:
            self._pass()

    def _pass(self) -> None:
        self.given = True
        self._stream(self._held)
        self._held = ""
