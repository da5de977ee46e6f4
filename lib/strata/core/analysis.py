"""From text to index terms: fold, split, drop stop words, stem. Each text goes through this once.

Folding: NFKC, case folding, curly to straight apostrophes, accents off (combining marks U+0300–U+036F),
and the letters that have no accent to take off (ø → o, ł → l …). A token is a run of letters and digits.
Stop words are compared before stemming, in the folded form. The stemmer is Porter's (1980), NLTK's code (porter.py).

Not here: numbers for terms (an index gives those), so nothing that scores can analyse text again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path

from strata import paths
from strata.errors import DataError

NAME = "nfkc-casefold-unaccent+stopwords+porter/2"
"""Stored with every index; a change of what this module does must change it."""

_TOKEN = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LETTERS = str.maketrans(
    {"’": "'", "ʼ": "'", "‘": "'", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_ASCII_TOKENS = "".join(chr(i) if chr(i).isalnum() else " " for i in range(128))


def fold(text: str) -> str:
    """One spelling for all the ways to write the same letters: "Amélie", "AMELIE" and "amelie" are one.

    Only the runs beyond ASCII take the long way (`fold_whole`). That is the same, since a mark that could join an
    ASCII letter before it is taken off anyway; a test compares the two.
    """
    if text.isascii():
        return text.lower()
    folded = _BEYOND_ASCII.sub(lambda match: fold_whole(match.group()), text)
    # bytes.lower touches ASCII letters only; what fold_whole returned must not be lowered a second time.
    return folded.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


@lru_cache(maxsize=1 << 14)
def fold_whole(text: str) -> str:
    """The definition: NFKC, case folding, apostrophes and special letters, accents off, NFC again."""
    text = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def tokens(text: str) -> list[str]:
    """The folded words of a text, in order, stop words among them."""
    folded = fold(text)
    return folded.translate(_ASCII_TOKENS).split() if folded.isascii() else _TOKEN.findall(folded)


def spans(text: str) -> list[tuple[int, int, str]]:
    """Each of `tokens` with the place where it is written: (start, end, token). For marking matches and showing what
    was dropped. A sign that stands for several words (½) is the place of each of them."""
    if text.isascii():
        return [(m.start(), m.end(), m.group().lower()) for m in _TOKEN.finditer(text)]
    folded, places = "", []
    for start, end in _with_marks(text):
        piece = fold(text[start:end])
        folded += piece
        places += [(start, end)] * len(piece)
    # Letters of which several make one (Korean) become it where they stand together.
    one = partial(unicodedata.normalize, "NFC")
    return [(places[m.start()][0], places[m.end() - 1][1], one(m.group())) for m in _TOKEN.finditer(folded)]


def _with_marks(text: str) -> Iterator[tuple[int, int]]:
    """Where each letter stands, with the marks that follow it."""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end].isascii() or not unicodedata.category(text[end]).startswith("M"):
            yield start, end
            start = end


@cache
def stopwords(file: Path | None = None) -> frozenset[str]:
    """The stop list, folded; `#` starts a comment. Default: the bundled stopwords.txt."""
    file = file or paths.data_dir() / "stopwords.txt"
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise DataError(f"stop list {file} cannot be read ({error.strerror})", "restore data/stopwords.txt") from error
    return frozenset(word for line in lines for word in tokens(line.partition("#")[0]))


_STEMMABLE = frozenset("cdegilmnrstuy")
"""Last letters of Porter's suffixes; a word that ends otherwise is its own stem (tested on every vocabulary word)."""

_LONGEST = 100
"""Letters; no word is longer. NLTK calls itself once for each y of a run, and a run of a thousand would be too many."""


class Stemmer:
    """Porter's stemmer with a memory, loaded when the first unknown word arrives."""

    def __init__(self) -> None:
        self.memory: dict[str, str] = {}

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        from strata.core import porter  # most searches know all their words

        return porter.load()

    def __call__(self, surface: str) -> str:
        if surface[-1:] not in _STEMMABLE or len(surface) > _LONGEST:
            return surface
        stem = self.memory.get(surface)
        if stem is None:
            stem = self.memory[surface] = self._stem(surface)
        return stem
