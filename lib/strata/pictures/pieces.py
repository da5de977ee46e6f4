"""What of a film is held against a picture: one sentence at a time, since CLIP reads 77 tokens and no more.

A plot of 200 words would be cut after its first third, and a vector of the whole says little of any one scene. So each
sentence has a vector of its own and the best one counts; a sentence that is longer than CLIP reads is divided between
words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from strata.core.types import Document
from strata.semantic.chunking import Chunking, document_chunks
from strata.semantic.units import Piece

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

LONGEST = 220
"""Characters: about 55 tokens of English, so that names and other rare words still fit into 77."""
_SENTENCE = Chunking(1, 0)


@dataclass(frozen=True)
class Sentences:
    """One vector a sentence, without the title, which says little of what is to be seen; a document that has no text
    has its title."""

    kind: ClassVar[str] = "picture_vectors"
    noun: ClassVar[str] = "sentences"

    def made_from(self, corpus: Corpus) -> dict[str, Any]:
        return {"text": "sentences/1", "longest": LONGEST}

    def pieces(self, corpus: Corpus, document: Document) -> Iterator[Piece]:
        for start, end in document_chunks(document, _SENTENCE):
            if start == end:
                yield start, end, document.title.strip()
            for first, last in divided(document.text, start, end):
                yield first, last, document.text[first:last]


def divided(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """text[start:end] in stretches of about one length, at most LONGEST characters each, divided at blanks."""
    while end - start > LONGEST:
        stretches = -(-(end - start) // LONGEST)
        aim = start - (start - end) // stretches
        blank = text.rfind(" ", start + 1, aim + 1)
        stop = blank if blank > start else aim
        yield start, stop
        start = stop + 1 if text[stop] == " " else stop
    if end > start:
        yield start, end
