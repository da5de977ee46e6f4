"""Answers without a language model: sentences of the sources, word for word, each with its number; and abstentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.answer.check import claims
from strata.answer.citable import uncitable
from strata.answer.cite import Statement
from strata.answer.evidence import Evidence
from strata.answer.extract import Sentence, chosen
from strata.answer.sources import Source
from strata.core.types import Claim, Query
from strata.printable import one_line

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

TITLE = 80
"""Characters of a title that are repeated."""


@dataclass(frozen=True)
class Choice:
    """Which sentences a mode takes; extract.chosen says what the numbers mean. in_order: of the sources."""

    most: int
    a_source: int
    least: float
    in_order: bool = False


def by_rule(
    choice: Choice, q: Query, sources: Sequence[Source], found: Sequence[Sentence], ws: Workspace
) -> tuple[str, tuple[Claim, ...], bool]:
    """The text, its claims with their check, and whether it is an abstention: where no source has a sentence."""
    picked = chosen(found, choice.most, choice.a_source, choice.least)
    if choice.in_order:
        picked = sorted(picked, key=lambda one: one.number)
        silent = [s.number for s in sources if not any(one.number == s.number for one in picked)]
        if silent:
            ws.note(f"no sentence to repeat in source {', '.join(map(str, silent))}")
    if not picked:
        return f"{_asked(q)}: the sources have no sentence that could be repeated.", (), True
    titles = {source.number: uncitable(source.title)[:TITLE] for source in sources}
    text = "\n".join(f"{titles[one.number]}: {one.text} [{one.number}]" for one in picked)
    stated = [Statement(one.text, (one.number,)) for one in picked]
    return text, claims(stated, [source.doc for source in sources], ws), False


def abstention(q: Query, sources: Sequence[Source], there: Evidence, least: float) -> str:
    """Why no answer is given."""
    if not sources:
        return f"{_asked(q)}: nothing was found, so there is nothing to answer from."
    count = f"{len(sources)} sources" if len(sources) > 1 else "1 source"
    lacking = f" None has: {', '.join(there.lacking)}." if there.lacking else ""
    return (
        f"{_asked(q)}: looked for in {count}, which do not hold an answer "
        f"(evidence {there.score:.2f}, {least:.2f} is asked for).{lacking}"
    )


def _asked(q: Query) -> str:
    return f"“{uncitable(one_line(q.text))[:300]}”"
