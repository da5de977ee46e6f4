"""What is put right in every entry, whatever file it came from.

- Letters that were escaped twice: `\\u2019` standing as six characters inside a text is the letter it means. Only
  \\uXXXX is undone, in pairs where a letter needs two (emoji); a half of a pair, a control character and a backslash
  stay as they were written.
- A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
- A number beyond a float's range (1e999) becomes null, as NaN does.

Nothing else is changed: white space, HTML entities and case stay as the catalogue has them.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from strata.core.types import Document
from strata.errors import DataError

DEEPEST = 32
"""Fields may be nested this far. Far beyond any catalogue, far below Python's own limit."""

_ESCAPED = re.compile(
    r"(?<!\\)\\u(?:([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|((?![dD][89a-fA-F])[0-9a-fA-F]{4}))"
)


def cleaned(document: Document, where: str) -> Document:
    """The document with title, text and fields put right. DataError, beginning with `where`, for a hopeless one."""
    if isinstance(document.id, str) and _whole(document.id) != document.id:
        raise DataError(f"{where}: the id {document.id!a} holds half a letter", "give that entry another id")
    fields = {_text(name): _value(value, where, 1) for name, value in document.fields.items()}
    return replace(document, title=_text(document.title), text=_text(document.text), fields=fields)


def escaped_twice(document: Document) -> bool:
    """Whether title or text hold letters that were escaped twice."""
    return any("\\u" in text and unescaped(text) != text for text in (document.title, document.text))


def unescaped(text: str) -> str:
    """ "It\\u2019s" with six characters for the apostrophe → "It’s"."""
    return _ESCAPED.sub(_letter, text) if "\\u" in text else text


def _letter(match: re.Match[str]) -> str:
    high, low, single = match.groups()
    if single is None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    letter = chr(int(single, 16))
    return match.group() if letter < " " or letter == "\\" else letter


def _text(text: str) -> str:
    return _whole(unescaped(text))


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _value(value: Any, where: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise DataError(f"{where}: a field is nested more than {DEEPEST} deep", "flatten that entry")
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_value(item, where, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_text(name): _value(item, where, depth + 1) for name, item in value.items()}
    return value
