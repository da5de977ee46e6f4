"""Views of the semantic layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.show.text import Block, Grid, clean


def facts(found: dict[str, Any]) -> Iterator[Block]:
    """Names and values, one a line."""
    yield Grid(tuple((name, clean(str(value))) for name, value in found.items()))
