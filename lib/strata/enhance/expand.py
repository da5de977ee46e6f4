"""Expanding a request. By rule: words of the documents that a first keyword search finds (rm3.py).

The request stays as it is; the expanded one is a variant, searched beside it and fused with it, so that words which
lead astray cost less. RM3's weights become repeats, since searches take text: the request is said as often as its
share needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strata.core.analysis import stopwords, tokens
from strata.core.types import Query
from strata.enhance import asking
from strata.enhance.rm3 import relevance_model
from strata.errors import BadReply, UsageError

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel
    from strata.pipeline.workspace import Workspace

MOST_TERMS = 12
"""So many words or phrases of a model are added at most."""
MOST_REPEATS = 20
SHORTEST, LONGEST = 3, 60
"""Letters of a word that is worth adding, and of a model's phrase."""


@dataclass(frozen=True)
class Expand:
    """fb_docs: how many documents are read, fb_terms: how many words are taken. original_weight: the request's share of
    the expanded text, from 0 to 1 (1: nothing is added). most_common: no word that more than this share of the
    documents hold."""

    fb_docs: int = 10
    fb_terms: int = 10
    original_weight: float = 0.5
    most_common: float = 0.1

    def __post_init__(self) -> None:
        for name in ("fb_docs", "fb_terms"):
            if not 1 <= getattr(self, name) <= 1000:
                raise UsageError(f"{name} must be from 1 to 1000, not {getattr(self, name)}", "10 is the usual value")
        for name in ("original_weight", "most_common"):
            if not 0 <= getattr(self, name) <= 1:  # also refuses NaN
                raise UsageError(f"{name} must be from 0 to 1, not {getattr(self, name)}", "see --help")

    @property
    def name(self) -> str:
        return "expand"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        return by_model(q, ws.model, ws) if ws.model else by_rule(q, ws, self)


def by_rule(q: Query, ws: Workspace, how: Expand | None = None) -> Query:
    """The request with a variant that has further words; the facts say which were added."""
    how = how or Expand()
    index = ws.index
    terms = index.query_terms(q.text)
    most = how.most_common * index.documents
    likely = relevance_model(index, terms, how.fb_docs, q.exclude) if how.original_weight < 1 else []
    added = [
        one.word
        for one in likely
        if one.term not in terms and len(one.word) >= SHORTEST and one.word.isalpha() and index.df(one.term) <= most
    ][: how.fb_terms]
    if not terms:
        ws.note("no document holds a word of the request: there is nothing to expand it by")
    asking.by_rule(ws, added=added)
    if not added:
        return q
    said = [q.text] * _times(how.original_weight, len(terms), len(added))
    return replace(q, variants=(*q.variants, " ".join([*said, *added])))


def by_model(q: Query, model: LanguageModel, ws: Workspace) -> Query:
    """The request with a variant that has a language model's words. BadReply where it gives none that can be used."""
    written = asking.ask(model, "expand", ws, query=q.text)["terms"]
    added = usable(written, q.text)
    if written and not added:
        raise BadReply("none of the words that the model gave can be used", "try again, or --llm none", str(written))
    ws.report(added=added)
    if not added:
        ws.note("the model gave no further words: nothing is added")
        return q
    return replace(q, variants=(*q.variants, " ".join([q.text, *added])))


def usable(written: list[str], request: str) -> list[str]:
    """A model's words and phrases, on one line, once each: none of stop words or of the request's words alone."""
    stop, said = stopwords(), set(tokens(request))
    found: dict[tuple[str, ...], str] = {}
    for phrase in (" ".join(one.split()) for one in written):
        words = tuple(tokens(phrase))
        telling = [word for word in words if word not in stop and word not in said]
        if telling and len(phrase) <= LONGEST and phrase.isprintable():
            found.setdefault(words, phrase)
    return list(found.values())[:MOST_TERMS]


def _times(weight: float, own: int, added: int) -> int:
    """How often a request of `own` terms is said beside `added` words to have this share of them all; at least once,
    but not at all for a weight of 0."""
    if weight == 0:
        return 0
    return max(1, min(MOST_REPEATS, math.floor(weight / (1 - weight) * added / own + 0.5)))
