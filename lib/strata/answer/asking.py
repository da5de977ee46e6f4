"""Answers by a language model: the prompt of the mode, the reply as it streams in, and what of it was meant as "no"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.answer.check import claims, read
from strata.answer.citable import Cleaned
from strata.answer.cite import statements
from strata.answer.refusal import declined, refuses
from strata.answer.sources import Source
from strata.core.types import Claim, Query
from strata.errors import BadReply
from strata.llm.prompting import prompt
from strata.llm.usage import reply_to

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

TOKENS = 700
"""Of a reply: eight sentences of citations take about 300."""


def by_model(mode: str, q: Query, sources: Sequence[Source], ws: Workspace) -> tuple[str, tuple[Claim, ...], bool]:
    """The text, its claims with their check, and whether the model says that the sources hold no answer; to say so is
    no claim.

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
    no = declined(stated)
    claimed = [one for one in stated if not refuses(one.text)] if no else stated
    return text, claims(claimed, [source.doc for source in sources], ws), no
