"""Prompts are text files with named fields: llm/prompts/NAME.md.

A file has the parts `# system`, `# user` (and `# assistant`), each a message, and may end with `# schema`, the JSON
schema of the reply. A field is written {{name}} for a number or a line of our own, {{name|quoted}} for a value from
outside, which goes in as JSON, or {{name|fenced}} for documents, which go in behind the random boundary. {{boundary}}
stands for that boundary. Parts are told apart before anything is filled in and what was filled in is not read again,
so no value can add a message or a field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

from strata.llm.fence import fence, new_boundary, quoted
from strata.llm.types import Message, Role, Schema

FOLDER = Path(__file__).parent / "prompts"
_PART = re.compile(r"(?m)^# (system|user|assistant|schema)\n")
_FIELD = re.compile(r"\{\{(\w+)(?:\|(\w+))?\}\}")


@cache
def _parts(name: str) -> tuple[tuple[str, str], ...]:
    file = FOLDER / f"{name}.md"
    if not re.fullmatch(r"\w+", name) or not file.is_file():
        raise ValueError(f"there is no prompt {name!r}; there are: {', '.join(names())}")
    pieces = _PART.split(file.read_text(encoding="utf-8"))
    return tuple((pieces[i], pieces[i + 1].strip()) for i in range(1, len(pieces), 2))


def names() -> tuple[str, ...]:
    """Every prompt."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.md")))


def fields(name: str) -> frozenset[str]:
    """The fields that a prompt must be given."""
    return frozenset(field for _, text in _parts(name) for field, _ in _FIELD.findall(text)) - {"boundary"}


def schema(name: str) -> Schema | None:
    """The JSON schema of the prompt's reply; None: free text."""
    texts = [text for part, text in _parts(name) if part == "schema"]
    return cast(Schema, json.loads(texts[0])) if texts else None


def prompt(name: str, *, boundary: str | None = None, **values: Any) -> tuple[Message, ...]:
    """The messages of a prompt. A missing field, or one it has not, is a ValueError."""
    if values.keys() != fields(name):
        raise ValueError(f"the prompt {name} takes {sorted(fields(name))}, not {sorted(values)}")
    mark = boundary or new_boundary()

    def filled(match: re.Match[str]) -> str:
        field, how = match.groups()
        return mark if field == "boundary" else _written(values[field], how, mark)

    return tuple(
        Message(cast(Role, part), _FIELD.sub(filled, text)) for part, text in _parts(name) if part in get_args(Role)
    )


def _written(value: Any, how: str | None, mark: str) -> str:
    if how == "quoted":
        return quoted(value)
    if how == "fenced":
        return fence([value] if isinstance(value, Mapping) else value, mark)
    text = str(value)
    if how is not None or not text.isprintable():
        raise ValueError(f"a plain field takes a number or one line of our own, not {text!r}")
    return text
