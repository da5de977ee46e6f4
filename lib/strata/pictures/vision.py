"""A vision model's rewrite: a picture and the words beside it become one request in words, which any layer can search.

By rule nothing can see: the words alone are the request, and it says so. What CLIP (clip.py) finds by the look of a
picture, this finds by what can be said of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from strata.core.analysis import tokens
from strata.core.types import Query
from strata.enhance import asking
from strata.errors import BadReply, UsageError
from strata.printable import one_line

if TYPE_CHECKING:
    from strata.llm.types import Image, LanguageModel, Message, Reply
    from strata.pipeline.workspace import Workspace

PROMPT = "describe"
REPLY_TOKENS = 400
LONGEST_QUERY = 200
"""Characters that a request may have on top of what was asked in words: twenty words have about 130."""
LONGEST_SHOWN = 600
"""Characters of what is to be seen that are kept."""
BLIND = "nothing here can see the picture"
EYES = "set GEMINI_API_KEY, or STRATA_LLM_BASE_URL to a server whose model sees"


@dataclass(frozen=True)
class Vision:
    """No settings. sees: its model is shown a picture."""

    sees: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "vision"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        """The request in words. UsageError for one without a picture, or without words where nothing can see."""
        if q.picture is None:
            raise UsageError("the query has no picture", "ask with one: describe_image_cli --image PATH")
        return by_model(q, ws.model, ws) if ws.model else by_rule(q, ws)


def by_rule(q: Query, ws: Workspace) -> Query:
    """The request as it is, without the picture."""
    if not tokens(q.text):
        raise UsageError(f"{BLIND}, and there are no words to search with", f"add --query TEXT, or {EYES}")
    ws.note(f"{BLIND}: the words alone are searched; {EYES}")
    asking.by_rule(ws, shows=None, sent=None)
    return q


def by_model(q: Query, model: LanguageModel, ws: Workspace) -> Query:
    """The request in a model's words. BadReply for a reply that cannot be one, or that says there was no picture."""
    from strata.llm.prompting import prompt, schema
    from strata.llm.sight import sees_none
    from strata.llm.usage import reply_to
    from strata.pictures.sending import as_image

    assert q.picture is not None
    image = as_image(q.picture)
    ws.report(sent={"mime": image.mime, "width": image.width, "height": image.height, "bytes": len(image.data)})
    messages = _shown(prompt(PROMPT, query=q.text), image)
    try:
        reply = reply_to(messages, schema(PROMPT), model, ws, max_tokens=REPLY_TOKENS)
    except BadReply as error:
        if error.reply and sees_none(error.text):
            raise _unseen(error.reply) from None
        raise
    shows, written = str(reply.parsed["shows"]), str(reply.parsed["query"])
    if sees_none(shows) or sees_none(written):
        raise _unseen(reply)
    text = asking.checked_query(written, q.text, len(q.text) + LONGEST_QUERY)
    ws.report(shows=one_line(shows, LONGEST_SHOWN))
    return replace(q, text=text)


def _shown(messages: tuple[Message, ...], image: Image) -> tuple[Message, ...]:
    *before, last = messages
    return (*before, replace(last, images=(image,)))


def _unseen(reply: Reply) -> BadReply:
    problem = BadReply(f"{reply.provider} ({reply.model}) replied that it sees no picture: it may read text only",
                       "name a model that sees with --llm-model, or use --llm gemini", reply.text)  # fmt: skip
    problem.reply = reply
    return problem
