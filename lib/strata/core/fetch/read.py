"""From the files of a public set to documents: one function a form, each given the files' paths.

- wikipedia: lists of {"title", "year", "cast", "genres", "href", "extract", …}, a file a decade. A row without a text
  is left out. Of rows about one article (href) the one whose year stands in the text is kept, else the first; an
  article is written once. Ids are 1, 2, … by year, title and href. Pictures are left out.
- lessons: {"movies": [{"id", "title", "description"}]}.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from strata.core.load import lessons as lessons_file
from strata.core.load.text import opened, parsed
from strata.core.types import Document
from strata.errors import DataError


def lessons(paths: Sequence[Path]) -> Iterator[Document]:
    for path in paths:
        yield from lessons_file.load(path)


def wikipedia(paths: Sequence[Path]) -> Iterator[Document]:
    kept: dict[str, Document] = {}
    for path in paths:
        for number, row in enumerate(_rows(path), start=1):
            where = f"{path}, entry {number}"
            film = _film(row, where)
            if film is None:
                continue
            article = film.fields["href"] or where
            former = kept.get(article)
            if former is None or (_dated(film) and not _dated(former)):
                kept[article] = film
    films = sorted(kept.values(), key=lambda film: (film.fields["year"], film.title, film.fields["href"]))
    for id, film in enumerate(films, start=1):
        yield replace(film, id=id)


def _rows(path: Path) -> list[Any]:
    with opened(path) as file:
        text = file.read()
    rows = parsed(text, str(path)) if text.strip() else None
    if not isinstance(rows, list):
        raise DataError(f"{path} holds no list of films", 'it looks like [{"title": …, "year": …, "extract": …}]')
    return rows


def _film(row: Any, where: str) -> Document | None:
    """A row as a document, its id still to come; None where it has no text."""
    if not isinstance(row, dict):
        raise DataError(f"{where}: expected an object", 'a film looks like {"title": …, "year": …, "extract": …}')
    title, year, text = row.get("title"), row.get("year"), row.get("extract") or ""
    genres, cast, href = row.get("genres") or [], row.get("cast") or [], row.get("href") or ""
    if not isinstance(text, str) or not isinstance(href, str):
        raise DataError(f"{where}: extract or href is no text", "a film's extract and href are texts")
    if not text.strip():
        return None
    if not isinstance(title, str) or type(year) is not int:
        raise DataError(f"{where}: no title, or no year", "a film has a text as title and a whole number as year")
    if not isinstance(genres, list) or not isinstance(cast, list):
        raise DataError(f"{where}: genres or cast is no list", "a film's genres and cast are lists of names")
    return Document("", title.strip(), text.strip(), {"year": year, "genres": genres, "cast": cast, "href": href})


def _dated(film: Document) -> bool:
    return str(film.fields["year"]) in film.text
