"""What is put before the text of an entry that holds nothing to find: the story, as another entry tells it.

It is kept apart: `Document.text` stays the catalogue's, word for word, so passages and citations stay so too. Only
what searches read (Corpus.keyword_text, vector_text, the first chunk) has the premise in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.types import DocId

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Premise:
    """text: what is read. story: the id of the entry that it was taken from. model: who wrote it; "" by rule, in the
    words of that entry."""

    text: str
    story: DocId
    model: str = ""


def to_json(premise: Premise, corpus: Corpus) -> dict[str, Any]:
    at = corpus.position(premise.story)
    story = {"id": premise.story, "title": None if at is None else corpus.title(at)}
    return {"text": premise.text, "story": story, "by_rule": not premise.model, "model": premise.model or None}


def before(premise: Premise | None, text: str) -> str:
    """A text as searches read it: behind its premise, where there is one."""
    return f"{premise.text} {text}".strip() if premise else text
