"""Citations as they stand in an answer: which sentence, or part of one, names which numbers. Pure; nothing is judged.

Taken for citations: [1], [1, 2], [1; 2], [1 and 2], [1-3], [source 1, source 2], [1: its title], [1, p. 3], [^1],
\\[1\\], 【1†…】, and the same in full-width signs. Not: [sic], […], [1.5], and a year such as [1998] unless so many
sources were given. Marks side by side are one: [1][2], [1] and [2], [1]/[2]; [1]–[3] is a range. A citation belongs to
the sentence it stands in or follows; where a sentence has several, each stands for the words since the one before. A
line that begins with its citation, [1] Title: …, is cited by it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from strata.answer import blocks
from strata.answer.brackets import DASHES, numbers_in, spread
from strata.core.analysis import stopwords, tokens
from strata.core.language import word_set

MOST_TOGETHER = 200
"""Numbers that marks side by side name together."""

_MARK = re.compile(r"[\[［【〔]([^\[\]［］【】〔〕]{1,400})[\]］】〕](?:\((?:https?:|www\.|#|/)[^)\s]{0,500}\))?")
_ESCAPED = re.compile(r"\\(?=[\[\]])")
_BESIDE = re.compile(r"[\s,;]*(?:and|or|to|[&+/-])?\s*", re.IGNORECASE)
"""Between two marks that are one."""
_RANGE = re.compile(r"-|\s*to\s*", re.IGNORECASE)
_LEFT = re.compile(r"[\[(]\s*(?:see|cf\.?|from)?\s*(?:[\])]|$)", re.IGNORECASE)
_SAYING = word_set("according source sources says say said states state stated notes note per see as film title")


@dataclass(frozen=True)
class Statement:
    """A sentence, or a part of one, without its citation marks. numbers: what it cites, in order, once each, or ()."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class _Mark:
    """place: the offset in the text without marks that the citation stands at. leads: it belongs to what follows."""

    place: int
    numbers: tuple[int, ...]
    leads: bool


def statements(text: str, given: int) -> list[Statement]:
    """What an answer states, in order, each with what it cites. Headings, and lines without a word, are left out."""
    plain = _ESCAPED.sub("", text)
    return [statement for block in blocks.blocks(plain) for statement in _of_block(block, given)]


def _of_block(block: str, given: int) -> list[Statement]:
    bare, marks = _without_marks(block, given)
    spans = [(a, b) for a, b in blocks.sentences(bare) if any(c.isalnum() for c in bare[a:b])]
    if not spans:
        return [Statement("", mark.numbers) for mark in marks]
    own: list[list[_Mark]] = [[] for _ in spans]
    for mark in marks:
        if mark.leads:
            place = next((i for i, (_, end) in enumerate(spans) if end > mark.place), len(spans) - 1)
        else:
            place = max((i for i, (start, _) in enumerate(spans) if start < mark.place), default=0)
        own[place].append(mark)
    return [part for (start, end), mine in zip(spans, own, strict=True) for part in _parts(bare, start, end, mine)]


def _without_marks(block: str, given: int) -> tuple[str, list[_Mark]]:
    """The block without its marks and the blanks before them, and where each stood. Marks side by side are one."""
    bare, at = "", 0
    marks: list[_Mark] = []
    for match in _MARK.finditer(block):
        numbers = numbers_in(match.group(1), given)
        if not numbers:
            continue
        between, after = block[at : match.start()], block[match.end() :]
        at = match.end()
        if marks and _beside(between.translate(DASHES), after):
            numbers = _once(marks[-1].numbers, _joined(marks[-1].numbers, numbers, between))
            marks[-1] = replace(marks[-1], numbers=numbers[:MOST_TOGETHER])
        else:
            bare += between
            stripped = bare.rstrip()
            leads = not stripped or _leads(stripped, bare, after, marks)
            if leads and stripped and after.lstrip()[:1].islower():
                bare, leads = bare + "It", False  # "…. [2] says that" has a subject again
                stripped = bare
            bare = bare if leads else stripped
            marks.append(_Mark(len(bare), numbers, leads))
        if marks[-1].leads:
            at += len(after) - len(after.lstrip())
    return bare + block[at:], marks


def _beside(between: str, after: str) -> bool:
    """Whether nothing but an "and" or a sign stands between two marks, and the second begins no sentence of its own:
    "[1] and [2] says that …"."""
    word = next(iter(tokens(after[:30])), "") if after.lstrip()[:1].islower() else ""
    return bool(_BESIDE.fullmatch(between)) and not (between.strip(" ,;") and word in _SAYING)


def _joined(before: tuple[int, ...], numbers: tuple[int, ...], between: str) -> tuple[int, ...]:
    """The numbers of a mark that stands beside one; with those between them, where a dash makes it a range."""
    if not _RANGE.fullmatch(between.translate(DASHES)):
        return numbers
    return (*spread(before[-1], numbers[0]), *numbers)


def _once(*numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for some in numbers for number in some))


def _leads(stripped: str, bare: str, after: str, marks: list[_Mark]) -> bool:
    """Whether a mark between two sentences belongs to the second: the first has its own, or the block began so."""
    if stripped[-1] not in '.!?…"”’»)' or len(bare) == len(stripped) or not after.strip():
        return False
    if after.lstrip()[:1].islower():
        return True
    before = marks[-1] if marks else None
    closing = before is not None and not before.leads and not stripped[before.place :].strip('.!?…"”’») ')
    return closing or bool(marks and marks[0].leads and marks[0].place == 0)


def _parts(bare: str, start: int, end: int, marks: list[_Mark]) -> list[Statement]:
    """A sentence cut at its marks; words before a mark that state nothing go with what follows it."""
    if not marks:
        return [Statement(_trimmed(bare[start:end]), ())]
    parts: list[Statement] = []
    at, waiting = start, marks[0].numbers if marks[0].leads else ()
    for mark in marks[1:] if marks[0].leads else marks:
        if not _states(bare[at : mark.place]):
            waiting = _once(waiting, mark.numbers)
            continue
        parts.append(Statement(_trimmed(bare[at : mark.place]), _once(waiting, mark.numbers)))
        at, waiting = mark.place, ()
    rest = bare[at:end]
    if waiting and parts and not _states(rest):
        parts[-1] = Statement(parts[-1].text, _once(parts[-1].numbers, waiting))
    elif waiting:
        parts.append(Statement(_trimmed(rest), waiting))
    elif _states(rest):
        last = parts.pop()
        parts.append(Statement(_trimmed(f"{last.text} {rest.strip()}"), last.numbers))
    return parts


def _states(text: str) -> bool:
    """Whether a stretch holds a word that says something."""
    return any(word not in stopwords() and word not in _SAYING for word in tokens(text))


def _trimmed(text: str) -> str:
    """On one line, without what the marks left behind: empty brackets, "(see", a blank before a stop, an "and"."""
    text = _LEFT.sub("", " ".join(text.split()))
    text = re.sub(r"\s+(?=[.,;:!?)])", "", text).strip(" ,;:")
    return re.sub(r"^(?:and|but|while|whereas)\s+", "", text)
