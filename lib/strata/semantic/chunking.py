"""Cutting a text into chunks of sentences that overlap, so that a thought across two chunks is whole in one."""

from __future__ import annotations

from dataclasses import dataclass

from strata.core.premise import before
from strata.core.types import Document
from strata.errors import UsageError
from strata.semantic.sentences import sentence_spans


@dataclass(frozen=True)
class Chunking:
    """sentences ≥ 1 a chunk; overlap: how many of them the next chunk begins with, below `sentences`."""

    sentences: int = 4
    overlap: int = 1

    def __post_init__(self) -> None:
        _check(self.sentences, self.overlap, "sentence", usual=4)


def _check(size: int, overlap: int, what: str, usual: int) -> None:
    """UsageError for a size or an overlap with which the chunks would not advance."""
    if size < 1:
        raise UsageError(f"a chunk must hold at least 1 {what}, not {size}", f"the usual number is {usual}")
    if not 0 <= overlap < size:
        most = f"0 to {size - 1}" if size > 1 else "0"
        raise UsageError(
            f"chunks of {size} {what}{'s' * (size > 1)} cannot overlap by {overlap}",
            f"the overlap may be {most}; with more the chunks would never advance",
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
    """What the encoder reads: the title, then the sentences; in the first chunk, the premise (if any) before them. The
    title tells chunks of different films apart."""
    title, text = document.title.strip(), document.text[start:end]
    if document.premise and not document.text[:start].strip():
        text = before(document.premise, text)
    if not title or not text:
        return title or text
    return f"{title} {text}" if title.endswith((".", "!", "?", "…")) else f"{title}. {text}"


def word_chunks(text: str, size: int, overlap: int) -> list[str]:
    """The lessons' first way: `size` words a chunk, of which the next begins with the last `overlap`.

    Words are what white space divides; between them a chunk has single blanks. UsageError for a size or overlap with
    which the chunks would not advance.
    """
    _check(size, overlap, "word", usual=200)
    words = text.split()
    starts = range(0, max(len(words) - overlap, 1), size - overlap)
    return [" ".join(words[start : start + size]) for start in starts] if words else []
