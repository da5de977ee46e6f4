"""Spelling. By rule: words that are in no document become the words of the catalogue that were most likely meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from strata.core.analysis import spans
from strata.core.types import Query
from strata.enhance import asking
from strata.enhance.correct import corrected
from strata.errors import UsageError

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Spell:
    """edits: how many letters of a word may be wrong at most, 1 or 2."""

    edits: int = 2

    def __post_init__(self) -> None:
        if self.edits not in (1, 2):
            raise UsageError(f"edits must be 1 or 2, not {self.edits}", "2 is the usual value")

    @property
    def name(self) -> str:
        return "spell"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        return by_model(q, ws.model, ws) if ws.model else by_rule(q, ws, self.edits)


def by_rule(q: Query, ws: Workspace, edits: int = 2) -> Query:
    """The request with its misspelt words corrected; the facts say which became what."""
    text, changed = corrected(q.text, ws, edits)
    asking.by_rule(ws, changed=changed)
    return replace(q, text=text)


def by_model(q: Query, model: LanguageModel, ws: Workspace) -> Query:
    """The request as a language model spells it. BadReply for a reply that cannot be a request."""
    text = asking.checked_query(asking.ask(model, "spell", ws, query=q.text)["query"], q.text)
    ws.report(changed=differing(q.text, text))
    return replace(q, text=text)


def differing(before: str, after: str) -> list[list[str]]:
    """[what was written, what is written instead] of each word that differs, or of each run where words were joined,
    taken apart, left out or added."""
    old, new = ([text[a:b] for a, b, _ in spans(text)] for text in (before, after))
    found: list[list[str]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if what == "replace" and b - a == d - c:
            found += [[one, other] for one, other in zip(old[a:b], new[c:d], strict=True)]
        elif what != "equal":
            found.append([" ".join(old[a:b]), " ".join(new[c:d])])
    return found
