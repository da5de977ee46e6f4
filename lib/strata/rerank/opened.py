"""What rerankers open, once a workspace; it goes when the workspace goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

T = TypeVar("T")
_opened: WeakKeyDictionary[Workspace, dict[str, Any]] = WeakKeyDictionary()


def once(ws: Workspace, what: str, make: Callable[[], T]) -> T:
    """make(), or what it gave before. what: a name that only this call uses."""
    known = _opened.setdefault(ws, {})
    if what not in known:
        known[what] = make()
    found: T = known[what]
    return found
