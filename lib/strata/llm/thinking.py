"""Models that think aloud in <think> tags before they answer: only the answer is their reply.

Some chat templates open the tag at the end of the prompt, so that the reply holds its end alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

OPEN, CLOSE = "<think>", "</think>"
_THINKING = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_CLOSED = re.compile(r"(?<![`\"'])</think>")
_FENCE = re.compile(r"^\s*```", re.MULTILINE)
_OBJECT = re.compile(r'\{\s*"|\[\s*[{"]')
_BEGINS = re.compile(r"deepseek-r1|\br1\b|\bqwq\b|\bthinking\b", re.IGNORECASE)
LOOKS = 200
"""How many beginnings of JSON before the end of a tag are looked at: the tag may be part of one."""


def visible(text: str) -> str:
    """A reply without the thinking aloud that some models begin with."""
    if _THINKING.match(text):
        return _THINKING.sub("", text).strip()
    end = _CLOSED.search(text)
    return text[end.end() :].strip() if end and not _within(text, end.start()) else text.strip()


def _within(text: str, at: int) -> bool:
    """Whether a place is within a fence or a JSON value, and so a part of the answer."""
    if len(_FENCE.findall(text, 0, at)) % 2 and _FENCE.search(text, at):
        return True
    decoder = json.JSONDecoder()
    begun = 0
    for _ in range(LOOKS):
        found = _OBJECT.search(text, begun, at)
        if found is None:
            return False
        try:
            _, begun = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            begun = found.end()
        if begun > at:
            return True
    return False


def begins_thinking(model: str) -> bool:
    """Whether a model of this name is known for templates that open the tag, so that its first words are thoughts."""
    return bool(_BEGINS.search(model))


class Spoken:
    """Passes the pieces of a stream on, but not a leading block of thinking, nor white space before the answer.

    thinks: whether it begins within the block. given: whether anything was passed on.
    """

    def __init__(self, stream: Callable[[str], None], thinks: bool = False) -> None:
        self._stream = stream
        self._held = ""
        self._thinking = thinks
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
        """Pass on what was held back in case it became a tag, or the end of a block that never was."""
        if self._held and not self._held.startswith(OPEN):
            self._pass()

    def _pass(self) -> None:
        self.given = True
        self._stream(self._held)
        self._held = ""
