"""Texts and queries of a collection, for benchmarks: a catalogue that `--dataset` would open, or `zipf:1000000`."""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import zipf

from strata import settings
from strata.core.golden import load_golden
from strata.pipeline.workspace import Workspace

QUERIES = 300
"""At most this many are asked."""


@dataclass(frozen=True)
class Collection:
    name: str
    texts: list[str]
    queries: list[str]


def opened(name: str) -> Collection:
    """texts: as keyword search reads them, by position. queries: a folder's judged ones, a file's titles (seeded),
    words of one made-up text. A file is called as the folder that it is in."""
    if name.startswith("zipf:"):
        documents = int(name.removeprefix("zipf:"))
        return Collection(f"zipf, {documents:,}", list(zipf.texts(documents)), zipf.queries(QUERIES, documents))
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as cache:
        ws = Workspace(settings.load(name, cache, cache))
        texts = [ws.corpus.keyword_text(document) for document in ws.corpus.documents()]
        place = Path(name)
        if place.is_dir():
            asked = [query.text for query in load_golden(place).judged]
        else:
            asked = [ws.corpus.title(i) for i in range(len(texts))]
        title = place.name if place.is_dir() else ws.corpus.name if place.parent == Path() else place.parent.name
        ws.corpus.close()
    return Collection(title, texts, random.Random(0).sample(asked, min(QUERIES, len(asked))))


def written(texts: list[str], file: Path) -> Path:
    """The texts for a process of its own, one a line."""
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(text) + "\n" for text in texts)
    return file


def read(file: Path) -> list[str]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
