"""Golden sets: queries with the documents that answer them. Ours, the lessons', or a BEIR folder's.

Relevance is a grade: 2 exactly right, 1 reasonable, 0 or below not relevant. Documents are named by id, as a string.
Titles are resolved against a catalogue; those that are missing or ambiguous are reported, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.load import beir
from strata.core.load.text import json_lines, opened, parsed
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
        """Whether somebody said what answers it. An unanswerable query is not judged: recall is not defined for it."""
        return any(grade > 0 for grade in self.relevant.values())


@dataclass(frozen=True)
class GoldenSet:
    name: str
    queries: tuple[GoldenQuery, ...]
    problems: tuple[str, ...] = field(default=())


def load_golden(path: Path, corpus: Corpus | None = None, split: str = "test") -> GoldenSet:
    """A golden set from a file or a BEIR folder. Without a corpus, titles are reported as unresolved."""
    if path.is_dir():
        return _beir(path, split)
    with opened(path) as file:
        value = parsed(file.read(), str(path))
    cases = value.get("test_cases") if isinstance(value, dict) else None
    if not isinstance(cases, list):
        raise DataError(
            f"{path} is no golden set", 'it looks like {"test_cases": [{"query": …, "relevant_docs": [titles]}]}'
        )
    problems: list[str] = []
    queries = [_case(case, number, f"{path}, case {number}", corpus, problems) for number, case in enumerate(cases, 1)]
    return GoldenSet(str(value.get("name") or path.stem), tuple(queries), tuple(problems))


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
    name = str(case.get("id") or f"q{number:02}")
    return GoldenQuery(name, case["query"], relevant, str(case.get("kind") or ""), str(case.get("note") or ""))


def _resolved(entry: Any, where: str, corpus: Corpus | None, problems: list[str]) -> list[tuple[str, int]]:
    """(id, grade) of one relevant document: an object with an id, or a title."""
    if isinstance(entry, dict) and isinstance(entry.get("id"), int | str) and not isinstance(entry["id"], bool):
        grade = entry.get("grade", 1)
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise DataError(f"{where}: the grade {grade!r} is not a whole number", "grades are 2, 1 or 0")
        if corpus is not None and corpus.position(entry["id"]) is None:
            problems.append(f"{where}: id {entry['id']} is not in {corpus.name}")
        return [(str(entry["id"]), grade)]
    title = entry.get("title") if isinstance(entry, dict) else entry
    if not isinstance(title, str):
        raise DataError(
            f"{where}: a relevant document is neither a title nor has an id", "list titles, or objects with id"
        )
    found = corpus.titled(title) if corpus is not None else []
    if corpus is None or not found:
        problems.append(
            f'{where}: the title "{title}" is not in {corpus.name if corpus else "a catalogue (none given)"}'
        )
        return []
    if len(found) > 1:
        labels = "; ".join(corpus.label(at) for at in found)
        problems.append(f'{where}: the title "{title}" names {len(found)} documents ({labels}); all count as relevant')
    return [(str(corpus.id(at)), 1) for at in found]


def _beir(folder: Path, split: str) -> GoldenSet:
    texts: dict[str, str] = {}
    for number, entry in json_lines(beir.part(folder, "queries.jsonl")):
        if not isinstance(entry, dict) or "_id" not in entry or not isinstance(entry.get("text"), str):
            raise DataError(f"{folder}/queries.jsonl, line {number}: no _id or text", "mend that line")
        texts[str(entry["_id"])] = entry["text"]
    grades = read_qrels(beir.part(folder, f"qrels/{split}.tsv"))
    problems = tuple(f"query {name} has judgements and no text" for name in grades if name not in texts)
    queries = tuple(GoldenQuery(name, text, grades.get(name, {})) for name, text in texts.items())
    return GoldenSet(f"{folder.name}/{split}", queries, problems)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """query id → {document id: grade}. BEIR's three columns with or without a header, or TREC's four."""
    grades: dict[str, dict[str, int]] = {}
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            cells = line.split("\t") if "\t" in line else line.split()
            cells = [cell.strip() for cell in cells]
            if not any(cells) or (number == 1 and cells[-1:] == ["score"]):
                continue
            if len(cells) == 4:  # TREC: query, iteration, document, grade
                del cells[1]
            try:
                query, document, grade = cells
                grades.setdefault(query, {})[document] = int(grade)
            except ValueError as error:
                raise DataError(
                    f"{path}, line {number}: not a judgement", "columns: query-id corpus-id score"
                ) from error
    return grades
