"""A folder in BEIR layout: corpus.jsonl here; queries.jsonl and qrels/ in core/golden.py. Each may be gzipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from strata.core.load import jsonl
from strata.core.types import Document
from strata.errors import DataError


def part(folder: Path, name: str) -> Path:
    """A file of the folder, plain or with .gz."""
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise DataError(
        f"{folder} has no {name}", "a folder in BEIR layout has corpus.jsonl, queries.jsonl and qrels/test.tsv"
    )


def load(path: Path) -> Iterator[Document]:
    yield from jsonl.load(part(path, "corpus.jsonl"))


def qrels(folder: Path, split: str) -> Path:
    """The judgements of one split; DataError names the splits that are there."""
    files = sorted((folder / "qrels").glob("*.tsv*"))
    for candidate in files:
        if candidate.name in (f"{split}.tsv", f"{split}.tsv.gz"):
            return candidate
    there = ", ".join(file.name.split(".tsv")[0] for file in files)
    raise DataError(
        f"{folder} has no qrels/{split}.tsv",
        f"splits that are there: {there}" if there else "they go into qrels/",
    )
