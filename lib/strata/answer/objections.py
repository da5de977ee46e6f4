"""What speaks against a clause at once, however near the document comes to it: each a line that says why, or "".

name: what the document is called in that line, e.g. "source 2".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from strata.answer import numerals
from strata.answer.contradiction import contrary
from strata.answer.material import Material
from strata.answer.names import Name, begins_with_family, missing, singular
from strata.answer.nearness import Near
from strata.answer.polarity import denies, scopes
from strata.answer.quotes import held, quotes, spaced
from strata.core.analysis import stopwords, tokens

LITERAL = 0.6
"""The share of a clause's words from which a sentence is near enough to deny it, or to say it of somebody else."""
CLOSE = 0.55
"""The cosine from which it is near enough to deny it in other words."""

_SUBJECT = re.compile(r"[A-ZÀ-Þ][\w-]*(?:(?:\s[A-ZÀ-Þ][\w-]*)+|['’]s\b|(?=,))")

Stem = Callable[[str], str]


def quoted(clause: str, material: Material, name: str) -> str:
    """A quotation that does not stand there word for word."""
    sentences, texts = material.spaced
    wrong = next((q for q in quotes(clause) if not held(q.text, sentences, texts)), None)
    return "" if wrong is None else f"{name} does not hold the words “{wrong.text}”"


def miscounted(clause: str, material: Material, name: str, stem: Stem) -> str:
    """A number of what the document counts otherwise; its title may agree, but says nothing against the text."""
    for number in numerals.numbers(clause, stem):
        if any(other.value == number.value and other.counted & number.counted for other in material.numbers):
            continue
        other = next((other for other in material.counts if other.counted & number.counted), None)
        if other:
            return f"{name} says {other.written}, not {number.written}: {_around(other, material)}"
    return ""


def _around(number: numerals.Number, material: Material) -> str:
    """The sentence in which a number stands."""
    words = spaced(number.written)
    return next((s for s, text in zip(material.sentences, material.spaced[0], strict=True) if words in text), "")


def uncounted(clause: str, cited: Sequence[Material], name: str, stem: Stem) -> str:
    """A number that none of these has. Up to two is often said without a numeral."""
    values = frozenset[str]().union(*(material.values for material in cited))
    for number in numerals.numbers(clause, stem):
        if number.value not in values and number.value not in ("0", "1", "2"):
            return f"{name} has no {number.written}"
    return ""


def unnamed(found: Sequence[Name], cited: Sequence[Material], name: str) -> str:
    """A name that none of these has; or none of the names is in the first of them, which is the one that is judged."""
    absent = missing(found, frozenset[str]().union(*(material.words for material in cited)))
    if not absent and found and len(missing(found, cited[0].words)) == len(found):
        absent = list(found)
    return f"{name} does not mention {absent[0].text}" if absent else ""


def contradicted(clause: str, found: Sequence[Name], near: Near, name: str, stem: Stem) -> str:
    """The document says the contrary: one of the two denies it and the other does not."""
    named = {word for one in found for word in one.words}
    said = near.wording if near.shared >= LITERAL else near.part if near.part_cosine >= CLOSE else ""
    if said:
        against = contrary(clause, said, named, stem)
        return f"{name} says otherwise: {against}" if against else ""
    if denies(clause) and not any(map(denies, (*scopes(near.part), *scopes(near.wording)))):
        return f"{name} does not deny that: {near.part}"
    return ""


def another(found: Sequence[Name], near: Near, material: Material, name: str) -> str:
    """The document says it of somebody else: the sentence begins with another name, and has none of these.

    A first word is a name where a second follows, or a comma or possessive, and the document never writes it small.
    What a family does ("The Kims"), one of them may be said to do; so there it must be another family of the document.
    """
    wanted = {word for one in found for word in one.words} - set(tokens(material.title))
    words = tokens(near.wording)
    if not wanted or near.shared < LITERAL or near.wording == material.sentences[0]:
        return ""
    if singular(wanted) & singular(words):
        return ""
    family = begins_with_family(near.wording)
    subject = family or _SUBJECT.match(near.wording)
    if not subject or (singular(wanted).isdisjoint(material.families) if family else _small(words[0], material)):
        return ""
    return f"{name} says that of {subject.group().strip()}: {near.wording}"


def _small(word: str, material: Material) -> bool:
    return word in stopwords() or word in material.cased.small


def unsaid(clause: str, found: Sequence[Name], name: str) -> str:
    """That nothing says it; the name that the clause begins with, often the title, is left out of what is repeated."""
    begins = found and set(tokens(clause[: found[0].start])) <= stopwords()
    rest = clause[found[0].end :].strip(' .,;:"”»') if begins else ""
    return f"nothing in {name} says: {rest or clause.strip(' .,;:')}"
