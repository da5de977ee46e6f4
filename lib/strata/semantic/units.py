"""What gets a vector: a chunk of a document, or the whole of it. Each kind is an artefact of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from strata.core.types import Document
from strata.semantic.chunking import Chunking, chunk_text, document_chunks

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

Piece = tuple[int, int, str]
"""(start, end) in the document's text, and what the encoder reads."""


@dataclass(frozen=True)
class Whole:
    """One vector a document, of its vector text (title, genres, premise if any, description). An encoder reads the
    beginning only, as far as its longest input."""

    kind: ClassVar[str] = "document_vectors"
    noun: ClassVar[str] = "documents"

    def made_from(self, corpus: Corpus) -> dict[str, Any]:
        return {"text": corpus.template_id}

    def pieces(self, corpus: Corpus, document: Document) -> Iterator[Piece]:
        """None where the document has neither title nor text."""
        text = corpus.vector_text(document)
        if text.strip():
            yield 0, len(document.text), text


@dataclass(frozen=True)
class Cut:
    """A vector for each chunk: the title, then the chunk's sentences. A premise stands before those of the first.

    A premise as a chunk of its own finds as much (bundled golden set, nDCG@10: MiniLM .456 and .454 this way, bge-small
    .511 and .515), and a passage would then be none of the document's.
    """

    kind: ClassVar[str] = "chunk_vectors"
    noun: ClassVar[str] = "chunks"
    chunking: Chunking

    def made_from(self, corpus: Corpus) -> dict[str, Any]:
        return {"chunking": asdict(self.chunking), "text": "title-sentences/3"}

    def pieces(self, corpus: Corpus, document: Document) -> Iterator[Piece]:
        for start, end in document_chunks(document, self.chunking):
            yield start, end, chunk_text(document, start, end)


class Unit(Protocol):
    """kind: its artefacts' folder in the cache. noun: what is counted, in the plural. Hashable."""

    @property
    def kind(self) -> str: ...

    @property
    def noun(self) -> str: ...

    def __hash__(self) -> int: ...

    def made_from(self, corpus: Corpus) -> dict[str, Any]:
        """What moves the pieces beside the catalogue, for the artefact's fingerprint."""
        ...

    def pieces(self, corpus: Corpus, document: Document) -> Iterator[Piece]: ...
