"""One list of two runs: who entered, who left, who moved, whose score changed. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from strata.core.types import DocId
from strata.experiments.record import Hit, Listed

RELATIVE = 1e-6
"""Scores that differ by less are the same: another processor may add up in another order."""
SMALLEST = 1e-9


@dataclass(frozen=True)
class Placed:
    """A document with its rank and score in each of the two lists; None where a list does not hold it."""

    id: DocId
    title: str
    before: int | None
    after: int | None
    scores: tuple[float | None, float | None]

    @property
    def step(self) -> int:
        """How many ranks it moved; 0 where it is in one list only."""
        return 0 if self.before is None or self.after is None else abs(self.after - self.before)

    @property
    def difference(self) -> float:
        """What its score changed by; 0 where it is in one list only."""
        old, new = self.scores
        return 0.0 if old is None or new is None else abs(new - old)

    def to_json(self) -> dict[str, Any]:
        old, new = self.scores
        return {
            "id": self.id, "title": self.title, "before": self.before, "after": self.after,
            "score_before": old, "score_after": new,
        }  # fmt: skip


@dataclass(frozen=True)
class ListDiff:
    """entered, left: best first. moved: the furthest first. rescored: the largest change first. texts: documents with
    another passage. ties: only documents of equal score changed places. depth: where the lists were cut at different
    depths, only their first `depth` documents are compared; None otherwise."""

    before: Listed
    after: Listed
    entered: tuple[Placed, ...]
    left: tuple[Placed, ...]
    moved: tuple[Placed, ...]
    rescored: tuple[Placed, ...]
    texts: tuple[Placed, ...]
    ties: bool
    depth: int | None

    @property
    def label(self) -> str:
        return self.after.label

    @property
    def same(self) -> bool:
        """The same documents in the same order, with the same scores and passages."""
        return not (self.entered or self.left or self.moved or self.rescored or self.texts)

    def to_json(self) -> dict[str, Any]:
        largest = self.rescored[0] if self.rescored else None
        return {
            "layer": self.label,
            "slot": self.after.slot,
            "same": self.same,
            "hits": [len(self.before.hits), len(self.after.hits)],
            "matched": [self.before.matched, self.after.matched],
            "compared_to_depth": self.depth,
            "entered": [one.to_json() for one in self.entered],
            "left": [one.to_json() for one in self.left],
            "moved": [one.to_json() for one in self.moved],
            "only_ties_moved": self.ties,
            "scores": {
                "changed": len(self.rescored),
                "largest": {**largest.to_json(), "difference": largest.difference} if largest else None,
            },
            "passages_changed": [one.to_json() for one in self.texts],
        }


def same_score(old: float, new: float) -> bool:
    """Equal within a millionth of the larger one."""
    return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=SMALLEST)


def compare(before: Listed, after: Listed, *, scores: bool = True) -> ListDiff:
    """Documents are known by their ids, compared as strings. scores: whether both lists' scores mean the same."""
    depth = _common_depth(before, after)
    old, new = _ranked(before.hits), _ranked(after.hits)
    shown = range(1, (depth or max(len(before.hits), len(after.hits))) + 1)
    placed = [_placed(key, old, new) for key in {**new, **old}]
    placed = [one for one in placed if one.before in shown or one.after in shown]
    both = [one for one in placed if one.before is not None and one.after is not None]
    moved = sorted((one for one in both if one.step), key=lambda one: (-one.step, one.after or 0))
    rescored = [one for one in both if scores and not same_score(one.scores[0] or 0.0, one.scores[1] or 0.0)]
    texts = [one for one in both if _hit(one, old).passage != _hit(one, new).passage]
    entered = tuple(sorted((one for one in placed if one.before is None), key=lambda one: one.after or 0))
    left = tuple(sorted((one for one in placed if one.after is None), key=lambda one: one.before or 0))
    return ListDiff(
        before=before, after=after, entered=entered, left=left, moved=tuple(moved),
        rescored=tuple(sorted(rescored, key=lambda one: -one.difference)), texts=tuple(texts),
        ties=bool(moved) and not (entered or left or rescored) and _same_sequence(before.hits, after.hits), depth=depth,
    )  # fmt: skip


def _common_depth(before: Listed, after: Listed) -> int | None:
    """The depth down to which both lists hold what they would hold, where that is not all of both. What stands below
    the cut of one list may well be in it, so nothing can be said of it."""
    cuts = [len(one.hits) for one in (before, after) if one.cut]
    least = min(cuts, default=None)
    longest = max(len(before.hits), len(after.hits))
    return least if least is not None and least < longest else None


def _ranked(hits: tuple[Hit, ...]) -> dict[str, tuple[int, Hit]]:
    return {hit.key: (rank, hit) for rank, hit in enumerate(hits, start=1)}


def _placed(key: str, old: dict[str, tuple[int, Hit]], new: dict[str, tuple[int, Hit]]) -> Placed:
    (before, was), (after, now) = (found.get(key, (None, None)) for found in (old, new))
    known = now or was
    assert known is not None
    return Placed(known.id, known.title, before, after, (was.score if was else None, now.score if now else None))


def _hit(one: Placed, found: dict[str, tuple[int, Hit]]) -> Hit:
    return found[str(one.id)][1]


def _same_sequence(before: tuple[Hit, ...], after: tuple[Hit, ...]) -> bool:
    """Whether the scores, rank by rank, are the same: then those who moved had equal ones."""
    return all(same_score(old.score, new.score) for old, new in zip(before, after, strict=False))
