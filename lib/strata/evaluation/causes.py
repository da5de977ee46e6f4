"""Why a plan missed a relevant document: one cause, decided from facts about it, and what else holds of it.

What a run shows comes before what a text lets one suppose. A document that a list had within the limit was lost where
it left it, however the query is spelt; the words of query and entry are looked at only for those that no list had
there. Pure: failures.py gathers the facts, reasons.py puts them into words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strata.enrich.thin import Thin


@dataclass(frozen=True)
class Stand:
    """Where a document stands in one ranking of a run. rank: from 1; None where the ranking does not hold it. length:
    of the ranking."""

    slot: str
    name: str
    rank: int | None
    length: int
    family: str = ""

    def within(self, limit: int) -> bool:
        return self.rank is not None and self.rank <= limit


@dataclass(frozen=True)
class Facts:
    """What is known of one relevant document that is not among the first `limit` results.

    stands: one for each ranking of the run, in order. catalogued: whether the catalogue has it. full: each of the first
    `limit` results is relevant too, with a grade no lower. ruled_out: the conditions that keep it from being found.
    passed: how many of the first fused stand behind it in the list that has it best; helped: which part of their score
    each other list gave them, the largest first. foreign: words that show the query's language. corrected: (as written,
    as corrected) of misspelt words that the document holds when they are corrected. words: the query's words that some
    document holds; shared: those that this one holds.
    """

    limit: int
    stands: tuple[Stand, ...] = ()
    catalogued: bool = True
    full: bool = False
    ruled_out: tuple[str, ...] = ()
    passed: int = 0
    helped: tuple[tuple[str, float], ...] = ()
    foreign: tuple[str, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()
    thin: Thin | None = None
    words: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def lists(self) -> tuple[Stand, ...]:
        return tuple(stand for stand in self.stands if stand.slot == "retrieve")

    @property
    def best(self) -> Stand | None:
        """In the list that has it highest; None where no list has it."""
        held = [(stand.rank, i) for i, stand in enumerate(self.lists) if stand.rank is not None]
        return self.lists[min(held)[1]] if held else None

    @property
    def fused(self) -> Stand | None:
        return next((stand for stand in self.stands if stand.slot == "fuse"), None)

    @property
    def before(self) -> Stand | None:
        """In what the reranker was given; None without a reranker."""
        reranked = self.reranked
        return self.stands[self.stands.index(reranked) - 1] if reranked else None

    @property
    def reranked(self) -> Stand | None:
        return next((stand for stand in self.stands if stand.slot == "rerank"), None)


@dataclass(frozen=True)
class Cause:
    """label: as tables name it. group: where the fault lies, see GROUPS. holds: whether the facts show it."""

    name: str
    label: str
    group: str
    holds: Callable[[Facts], bool]


GROUPS = ("data", "condition", "layers", "query", "unseen", "below", "room")
"""In the catalogue; in a condition of the query; in the way from a list to the results; in how the query is put; no
list holds it; a list holds it below the limit; nowhere, since what stands before it is as relevant."""


def _lost_by_reranker(facts: Facts) -> bool:
    before, after = facts.before, facts.reranked
    return before is not None and after is not None and before.within(facts.limit) and not after.within(facts.limit)


def _lost_by_fusion(facts: Facts) -> bool:
    best, fused = facts.best, facts.fused
    return best is not None and fused is not None and best.within(facts.limit) and not fused.within(facts.limit)


def _no_term(facts: Facts) -> bool:
    by_words = any(stand.family == "keyword" for stand in facts.lists)
    return by_words and not facts.shared and facts.best is None


CAUSES = (
    Cause("absent", "not in the catalogue", "data", lambda f: not f.catalogued),
    Cause("full", "no room within the limit", "room", lambda f: f.full),
    Cause("ruled_out", "ruled out by a condition", "condition", lambda f: bool(f.ruled_out)),
    Cause("reranker", "lost by the reranker", "layers", _lost_by_reranker),
    Cause("fusion", "lost by fusion", "layers", _lost_by_fusion),
    Cause("language", "query in another language", "query", lambda f: bool(f.foreign)),
    Cause("misspelt", "query misspelt", "query", lambda f: bool(f.corrected)),
    Cause("thin", "thin entry", "data", lambda f: f.thin is not None),
    Cause("no_term", "no term in common", "unseen", _no_term),
    Cause("cut", "lost by the cut", "below", lambda f: f.best is not None),
    Cause("depth", "below every list's depth", "unseen", lambda f: True),
)
"""In the order in which they are asked; the last one holds of whatever is left."""
LAST_RESORTS = ("cut", "depth")
"""These say where a document stands rather than why, so they are never named beside another cause."""
LABELS = {cause.name: cause.label for cause in CAUSES}
GROUP_OF = {cause.name: cause.group for cause in CAUSES}


def decide(facts: Facts) -> tuple[str, tuple[str, ...]]:
    """(the cause, other causes that hold as well), by name."""
    held = [cause.name for cause in CAUSES if cause.holds(facts)]
    also = () if held[0] == "absent" else tuple(name for name in held[1:] if name not in LAST_RESORTS)
    return held[0], also
