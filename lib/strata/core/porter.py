"""NLTK's Porter stemmer, loaded without the rest of NLTK, its steps skipped where none of their suffixes stands.

NLTK tries each suffix of each step on each word, and writes down the list of them before it does. One question to the
word's end spares most of that: the same stems in under a third of the time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from strata.errors import DataError

ENDINGS = {
    "_step1a": ("s",),
    "_step1b": ("ed", "ing"),
    "_step1c": ("y",),
    "_step2": (
        "ational", "tional", "enci", "anci", "izer", "bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator",
        "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "fulli", "logi",
    ),
    "_step3": ("icate", "ative", "alize", "iciti", "ical", "ful", "ness"),
    "_step4": (
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
        "iti", "ous", "ive", "ize",
    ),
    "_step5b": ("ll",),
}  # fmt: skip
"""The suffixes of each step (M. F. Porter, An algorithm for suffix stripping, 1980; those of NLTK's extensions too)."""
_VOWELS = str.maketrans({letter: "v" if letter in "aeiou" else "c" for letter in "abcdefghijklmnopqrstuvwxz"})


def load() -> Callable[[str], str]:
    """The stem of a folded word. DataError where NLTK is not installed."""
    porter = _quick(_class())()
    stem: Callable[..., str] = porter.stem
    return lambda word: stem(word, to_lowercase=False)


def _class() -> Any:
    """NLTK's PorterStemmer without running nltk's own __init__.

    `import nltk` pulls in the whole toolkit (measured: 1.65 s, of which the stemmer's file needs 0.03), so
    empty packages stand in for `nltk` and `nltk.stem` while that one file is imported, and are taken away again
    so that a later `import nltk` is the real one. A test compares it with the plain import word by word.
    """
    if "nltk.stem.porter" in sys.modules or "nltk" in sys.modules:
        from nltk.stem.porter import PorterStemmer

        return PorterStemmer
    spec = PathFinder.find_spec("nltk")
    if spec is None or not spec.submodule_search_locations:
        raise DataError("the package nltk is not installed", "run: pip install nltk")
    root = Path(next(iter(spec.submodule_search_locations)))
    before = set(sys.modules)
    try:
        for name, folder in (("nltk", root), ("nltk.stem", root / "stem")):
            stand_in = ModuleType(name)
            stand_in.__path__ = [str(folder)]
            sys.modules[name] = stand_in
        from nltk.stem.porter import PorterStemmer

        return PorterStemmer
    finally:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "nltk":
                del sys.modules[name]


def _quick(porter: Any) -> Any:
    """A subclass that gives the same stems."""

    def measure(self: Any, stem: str) -> int:
        """Porter's m, the VCs in [C](VC)…[V]. Whether a y is a vowel depends on the letter before it: NLTK looks."""
        plain = stem.isascii() and stem.isalpha() and "y" not in stem
        return stem.translate(_VOWELS).count("vc") if plain else porter._measure(self, stem)

    def skipped(step: Callable[[Any, str], str], endings: tuple[str, ...]) -> Callable[[Any, str], str]:
        return lambda self, word: step(self, word) if word.endswith(endings) else word

    steps = {name: skipped(getattr(porter, name), endings) for name, endings in ENDINGS.items()}
    return type("Porter", (porter,), {**steps, "_measure": measure})
