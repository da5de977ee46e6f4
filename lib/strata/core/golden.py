"""Golden sets: queries with the documents that answer them. Three forms are read:

- ours: {"test_cases": [{"id", "query", "kind", "relevant": [{"id", "title", "grade"}], "note"}]}
- the lessons': {"test_cases": [{"query", "relevant_docs": [titles]}]}; a title may carry its year: "Dracula (1931)"
- a folder in BEIR layout: queries.jsonl and qrels/SPLIT.tsv

Relevance is a grade: 2 exactly right, 1 reasonable, 0 or below not relevant (kept; metrics count it as 0). Documents
are named by id, as a string. What a set says about documents that the catalogue lacks, or that a title does not tell
apart, is listed as a problem. Not here: metrics, and judging the judgements.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.documents import title_key
from strata.core.load import beir
from strata.core.load.text import json_lines, opened, parsed
from strata.core.types import DocId
from strata.errors import DataError

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class GoldenQuery:
    """relevant: id (as a string) → grade. kind: a label for results by kind; "" where there is none."""

    id: str
    text: str
    relevant: dict[str, int]
    kind: str = ""
    note: str = ""

    @property
    def judged(self) -> bool:
        """Whether it has an answer. Recall is not defined for a query without one, so averages leave it out."""
        return any(grade > 0 for grade in self.relevant.values())


@dataclass(frozen=True)
class GoldenSet:
    """problems: one line each, for what does not fit the catalogue; the queries are usable all the same."""

    name: str
    queries: tuple[GoldenQuery, ...]
    problems: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[GoldenQuery, ...]:
        return tuple(query for query in self.queries if query.judged)

    @property
    def unjudged(self) -> tuple[GoldenQuery, ...]:
        """Queries without a relevant document: listed, counted, left out of averages."""
        return tuple(query for query in self.queries if not query.judged)


def load_golden(path: Path, corpus: Corpus | None = None, split: str = "test") -> GoldenSet:
    """A golden set from a file or a BEIR folder. Without a corpus ids go unchecked and titles unresolved.

    split: which qrels of a folder. DataError for a file that is no golden set.
    """
    if path.is_dir():
        return _beir(path, corpus, split)
    with opened(path) as file:
        value = parsed(file.read(), str(path))
    cases = value.get("test_cases") if isinstance(value, dict) else None
    if not isinstance(cases, list):
        raise DataError(
            f"{path} is no golden set", 'it looks like {"test_cases": [{"query": …, "relevant_docs": [titles]}]}'
        )
    problems: list[str] = []
    queries = [_case(case, number, f"{path}, case {number}", corpus, problems) for number, case in enumerate(cases, 1)]
    _check_unique([query.id for query in queries], path)
    return GoldenSet(str(value.get("name") or path.name.split(".")[0]), tuple(queries), tuple(problems))


def _case(case: Any, number: int, where: str, corpus: Corpus | None, problems: list[str]) -> GoldenQuery:
    if not isinstance(case, dict) or not isinstance(case.get("query"), str) or not case["query"].strip():
        raise DataError(f"{where}: no query", 'a case looks like {"query": …, "relevant_docs": [titles]}')
    listed = case.get("relevant", case.get("relevant_docs"))
    if not isinstance(listed, list):
        raise DataError(f"{where}: no list of relevant documents", 'name it "relevant_docs"; it may be empty')
    relevant: dict[str, int] = {}
    for entry in listed:
        for key, grade in _resolved(entry, where, corpus, problems):
            relevant[key] = max(grade, relevant.get(key, grade))
    name = case.get("id")
    return GoldenQuery(
        f"q{number:02}" if name in (None, "") else str(name),
        case["query"],
        relevant,
        str(case.get("kind") or ""),
        str(case.get("note") or ""),
    )


def _resolved(entry: Any, where: str, corpus: Corpus | None, problems: list[str]) -> list[tuple[str, int]]:
    """(id, grade) of one relevant document: an object with an id or a title, or a bare title."""
    facts = entry if isinstance(entry, dict) else {"title": entry}
    id, title, grade = facts.get("id"), facts.get("title"), facts.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int):
        raise DataError(f"{where}: the grade {grade!r} is not a whole number", "grades are 2, 1 or 0")
    if isinstance(id, int | str) and not isinstance(id, bool):
        if corpus is not None:
            problems += _misnamed(id, title, where, corpus)
        return [(str(id), grade)]
    if not isinstance(title, str):
        raise DataError(
            f"{where}: a relevant document is neither a title nor has an id", "list titles, or objects with id"
        )
    found = corpus.titled(title) if corpus is not None else []
    if corpus is None or not found:
        problems.append(f'{where}: the title "{title}" is not in {corpus.name if corpus else "any catalogue given"}')
        return []
    if len(found) > 1:
        labels = "; ".join(corpus.label(at) for at in found)
        problems.append(f'{where}: the title "{title}" fits {labels}; each counts as relevant; a year tells them apart')
    return [(str(corpus.id(at)), grade) for at in found]


def _misnamed(id: DocId, title: Any, where: str, corpus: Corpus) -> list[str]:
    """What is wrong with a document's id, or with the title beside it: a set made for another catalogue shows here."""
    at = corpus.position(id)
    if at is None:
        return [f"{where}: id {id} is not in {corpus.name}"]
    if isinstance(title, str) and title_key(title) != title_key(corpus.title(at)):
        return [f'{where}: id {id} is called "{title}" here and "{corpus.title(at)}" in {corpus.name}']
    return []


def _beir(folder: Path, corpus: Corpus | None, split: str) -> GoldenSet:
    texts = read_queries(beir.part(folder, "queries.jsonl"))
    grades = read_qrels(beir.qrels(folder, split))
    problems = [f"query {name} has judgements and no text" for name in grades if name not in texts]
    if corpus is not None:
        judged = dict.fromkeys(key for row in grades.values() for key in row)
        missing = [key for key in judged if corpus.position(key) is None]
        if missing:
            problems.append(
                f"{len(missing)} of {len(judged)} judged documents are not in {corpus.name}: "
                + ", ".join(missing[:3])
                + (", …" if len(missing) > 3 else "")
            )
    queries = tuple(GoldenQuery(name, text, grades.get(name, {})) for name, text in texts.items())
    return GoldenSet(f"{folder.name}/{split}", queries, tuple(problems))


def read_queries(path: Path) -> dict[str, str]:
    """query id → text, from JSON lines with _id and text."""
    rows: list[tuple[str, str]] = []
    for number, entry in json_lines(path):
        if not isinstance(entry, dict) or "_id" not in entry or not isinstance(entry.get("text"), str):
            raise DataError(f"{path}, line {number}: no _id or text", "mend that line")
        rows.append((str(entry["_id"]), entry["text"]))
    _check_unique([name for name, _ in rows], path)
    return dict(rows)


def _check_unique(names: list[str], path: Path) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f'{path}: two queries have the id "{twice}"', "give each query an id of its own")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """query id → {document id: grade}. BEIR's three columns with or without a header, or TREC's four."""
    grades: dict[str, dict[str, int]] = {}
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
            if not any(cells) or (number == 1 and not _whole_number(cells[-1])):
                continue
            if len(cells) == 4:  # TREC: query, iteration, document, grade
                del cells[1]
            if len(cells) != 3 or not _whole_number(cells[2]):
                raise DataError(f"{path}, line {number}: not a judgement", "columns: query-id corpus-id score")
            grades.setdefault(cells[0], {})[cells[1]] = int(float(cells[2]))
    return grades


def _whole_number(text: str) -> bool:
    """Grades are whole numbers; some files write them as 1.0."""
    try:
        return float(text).is_integer()
    except ValueError:
        return False
