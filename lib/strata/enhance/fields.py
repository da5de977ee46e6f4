"""The fields that a request is taken apart into, and what is made of them: filters, documents to leave out, a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from strata.core.types import Document, Query
from strata.enhance.lookup import Lookup

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

Docs = tuple[int, ...]
"""Positions."""
ANY = "any"
"""What is searched for where a request only says what it does not want: a word of the stop list."""
SHOWN = 60
"""Letters of a thing in a notice."""


@dataclass(frozen=True)
class Fields:
    """What a request says. years: the first and the last, None where it sets no bound. like: titles that it compares
    with; without: what it does not want, titles or other things."""

    genres: tuple[str, ...] = ()
    mood: tuple[str, ...] = ()
    setting: str = ""
    themes: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    years: tuple[int | None, int | None] = (None, None)
    like: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        first, last = self.years
        listed = {name: list(getattr(self, name)) for name in ("genres", "mood", "themes", "people", "like", "without")}
        return {**listed, "setting": self.setting, "years": {"from": first, "to": last}}


@dataclass(frozen=True)
class Parts:
    """Fields with what they come to in one catalogue. text: for keyword search; description: the request in words, for
    vectors. liked, left_out: films; the liked ones are left out too. not_genres: the catalogue's, ruled out;
    not_people: conditions against them; not_words: what else is ruled out, in the request's words; in_plot: what is
    taken for a part of the story ("a man without memory") and stays; said: the request as it was written, but for what
    it rules out."""

    fields: Fields
    text: str
    description: str
    liked: Docs = ()
    left_out: Docs = ()
    not_genres: tuple[str, ...] = ()
    not_people: tuple[str, ...] = ()
    not_words: tuple[str, ...] = ()
    in_plot: tuple[str, ...] = ()
    said: str = ""

    def applied(self, q: Query, ws: Workspace, lookup: Lookup) -> Query:
        """The request with all of it; the facts say what it came to."""
        where = self._conditions(ws)
        for what in self.not_words:
            dropped(what, "a condition here is a genre or a person of the catalogue", ws.note)
        excluded = dict.fromkeys((*self.liked, *self.left_out))
        meaning = self._meaning(ws, lookup)
        left_out = [ws.corpus.label(doc) for doc in excluded]
        ws.report(fields=self.fields.to_json(), where=list(where), left_out=left_out, meaning=meaning)
        return replace(
            q,
            text=self.text,
            exclude=q.exclude | frozenset(excluded),
            where=(*q.where, *where),
            meaning="" if meaning == self.text else meaning,  # encoders read the text where nothing else is written
        )

    def _conditions(self, ws: Workspace) -> tuple[str, ...]:
        """Filters on fields that the catalogue has."""
        first, last = self.fields.years if "year" in ws.corpus.fields else (None, None)
        low = () if first is None else (f"year>={first}",)
        high = () if last is None else (f"year<={last}",)
        return (*low, *high, *self.against(ws.note))

    def against(self, note: Callable[[str], None]) -> tuple[str, ...]:
        """Conditions on genres and people. A genre that is also wanted is not ruled out; that is told, what is taken
        for a part of the story, and that nothing else is asked for."""
        both = [genre for genre in once(self.not_genres) if genre in self.fields.genres]
        for genre in both:
            note(f"{genre} is wanted as well as ruled out: it is not ruled out")
        for what in self.in_plot:
            note(f'"{shortened(what)}" is taken for what the story is without: it stays, and rules nothing out')
        if self.text == ANY and (self.not_genres or self.not_people or self.not_words or self.left_out):
            note("the request only says what is not wanted: the order of the results says nothing")
        return (*(f"genres!={genre}" for genre in once(self.not_genres) if genre not in both), *once(self.not_people))

    def _meaning(self, ws: Workspace, lookup: Lookup) -> str:
        """The fields in the catalogue's text template, as one of its documents would be: the titles that are compared
        with, genres (those of these films too, none that the description says anyway), the description."""
        of_liked = (lookup.genres_of(doc) for doc in self.liked)
        said = set(lookup.stems(self.description))
        unsaid = (genre for genre in self.fields.genres if not said.issuperset(lookup.stems(genre)))
        genres = list(dict.fromkeys([*unsaid, *(genre for of in of_liked for genre in of)]))
        return ws.corpus.vector_text(Document(0, ", ".join(self.fields.like), self.description, {"genres": genres}))


def dropped(what: str, why: str, note: Callable[[str], None]) -> None:
    """Say that something that is ruled out is so in vain."""
    note(f'"{shortened(what)}" is ruled out, but no condition is made of it: {why}')


def shortened(what: str) -> str:
    return what if len(what) <= SHOWN else f"{what[: SHOWN - 1].rstrip()}…"


def once(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order, without blank ones."""
    return tuple(dict.fromkeys(value for value in (" ".join(one.split()) for one in values) if value))
