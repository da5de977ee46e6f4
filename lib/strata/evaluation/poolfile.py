"""A pool's file: JSON lines that people write grades into. A pool that is made again keeps the grades there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.documents import title_key
from strata.core.golden import GoldenQuery
from strata.core.load.text import json_lines
from strata.core.qrels import is_grade
from strata.errors import DataError
from strata.evaluation.pool import Pool
from strata.files import dumped, write_atomically

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Written:
    """What stands in a pool's file. lines: all. graded: those with a grade. kept: graded lines that the pool no longer
    holds (merged by now, or found by no layer any more); they stand at the end."""

    path: Path
    pool: Pool
    lines: int
    graded: int
    kept: int

    def to_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "depth": self.pool.depth,
            "queries": self.pool.queries,
            "lines": self.lines,
            "graded": self.graded,
            "to_grade": self.lines - self.graded,
            "kept": self.kept,
            "judged_places": self.pool.judged,
            "places": self.pool.places,
            "unknown_documents": self.pool.unknown,
        }


def write_pool(made: Pool, corpus: Corpus, path: Path) -> Written:
    """Write a pool as JSON lines. Grades in a file that is there are kept, and what was added beside them.

    DataError, with the line, for a file that is no pool, or one of another catalogue or golden set: nothing is written
    then.
    """
    there = read_lines(path) if path.exists() else []
    before = {(str(row["query_id"]), str(row["id"])): (number, row) for number, row in there}
    rows = []
    for line in made.lines:
        row = line.to_json(corpus)
        number, former = before.pop((line.query.id, str(row["id"])), (0, {}))
        wrong = mismatch(former, line.query, line.doc, corpus)
        if wrong and former.get("grade") is not None:
            raise DataError(f"{path}, line {number}: {wrong}", "write this pool to another file")
        added = {name: value for name, value in former.items() if name not in row}
        rows.append({**row, "grade": former.get("grade"), **added})
    kept = [row for _, row in before.values() if row.get("grade") is not None]
    rows += kept
    write_atomically(path, "".join(dumped(row) + "\n" for row in rows).encode(), durable=True)
    graded = sum(row["grade"] is not None for row in rows)
    return Written(path, made, len(rows), graded, len(kept))


def read_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """(line number, object) of a pool's file, graded or not. DataError for what is no line of a pool, a grade that is
    none, and a document that stands there twice for one query."""
    rows: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    for number, row in json_lines(path):
        where = f"{path}, line {number}"
        if not isinstance(row, dict) or not (_is_id(row.get("query_id")) and _is_id(row.get("id"))):
            raise DataError(
                f"{where}: no query_id or id of a document", 'a line looks like {"query_id", "id", …, "grade": 1}'
            )
        grade = row.get("grade")
        if grade is not None and not is_grade(grade):
            raise DataError(f"{where}: the grade {grade!r} is not a whole number", "give 2, 1 or 0, without quotes")
        first = rows.setdefault((str(row["query_id"]), str(row["id"])), (number, row))
        if first[1] is not row:
            raise DataError(f"{where}: line {first[0]} is about the same query and document", "keep one of them")
    return list(rows.values())


def mismatch(row: Mapping[str, Any], query: GoldenQuery, doc: int, corpus: Corpus) -> str:
    """What tells that a line was made for another query or document of the same id; "" for nothing. Ids that count
    from 1 fit any set and any catalogue."""
    text, title = row.get("query"), row.get("title")
    if isinstance(text, str) and " ".join(text.split()) != " ".join(query.text.split()):
        return f'query {query.id} asks "{text}" here and "{query.text}" in the golden set'
    own = corpus.title(doc)
    if isinstance(title, str) and title_key(title) != title_key(own):
        return f'id {corpus.id(doc)} is called "{title}" here and "{own}" in {corpus.name}'
    return ""


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and value != ""
