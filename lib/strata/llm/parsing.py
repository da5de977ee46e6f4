"""From what a model wrote to the value that was asked for. Lenient about the wrapping, strict about the content.

Models put JSON into code fences and prose, think aloud in <think> tags, write 2.0 or "2" for 2, and sometimes answer
twice or break off. One value is taken out of its wrapping and held against the schema; two values, or half a one, are
a BadReply. The validator knows what our schemas use: type, properties, required, items, enum, minimum, maximum.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from strata.errors import BadReply
from strata.llm.thinking import visible
from strata.llm.types import Reply, Schema

_OPENING = re.compile(r"[{\[]")
_MEANT_AS_JSON = re.compile(r'\{\s*"|\[\s*[{"]')
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)
}  # fmt: skip
_NEXT = "try again, or another model with --llm-model"
IN_VAIN = 10_000_000
"""Characters that may be read for brackets which open no JSON value: 2,000 of them in a reply of usual length."""


def parse(text: str, schema: Schema) -> Any:
    """The one JSON value in a reply, as the schema has it; BadReply otherwise, which holds the text."""
    try:
        return checked(json_value(text, str(schema.get("type", ""))), schema)
    except BadReply as error:
        error.text = text
        raise


def fitted(reply: Reply, schema: Schema | None) -> Reply:
    """A reply with what its schema asked for; BadReply, which holds the reply, where its text does not fit."""
    if schema is None:
        return reply
    try:
        return replace(reply, parsed=parse(reply.text, schema))
    except BadReply as error:
        error.reply = reply
        raise


def json_value(text: str, kind: str = "") -> Any:
    """The one JSON value in a text, wherever it stands. kind: "object" or "array", where the other does not count."""
    written = visible(text)
    values = [value for value in _values(written) if not kind or _is(value, kind) or kind not in ("object", "array")]
    if len(values) == 1:
        return values[0]
    if values:
        raise BadReply(f"the reply holds {len(values)} JSON values where one was asked for", _NEXT, text)
    raise BadReply("the reply holds no JSON value", _NEXT, text)


def _values(text: str) -> list[Any]:
    """Every outermost JSON object or array in a text; where it has no bracket, the value that the whole text is."""
    decoder = json.JSONDecoder(parse_constant=_refused)
    found: list[Any] = []
    at = read_in_vain = 0
    end = len(text.rstrip("`\n "))
    while match := _OPENING.search(text, at):
        try:
            value, at = decoder.raw_decode(text, match.start())
            found.append(value)
        except json.JSONDecodeError as error:
            read_in_vain += error.pos  # from the beginning, since an error counts its lines
            if read_in_vain > IN_VAIN:
                raise BadReply("the reply's JSON is malformed", _NEXT, text) from None
            if error.pos >= end or error.msg.startswith("Unterminated"):
                raise BadReply("the reply breaks off in the middle of its JSON", _NEXT, text) from None
            if _MEANT_AS_JSON.match(text, match.start()):
                raise BadReply(f"the reply's JSON is malformed ({error.msg})", _NEXT, text) from None
            at = match.end()
        except (ValueError, RecursionError):  # NaN, a number of thousands of digits, thousands of brackets
            raise BadReply("the reply's JSON is malformed", _NEXT, text) from None
    if not found:
        with suppress(ValueError):
            found.append(json.loads(text, parse_constant=_refused))
    return found


def _refused(word: str) -> Any:
    raise ValueError(word)


def checked(value: Any, schema: Schema, where: str = "the reply") -> Any:
    """The value in the types that the schema names, with its known properties only.

    BadReply names the place that does not fit.
    """
    value = _typed(value, schema, where)
    if "enum" in schema and value not in schema["enum"]:
        raise BadReply(f"{where} is {_short(value)}, not one of {', '.join(map(str, schema['enum']))}", _NEXT)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            raise BadReply(f"{where} is {_short(value)}, not within {low} and {high}", _NEXT)
    if isinstance(value, list) and "items" in schema:
        return [checked(entry, schema["items"], f"{where}, entry {i}") for i, entry in enumerate(value, start=1)]
    if isinstance(value, dict) and "properties" in schema:
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            raise BadReply(f"{where} lacks {', '.join(missing)}", _NEXT)
        known = schema["properties"]
        return {name: checked(value[name], known[name], f"{where}, {name}") for name in known if name in value}
    return value


def _typed(value: Any, schema: Schema, where: str) -> Any:
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if not kinds or any(_is(value, kind) for kind in kinds):
        return value
    for kind in kinds:
        meant = _meant(value, kind)
        if meant is not None:
            return meant
    raise BadReply(f"{where} is {_short(value)}, not of type {' or '.join(kinds)}", _NEXT)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, _TYPES.get(kind, ()))


def _meant(value: Any, kind: str) -> int | float | str | None:
    """The number that 2.0 or "2" stands for where a number is asked for, the text that 1917 stands for; else None."""
    if isinstance(value, bool):
        return None
    if kind in ("integer", "number") and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "number" and isinstance(value, float) and math.isfinite(value):
        return value
    return str(value) if kind == "string" and isinstance(value, int | float) else None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"
