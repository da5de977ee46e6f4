"""Runs and judgements written as others read them: trec_eval, ir_measures and pyserini (columns), ranx (JSON).

A run's score is 1/rank, in nine digits. trec_eval looks at no rank: it sorts by score and puts equal scores in the
order of their ids, descending. Scores that fall with every rank, and stay apart in its 32 bits, keep our order, which
is the order shown. A query for which nothing was found has no line, as the format has it: trec_eval leaves it out of
its means unless it is called with -c; here it counts 0. Reading runs: runfile.py; reading judgements: core/golden.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from strata.core.golden import GoldenSet
from strata.errors import DataError
from strata.evaluation.metrics import unique
from strata.evaluation.outcome import Outcome
from strata.files import dumped, write_atomically


def write_run(outcome: Outcome, path: Path, tag: str = "") -> int:
    """Write "query Q0 document rank score tag", or for a path that ends in .json {query: {document: score}}.

    Returns the number of ranked documents. tag: the run's name, default the outcome's label; blanks become _. A
    repeated document is written at its first place. DataError for an id that the columns cannot hold.
    """
    ranked = {query: unique(found) for query, found in outcome.found.items()}
    if path.suffix == ".json":
        scored = {query: {id: _score(rank) for rank, id in enumerate(ids, 1)} for query, ids in ranked.items()}
        write_atomically(path, (dumped(scored) + "\n").encode())
    else:
        name = "_".join((tag or outcome.label).split()) or "strata"
        _write_lines(path, _run_lines(ranked, name))
    return sum(map(len, ranked.values()))


def _score(rank: int) -> float:
    return float(f"{1 / rank:.9g}")


def _run_lines(ranked: dict[str, list[str]], tag: str) -> Iterator[str]:
    for query, ids in ranked.items():
        name = column(query, "query")
        for rank, id in enumerate(ids, start=1):
            yield f"{name} Q0 {column(id, 'document')} {rank} {_score(rank):.9g} {tag}"


def write_qrels(golden: GoldenSet, path: Path) -> int:
    """Write "query 0 document grade", or for a path that ends in .json {query: {document: grade}}.

    Returns the number of judgements. Grades of 0 are written too: they say that somebody looked. Those below 0, which
    count 0 here, become 0: -1 and -2 mean "not judged" to trec_eval, and anything less crashes it.
    """
    judged = {q.id: {id: max(grade, 0) for id, grade in q.relevant.items()} for q in golden.queries if q.relevant}
    if path.suffix == ".json":
        write_atomically(path, (dumped(judged) + "\n").encode())
    else:
        _write_lines(
            path,
            (
                f"{column(query, 'query')} 0 {column(id, 'document')} {grade}"
                for query, grades in judged.items()
                for id, grade in grades.items()
            ),
        )
    return sum(map(len, judged.values()))


def column(id: str, what: str, *, tab: bool = False) -> str:
    """An id as one column, which ends at any blank; or, in a file of tabs, at a tab or the line's end."""
    if not id.isascii() and any("\ud800" <= letter <= "\udfff" for letter in id):
        raise DataError(f'the {what} id "{id}" holds half a letter, which UTF-8 cannot write', "give it another id")
    if tab and id.strip() == id and id and not any(sign in id for sign in "\t\r\n"):
        return id
    if id.split() != [id]:
        raise DataError(
            f'the {what} id "{id}" {"holds a blank" if id.strip() else "is empty"}: a column cannot hold it',
            "give the catalogue ids without blanks, or export JSON, which can hold them (a path that ends in .json)",
        )
    return id


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))  # a tag may be any name
