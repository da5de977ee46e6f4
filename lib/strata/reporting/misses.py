"""Failures as the page shows them: a row for each cause with its share and what mending it could gain, and examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from strata.evaluation.causes import GROUP_OF, LABELS
from strata.evaluation.misses import Failures, Sought
from strata.evaluation.reasons import reason
from strata.reporting.words import counted, measure_name, plain, signed

EXAMPLES = 4
WHERE = {
    "data": "in the data",
    "condition": "in the query’s conditions",
    "layers": "between the layers",
    "query": "in how the query is put",
    "unseen": "no list has it",
    "below": "below the limit",
    "room": "nowhere: no room",
}


@dataclass(frozen=True)
class Example:
    """number: the query's on this page, 0 where it is not shown."""

    number: int
    id: str
    text: str
    document: str
    grade: int
    why: str


@dataclass(frozen=True)
class CauseRow:
    """share: of all misses, in percent. length: of the bar, in percent of the longest."""

    label: str
    where: str
    count: int
    share: int
    length: float
    gains: tuple[str, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Misses:
    label: str
    missed: int
    total: int
    queries: str
    unavoidable: int
    measures: tuple[str, ...]
    rows: tuple[CauseRow, ...]
    together: tuple[str, ...]


def misses(found: Failures, numbers: Mapping[str, int]) -> Misses:
    longest = max(found.counts.values(), default=1)
    rows = tuple(
        CauseRow(
            LABELS[cause],
            WHERE.get(GROUP_OF[cause], ""),
            count,
            round(100 * count / len(found.missed)),
            100 * count / longest,
            tuple(signed(found.gains[cause][measure.label]) for measure in found.measures),
            tuple(_example(miss, numbers) for miss in found.examples(cause, EXAMPLES)),
        )
        for cause, count in found.counts.items()
    )
    return Misses(
        plain(found.label, 60),
        len(found.missed),
        len(found.missed) + len(found.found),
        counted(len(found.queries), "query", "queries"),
        found.unavoidable,
        tuple(f"{measure_name(m.label, m.k)}" for m in found.measures),
        rows,
        tuple(signed(found.together[measure.label]) for measure in found.measures),
    )


def _example(miss: Sought, numbers: Mapping[str, int]) -> Example:
    query = miss.query
    return Example(
        numbers.get(query.id, 0), plain(query.id, 24), plain(query.text, 160), plain(miss.label, 80), miss.grade,
        plain(reason(miss), 400),
    )  # fmt: skip
