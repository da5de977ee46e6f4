"""A run that something else made, as an outcome: TREC's six columns, or JSON {query: {document: score}} as ranx has it.

How rows become an order, and what equal scores have to do with it: ties.py. Writing runs: trec.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.core.golden import GoldenSet
from strata.core.load.text import opened, parsed
from strata.core.qrels import cells_of
from strata.errors import DataError
from strata.evaluation.outcome import Outcome
from strata.evaluation.ties import Ordered, Row, ordered

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class RunFile:
    """outcome: every query of the golden set, those that the run lacks with nothing found, and no others.

    unknown_queries: in the run only. lacking: judged queries that the run has nothing for; they count 0.
    unknown_documents: not in the catalogue; they keep their places and count as not relevant. repeated: rows that name
    a document again. problems, notes: one line each, for people.
    """

    outcome: Outcome
    unknown_queries: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    unknown_documents: tuple[str, ...] = ()
    repeated: int = 0
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Lists in full, and the lines that say the same."""
        return {
            "label": self.outcome.label,
            "unknown_queries": list(self.unknown_queries),
            "lacking_queries": list(self.lacking),
            "unknown_documents": list(self.unknown_documents),
            "repeated": self.repeated,
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def read_run(path: Path, golden: GoldenSet, corpus: Corpus | None = None, label: str = "") -> RunFile:
    """Read a run over a golden set. label: default the run's own tag, else the file's name.

    corpus: without one no document is unknown. DataError, with the line, for what is no run.
    """
    with opened(path) as file:
        text = file.read()
    tag, rows = _from_json(path, text) if text.lstrip()[:1] == "{" else _from_columns(path, text)
    if not rows:
        raise DataError(f"{path} holds no run", "each line is: query Q0 document rank score tag")
    wanted = {query.id for query in golden.queries}
    lists = {query: ordered(found) for query, found in rows.items() if query in wanted}
    found = {query.id: lists[query.id].ids if query.id in lists else () for query in golden.queries}
    scores = {query.id: lists[query.id].scores if query.id in lists else () for query in golden.queries}
    documents = dict.fromkeys(id for ids in found.values() for id in ids)
    read = RunFile(
        Outcome(label or tag or path.name.removesuffix(".gz").rsplit(".", 1)[0], found, scores),
        tuple(query for query in rows if query not in wanted),
        tuple(query.id for query in golden.judged if not found[query.id]),
        tuple(id for id in documents if corpus is not None and corpus.position(id) is None),
        sum(one.repeated for one in lists.values()),
    )
    problems = tuple(_problems(read, golden, corpus.name if corpus else ""))
    return replace(read, problems=problems, notes=tuple(_notes(list(lists.values()))))


def _from_columns(path: Path, text: str) -> tuple[str, dict[str, list[Row]]]:
    rows: dict[str, list[Row]] = {}
    tag = ""
    for number, line in enumerate(text.split("\n"), start=1):
        cells = cells_of(line)
        if not any(cells):
            continue
        if len(cells) != 6 or not all(cells[:5]):
            raise DataError(f"{path}, line {number}: not a row of a run", "columns: query Q0 document rank score tag")
        query, _, document, rank, score, tag = cells
        value = _score(score)
        if value is None:
            raise DataError(f'{path}, line {number}: the score "{score}" is not a number', "mend that line")
        rows.setdefault(query, []).append(Row(document, value, _rank(rank)))
    return tag, rows


def _from_json(path: Path, text: str) -> tuple[str, dict[str, list[Row]]]:
    value = parsed(text, str(path))
    rows = {}
    for query, found in value.items():
        if not isinstance(found, dict):
            raise DataError(f'{path}, query "{query}": no documents', "a run is {query: {document: score}}")
        scores = {id: None if isinstance(given, bool | str) else _score(given) for id, given in found.items()}
        bad = next((id for id, score in scores.items() if score is None), None)
        if bad is not None:
            raise DataError(
                f'{path}, query "{query}", document "{bad}": the score {found[bad]!r} is not a number',
                "mend that entry",
            )
        rows[query] = [Row(id, score, None) for id, score in scores.items() if score is not None]
    return "", rows


def _score(given: Any) -> float | None:
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _rank(text: str) -> int | None:
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20 else None


def _problems(read: RunFile, golden: GoldenSet, catalogue: str) -> Iterator[str]:
    if read.unknown_queries:
        what = _count(read.unknown_queries, "query of the run is", "queries of the run are")
        yield f"{what} not in {golden.name}: {_first(read.unknown_queries)}"
    if read.lacking:
        what = _count(
            read.lacking, "judged query has no row in the run and counts", "judged queries have no row and count"
        )
        yield f"{what} 0: {_first(read.lacking)}"
    if read.unknown_documents:
        unknown = read.unknown_documents
        what, counts = _count(unknown, "document is", "documents are"), "counts" if len(unknown) == 1 else "count"
        yield f"{what} not in {catalogue} and {counts} as not relevant: {_first(unknown)}"
    if read.repeated:
        what = _count(range(read.repeated), "row names", "rows name")
        yield f"{what} a document again: its best place counts"


def _notes(lists: Sequence[Ordered]) -> Iterator[str]:
    for by_rank, how in (
        (True, "the file's ranks order them"),
        (False, "ordered by id, descending, as trec_eval does"),
    ):
        tied = sum(one.tied for one in lists if one.by_rank is by_rank)
        if tied:
            yield f"{_count(range(tied), 'row has', 'rows have')} the score of the row above: {how}"
    against = [one for one in lists if one.against]
    if against:
        what = _count(against, "query", "queries")
        yield f"in {what} ranks and scores disagree: the scores count, as for trec_eval"


def _count(found: Sequence[object], one: str, many: str) -> str:
    return f"{len(found)} {one if len(found) == 1 else many}"


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
