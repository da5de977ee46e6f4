"""How queries are parted for cross-validation: each is held out once, and what is chosen is chosen by the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from strata.errors import DataError, UsageError

LOO = "loo"


@dataclass(frozen=True)
class Folds:
    """parts: the places of the queries that are held out together; each query is in one part."""

    way: str
    parts: tuple[tuple[int, ...], ...]


def folds(text: str, kinds: Sequence[str], seed: int = 0) -> Folds:
    """--folds N|loo for queries of these kinds. UsageError for a number that does not fit."""
    count = len(kinds)
    if count < 2:
        raise DataError(
            f"{count} judged {'query' if count else 'queries'}: nothing can be held out", "a sweep needs two or more"
        )
    if text == LOO:
        return Folds("leave one query out", tuple((i,) for i in range(count)))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 2 <= int(text) <= count):
        raise UsageError(f'folds cannot be "{text}"', f"a number from 2 to {count} (the judged queries), or {LOO}")
    return Folds(f"{int(text)} folds", stratified(kinds, int(text), seed))


def stratified(kinds: Sequence[str], count: int, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """Parts of equal size but for one query, over which each kind is spread as evenly: shuffled within its kind, each
    query is dealt to the next part, like cards."""
    shuffle = random.Random(seed).shuffle
    dealt: list[int] = []
    for kind in dict.fromkeys(kinds):
        places = [i for i, one in enumerate(kinds) if one == kind]
        shuffle(places)
        dealt += places
    return tuple(tuple(sorted(dealt[i::count])) for i in range(count))
