"""Text that may be drawn and repeated: without control characters, without brackets that could be citations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MOST = 20_000
"""Characters of an answer that are read: some five times the longest that is asked for."""

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    r"|(?:\x1b[\]P_^]|[\x90\x9d])[^\x07\x1b\x90\x9c\x9d]{0,2000}(?:\x07|\x1b\\|\x9c)"  # titles and links of terminals
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
OPENING, CLOSING = "[［【〔⟦❲⁅〖〚﹝⦋", "]］】〕⟧❳⁆〗〛﹞⦌"
"""Square brackets, and what looks like them."""
_ROUND = str.maketrans(dict.fromkeys(OPENING, "(") | dict.fromkeys(CLOSING, ")"))


def plain(text: str) -> str:
    """Text in lines, without terminal sequences, control, format and unassigned characters; blanks are of one kind."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub("[\u2028\u2029\x85\v\f]", "\n", text)
    return "".join(map(_kept, text))


def _kept(c: str) -> str:
    if c == "\n" or (c.isascii() and c.isprintable()):
        return c
    if c.isspace():
        return " "
    return "" if unicodedata.category(c) in _HIDDEN else c


def one_line(text: str) -> str:
    """The same on one line, with single blanks."""
    return " ".join(plain(text).split())


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
