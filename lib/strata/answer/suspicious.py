"""Signs that a text was written to steer whoever reads it, by a short list of rules. Pure.

A hit proves nothing, and a miss even less: the text is data to every layer either way. The list is for the reader, who
is told which source looks odd and why; and an answer by rule does not repeat such a sentence.
"""

from __future__ import annotations

import re
import unicodedata

from strata.answer.brackets import numbers_in
from strata.answer.citable import CLOSING, OPENING

LONGEST_WORD = 200
"""Characters without a blank."""


def _any(*rules: str) -> re.Pattern[str]:
    return re.compile("|".join(rules), re.IGNORECASE)


_RULES = {
    "an order to whoever reads it": _any(
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|"
        r"your|these|the)\b[^.]{0,30}\b(?:instructions?|prompts?|rules?|directions?|messages?|context|sources?)\b",
        r"\b(?:new|updated|real|hidden) (?:instructions?|task|orders?)\s*:",
        r"\byou are (?:now|no longer)\b[^.]{0,60}\b(?:assistant|model|ai|bot|mode|dan|judge|system)\b",
        r"\b(?:as an ai|language model|system prompt|developer mode|jailbreak)\b",
        r"\b(?:reply|respond|answer|output|print|write|say)\b (?:only |just |exactly |nothing but )?(?:with|in json|"
        r"the word|the (?:following|phrase|sentence)|pwned)",
        r"\b(?:assistant|model|ai)\b[^.]{0,20}\b(?:must|should|shall)\b[^.]{0,30}\b(?:say|reply|answer|rank|cite|give)",
        r"\b(?:rank|rate|score|grade|cite) (?:this|it) (?:first|highest|10|as)\b",
    ),
    "a mark of a conversation": _any(
        r"<\|[a-z_]{2,30}\|>",
        r"\[/?INST\]",
        r"<<?/?SYS>>?",
        r"</?s>",
        r"(?:^|\n|[.!?>\"] )\s{0,8}(?:system|assistant|user|developer|human)\s?:",
        r"(?<!#)#{2,}+ ?(?:instructions?|system|response|human|assistant)\b",
        r"</?(?:system|assistant|user|instructions?|sources?|documents?|context)>",
    ),
    "a mark of an end": _any(
        r"\bboundary-",
        r"<<<|>>>|```",
        r"(?<!-)-{3,}+ ?(?:end|begin|stop)\b",
        r"\b(?:end|begin(?:ning)?) of (?:the )?(?:sources?|documents?|data|context|input|prompt|instructions?)\b",
    ),
    "an imitated entry": _any(r"[{,]\s*\\?\"(?:number|role|content|title|text|ranking|grades?|id)\\?\"\s*:"),
    "a link or markup": _any(
        r"<\s*/?\s*(?:script|img|iframe|svg|object)\b",
        r"</?(?:a|style|meta|link|b|i|div|span|br|p|h[1-6])\b[^<>]{0,400}>",
        r"<!--",
        r"javascript:|data:text/|https?://",
        r"\]\((?:[a-z]+:|/|#)",
    ),
}
_BRACKETS = re.compile(rf"[{re.escape(OPENING)}]([^{re.escape(OPENING + CLOSING)}]{{1,40}})[{re.escape(CLOSING)}]")
CITATION = "a number that looks like a citation"
HIDDEN = "hidden characters"
MIXED = "letters of two alphabets in one word"
LONG = "a word without an end"
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN")
_WORD = re.compile(r"[^\W\d_]{2,}")


def findings(text: str) -> list[str]:
    """The signs that a text shows, each by its name; [] for none."""
    bare = unicodedata.normalize("NFKC", text)
    bare = "".join(c for c in bare if c == "\n" or not unicodedata.category(c).startswith("C"))
    found = [name for name, rule in _RULES.items() if rule.search(bare)]
    if any(numbers_in(match.group(1), 0) for match in _BRACKETS.finditer(text)):
        found.append(CITATION)
    if any(map(_hidden, text)):
        found.append(HIDDEN)
    if any(_mixed(match.group()) for match in _WORD.finditer(text) if not match.group().isascii()):
        found.append(MIXED)
    if any(len(word) > LONGEST_WORD for word in text.split()):
        found.append(LONG)
    return found


def _hidden(c: str) -> bool:
    """Control and format characters but for those that a text may well hold: line ends, tabs, a soft hyphen."""
    if c.isascii():
        return c == "\x7f" or (c < " " and c not in "\t\n\r")
    return c != "\xad" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co"}


def _mixed(word: str) -> bool:
    names = [unicodedata.name(c, "") for c in word]
    return len({script for script in _SCRIPTS for name in names if name.startswith(f"{script} ")}) > 1
