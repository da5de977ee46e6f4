"""Cutting a text into chunks of sentences that overlap, so that a thought across two chunks is whole in one."""

from __future__ import annotations

from dataclasses import dataclass

from strata.core.types import Document
from strata.errors import UsageError
from strata.semantic.sentences import sentence_spans


@dataclass(frozen=True)
class Chunking:
    """sentences ≥ 1 a chunk; overlap: how many of them the next chunk begins with, below `sentences`."""

    sentences: int = 4
    overlap: int = 1

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise UsageError(f"a chunk must hold at least 1 sentence, not {self.sentences}", "the usual number is 4")
        if not 0 <= self.overlap < self.sentences:
            raise UsageError(
                f"the overlap must be from 0 to {self.sentences - 1} (below the chunk's size), not {self.overlap}",
                "with a larger one the chunks would never advance",
            )


def chunk_spans(text: str, chunking: Chunking) -> list[tuple[int, int]]:
    """(start, end) of each chunk. The first to reach the end is the last: none only repeats another's end."""
    sentences = sentence_spans(text)
    spans = []
    for first in range(0, len(sentences), chunking.sentences - chunking.overlap):
        last = min(first + chunking.sentences, len(sentences))
        spans.append((sentences[first][0], sentences[last - 1][1]))
        if last == len(sentences):
            break
    return spans


def document_chunks(document: Document, chunking: Chunking) -> list[tuple[int, int]]:
    """The chunks of a document. One without text has a single empty chunk for its title; without a title, none."""
    spans = chunk_spans(document.text, chunking)
    return spans or ([(0, 0)] if document.title.strip() else [])


def chunk_text(document: Document, start: int, end: int) -> str:
    """What the encoder reads: the title, then the sentences. The title tells chunks of different films apart."""
    title, text = document.title.strip(), document.text[start:end]
    if not title or not text:
        return title or text
    return f"{title} {text}" if title.endswith((".", "!", "?", "…")) else f"{title}. {text}"
