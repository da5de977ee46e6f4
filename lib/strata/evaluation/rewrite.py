"""A golden set's file with more judgements in it: pure functions from text to text, one for each form.

Test cases: an entry for each document, {"id", "title", "year", "grade"}; the lessons' cases, which list titles, become
ours. Whatever else stands in the file stays. A file that is laid out as json.dump does it keeps its layout; any other
gets a line for each case. Judgements in columns: rows at the end, all other lines byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.golden import case_id, cases_of, listed
from strata.core.naming import named
from strata.core.qrels import cells_of, rows_of
from strata.core.types import DocId
from strata.evaluation.trec import column
from strata.files import dumped

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

Changes = dict[str, dict[str, int]]
"""query id → {document id: grade}: judgements that are new, or take the place of those that stand."""


def with_cases(path: Path, text: str, changes: Changes, corpus: Corpus) -> str:
    """A file of test cases. path: for messages."""
    value, cases = cases_of(path, text)
    layout = _layout(value, text)
    for number, case in enumerate(cases, start=1):
        where = f"{path}, case {number}"
        name = case_id(case, number, where)
        if "relevant" not in case:
            cases[number - 1] = case = _upgraded(case, name, where, corpus)
        for id, grade in changes.get(name, {}).items():
            case["relevant"] = list(_graded(case["relevant"], id, grade, where, corpus))
    return layout(value)


def _upgraded(case: dict[str, Any], name: str, where: str, corpus: Corpus) -> dict[str, Any]:
    """A case of the lessons as one of ours. Titles that name no one document stay as they are written."""
    entries = []
    for entry in listed(case, where):
        found = named(entry, where, corpus)
        facts = entry if isinstance(entry, dict) else {"title": entry}
        entries.append(_entry(found.ids[0], found.grade, corpus, facts) if len(found.ids) == 1 else facts)
    ours = {"relevant" if key == "relevant_docs" else key: value for key, value in case.items() if key != "id"}
    return {"id": case["id"] if case.get("id") not in (None, "") else name, **ours, "relevant": entries}


def _graded(entries: list[Any], id: str, grade: int, where: str, corpus: Corpus) -> Iterator[Any]:
    """The entries with this document's grade: in the place of the first that names it, else at the end. A title that
    fits several documents becomes an entry for each, since they no longer have one grade."""
    done = False
    for entry in entries:
        found = named(entry, where, corpus)
        if id not in found.ids:
            yield entry
            continue
        facts = entry if isinstance(entry, dict) else {}
        for other in found.ids:
            if other != id:
                yield _entry(other, found.grade, corpus, {})
            elif not done:
                done = True
                yield _entry(id, grade, corpus, facts if len(found.ids) == 1 else {})
    if not done:
        yield _entry(id, grade, corpus, {})


def _entry(id: str, grade: int, corpus: Corpus, facts: dict[str, Any]) -> dict[str, Any]:
    """facts: what the entry has beside them stays. A document that the catalogue lacks keeps its id alone."""
    at = corpus.position(id)
    own: dict[str, DocId | None] = {"id": id}
    if at is not None:
        document = corpus.document(at)
        year = document.fields.get("year")
        own = {"id": document.id, "title": document.title, **({} if year is None else {"year": year})}
    return {**own, "grade": grade, **{key: value for key, value in facts.items() if key not in {*own, "grade"}}}


Layout = Callable[[dict[str, Any]], str]


def _layout(value: dict[str, Any], text: str) -> Layout:
    """What writes this value as this text; else a line for each case."""
    for indent in (None, 1, 2, 3, 4, 8, "\t"):
        for ascii in (False, True):
            for end in ("\n", ""):
                layout = partial(_whole, indent=indent, ascii=ascii, end=end)
                if layout(value) == text:
                    return layout
    return _line_a_case


def _whole(value: dict[str, Any], indent: int | str | None, ascii: bool, end: str) -> str:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    return text + end


def _line_a_case(value: dict[str, Any]) -> str:
    parts = [
        f"{dumped(key)}: " + ("[\n" + ",\n".join(map(dumped, part)) + "\n]" if key == "test_cases" else dumped(part))
        for key, part in value.items()
    ]
    return "{" + ", ".join(parts) + "}\n"


def with_rows(path: Path, text: str, changes: Changes) -> str:
    """A file of judgements in three columns or four, set apart by tabs or by blanks: as its first row has them.

    DataError for an id that such a column cannot hold. A file without a row gets three columns, and tabs.
    """
    left = {(query, id): grade for query, grades in changes.items() for id, grade in grades.items()}
    lines = text.split("\n")
    rows = list(rows_of(lines, path))
    for row in rows:
        grade = changes.get(row.query, {}).get(row.document)
        if grade is not None:
            left.pop((row.query, row.document), None)
            lines[row.line - 1] = _regraded(lines[row.line - 1], grade)
    first = lines[rows[0].line - 1] if rows else "\t"
    end = "\r\n" if first.endswith("\r") else "\n"
    columns = rows[0].columns if rows else 3
    text = "\n".join(lines)
    if text and not text.endswith("\n"):
        text += end
    tab = "\t" in first
    for (query, id), grade in left.items():
        cells = [column(query, "query", tab=tab), column(id, "document", tab=tab), str(grade)]
        text += ("\t" if tab else " ").join([cells[0], *(["0"] if columns == 4 else []), *cells[1:]]) + end
    return text


def _regraded(line: str, grade: int) -> str:
    """A row with another grade in its last column."""
    body = line.rstrip()
    return body[: len(body) - len(cells_of(line)[-1])] + str(grade) + line[len(body) :]
