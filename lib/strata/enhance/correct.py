"""Correcting a text by the words of a catalogue.

A word of the catalogue, of its titles and names, of the stop list, one with a digit, or one that the encoder knows is
never changed. Any other becomes the likeliest near word (near.py), where the rest of the text may decide
(context.py), or is taken apart or joined where that gives words of the catalogue: starwars, pen guins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from strata.core.analysis import spans, stopwords
from strata.core.language import NOTICE, in_latin, is_english
from strata.enhance.context import Context
from strata.enhance.near import Nearby, enough
from strata.enhance.vocabulary import CONTRACTED, encoder_words, is_word

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

LOOKED_AT = 40
"""So many different unknown words of a text are looked at; where there are more, that is announced."""
WEIGHED = 8
"""So many near words of each are held against the rest of the text."""
SHORTEST_HALF, SHORTEST_WHOLE = 3, 5
"""Letters of what a word may be taken apart into, and of what words may be joined to."""
LONGEST_WORD = 64
"""What has more letters is no misspelt word, and there would be as many ways to take it apart."""

Edit = tuple[int, int, str]
"""(start, end, what is to stand there)."""


def corrected(text: str, ws: Workspace, edits: int) -> tuple[str, list[list[str]]]:
    """(the text with its misspelt words corrected, [[as written, as corrected], …] once each).

    Everything else stays as it was, and to correct the text again changes nothing.
    """
    unknown = ws.index.analyse(text).unknown
    if not unknown:
        return text, []
    if in_latin(text) and not is_english(text):  # another script's words are near to none but the catalogue's own
        ws.note(NOTICE)
        return text, []
    if len(unknown) > LOOKED_AT:
        ws.note(f"{len(unknown)} words are in no document: only the first {LOOKED_AT} are looked at")
    corrector = Corrector(ws, edits)
    # What was corrected may decide about what was not yet; every round leaves fewer unknown words.
    changed: dict[tuple[str, str], None] = {}
    while found := corrector.edits(text):
        pieces, at = [], 0
        for start, end, new in found:
            better = _cased(text[start:end], new)
            changed[text[start:end], better] = None
            pieces += [text[at:start], better]
            at = end
        text = "".join([*pieces, text[at:]])
    return text, [list(pair) for pair in changed]


class Corrector:
    """Finds what to change in one text."""

    def __init__(self, ws: Workspace, most: int) -> None:
        self._index, self._corpus = ws.index, ws.corpus
        self._stop, self._known = stopwords(), encoder_words(ws)
        self._near = Nearby(ws.index, self._stop, most)

    def edits(self, text: str) -> list[Edit]:
        """In the order of the text; none overlaps another."""
        words = spans(text)
        every = dict.fromkeys(word for _, _, word in words)
        unknown = [word for word in every if self._unknown(word)][:LOOKED_AT]
        context = Context(every, self._index, self._corpus) if unknown else None
        better = {w: self._apart(w, context) or self._likeliest(w, context) for w in unknown} if context else {}
        found: list[Edit] = []
        for at, (start, end, word) in enumerate(words):
            free = found[-1][1] if found else 0
            if word not in better or free > start:
                continue
            edit = self._joined(text, words, at, free) or (start, end, better[word] or word)
            if edit[2] != word:
                found.append(edit)
        return found

    def _unknown(self, word: str) -> bool:
        absent = word.isalpha() and word not in self._stop and word not in CONTRACTED
        return absent and len(word) <= LONGEST_WORD and self._index.term_of(word) is None

    def _joined(self, text: str, words: list[Edit], at: int, free: int) -> Edit | None:
        """The word and a neighbour as one word of the catalogue. free: where the text is not changed yet."""
        for one in (at - 1, at):
            if one < 0 or one + 1 >= len(words) or words[one][0] < free:
                continue
            (start, middle, first), (again, end, second) = words[one], words[one + 1]
            whole = first + second
            near = text[middle:again].strip(" \t") in ("", "-") and len(whole) >= SHORTEST_WHOLE
            if near and self._index.term_of(whole) is not None:
                return start, end, whole
        return None

    def _apart(self, word: str, context: Context) -> str | None:
        """Two words of the catalogue that stand side by side in it and make up this one."""
        for cut in range(SHORTEST_HALF, len(word) - SHORTEST_HALF + 1):
            if context.beside(word[:cut], word[cut:]):
                return f"{word[:cut]} {word[cut:]}"
        return None

    def _likeliest(self, word: str, context: Context) -> str | None:
        if is_word(word, self._index, self._known):
            return None
        near = self._near.to(word)[:WEIGHED]
        weighed = [replace(n, evidence=n.evidence + context.evidence(n.word)) for n in near]
        best = max(weighed, key=lambda n: n.score, default=None)
        return best.word if best and enough(word, best) else None


def _cased(written: str, new: str) -> str:
    """The new word in capitals, or with a capital, as the old one was."""
    if len(written) > 1 and written.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if written[:1].isupper() else new
