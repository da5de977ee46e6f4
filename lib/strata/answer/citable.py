"""A reply, and what it is made from, without brackets that could be citations, as it streams in or whole."""

from __future__ import annotations

from collections.abc import Callable

from strata.printable import one_line, plain

MOST = 20_000
"""Characters of an answer that are read: some five times the longest that is asked for."""

OPENING, CLOSING = "[［【〔⟦❲⁅〖〚﹝⦋", "]］】〕⟧❳⁆〗〛﹞⦌"
"""Square brackets, and what looks like them."""
_ROUND = str.maketrans(dict.fromkeys(OPENING, "(") | dict.fromkeys(CLOSING, ")"))


def uncitable(text: str) -> str:
    """One line in which no bracket can be read as a citation: a source's own [2] becomes (2)."""
    return one_line(text).translate(_ROUND)


class Cleaned:
    """Passes a reply on as it streams in, cleaned; a terminal sequence that is cut in two loses its first character at
    least, without which it is harmless."""

    def __init__(self, stream: Callable[[str], None]) -> None:
        self._stream = stream

    def __call__(self, piece: str) -> None:
        text = plain(piece)
        if text:
            self._stream(text)
