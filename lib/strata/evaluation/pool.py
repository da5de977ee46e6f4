"""Pooling: what several outcomes put on top and nobody has judged, as lines to grade.

A line: {"query_id", "query", "id", "title", "text", "found_by": {layer: rank}, "grade": null}. Write 2 (exactly right),
1 (reasonable) or 0 (not relevant) in the place of null. Files of such lines: poolfile.py; bringing the grades into a
golden set: merge.py.

Source: Spärck Jones and van Rijsbergen, "Report on the need for and provision of an 'ideal' information retrieval test
collection" (1975), as TREC has it. Documents that no layer found stay unjudged and count as not relevant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata.core.golden import GoldenQuery, GoldenSet
from strata.evaluation.metrics import unique
from strata.evaluation.outcome import Outcome

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

TEXT = 600
"""Letters of a document's text in a line: enough to grade most by; the whole is one `data_cli show` away."""


@dataclass(frozen=True)
class Line:
    """One document to grade for one query. found_by: outcome's label → rank."""

    query: GoldenQuery
    doc: int
    found_by: dict[str, int]

    def to_json(self, corpus: Corpus) -> dict[str, Any]:
        document = corpus.document(self.doc)
        year = document.fields.get("year")
        return {
            "query_id": self.query.id,
            "query": self.query.text,
            "id": document.id,
            "title": document.title,
            **({} if year is None else {"year": year}),
            "text": _cut(document.text),
            "found_by": self.found_by,
            "grade": None,
        }


@dataclass(frozen=True)
class Pool:
    """lines: in the set's order of queries; a query's documents by their best rank, then by how many outcomes found
    them, then in the catalogue's order. judged: places of the tops that have a grade already, of all `places`.
    unknown: documents of run files that the catalogue lacks; there is nothing to grade."""

    depth: int
    lines: tuple[Line, ...]
    judged: int
    places: int
    unknown: int

    @property
    def queries(self) -> int:
        """How many queries have something to grade."""
        return len({line.query.id for line in self.lines})


def pool(outcomes: Sequence[Outcome], golden: GoldenSet, corpus: Corpus, depth: int) -> Pool:
    """The documents in the first `depth` places of any outcome that have no grade, for every query of the set."""
    lines: list[Line] = []
    judged, places = 0, 0
    unknown: set[str] = set()
    for query in golden.queries:
        found: dict[str, dict[str, int]] = {}
        for outcome in outcomes:
            for rank, id in enumerate(unique(outcome.found.get(query.id, ()))[:depth], start=1):
                found.setdefault(id, {})[outcome.label] = rank
        places += len(found)
        judged += sum(id in query.relevant for id in found)
        positions = {id: corpus.position(id) for id in found if id not in query.relevant}
        unknown |= {id for id, at in positions.items() if at is None}
        new = [Line(query, at, found[id]) for id, at in positions.items() if at is not None]
        lines += sorted(new, key=lambda line: (min(line.found_by.values()), -len(line.found_by), line.doc))
    return Pool(depth, tuple(lines), judged, places, len(unknown))


def _cut(text: str) -> str:
    """The beginning of a text, cut at a blank."""
    if len(text) <= TEXT:
        return text
    return text[:TEXT].rsplit(None, 1)[0] + " …"
