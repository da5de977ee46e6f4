"""Rewriting a request. By rule: what is said about the asking is dropped, what is looked for stays as it was written.

Function words stay: keyword search passes over them anyway, and vectors understand a sentence better than a heap of
its words (on the bundled golden set, dropping them too loses what dropping filler wins). So do negations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strata.core.analysis import tokens
from strata.core.types import Query
from strata.enhance import asking
from strata.enhance.filler import LONGEST_TITLE, filler_spans, without_filler
from strata.enhance.lookup import Lookup
from strata.enhance.titles import around

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Rewrite:
    """No settings."""

    @property
    def name(self) -> str:
        return "rewrite"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        return by_model(q, ws.model, ws) if ws.model else by_rule(q, ws)


def by_rule(q: Query, ws: Workspace) -> Query:
    """The request without filler; the facts say what was dropped. A title of the catalogue is no filler."""
    lookup = Lookup(ws.corpus, ws.index)
    titled = len(q.text) <= LONGEST_TITLE and lookup.exactly(q.text)
    titles = [q.text[start:end] for start, end in around(q.text, filler_spans(q.text), lookup)]
    text, dropped = (q.text, list[str]()) if titled else without_filler(q.text, titles)
    if dropped and not tokens(text):
        ws.note("the request says nothing but filler: it stays as it is")
        text, dropped = q.text, []
    asking.by_rule(ws, dropped=dropped)
    return replace(q, text=text if dropped else q.text)


def by_model(q: Query, model: LanguageModel, ws: Workspace) -> Query:
    """The request in a language model's words. BadReply for a reply that cannot be a request."""
    return replace(q, text=asking.checked_query(asking.ask(model, "rewrite", ws, query=q.text)["query"], q.text))
