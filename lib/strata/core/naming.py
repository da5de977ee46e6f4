"""Which documents a golden set's entry means: by id, or by a title that may need its year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.documents import title_key
from strata.core.qrels import is_grade
from strata.core.types import DocId
from strata.errors import DataError

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Named:
    """ids: as strings; none where no document bears the title, several where the title tells none from the other.
    title: as the entry has it, with its year where one stands beside it; "" where the entry has an id. problem: what
    does not fit the catalogue, "" where all does.
    """

    ids: tuple[str, ...]
    grade: int
    title: str = ""
    problem: str = ""


def named(entry: Any, where: str, corpus: Corpus | None) -> Named:
    """Read an object with an id or a title, or a bare title. DataError for what is neither; `where` begins messages."""
    facts = entry if isinstance(entry, dict) else {"title": entry}
    id, title, grade, year = facts.get("id"), facts.get("title"), facts.get("grade", 1), _year(facts.get("year"))
    if not is_grade(grade):
        raise DataError(f"{where}: the grade {grade!r} is not a whole number", "grades are 2, 1 or 0")
    if isinstance(id, int | str) and not isinstance(id, bool):
        problem = misnamed(id, title, year, corpus) if corpus is not None else ""
        return Named((str(id),), grade, problem=f"{where}: {problem}" if problem else "")
    if not isinstance(title, str):
        raise DataError(
            f"{where}: a relevant document is neither a title nor has an id", "list titles, or objects with id"
        )
    return _titled(title, year, grade, where, corpus)


def _titled(title: str, year: str, grade: int, where: str, corpus: Corpus | None) -> Named:
    shown = f"{title} ({year})" if year else title
    if corpus is None:
        return Named((), grade, shown, f'{where}: the title "{shown}" is not in any catalogue given')
    bearing = corpus.titled(title)
    found = [at for at in bearing if year in ("", _year(corpus.document(at).fields.get("year")))]
    if not found:
        there = f"; there is {'; '.join(map(corpus.label, bearing))}" if bearing else ""
        return Named((), grade, shown, f'{where}: the title "{shown}" is not in {corpus.name}{there}')
    problem = ""
    if len(found) > 1:
        labels, help = "; ".join(map(corpus.label, found)), "an id" if year else "a year"
        problem = f'{where}: the title "{shown}" fits {labels}; each counts as relevant; {help} tells them apart'
    return Named(tuple(str(corpus.id(at)) for at in found), grade, shown, problem)


def misnamed(id: DocId, title: Any, year: str, corpus: Corpus) -> str:
    """What is wrong with a document's id, or with the title and year beside it; "" for nothing.

    Whole numbers fit any catalogue: a set made for another one shows here.
    """
    at = corpus.position(id)
    if at is None:
        return f"id {id} is not in {corpus.name}"
    if isinstance(title, str) and title_key(title) != title_key(corpus.title(at)):
        return f'id {id} is called "{title}" here and "{corpus.title(at)}" in {corpus.name}'
    own = _year(corpus.document(at).fields.get("year"))
    return f"id {id} is of {year} here and of {own} in {corpus.name}" if year and own and year != own else ""


def _year(value: Any) -> str:
    """A year as it is compared; "" for none."""
    return "" if value is None or isinstance(value, bool | list | dict) else str(value).strip()
