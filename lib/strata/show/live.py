"""An answer on a terminal as it is written: the sources first, then the words as they come, broken into lines."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from strata.show.answer import head
from strata.show.text import clean, columns_of, line, width, write

if TYPE_CHECKING:
    from strata.searching import Found

INDENT = "  "


class Live:
    """Called with each piece of the reply, in which control characters are no more. begun: whether one came.

    A word is held back until it is whole, so that a line can be broken before it.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._word = ""
        self._column = 0
        self._who = ""
        self.opened = self.begun = False

    def open(self, found: Found) -> None:
        """Show what is known before the answer: what ran, and the sources by number."""
        self.opened = True
        model = found.ws.model
        self._who = clean(f"{model.provider} {model.model}") if model else ""
        write(head(found), self._stream)
        self._stream.flush()

    def __call__(self, piece: str) -> None:
        if not self.begun:
            self.begun = True
            write([line((f"Answer   {self._who}", "bold"))], self._stream)
        for part in re.findall(r"\n|[^\S\n]+|\S+", piece):
            if part.isspace():
                self._place()
                if part == "\n":
                    self._break()
            else:
                self._word += part
        self._stream.flush()

    def close(self) -> None:
        """What is still held back; the next thing printed begins a line."""
        self._place()
        self._break()
        self._stream.flush()

    def _place(self) -> None:
        word, self._word = clean(self._word), ""
        if not word:
            return
        if self._column and self._column + 1 + columns_of(word) > width(self._stream):
            self._break()
        self._stream.write((" " if self._column else INDENT) + word)
        self._column += columns_of(word) + (1 if self._column else len(INDENT))

    def _break(self) -> None:
        if self._column:
            self._stream.write("\n")
        self._column = 0
