"""The boundary round retrieved text: whatever a document says, it stays data.

Documents are written as JSON, one a line, between two lines that carry a random boundary. No text can hold a line
break, a control character or the boundary, so none can end the data, imitate its end or look like an instruction
outside it. What still reads as an order is for the instructions to disarm: they stand outside and say that everything
between the two lines is data. For the keys of recordings the random boundary is replaced by a fixed mark.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence

MARK = "boundary-fixed"
_RANDOM = re.compile(r"boundary-[0-9a-f]{32}")


def new_boundary() -> str:
    """A boundary that nobody can have known: 128 random bits."""
    return f"boundary-{secrets.token_hex(16)}"


def unmarked(text: str) -> str:
    """Text with its random boundaries replaced by the fixed mark."""
    return _RANDOM.sub(MARK, text)


def quoted(value: object) -> str:
    """A value as JSON on one line, in which everything that a reader does not see, or that changes how the rest is
    shown, is written as an escape. It reads back as the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def fence(documents: Sequence[Mapping[str, object]], boundary: str | None = None) -> str:
    """Documents as data between two lines with the boundary.

    A boundary that is given must not occur in the documents (ValueError); without one, a random one is drawn.
    """
    lines = [quoted(document) for document in documents]
    if boundary is None:
        boundary = new_boundary()
        while any(boundary in line for line in lines):
            boundary = new_boundary()
    elif any(boundary in line for line in lines):
        raise ValueError("the boundary occurs in the data")
    return "\n".join((f"<<<{boundary}", *lines, f"{boundary}>>>"))
