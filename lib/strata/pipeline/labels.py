"""What the lists of one run are called: by their layers, and where two would have one name, by what differs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from itertools import count
from typing import Any

ROLE = ("weight", "when")
"""Settings that say what a list is for, not what it is."""


def labels(layers: Sequence[Any], texts: int = 1) -> list[str]:
    """A name for each list, in the order in which `run` retrieves them: layer by layer, and in each text by text.

    "chunks" alone stays "chunks"; two of them become "chunks all-MiniLM-L6-v2" and "chunks bge-small-en-v1.5". Equal
    layers, and the further texts of a query, are numbered: "keyword (2)".
    """
    out: list[str] = []
    for name in [_name(layer, layers) for layer in layers for _ in range(texts)]:
        numbered = (f"{name} ({n})" for n in count(2))
        out.append(name if name not in out else next(label for label in numbered if label not in out))
    return out


def _name(layer: Any, layers: Sequence[Any]) -> str:
    name: str = layer.name
    others = [other for other in layers if other.name == name and other != layer]
    differing = [
        field.name
        for field in fields(layer)
        if field.name not in ROLE
        and any(getattr(other, field.name, None) != getattr(layer, field.name) for other in others)
    ]
    values = [_short(field, value) for field in differing if (value := getattr(layer, field)) is not None]
    return " ".join([name, *values])


def last_part(name: str) -> str:
    """What stands last in a path, Windows' too, or in a name of the hub."""
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or name


def _short(field: str, value: object) -> str:
    """A setting's value in a few letters; a path by its last part. What needs its name gets it: k1=2."""
    if isinstance(value, str):
        return last_part(value)
    return f"{field}={value:g}" if isinstance(value, int | float) else f"{field}={value}"
