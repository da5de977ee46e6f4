"""From one entry as a file gives it to a Document."""

from __future__ import annotations

from typing import Any

from strata.core.types import DocId, Document
from strata.errors import DataError

IDS = ("id", "_id", "doc_id")
TITLES = ("title", "name")
TEXTS = ("description", "text", "overview", "plot", "synopsis", "extract", "summary")


def document(entry: Any, where: str) -> Document:
    """id, title and text by their usual names; everything else is kept as fields.

    The id goes by the first of IDS that is there; title and text by the first of TITLES and TEXTS that holds
    something. A missing title or text is "". DataError, beginning with `where`, for an entry that is no object, has no
    usable id, or has a title or text that is not a text.
    """
    if not isinstance(entry, dict):
        raise DataError(
            f"{where}: expected an object, found {_kind(entry)}", 'an entry looks like {"id": 1, "title": …}'
        )
    id_name = next((name for name in IDS if name in entry), None)
    if id_name is None:
        raise DataError(f"{where}: no id", f"give each entry one of: {', '.join(IDS)}")
    title_name, text_name = _filled(entry, TITLES), _filled(entry, TEXTS)
    taken = {id_name, title_name, text_name}
    fields = {name: value for name, value in entry.items() if name not in taken and not _blank(name, value)}
    return Document(_id(entry[id_name], where), _text(entry, title_name, where), _text(entry, text_name, where), fields)


def _filled(entry: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of these names under which the entry holds something."""
    return next((name for name in names if entry.get(name) not in (None, "")), None)


def _blank(name: str, value: Any) -> bool:
    """Whether this is a title or text that was left empty: it is no field of its own."""
    return name in (*TITLES, *TEXTS) and value in (None, "")


def _id(value: Any, where: str) -> DocId:
    if isinstance(value, bool) or not isinstance(value, int | str) or (isinstance(value, str) and not value.strip()):
        raise DataError(f"{where}: the id is {_kind(value)}", "an id is a whole number or a text that is not empty")
    return value


def _text(entry: dict[str, Any], name: str | None, where: str) -> str:
    if name is None:
        return ""
    value = entry[name]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)  # a film called 1917, unquoted
    if not isinstance(value, str):
        raise DataError(f"{where}: {name} is {_kind(value)}", f"{name} must be a text")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str) and not value.strip():
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
