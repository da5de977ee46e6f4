"""From one entry as a file gives it to a Document."""

from __future__ import annotations

import re
from typing import Any

from strata.core.types import DocId, Document
from strata.errors import DataError

IDS = ("id", "_id", "doc_id")
TITLES = ("title", "name")
TEXTS = ("description", "text", "overview", "plot", "synopsis", "extract", "summary")

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def document(entry: Any, where: str) -> Document:
    """id, title and text by their usual names (the first that is there); everything else is kept as fields.

    DataError, beginning with `where`, for an entry that is no object or has no usable id. A missing title or text
    is "".
    """
    if not isinstance(entry, dict):
        raise DataError(
            f"{where}: expected an object, found {_kind(entry)}", 'an entry looks like {"id": 1, "title": …}'
        )
    id_name = next((name for name in IDS if name in entry), None)
    if id_name is None:
        raise DataError(f"{where}: no id", f"give each entry one of: {', '.join(IDS)}")
    title_name = next((name for name in TITLES if entry.get(name) is not None), None)
    text_name = next((name for name in TEXTS if entry.get(name) is not None), None)
    taken = {id_name, title_name, text_name}
    fields = {str(name): unescaped(value) for name, value in entry.items() if name not in taken}
    return Document(_id(entry[id_name], where), _text(entry, title_name, where), _text(entry, text_name, where), fields)


def _id(value: Any, where: str) -> DocId:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise DataError(f"{where}: the id is {_kind(value)}", "an id is a whole number or a text that is not empty")
    if isinstance(value, str):
        _checked(value, where)
    return value


def _text(entry: dict[str, Any], name: str | None, where: str) -> str:
    value = entry[name] if name else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)  # a film called 1917, unquoted
    if not isinstance(value, str):
        raise DataError(f"{where}: {name} is {_kind(value)}", f"{name} must be a text")
    text: str = unescaped(value)
    return _checked(text, where)


def _checked(text: str, where: str) -> str:
    """A lone surrogate cannot be written as UTF-8; it becomes U+FFFD, as a reader of broken text would show it."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unescaped(value: Any) -> Any:
    """A text in which \\u2019 stands as six letters (a catalogue escaped twice) with the letter it means."""
    if isinstance(value, list):
        return [unescaped(item) for item in value]
    if not isinstance(value, str) or "\\u" not in value:
        return _checked(value, "") if isinstance(value, str) else value
    letters = _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), value)
    return letters.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if value == "":
        return "empty"
    names = {
        bool: "a truth value",
        float: "a number with decimals",
        dict: "an object",
        list: "a list",
        str: "a text",
        int: "a number",
    }
    return names.get(type(value), type(value).__name__)
