"""Numbered sources: what an answer is made from, and what its numbers stand for.

A source is a document's title, its fields in words, and its best passages for the query within a share of the token
budget. A document with little text is a source all the same: its fields may answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.core.templates import as_text
from strata.core.types import Document, Passage, Query
from strata.printable import one_line
from strata.semantic.best import best_passages

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

CHARACTERS = 4
"""Of English text a token, about."""
LEAST = 200
"""Characters that a source has at least, however many share the budget."""
LONGEST_FIELD = 200
"""Characters; a longer field is no fact but another text."""
GAP = " … "
"""What stands where words of the document were left out."""
_SAID = {"year": "{}", "director": "directed by {}", "cast": "starring {}", "country": "from {}", "genres": "{}"}


@dataclass(frozen=True)
class Source:
    """number: from 1. doc: its position. facts: title and fields in words. text: the passages, joined by `GAP`.

    passages: best cosines are their scores; none for a document without text.
    """

    number: int
    doc: int
    title: str
    facts: str
    text: str
    passages: tuple[Passage, ...]

    @property
    def raw(self) -> str:
        """The passages as the catalogue gives them."""
        return "\n".join(passage.text for passage in self.passages)

    def as_data(self) -> dict[str, object]:
        """What a prompt is given of it."""
        return {"number": self.number, "title": self.title, "text": f"{self.facts} {self.text}".strip()}


def numbered(q: Query, docs: Sequence[int], ws: Workspace, tokens: int, encoder: str) -> list[Source]:
    """The documents as sources 1, 2, …, within about `tokens` tokens together."""
    facts = [facts_of(ws.corpus.document(doc)) for doc in docs]
    room = tokens * CHARACTERS // max(1, len(docs))
    found: list[Source] = []
    for number, (doc, known) in enumerate(zip(docs, facts, strict=True), start=1):
        (passages,) = best_passages(q, [doc], ws, max(LEAST, room - len(known)), encoder)
        text = one_line(GAP.join(p.text.strip() for p in passages))
        found.append(Source(number, doc, title_of(ws.corpus.document(doc)), known, text, tuple(passages)))
    return found


def title_of(document: Document) -> str:
    return one_line(document.title) or f"document {document.id}"


def facts_of(document: Document) -> str:
    """Title and fields as one sentence: "Ran (1985), directed by …; starring …; Drama, War; from Japan." """
    said = []
    for name, value in document.fields.items():
        text = one_line(as_text(value))
        if text and len(text) <= LONGEST_FIELD and "://" not in text and name != "year":
            said.append(_SAID.get(name, f"{name}: {{}}").format(text))
    year = one_line(as_text(document.fields.get("year")))
    head = title_of(document) + (f" ({year})" if year else "")
    return f"{'; '.join((head, *said))}."
