"""Views of `strata` and `strata doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.overview import FIRST, layers
from strata.show.text import Block, Grid, clean, line


def overview() -> Iterator[Block]:
    yield line(("Strata: search, layer by layer", "bold"))
    for row in layers():
        yield Grid(((row.layer.ljust(10), row.about), ("", row.command)))
    yield ""
    yield f"Try first: {FIRST}"
    yield "What works here: strata doctor      Every command: --help, --json"


def examined(found: dict[str, Any]) -> Iterator[Block]:
    """A line a finding: what was looked at, what was found, what to do."""
    for section in ("places", "encoders", "picture_encoders", "runtimes", "artefacts", "language_model"):
        rows = found[section]
        yield line((section.replace("_", " "), "bold"))
        yield (
            Grid(tuple(tuple(clean(str(cell)) for cell in row.values()) for row in rows), indent=2)
            if rows
            else "  none yet"
        )
    yield line(("ways", "bold"))
    yield Grid(tuple((row["layer"], row["way"]) for row in found["ways"]), indent=2)
