"""Graded lines of a pool, brought into a golden set's file. Nothing that stands there is lost.

A grade for a document that has another one already is a conflict: it is reported, and taken only by force. A file that
cannot be read to its last line changes nothing, and neither does one that says nothing new. How each form of a golden
set is written: rewrite.py.
"""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.golden import GoldenSet, is_json, load_golden
from strata.core.load import beir
from strata.core.load.text import opened
from strata.errors import DataError
from strata.evaluation.poolfile import mismatch, read_lines
from strata.evaluation.rewrite import Changes, with_cases, with_rows
from strata.files import stamp_of, write_atomically

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Conflict:
    """line: of the pool's file. standing: the grade in the golden set. given: the line's."""

    line: int
    query: str
    id: str
    label: str
    standing: int
    given: int


@dataclass(frozen=True)
class Merged:
    """path: the file that was written, or would have been. added: judgements by grade. same: lines that say what stood
    there. ungraded: lines without a grade yet. conflicts: replaced says whether they were taken."""

    path: Path
    added: dict[int, int]
    same: int
    ungraded: int
    conflicts: tuple[Conflict, ...]
    replaced: bool
    written: bool

    @property
    def passes(self) -> bool:
        """Whether every grade given is in the set now."""
        return self.replaced or not self.conflicts

    def to_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "written": self.written,
            "added": sum(self.added.values()),
            "grades": [{"grade": grade, "judgements": count} for grade, count in self.added.items()],
            "same": self.same,
            "ungraded": self.ungraded,
            "conflicts": [vars(conflict) for conflict in self.conflicts],
            "replaced": len(self.conflicts) if self.replaced else 0,
        }


def merge(
    graded: Path,
    path: Path,
    corpus: Corpus,
    *,
    force: bool = False,
    split: str = "test",
    queries: Path | None = None,
) -> Merged:
    """Bring the grades of a pool's file into a golden set. path, split, queries: as load_golden takes them.

    force: a grade given takes the place of the one that stands. DataError, with the line, for a query that the set
    lacks, a document that the catalogue lacks, and a line made for another set or catalogue.
    """
    file = (beir.qrels(path, split) if path.is_dir() else path).resolve()
    with opened(file) as stream:
        stamp = stamp_of(file)
        text = stream.read()
    given = _Given.read(graded, load_golden(path, corpus, split, queries), corpus)
    changes: Changes = {query: dict(grades) for query, grades in given.new.items()}
    if force:
        for conflict in given.conflicts:
            changes.setdefault(conflict.query, {})[conflict.id] = conflict.given
    if changes:
        asked_for = is_json(text) and not path.is_dir()
        new = with_cases(file, text, changes, corpus) if asked_for else with_rows(file, text, changes)
        if stamp_of(file) != stamp:
            raise DataError(f"{file} was changed while it was read", "run the command again")
        _write(file, new)
    added = Counter(grade for grades in given.new.values() for grade in grades.values())
    return Merged(
        file,
        dict(sorted(added.items(), reverse=True)),
        given.same,
        given.ungraded,
        tuple(given.conflicts),
        force and bool(given.conflicts),
        bool(changes),
    )


def _write(file: Path, text: str) -> None:
    """As it was packed before."""
    with file.open("rb") as former:
        packed = former.read(2) == b"\x1f\x8b"
    data = text.encode()
    write_atomically(file, gzip.compress(data, mtime=0) if packed else data, durable=True)


@dataclass
class _Given:
    """What a pool's file says, set against a golden set."""

    new: Changes = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    same: int = 0
    ungraded: int = 0

    @classmethod
    def read(cls, graded: Path, golden: GoldenSet, corpus: Corpus) -> _Given:
        given = cls()
        queries = {query.id: query for query in golden.queries}
        for number, row in read_lines(graded):
            grade, query, id = row.get("grade"), queries.get(str(row["query_id"])), str(row["id"])
            if grade is None:
                given.ungraded += 1
                continue
            where, at = f"{graded}, line {number}", corpus.position(id)
            if query is None:
                raise DataError(f"{where}: {golden.name} has no query {row['query_id']}", "take that line out")
            if at is None:
                raise DataError(
                    f"{where}: id {id} is not in {corpus.name}", "take that line out, or name its --dataset"
                )
            wrong = mismatch(row, query, at, corpus)
            if wrong:
                raise DataError(f"{where}: {wrong}", "this line was made for something else: take it out")
            standing = query.relevant.get(id)
            if standing is None:
                given.new.setdefault(query.id, {})[id] = grade
            elif standing == grade:
                given.same += 1
            else:
                given.conflicts.append(Conflict(number, query.id, id, corpus.label(at), standing, grade))
        return given
