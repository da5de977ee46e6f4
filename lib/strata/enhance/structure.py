"""Taking a request apart into fields: genres, mood, setting, themes, people, years, titles to be like and to leave out.

By rule: patterns, and what the catalogue knows of titles, people and genres. Years and genres that are ruled out become
filters, titles that are compared with or ruled out are left out of the results, and vectors read the fields in the
catalogue's own text template. There the request stays a sentence, without what was taken from it: told in phrases it
finds less (nDCG@10 of the bundled golden set, fused: .323, and .359 as a sentence).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.analysis import spans, stopwords, tokens
from strata.core.language import NOTICE, is_english
from strata.core.types import Query
from strata.enhance import asking
from strata.enhance.fields import ANY, Fields, Parts, once
from strata.enhance.filler import LONGEST_TITLE, filler_spans, tidy, without_filler
from strata.enhance.lookup import Lookup
from strata.enhance.negations import negations
from strata.enhance.parts import genre_named, genres_in, moods_in, people_in, setting_in
from strata.enhance.titles import around, mentions
from strata.enhance.years import years_in

if TYPE_CHECKING:
    from strata.llm.types import LanguageModel
    from strata.pipeline.workspace import Workspace

LONGEST = 4000
"""Letters of a request that is taken apart."""
MOST_THEMES = 8
NO_THEMES = ("film", "films", "movie", "movies", "something", "anything", "set", "takes", "place", "like")
EARLIEST, LATEST = 1870, 2100
"""Years of films that a model may name."""
ASKED_GENRES = 60
"""So many of the catalogue's genres, the most frequent ones, are told to a model."""


@dataclass(frozen=True)
class Structure:
    """No settings."""

    @property
    def name(self) -> str:
        return "structure"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        return by_model(q, ws.model, ws) if ws.model else by_rule(q, ws)


def by_rule(q: Query, ws: Workspace) -> Query:
    """The request with filters, films left out, and a text for vectors, as patterns find them in it."""
    asking.by_rule(ws)
    if not is_english(q.text) or len(q.text) > LONGEST:
        ws.note(
            NOTICE if len(q.text) <= LONGEST else f"the request is longer than {LONGEST} letters: it stays as it is"
        )
        ws.report(fields=Fields().to_json())
        return q
    lookup = Lookup(ws.corpus, ws.index)
    return taken_apart(q.text, lookup, dated="year" in ws.corpus.fields).applied(q, ws, lookup)


def taken_apart(text: str, lookup: Lookup, dated: bool) -> Parts:
    """dated: whether the catalogue has years; without them what the request says of years stays in its words."""
    if len(text) <= LONGEST_TITLE and lookup.exactly(text):
        return Parts(Fields(), text, text, said=text)  # "No Country for Old Men" is the film
    named = mentions(text, lookup)
    taken = [(one.start, one.end) for one in named]
    found = negations(text, lookup, [end for _, end in taken])
    unwanted = [one for one in found if not _overlaps((one.start, one.end), taken)]
    years = years_in(text)
    ruled_out = [(one.start, one.end) for one in named if one.wanted == "without"]
    ruled_out += [(one.start, one.end) for one in unwanted if one.meant]
    cut = ruled_out + (list(years.spans) if dated else [])
    liked = [one for one in named if one.wanted == "like"]
    titles = [text[start:end] for start, end in [*taken, *around(text, filler_spans(text), lookup)]]
    left = without_filler(_without(text, cut), titles)[0]
    rest = without_filler(_without(text, [*cut, *((one.start, one.end) for one in liked)]), titles)[0]
    description = tidy(rest) if _telling(rest) else ""
    genres, mood, setting = genres_in(description, lookup), moods_in(description), setting_in(description)
    people = people_in(description, lookup)
    told = [*(description[start:end] for start, end, _ in genres), setting, *people]
    elsewhere = {word for value in told for word in tokens(value)} | {*mood, *NO_THEMES}
    return Parts(
        Fields(
            genres=once(genre for _, _, genre in genres),
            mood=once(mood),
            setting=setting,
            themes=_phrases(description, elsewhere)[:MOST_THEMES],
            people=once(people),
            years=(years.first, years.last),
            like=once(one.title for one in liked),
            without=once([*(one.title for one in named if one.wanted == "without"), *(one.what for one in unwanted)]),
        ),
        text=tidy(left) if _telling(left) else ANY if ruled_out else text,
        description=description,
        liked=tuple(doc for one in liked for doc in one.docs),
        left_out=tuple(doc for one in named if one.wanted == "without" for doc in one.docs),
        not_genres=tuple(one.genre for one in unwanted if one.genre and one.meant),
        not_people=once(against for one in unwanted if one.meant for against in one.people),
        not_words=once(one.what for one in unwanted if one.meant and not (one.genre or one.people)),
        in_plot=once(one.what for one in unwanted if not one.meant),
        said=_without(text, ruled_out),
    )


def by_model(q: Query, model: LanguageModel, ws: Workspace) -> Query:
    """The same from a language model's fields, held against the catalogue: genres and titles that it has not are
    listed in the facts, years of no film are dropped."""
    lookup = Lookup(ws.corpus, ws.index)
    given: dict[str, Any] = asking.ask(model, "structure", ws, query=q.text, genres=list(lookup.genres)[:ASKED_GENRES])
    genres = {value: lookup.named(value) for value in once(given["genres"])}
    like, without = once(given["like"]), once(given["without"])
    found = {title: lookup.titled(title) for title in (*like, *without)}
    fields = Fields(
        genres=once(genre for genre in genres.values() if genre),
        mood=once([given["mood"]]),
        setting=next(iter(once([given["setting"]])), ""),
        themes=once(given["themes"])[:MOST_THEMES],
        people=once(given["people"]),
        years=_plausible(given["years"]["from"], given["years"]["to"]),
        like=once(lookup.title(found[title], title) for title in like),
        without=once(lookup.title(found[title], title) for title in without),
    )
    unknown = [value for value, genre in genres.items() if not genre]
    others = [value for value in without if not found[value]]
    not_genres = {value: genre for value in others if (genre := genre_named(value, lookup))}
    names = [value for value in others if value not in not_genres and " " in value]
    people = {name: credits for name in names if (credits := lookup.credits(name))}
    nowhere = [title for title, docs in found.items() if not docs and title not in {*not_genres, *people}]
    ws.report(unknown_titles=nowhere, unknown_genres=unknown)
    described = ", ".join((*unknown, *fields.mood, *filter(None, [fields.setting]), *fields.themes, *fields.people))
    liked = tuple(doc for title in like for doc in found[title])
    left_out = tuple(doc for title in without for doc in found[title])
    not_people = tuple(f"{role}!={name}" for credits in people.values() for role, name in credits.items())
    not_words = tuple(value for value in others if value in nowhere)
    parts = Parts(fields, q.text, described, liked, left_out, tuple(not_genres.values()), not_people, not_words)
    return parts.applied(q, ws, lookup)


def _plausible(first: int | None, last: int | None) -> tuple[int | None, int | None]:
    first, last = (year if year is not None and EARLIEST <= year <= LATEST else None for year in (first, last))
    return (last, first) if first is not None and last is not None and first > last else (first, last)


def _overlaps(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _without(text: str, cut: Iterable[tuple[int, int]]) -> str:
    kept, at = "", 0
    for start, end in sorted(cut):
        kept += f"{text[at:start]} "
        at = max(at, end)
    return kept + text[at:]


def _telling(text: str) -> bool:
    return any(word not in stopwords() for word in tokens(text))


def _phrases(text: str, elsewhere: set[str]) -> tuple[str, ...]:
    """Runs of words between function words and signs (as in RAKE, Rose et al. 2010), without what other fields say."""
    runs: list[tuple[int, int]] = []
    joins = False
    for start, end, word in spans(text):
        if word in stopwords() or word in elsewhere:
            joins = False
        elif joins and not text[runs[-1][1] : start].strip(" -'’"):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
            joins = True
    return once(text[start:end] for start, end in runs)
