"""Text from outside (a reply, a server's words, a catalogue) as it may be drawn, repeated and sent on."""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    r"|(?:\x1b[\]P_^]|[\x90\x9d])[^\x07\x1b\x90\x9c\x9d]{0,2000}(?:\x07|\x1b\\|\x9c)"  # titles and links of terminals
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


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


def one_line(text: str, most: int | None = None) -> str:
    """The same on one line, with single blanks, and of at most `most` characters, of which … is the last if one is
    left out."""
    line = " ".join(plain(text).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1].rstrip()}…"
