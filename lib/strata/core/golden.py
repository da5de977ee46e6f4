"""Golden sets: queries with the documents that answer them. Four forms are read:

- ours: {"test_cases": [{"id", "query", "kind", "relevant": [{"id", "title", "year", "grade"}], "note"}]}
- the lessons': {"test_cases": [{"query", "relevant_docs": [titles]}]}; a title may carry its year: "Dracula (1931)"
- a folder in BEIR layout: queries.jsonl and qrels/SPLIT.tsv
- a file of judgements as TREC has them (qrels), with a file of its queries' texts

Relevance is a grade: 2 exactly right, 1 reasonable, 0 or below not relevant (kept; metrics count it as 0). Documents
are named by id, as a string. What a set says about documents that the catalogue lacks, or that a title does not tell
apart, is listed as a problem. Not here: metrics, and judging the judgements (evaluation/golden_check.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.load import beir
from strata.core.load.text import opened, parsed
from strata.core.naming import named
from strata.core.qrels import by_query, check_unique, queries_beside, read_queries, read_rows
from strata.core.qrels import read_qrels as read_qrels
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
class Unresolved:
    """A title that names no one document. query: its query's id. title: with its year where one stands beside it.
    fits: ids of the documents that bear it, each of which counts; none where no document does."""

    query: str
    title: str
    fits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repeated:
    """A document that a query lists more than once, with the grade of each time."""

    query: str
    document: str
    grades: tuple[int, ...]


@dataclass(frozen=True)
class GoldenSet:
    """problems: one line each, for what does not fit the catalogue; the queries are usable all the same. unresolved:
    the titles among them. repeated: documents listed twice; of several grades the best counts, in a file of judgements
    the last. cases: whether it was read from test cases, each with its answers, and not from judgements beside a list
    of queries."""

    name: str
    queries: tuple[GoldenQuery, ...]
    problems: tuple[str, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    cases: bool = True

    @property
    def judged(self) -> tuple[GoldenQuery, ...]:
        return tuple(query for query in self.queries if query.judged)

    @property
    def unjudged(self) -> tuple[GoldenQuery, ...]:
        """Queries without a relevant document: listed, counted, left out of averages."""
        return tuple(query for query in self.queries if not query.judged)

    @property
    def unanswerable(self) -> tuple[GoldenQuery, ...]:
        """Those of them that have no answer. One whose titles are not in the catalogue has: it is only not known."""
        unknown = {one.query for one in self.unresolved}
        return tuple(query for query in self.unjudged if query.id not in unknown)


def load_golden(
    path: Path, corpus: Corpus | None = None, split: str = "test", queries: Path | None = None
) -> GoldenSet:
    """A golden set from a file or a BEIR folder. Without a corpus ids go unchecked and titles unresolved.

    split: which qrels of a folder. queries: the texts of a qrels file's queries; without it they are looked for beside
    it (qrels.NAMES). DataError for a file that is no golden set.
    """
    if path.is_dir():
        judgements, texts = beir.qrels(path, split), beir.part(path, "queries.jsonl")
        return _judged(f"{path.name}/{split}", judgements, texts, corpus)
    with opened(path) as file:
        text = file.read()
    if is_json(text):
        return _cases(path, text, corpus)
    return _judged(path.name.removesuffix(".gz").rsplit(".", 1)[0], path, queries, corpus)


def is_json(text: str) -> bool:
    """Whether a golden set's file is of test cases; else it is one of judgements."""
    return not text.strip() or text.lstrip()[0] in "{["


def cases_of(path: Path, text: str) -> tuple[dict[str, Any], list[Any]]:
    """The whole value of a file of test cases, and its cases as they are written."""
    value = parsed(text, str(path))
    cases = value.get("test_cases") if isinstance(value, dict) else None
    if not isinstance(cases, list):
        raise DataError(
            f"{path} is no golden set", 'it looks like {"test_cases": [{"query": …, "relevant_docs": [titles]}]}'
        )
    return value, cases


def _cases(path: Path, text: str, corpus: Corpus | None) -> GoldenSet:
    value, cases = cases_of(path, text)
    problems: list[str] = []
    unresolved: list[Unresolved] = []
    repeated: list[Repeated] = []
    queries = []
    for number, case in enumerate(cases, start=1):
        where = f"{path}, case {number}"
        name, entries = case_id(case, number, where), listed(case, where)
        grades: dict[str, list[int]] = {}
        for found in (named(entry, f"{path.name}, case {number}", corpus) for entry in entries):
            problems += [found.problem] if found.problem else []
            if found.title and len(found.ids) != 1:
                unresolved.append(Unresolved(name, found.title, found.ids))
            for id in found.ids:
                grades.setdefault(id, []).append(found.grade)
        repeated += [Repeated(name, id, tuple(given)) for id, given in grades.items() if len(given) > 1]
        best = {id: max(given) for id, given in grades.items()}
        queries.append(GoldenQuery(name, case["query"], best, *(str(case.get(x) or "") for x in ("kind", "note"))))
    check_unique([query.id for query in queries], path)
    name = str(value.get("name") or path.name.split(".")[0])
    return GoldenSet(name, tuple(queries), tuple(problems), tuple(unresolved), tuple(repeated))


def case_id(case: Any, number: int, where: str) -> str:
    """What a case is called: its own id, or q01, q02 … by its place in the file."""
    if not isinstance(case, dict) or not isinstance(case.get("query"), str) or not case["query"].strip():
        raise DataError(f"{where}: no query", 'a case looks like {"query": …, "relevant_docs": [titles]}')
    name = case.get("id")
    return f"q{number:02}" if name in (None, "") else str(name)


def listed(case: dict[str, Any], where: str) -> list[Any]:
    """A case's relevant documents as they are written, in our form or the lessons'."""
    entries = case.get("relevant", case.get("relevant_docs"))
    if not isinstance(entries, list):
        raise DataError(f"{where}: no list of relevant documents", 'name it "relevant_docs"; it may be empty')
    return entries


def _judged(name: str, path: Path, texts: Path | None, corpus: Corpus | None) -> GoldenSet:
    """From judgements and the texts of their queries."""
    rows = list(read_rows(path))
    if not rows and texts is None:
        raise DataError(f"{path} is no golden set", 'it is neither {"test_cases": […]} nor lines of judgements')
    grades = by_query(rows)
    queries = read_queries(texts or queries_beside(path))
    problems = [f"query {name} has judgements and no text" for name in grades if name not in queries]
    if corpus is not None:
        judged = dict.fromkeys(key for row in grades.values() for key in row)
        missing = [key for key in judged if corpus.position(key) is None]
        if missing:
            problems.append(
                f"{len(missing)} of {len(judged)} judged documents are not in {corpus.name}: "
                + ", ".join(missing[:3])
                + (", …" if len(missing) > 3 else "")
            )
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        found.setdefault((row.query, row.document), []).append(row.grade)
    return GoldenSet(
        name,
        tuple(GoldenQuery(key, text, grades.get(key, {})) for key, text in queries.items()),
        tuple(problems),
        repeated=tuple(Repeated(*key, tuple(given)) for key, given in found.items() if len(given) > 1),
        cases=False,
    )
