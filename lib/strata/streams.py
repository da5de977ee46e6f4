"""The edges to the shell, whatever it is: streams that are closed, full or lack a sign, arguments that are not UTF-8.

Windows gives a pipe its old code page, containers set no locale, a daemon closes what it does not need. Output then has
letters without their accents, plain signs for drawn ones, and "?" for the rest, each as wide as before where that can
be; it is never a traceback.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
import unicodedata
from typing import IO

PLAIN = {
    "▓": "#", "█": "#", "▒": "=", "░": ".", "│": "|", "─": "-", "┬": "+", "┐": "+", "└": "+", "├": "+", "┼": "+",
    "…": "~", "·": "-", "•": "*", "✓": "+", "✗": "x", "→": ">", "←": "<", "↑": "^", "↓": "v", "−": "-", "–": "-",
    "—": "-", "×": "x", "≥": ">=", "≤": "<=", "≈": "~", "±": "+-", "‘": "'", "’": "'", "“": '"', "”": '"', "„": '"',
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "þ": "th", "ı": "i",
}  # fmt: skip
"""What is drawn, or written in a catalogue, and what stands for it where an encoding lacks it."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG}
"""Why an output cannot be written any more."""


def prepare() -> None:
    """Streams that are there, and take every text. What is closed is written to nowhere."""
    codecs.register_error("strata", _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # print(file=None) would write to the other one
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="strata")
    if os.environ.get("COLUMNS", "").strip() in {"0", "1"}:  # a terminal of no width: Rich would draw nothing at all
        del os.environ["COLUMNS"]


def _plain(error: UnicodeError) -> tuple[str, int]:
    """As codecs' own "replace", with a sign that is nearer than "?" where the encoding has one."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_sign(sign, error.encoding) for sign in lacking), error.end


def _sign(sign: str, encoding: str) -> str:
    letters = "".join(c for c in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(c))
    known = PLAIN.get(sign, letters)
    return known if holds(encoding, known) and (known or unicodedata.combining(sign)) else "?"


def holds(encoding: str, text: str) -> bool:
    """Whether an encoding can write a text as it is."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def let_go(stream: str) -> None:
    """Write no more to a stream that cannot be written, not even what it holds when the process ends."""
    setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for exit's flush


def readable(text: str) -> str:
    """An argument as text. Bytes that the locale could not read are read as UTF-8, else become U+FFFD."""
    if text.isascii() or holds("utf-8", text):
        return text
    try:
        return os.fsencode(text).decode("utf-8", "replace")
    except UnicodeEncodeError:  # half a letter, or a locale without the others
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def encoding_of(stream: IO[str]) -> str:
    """The encoding that a stream writes; UTF-8 for one that keeps text as it is."""
    return getattr(stream, "encoding", None) or "utf-8"
