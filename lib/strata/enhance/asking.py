"""Asking a language model for an enhancement, and what its reply must be to stand in for a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from strata.core.analysis import tokens
from strata.errors import BadReply

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel
    from strata.pipeline.workspace import Workspace

MOST_TIMES, MOST_MORE = 3, 60
"""A rewritten request may have three times as many characters as the request, and 60 more."""
_NEXT = "try again, another model with --llm-model, or --llm none for the way by rule"
_CHAT = re.compile(
    r"\W*((sure|certainly|of course|okay|absolutely|sorry)[,.!:]|here(['’]s| is| are)\b|as an ai\b|based on (your|the) "
    r"|i (think|believe) (you|the|this|it)\b|i(['’]m| am) (sorry|afraid|unable|happy|glad|an? )"
    r"|i can(['’]?t|not)? (help|find|do)|you(['’]re| are) (probably |likely )?(looking|thinking|searching|describing)"
    r"|the (film|movie|answer|title) (you|is|might|could)|(it|that|this) sounds like"
    r"|(the )?((corrected|rewritten|new|search) )?(query|answer|output|result|request)( is)?:)",
    re.IGNORECASE,
)
_QUOTES = "\"'`“”‘’«»„"


def by_rule(ws: Workspace, **facts: Any) -> None:
    """Say that a step was done by rule, and how."""
    ws.report(by_rule=True, provider=None, model=None, **facts)


def ask(model: LanguageModel, name: str, ws: Workspace, **fields: Any) -> Any:
    """The parsed reply to a prompt; says who gave it and what it cost. Raises what the model raises."""
    from strata.llm.prompting import prompt, schema
    from strata.llm.usage import reply_to

    return reply_to(prompt(name, **fields), schema(name), model, ws).parsed


def checked_query(written: str, original: str, most: int | None = None) -> str:
    """A model's request in place of the original: one line of words, not much longer, no talk, no quotes round it.
    most: how many characters it may have, where the original does not tell.

    BadReply, so that the original stands, for anything else (cases.md 53).
    """
    text = written.strip()
    if not tokens(text):
        raise _refused("holds no word", written)
    if len(text.splitlines()) > 1 or any(not (c.isprintable() or c in original) for c in text):
        raise _refused("is not one line of text", written)
    if len(text) > (MOST_TIMES * len(original) + MOST_MORE if most is None else most):
        raise _refused(f"is {len(text)} characters long, for a request of {len(original)}", written)
    if text[0] in _QUOTES and text[-1] in _QUOTES and not (original[:1] in _QUOTES and original[-1:] in _QUOTES):
        raise _refused("stands in quotes", written)
    chat = _CHAT.match(text)
    if chat and not original.casefold().lstrip().startswith(chat.group(1).casefold().strip()):
        raise _refused(f'begins with "{chat.group(1).strip()}"', written)
    return text


def _refused(what: str, written: str) -> BadReply:
    return BadReply(f"the request that the model wrote {what}", _NEXT, written)
