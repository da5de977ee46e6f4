"""A picture put into words from a command line, alone or as the first step of a search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strata import searching
from strata.asked import MODEL, Asked, flag
from strata.common import Common
from strata.errors import ProviderError, UsageError
from strata.flags import query
from strata.pictures.described import Described, described
from strata.pictures.vision import Vision
from strata.pipeline.run import MUST, timed
from strata.prompts import Prompts
from strata.searching import Found
from strata.show.text import Block

if TYPE_CHECKING:
    from strata.core.picture import Picture


def describe(common: Common, asked: Asked, path: str, text: str, *, search: bool) -> None:
    """UsageError for options of a search where none is asked for, and for a picture alone where nothing can see."""
    from strata.pictures.open import open_picture

    stray = [flag(name) for name in asked.values if name in asked.given and name not in MODEL]
    if stray and not search:
        raise UsageError(f"{', '.join(stray)}: of use to a search only", "add --search")
    picture = None if asked.show_plan else open_picture(path)
    try:
        if search:
            _searched(common, replace(asked, puts={"enhance": "vision"}), picture, text)
        elif picture:
            _alone(common, asked, picture, text)
    except ProviderError as error:
        if not text.strip():
            error.next_step = f"{error.next_step}; or add --query TEXT, words that can be searched without it"
        raise


def _searched(common: Common, asked: Asked, picture: Picture | None, text: str) -> None:
    from strata.show.described import view
    from strata.show.results import fused

    def draw(found: Found) -> Iterator[Block]:
        yield from view(_of(found))
        yield ""
        yield from fused(found)

    def more(found: Found) -> dict[str, Any]:
        data = _of(found).to_json()
        del data["query"]  # the search's own says more
        return data

    searching.search(common, asked, text, draw, more=more, picture=picture)


def _of(found: Found) -> Described:
    step = next(step for step in found.trace.steps if step.slot == "enhance")
    return described(found.trace.query, step)


def _alone(common: Common, asked: Asked, picture: Picture, text: str) -> None:
    """The first step of a search and no more; without a ranking there is no run to log."""
    from strata.show.described import view

    layer, prompts = Vision(), Prompts()
    choice = asked.choice(prompts, sees=layer.sees)
    ws = common.workspace(choice)
    q = query(text, ws, None, None, picture=picture)
    try:
        step = timed("enhance", layer, lambda: layer(q, ws), q if q.text else MUST, ws)
    except ProviderError as error:
        if error.exit_status:
            raise
        prompts.emit(common)
        return
    if choice and choice.show_prompt:
        prompts.emit(common)
        return
    found = described(q, step)
    common.emit({**found.to_json(), "notices": list(step.notices)}, lambda: view(found))
    if choice and choice.by_name and step.failed:
        common.ended(ProviderError.exit_status)
