"""Lists of words as the rules of this room are written: a line of text each."""

from __future__ import annotations


def listed(text: str) -> tuple[str, ...]:
    """The words of a text that is a list of words."""
    return tuple(text.split())
