"""Which words count as words: those of the catalogue, and for the rest those that the text encoder knows whole.

No list of English words comes with Strata. But all-MiniLM-L6-v2 brings the word pieces that it reads (its
tokenizer.json, 30,000), and a word that is one of them is a word, if only in no document: "cute" is not to become
"cure". A misspelt word falls into several pieces.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from strata.core.language import word_set
from strata.errors import StrataError
from strata.registry import DEFAULT_ENCODER

if TYPE_CHECKING:
    from strata.keyword.index import Index
    from strata.pipeline.workspace import Workspace

CONTRACTED = word_set(
    """arent cant couldnt didnt doesnt dont hadnt hasnt havent hes id ill im isnt ive lets shes shouldnt thats theres
    theyre theyve wasnt werent whats wheres whos wont wouldnt youd youll youre youve"""
)
"""Written without their apostrophe, as many do."""
ENDINGS = (
    "s", "es", "ed", "d", "ing", "er", "ers", "r", "rs", "ly", "y", "ish", "less", "ness", "ful", "able", "ism", "like",
)  # fmt: skip
AFTER_E, BUT_E = frozenset({"d", "r", "rs"}), frozenset({"y", "ing"})
"""Endings that only a word in e takes as it is, and that none in e does: chased, chasing."""
BEGINNINGS = ("un", "re", "non", "over", "under", "mis", "out", "pre", "anti", "sub", "super")
_DOUBLED = frozenset("bdgklmnprt")
"""What English doubles before an ending: hop, hopping."""
SHORTEST_BASE, SHORTEST_PART = 3, 4


def is_word(word: str, index: Index, known: frozenset[str]) -> bool:
    """Whether a folded word is one: the catalogue's, one of `known`, or made of such by an ending, a beginning or
    another word."""
    if index.term_of(word) is not None or word in known:
        return True
    if any(base in known or index.surfaces.find(base) is not None for base in _bases(word)):
        return True
    if any(word.startswith(b) and len(word) - len(b) >= SHORTEST_PART and word[len(b) :] in known for b in BEGINNINGS):
        return True
    cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    return any(word[:cut] in known and word[cut:] in known for cut in cuts)


def _bases(word: str) -> list[str]:
    """What a word may be an inflection of. A plural takes no further ending: "penguinss" is none of "penguins"."""
    found = []
    for ending in ENDINGS:
        base = word.removesuffix(ending)
        if base == word or len(base) < SHORTEST_BASE or (base[-1] == "s" and base[-2] != "s"):
            continue
        if base[-1] == "e" if ending in BUT_E else base[-1] != "e" and ending in AFTER_E:
            continue
        found.append(base)
        if ending == "ing":
            found.append(f"{base}e")
        if len(ending) > 1 and base[-1] == base[-2] and base[-1] in _DOUBLED:
            found.append(base[:-1])
    return found


def encoder_words(ws: Workspace) -> frozenset[str]:
    """The whole words among the default encoder's pieces. Where it is not installed none, which is announced."""
    from strata.encoders.weights import find

    try:
        weights = find(DEFAULT_ENCODER, ws.settings, ws.note, fetch=False)
    except StrataError as error:
        ws.note(
            f"words that are in no document may be taken for misspellings: no list of English words ({error.message})"
        )
        return frozenset()
    return _words(weights.folder / "tokenizer.json", weights.digest)


@lru_cache(maxsize=2)
def _words(file: Path, _digest: str) -> frozenset[str]:
    pieces = json.loads(file.read_bytes())["model"]["vocab"]
    return frozenset(piece for piece in pieces if len(piece) > 2 and piece.isalpha())
