"""Some items of a sequence, each still fetched only when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Picked(Sequence[T]):
    """Item i is items[places[i]]."""

    def __init__(self, items: Sequence[T], places: Sequence[int]) -> None:
        self._items, self._places = items, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, i: int) -> T: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[T]: ...
    def __getitem__(self, i: int | slice) -> T | Sequence[T]:
        if isinstance(i, slice):
            return Picked(self._items, self._places[i])
        return self._items[self._places[i]]
