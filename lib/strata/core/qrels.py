"""Queries and judgements as files of their own: BEIR's, and TREC's topics and qrels. Values as they are written.

Not here: what they have to do with a catalogue, and golden sets (golden.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from strata.core.load.text import json_lines, opened
from strata.errors import DataError

NAMES = ("queries.jsonl", "queries.tsv", "topics.jsonl", "topics.tsv")
"""Where the texts of a qrels file's queries are looked for: beside it, then in the folder above; plain or with .gz."""
LARGEST_GRADE = 1_000_000
_IDS = ("_id", "id", "query_id", "query-id", "qid")
_TEXTS = ("text", "query", "title")


class Row(NamedTuple):
    """One judgement. columns: 3, or TREC's 4."""

    line: int
    query: str
    document: str
    grade: int
    columns: int


def read_queries(path: Path) -> dict[str, str]:
    """query id → text: from JSON lines (_id and text, as BEIR has them, or id and query), or lines of "id<TAB>text"."""
    with opened(path) as file:
        first = next((line for line in file if line.strip()), "")
    as_json = first.lstrip().startswith("{") or path.name.removesuffix(".gz").endswith((".jsonl", ".json"))
    rows = list(_json_queries(path) if as_json else _tab_queries(path))
    check_unique([name for name, _ in rows], path)
    return dict(rows)


def _json_queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, entry in json_lines(path):
        facts = entry if isinstance(entry, dict) else {}
        name, text = _first(facts, _IDS), _first(facts, _TEXTS)
        if name is None or isinstance(name, bool | list | dict) or not isinstance(text, str):
            raise DataError(f"{path}, line {number}: no _id or text", "mend that line")
        yield str(name), text


def _first(facts: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((facts[name] for name in names if name in facts), None)


def _tab_queries(path: Path) -> Iterator[tuple[str, str]]:
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            name, _, text = (part.strip() for part in line.partition("\t"))
            if not line.strip() or (number == 1 and name.lower() in _IDS and text.lower() in _TEXTS):
                continue
            if not (name and text):
                raise DataError(f"{path}, line {number}: not a query", "each line is: id, a tab, the text")
            yield name, text


def check_unique(names: list[str], path: Path) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise DataError(f'{path}: two queries have the id "{twice}"', "give each query an id of its own")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """query id → {document id: grade}. BEIR's three columns with or without a header, or TREC's four.

    Of a document that a query has twice the last grade stands.
    """
    return by_query(read_rows(path))


def by_query(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for row in rows:
        grades.setdefault(row.query, {})[row.document] = row.grade
    return grades


def read_rows(path: Path) -> Iterator[Row]:
    """Every judgement of a file, in its order, with the number of its line."""
    with opened(path) as file:
        yield from rows_of(file, path)


def rows_of(lines: Iterable[str], path: Path) -> Iterator[Row]:
    """The same from a file's lines. path: for messages."""
    for number, line in enumerate(lines, start=1):
        cells = cells_of(line)
        if not any(cells) or (number == 1 and is_header(cells)):
            continue
        columns = len(cells)
        if columns == 4:  # TREC: query, iteration, document, grade
            del cells[1]
        if len(cells) != 3 or not all(cells) or not _whole(cells[2]):
            raise DataError(f"{path}, line {number}: not a judgement", "columns: query-id corpus-id score")
        yield Row(number, cells[0], cells[1], int(float(cells[2])), columns)


def cells_of(line: str) -> list[str]:
    """A line's columns: set apart by tabs where it has any, so that an id may hold blanks, else by blanks."""
    return [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]


def is_header(cells: list[str]) -> bool:
    """Whether a first line names its columns: where the grade stands is no number of any kind."""
    return len(cells) in (3, 4) and _number(cells[-1]) is None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _whole(text: str) -> bool:
    """Grades are whole numbers; some files write them as 1.0."""
    value = _number(text)
    return value is not None and value.is_integer() and is_grade(int(value))


def is_grade(value: Any) -> bool:
    """Whether this is a grade: a whole number, and not so large that a gain could overflow."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_GRADE


def queries_beside(path: Path) -> Path:
    """The file with the texts of a qrels file's queries, by its name (NAMES). DataError where there is none."""
    for folder in (path.parent, path.parent.parent):
        for name in NAMES:
            for candidate in (folder / name, folder / f"{name}.gz"):
                if candidate.is_file():
                    return candidate
    raise DataError(
        f"{path} holds judgements, and the texts of its queries are nowhere",
        'put queries.tsv ("id<TAB>text") or queries.jsonl beside it, or name their file',
    )
