"""The judge (--evaluate): a language model grades each result from 0 to 3, on its own. An opinion, not a measurement:
the same model may grade otherwise tomorrow, and tends to like what a model wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.core.types import Query
from strata.registry import DEFAULT_ENCODER
from strata.rerank.asking import asked, numbered
from strata.rerank.replies import graded

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

HIGHEST = 3


def judged(q: Query, docs: Sequence[int], ws: Workspace, encoder: str = DEFAULT_ENCODER) -> dict[int, tuple[int, str]]:
    """document (position) → (grade, why) of those that were graded; {} where there is no language model, which is said.

    3 exactly what is asked for, 2 it fits with a small lack, 1 related, 0 no answer. ProviderError, among them
    BadReply, where there is not one grade.
    """
    if not docs:
        return {}
    if ws.model is None:
        ws.note("no language model: nothing is judged, since no rule can have an opinion")
        return {}
    reply = graded(asked("judge", q, numbered(q, docs, ws, encoder), ws.model, ws), len(docs), HIGHEST)
    if len(reply.grades) < len(docs) or reply.unknown:
        ws.note(
            f"the judge graded {len(reply.grades)} of {len(docs)} results; {reply.unknown} of its entries fit none of "
            "them and are left out"
        )
    return {docs[place]: given for place, given in reply.grades.items()}
