"""JSON lines: one document a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from strata.core.load.entry import document
from strata.core.load.text import json_lines
from strata.core.types import Document


def load(path: Path) -> Iterator[Document]:
    for number, entry in json_lines(path):
        yield document(entry, f"{path}, line {number}")
