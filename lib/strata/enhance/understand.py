"""What a request means, by rule and with nothing added: misspelt words, what it does not want, and its sentences.

- Misspelt words are corrected; the request as it was written stays beside it, as a variant of its own.
- What is ruled out ("but not animated", "without sharks or Tom Cruise", "not like Frozen") is taken out of the words,
  since neither words nor vectors see a negation, and becomes a condition; so do titles that are only compared with.
  What can be no condition is told.
- A long post is also searched sentence by sentence: each says something else, and one of them is often wrong.

Years that are wanted stay in the words: people remember them wrongly, and a condition forgives nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strata.core.analysis import stopwords, tokens
from strata.core.language import is_english
from strata.core.types import Query
from strata.enhance import asking
from strata.enhance.correct import corrected
from strata.enhance.filler import without_filler
from strata.enhance.lookup import Lookup
from strata.enhance.structure import LONGEST, taken_apart
from strata.enhance.unwanted import conditions
from strata.errors import UsageError

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

MOST_SENTENCES = 6
TELLING = 4
"""Words, those of the stop list not counted, that a sentence must have to be searched by itself."""


@dataclass(frozen=True)
class Understand:
    """edits: as in Spell. long: the words from which on a request is a post, whose sentences are searched too; 0 for
    never."""

    edits: int = 2
    long: int = 0

    def __post_init__(self) -> None:
        if self.edits not in (1, 2):
            raise UsageError(f"edits must be 1 or 2, not {self.edits}", "2 is the usual value")
        if self.long < 0:
            raise UsageError(f"long must be a number of words, not {self.long}", "0 is never, 40 a short paragraph")

    @property
    def name(self) -> str:
        return "understand"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        asking.by_rule(ws)
        if not is_english(q.text) or len(q.text) > LONGEST:
            return q
        text, changed = corrected(q.text, ws, self.edits)
        lookup = Lookup(ws.corpus, ws.index)
        parts = taken_apart(text, lookup, dated=False)
        post = bool(self.long) and len(tokens(text)) >= self.long
        where = conditions(replace(parts, in_plot=()) if post else parts, lookup, ws.note)
        excluded = dict.fromkeys((*parts.liked, *parts.left_out))
        variants = [taken_apart(q.text, lookup, dated=False).text] if changed else []
        variants += _sentences(parts.said) if post else []
        ws.report(changed=changed, where=list(where), left_out=[ws.corpus.label(doc) for doc in excluded])
        return replace(
            q,
            text=parts.text,
            variants=tuple(dict.fromkeys(one for one in variants if one != parts.text)),
            exclude=q.exclude | frozenset(excluded),
            where=(*q.where, *(one for one in where if one not in q.where)),
        )


def _sentences(text: str) -> list[str]:
    from strata.semantic.sentences import sentence_spans

    found = [without_filler(text[start:end])[0] for start, end in sentence_spans(text)]
    telling = [one for one in found if sum(word not in stopwords() for word in tokens(one)) >= TELLING]
    return telling[:MOST_SENTENCES] if len(telling) > 1 else []
