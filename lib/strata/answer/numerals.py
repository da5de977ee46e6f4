"""Numbers in a text, in digits and in words, each with the words that it counts. Pure.

"forty-four", "44" and "44th" are one number; "a dozen" is 12, "nineteen eighty-four" 1984, "1.5 million", "one and a
half million" and "1,500,000" are one, and "half a million" is 500000. "one" alone is no number, since it is mostly a
pronoun; neither are "first", "second" and decades ("the 1990s"). Leaves out other fractions in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from strata.core.analysis import fold, stopwords
from strata.core.language import word_list, word_set

_UNITS = {
    word: value
    for value, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
} | {word: 10 * i for i, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        word_list(
            "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
            "sixteenth seventeenth eighteenth nineteenth"
        ),
        start=3,
    )
} | {
    word: 10 * i
    for i, word in enumerate(
        word_list("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"), start=2
    )
}
_LAST = {"first": 1, "second": 2} | {word: value for word, value in _ORDINALS.items() if value < 10}
"""What may end a number such as twenty-first."""
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
"""Of what stands behind them: half a million, a quarter of a million."""
_AND_A_HALF = ("and", "a", "half")
_SIGNS = {"½": ".5", "¼": ".25", "¾": ".75"}
_SIGN = re.compile(r"(\d?)\s?([½¼¾])")
_TWO = word_set("both pair pairs couple twin twins twice duo double")
_THREE = word_set("trio triple triplets thrice trilogy")
_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+(?:\.\d+)?|[^\W\d_]+")
_MOST_DIGITS = 18
"""Such a number times the largest scale is still exact."""
NOUNS = 2
"""Words after a number that it may count."""


@dataclass(frozen=True)
class Number:
    """value: in digits, without separators. counted: stems of up to two words after it. written: as it stands."""

    value: str
    counted: frozenset[str]
    written: str


def numbers(text: str, stem: Callable[[str], str]) -> list[Number]:
    """The numbers of a text in order."""
    text = _SIGN.sub(lambda m: f"{m.group(1) or '0'}{_SIGNS[m.group(2)]}", text)
    found = _TOKEN.findall(fold(text))
    out: list[Number] = []
    i = 0
    while i < len(found):
        value, used = _number_at(found[i : i + 12])
        if value is None:
            i += 1
            continue
        written = " ".join(found[i : i + used])
        i += used
        counted = frozenset() if _is_year(value) else _counted(found[i : i + 4], stem)
        out.append(Number(value, counted, written))
    return out


def implied(text: str) -> set[str]:
    """Numbers that a text says without a numeral: "both" is 2."""
    words = set(_TOKEN.findall(fold(text)))
    return ({"2"} if words & _TWO else set()) | ({"3"} if words & _THREE else set())


def _is_year(value: str) -> bool:
    return len(value) == 4 and value.isdecimal() and "1000" <= value <= "2999"


def _counted(after: list[str], stem: Callable[[str], str]) -> frozenset[str]:
    nouns: list[str] = []
    for word in after:
        if word[0].isdecimal() or word in _UNITS or word in _SCALES or len(nouns) == NOUNS:
            break
        if word in stopwords():
            if nouns:
                break
            continue
        nouns.append(stem(word))
    return frozenset(nouns)


def _number_at(words: list[str]) -> tuple[str | None, int]:
    """The number that begins a list of words, and how many of them it takes; (None, 0) where none begins there."""
    if words[0] in _ORDINALS:
        return str(_ORDINALS[words[0]]), 1
    value, used = _in_digits(words) if words[0][0].isdecimal() else _in_words(words)
    if value is None:
        return None, 0
    if tuple(words[used : used + 3]) == _AND_A_HALF:
        value, used = value + _PARTS["half"] * _SCALES.get(words[used - 1], 1), used + 3  # a million and a half
    while used < len(words) and words[used] in _SCALES:
        value, used = value * _SCALES[words[used]], used + 1
    return (None, 0) if words[:used] == ["one"] else (f"{value.normalize():f}", used)


def _in_digits(words: list[str]) -> tuple[Decimal | None, int]:
    digits, after = words[0].replace(",", ""), words[1] if len(words) > 1 else ""
    if after == "s" or len(digits) > _MOST_DIGITS:
        return None, 0
    return Decimal(digits), 2 if after in ("st", "nd", "rd", "th") else 1


def _in_words(words: list[str]) -> tuple[Decimal | None, int]:
    """Without what `_number_at` adds behind it."""
    if words[0] in _PARTS:
        used = next((i for i, word in enumerate(words[:4]) if i and word not in ("of", "a")), 0)
        return (_PARTS[words[0]], used) if used and words[used] in _SCALES else (None, 0)
    if words[0] not in _UNITS and words[0] not in _SCALES:
        return None, 0
    total, current, used = 0, 0, 0
    for i, word in enumerate(words):
        if word in _UNITS:
            unit = _UNITS[word]
            if current and 10 <= current < 20 and unit >= 10:
                current *= 100  # nineteen eighty-four
            elif current and (current % 100 == 0) is False and (current % 10 or unit >= 10):
                break
            current += unit
        elif word in _LAST and current and current % 10 == 0:
            current, used = current + _LAST[word], i + 1
            break
        elif word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if _SCALES[word] >= 1000:
                total, current = total + current, 0
        elif word == "and" and i and words[i - 1] in ("hundred", "thousand") and words[i + 1 : i + 2]:
            if words[i + 1] not in _UNITS:
                break
            continue
        else:
            break
        used = i + 1
    return Decimal(total + current), used
