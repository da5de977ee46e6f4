"""Which stretch of a sentence says the contrary of a clause: one of the two denies it and the other does not. Pure.

A sentence denies one thing and says another: "buys a necklace that is not for his wife". So only those stretches are
asked that hold a word of the clause, names aside. They speak against it where none has the clause's polarity. Against a
clause that denies nothing a single one is enough, if it denies a word of it that no other stretch holds. A stretch with
a subject of its own ("Washington has had no murders") has a say on the others only where it holds most of the clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from strata.answer.polarity import denied, denies, hedged, lacks_only, only_denies, scopes
from strata.core.analysis import stopwords, tokens

Stem = Callable[[str], str]
_DEPENDENT = re.compile(
    r"(?:(?:and|but|or)\s+)?(?:that|which|who|whose|whom|is|are|was|were|has|have|had|does|do|did|will|would|can|could|may|"
    r"might|must|not|never|nor|hardly|scarcely|barely|without|cannot|unable|rather than|instead of|other than|doubts?|"
    r"refus\w+|fail\w*|declin\w+|lack\w*|den(?:y|ies|ied|ying)|forg[eo]t\w*|neglect\w*|\w+n['’]t)\b",
    re.IGNORECASE,
)
"""How a stretch begins that has its subject in another: "Number Eight, an architect, is not sure"."""
_TIME = re.compile(r"(?:after|before|until)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Stretch:
    """held: stems of the clause in it. first: those of them that it denies before all. no: it denies. open: it leaves
    open what the clause is about."""

    text: str
    held: frozenset[str]
    first: frozenset[str]
    no: bool
    open: bool

    @property
    def dependent(self) -> bool:
        return bool(_DEPENDENT.match(self.text))


def contrary(clause: str, said: str, named: Collection[str], stem: Stem) -> str:
    """The stretch of what is said that speaks against the clause; "" for none. named: the words of its names."""
    words = [w for w in tokens(clause) if w not in stopwords() and w not in named and not only_denies(w)]
    wanted = frozenset(map(stem, words))
    stretches = [_stretch(text, clause, wanted, stem) for text in scopes(said)]
    holding = [one for one in stretches if one.held] or stretches
    against = _of_denial(clause, holding, stretches, stem) if denies(clause) else _of_saying(holding)
    return against.text if against else ""


def _stretch(text: str, clause: str, wanted: frozenset[str], stem: Stem) -> _Stretch:
    held = wanted & frozenset(map(stem, tokens(text)))
    first = held & frozenset(map(stem, denied(text)))
    no = denies(text) and bool(first or not lacks_only(text))
    return _Stretch(text, held, first, no, hedged(text, clause))


def _of_saying(holding: list[_Stretch]) -> _Stretch | None:
    """Against a clause that denies nothing."""
    denying = [one for one in holding if one.no and not one.open]
    if len(denying) == len(holding):
        return _fullest(denying)
    saying = [one for one in holding if one not in denying]
    elsewhere = frozenset[str]().union(*(one.held for one in saying))
    most = _most(saying)
    return next((one for one in denying if one.first - elsewhere and (one.dependent or len(one.held) > most)), None)


def _of_denial(clause: str, holding: list[_Stretch], stretches: list[_Stretch], stem: Stem) -> _Stretch | None:
    """Against a clause that denies: what it denies is said, or nothing in the sentence denies."""
    most = _most(holding)
    if any((one.no or one.open) and (one.dependent or len(one.held) >= most) for one in holding):
        return None
    heads = frozenset(map(stem, denied(clause)))
    said = next((one for one in holding if not one.no and one.held & heads), None)
    if said or not any(one.no and one.dependent for one in stretches):
        return said or _fullest([one for one in holding if not one.no])
    return None


def _most(stretches: list[_Stretch]) -> int:
    """The words of the clause that one of them holds; a time ("after a toast") belongs to what is said before it."""
    return max((len(one.held) for one in stretches if not _TIME.match(one.text)), default=0)


def _fullest(stretches: list[_Stretch]) -> _Stretch | None:
    return max(stretches, key=lambda one: len(one.held), default=None)
