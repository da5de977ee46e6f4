"""What a reranker reads of a document: all of it where it fits, else its best passages, under its title.

Never the beginning only: what answers the query may stand anywhere in a long text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from strata.core.templates import as_text
from strata.core.types import Query
from strata.semantic.best import best_passages

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

CHARACTERS_A_TOKEN = 4  # of English; where tokens are shorter, the first try is too long, and is corrected
UNREAL = 16  # characters a token: no text is as long as this, so it need not be counted to be known as too long
TRIES = 4
LONGEST_TITLE = 300
BETWEEN = " … "


def texts_of(
    q: Query, docs: Sequence[int], ws: Workspace, room: int, tokens: Callable[[str], int], encoder: str
) -> list[str]:
    """For each document its vector text (title. genres. description), of at most about `room` tokens.

    tokens: how many a text has. A text that is a little too long is left for the tokenizer to cut.
    """
    return [_text_of(q, doc, ws, room, tokens, encoder) for doc in docs]


def _text_of(q: Query, doc: int, ws: Workspace, room: int, tokens: Callable[[str], int], encoder: str) -> str:
    corpus = ws.corpus
    document = corpus.document(doc)
    text: str = corpus.vector_text(document)
    if len(text) <= UNREAL * room and tokens(text) <= room:
        return text
    head = tokens(corpus.vector_text(replace(document, text="")))
    left = max(room - head, room // 2)
    characters = CHARACTERS_A_TOKEN * left
    for _ in range(TRIES):
        text = corpus.vector_text(replace(document, text=passages_of(q, doc, ws, characters, encoder)))
        over = tokens(text) - head - left
        if over <= 0 or characters == 1:
            break
        characters = max(1, characters * left // (left + over + 1))
    return text


def passages_of(q: Query, doc: int, ws: Workspace, characters: int, encoder: str) -> str:
    """The document's text where it has at most so many characters, else its best passages, in the order of the text."""
    text = ws.corpus.document(doc).text
    if len(text) <= characters:
        return text
    (passages,) = best_passages(q, [doc], ws, characters, encoder)
    return BETWEEN.join(passage.text for passage in passages)


def shown(q: Query, docs: Sequence[int], ws: Workspace, characters: int, encoder: str) -> list[dict[str, object]]:
    """What a language model is shown of each document: its title, year and genres where there are any, its text."""
    found = []
    for doc in docs:
        document = ws.corpus.document(doc)
        entry: dict[str, object] = {"title": document.title[:LONGEST_TITLE]}
        for name in ("year", "genres"):
            value = as_text(document.fields.get(name))[:LONGEST_TITLE]
            entry |= {name: value} if value else {}
        found.append(entry | {"text": passages_of(q, doc, ws, characters, encoder)})
    return found
