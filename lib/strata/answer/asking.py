"""Answers by a language model: the prompt of the mode, the reply as it streams in, and what of it was meant as "no"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.answer.check import claims, read
from strata.answer.citable import Cleaned
from strata.answer.cite import Statement, statements
from strata.answer.sources import Source
from strata.core.types import Claim, Query
from strata.errors import BadReply
from strata.llm.prompting import prompt
from strata.llm.usage import reply_to

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

TOKENS = 700
"""Of a reply: eight sentences of citations take about 300."""
_NO = re.compile(r"\b(?:no|not|none|nothing|neither|unable|cannot)\b|n['’]t\b", re.IGNORECASE)
_OF_SOURCES = re.compile(
    r"\b(?:sources?|information|provided|given|answer|hold|mention|contain|found|catalogue|describe)", re.IGNORECASE
)
REFUSAL = 2
"""Sentences that a model takes at most to say that the sources do not hold the answer."""


def by_model(mode: str, q: Query, sources: Sequence[Source], ws: Workspace) -> tuple[str, tuple[Claim, ...], bool]:
    """The text, its claims with their check, and whether the model says that the sources hold no answer.

    What the provider fails to do goes up as a ProviderError. `ws.stream`, where there is one, is given the text as it
    comes, without control characters.
    """
    if ws.model is None:
        raise ValueError("there is no language model")
    messages = prompt(mode, query=q.text, sources=[source.as_data() for source in sources])
    stream = Cleaned(ws.stream) if ws.stream else None
    reply = reply_to(messages, None, ws.model, ws, max_tokens=TOKENS, stream=stream)
    ws.report(finish_reason=reply.finish_reason)
    if reply.finish_reason == "length":
        ws.note(f"the answer was cut off at {TOKENS} tokens")
    text = read(reply.text, ws)
    if not text:
        raise BadReply(f"{reply.provider} ({reply.model}) sent a reply without a visible character",
                       "try again, or another model with --llm-model", reply.text)  # fmt: skip
    stated = statements(text, len(sources))
    return text, claims(stated, [source.doc for source in sources], ws), declined(stated)


def declined(stated: Sequence[Statement]) -> bool:
    """Whether a reply says only that the sources hold no answer, as the prompts ask for: a sentence or two without a
    citation, with a word that denies and one for what was given."""
    if not stated or len(stated) > REFUSAL or any(statement.numbers for statement in stated):
        return False
    text = stated[0].text
    return bool(_NO.search(text) and _OF_SOURCES.search(text))
