"""One request about several documents, which are shown under the numbers 1 … n."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from strata.core.types import Query
from strata.errors import BadReply
from strata.llm.parsing import json_value
from strata.llm.prompting import prompt, schema
from strata.llm.types import LanguageModel
from strata.llm.usage import reply_to
from strata.rerank.reading import shown

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

CHARACTERS = 8000
"""Of all texts together, about 2,000 tokens: with titles, instructions and the reply they fit into the 4,096 tokens
that small models and local servers are set to. Some servers silently drop what is beyond."""
LONGEST = 1200
SHORTEST = 100
REPLY_TOKENS = 150
TOKENS_A_DOCUMENT = 30


def numbered(
    q: Query, docs: Sequence[int], ws: Workspace, encoder: str, characters: int = CHARACTERS
) -> list[dict[str, object]]:
    """What is shown of each document, under its number. characters: of all texts together."""
    each = max(SHORTEST, min(LONGEST, characters // max(1, len(docs))))
    return [{"id": i, **entry} for i, entry in enumerate(shown(q, docs, ws, each, encoder), start=1)]


def asked(name: str, q: Query, documents: Sequence[dict[str, object]], model: LanguageModel, ws: Workspace) -> Any:
    """The JSON value of the reply to a prompt. One that does not fit the schema is handed on as it is, for replies.py
    to repair; BadReply where there is no JSON value in it, or more than one."""
    ws.report(by_rule=False, provider=model.provider, model=model.model)
    most = REPLY_TOKENS + TOKENS_A_DOCUMENT * len(documents)
    messages = prompt(name, query=q.text, documents=documents)
    try:
        return reply_to(messages, schema(name), model, ws, max_tokens=most).parsed
    except BadReply as error:
        if error.reply is None:
            raise
        return json_value(error.reply.text)
