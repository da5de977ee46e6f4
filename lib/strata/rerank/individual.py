"""Reranking one by one: the language model grades each candidate from 0 to 10, several requests under way at a time.

A candidate whose grade could not be had stands behind all graded ones, in its old order; that is counted and said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.core.types import Query, Ranking
from strata.errors import BadReply, ProviderError
from strata.llm.many import ask_all
from strata.llm.parsing import json_value
from strata.llm.prompting import prompt, schema
from strata.llm.showing import Showing
from strata.llm.types import LanguageModel, Reply, Request
from strata.llm.usage import spent
from strata.rerank.by_model import ByModel
from strata.rerank.order import reranked
from strata.rerank.reading import shown
from strata.rerank.replies import grade

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

HIGHEST = 10
UNGRADED = -1.0
"""The score of a candidate whose grade could not be had."""
REPLY_TOKENS = 160
AT_ONCE = 4


@dataclass(frozen=True)
class Individual(ByModel):
    """characters: of each candidate's text."""

    name: ClassVar[str] = "individual"

    def by_model(self, q: Query, docs: Sequence[int], model: LanguageModel, ws: Workspace) -> Ranking:
        """A fatal error of the provider goes up, and so does the first one where no candidate was graded."""
        requests = [
            Request(
                prompt("rerank_individual", query=q.text, document=entry), schema("rerank_individual"), REPLY_TOKENS
            )
            for entry in shown(q, docs, ws, self.characters, self.encoder)
        ]
        # What is only shown is shown in the order of the list.
        outcomes = ask_all(model, requests, 1 if isinstance(model, Showing) else AT_ONCE)
        replies = [reply for one in outcomes if (reply := one if isinstance(one, Reply) else one.reply)]
        spent(replies, ws, AT_ONCE)
        if replies:
            ws.report(by_rule=False, provider=replies[0].provider, model=replies[0].model)
        fatal = next((one for one in outcomes if isinstance(one, ProviderError) and one.fatal), None)
        if fatal:
            raise fatal
        grades = [_graded(one) for one in outcomes]
        failed = [one for one in grades if isinstance(one, ProviderError)]
        if len(failed) == len(docs):
            raise failed[0]
        why = {doc: one[1] for doc, one in zip(docs, grades, strict=True) if isinstance(one, tuple) and one[1]}
        ws.report(label="grade, 0 to 10", why=why)
        if failed:
            ws.report(ungraded=len(failed))
            ws.note(
                f"{len(failed)} of {len(docs)} candidates were not graded ({failed[0].message}): "
                "they keep their order behind the others"
            )
        return reranked(self.name, docs, [one[0] if isinstance(one, tuple) else UNGRADED for one in grades])


def _graded(outcome: Reply | ProviderError) -> tuple[float, str] | ProviderError:
    """(grade, why). A reply that does not fit its schema may still hold a grade."""
    try:
        if isinstance(outcome, Reply):
            return grade(outcome.parsed, HIGHEST)
        if isinstance(outcome, BadReply) and outcome.reply:
            return grade(json_value(outcome.reply.text), HIGHEST)
    except BadReply as error:
        return outcome if isinstance(outcome, BadReply) else error
    return outcome
