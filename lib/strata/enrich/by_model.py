"""A premise by a language model: one or two sentences on the story that an entry carries on, in words to be found by.

Both entries go in as data behind the random boundary. What comes back is held against them: a sentence or two, short,
without links, and in words of which a good part stands in the entries. So neither an order in a text nor a model's own
knowledge makes it into a catalogue.
"""

from __future__ import annotations

import re
from functools import cache

from strata.core.analysis import Stemmer, stopwords, tokens
from strata.core.templates import as_text
from strata.core.types import Document
from strata.enrich.by_rule import LONGEST_TITLE, MOST_WORDS
from strata.errors import BadReply
from strata.llm.prompting import prompt, schema
from strata.llm.types import Reply, Request
from strata.semantic.sentences import sentence_spans

PROMPT = "premise"
MOST_SENTENCES, FEWEST_WORDS = 2, 4
LONGEST_STORY = 400
"""Words of a story that are shown: its beginning says what it is about."""
GROUNDED = 0.4
"""Of a premise's words, stop words aside, so many stand in the entries. A retelling in other words keeps half."""
REPLY_TOKENS = 200
_LINK = re.compile(r"://|\bwww\.|[<>{}\[\]|`]", re.IGNORECASE)
_CHAT = re.compile(
    r"\W*(sure|certainly|of course|okay|sorry|here(['’]s| is| are)|i |as an ai|the premise)\b", re.IGNORECASE
)
_NEXT = "run data_cli enrich again, or with another model by --llm-model"


def request(document: Document, story: Document) -> Request:
    """What the model is asked for a thin entry and the one that has its story."""
    return Request(prompt(PROMPT, documents=[_shown(document), _shown(story)]), schema(PROMPT), REPLY_TOKENS)


def premise_of(reply: Reply, document: Document, story: Document) -> str:
    """The premise that a reply holds. BadReply for anything else."""
    text = " ".join(str(reply.parsed["premise"]).split())
    problem = _problem(text, document, story)
    if problem:
        error = BadReply(f"the premise that the model wrote {problem}", _NEXT, reply.text)
        error.reply = reply
        raise error
    return text


def _shown(document: Document) -> dict[str, object]:
    year = as_text(document.fields.get("year"))[:LONGEST_TITLE]
    return {
        "title": document.title[:LONGEST_TITLE],
        **({"year": year} if year else {}),
        "text": " ".join(document.text.split()[:LONGEST_STORY]),
    }


def _problem(text: str, document: Document, story: Document) -> str:
    """What is wrong with a premise, in words that follow it; "" where nothing is."""
    words = len(text.split())
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        return f"has {words} words, where {FEWEST_WORDS} to {MOST_WORDS} are asked for"
    if not text.isprintable() or _LINK.search(text):
        return "holds signs or links that no premise has"
    if len(sentence_spans(text)) > MOST_SENTENCES:
        return "has more than two sentences"
    if _CHAT.match(text):
        return "speaks to whoever asked"
    stems = _stems(text)
    known = stems & _stems(f"{story.title} {story.text} {document.title} {document.text}")
    if len(known) < GROUNDED * len(stems) or not stems:
        return f"shares {len(known)} of its {len(stems)} words with the entries: it tells something else"
    return ""


def _stems(text: str) -> set[str]:
    return {*map(_stemmer(), {*tokens(text)} - stopwords())}


@cache
def _stemmer() -> Stemmer:
    return Stemmer()
