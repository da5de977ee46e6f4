"""Queries without an answer: whether a plan's results would have been given as one.

A search always shows something; what decides is whether the results hold enough evidence to answer from, which is what
the answer layers go by too (answer/evidence.py). Such queries are in no average.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from strata.answer.evidence import ENOUGH, evidence
from strata.answer.extract import sentences
from strata.answer.modes import Question
from strata.answer.sources import numbered
from strata.evaluation.outcome import Outcome
from strata.evaluation.readings import reading
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Unanswerable:
    """abstained, answered: ids of queries that have no answer; answered: with a false one."""

    abstained: tuple[str, ...]
    answered: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "queries": len(self.abstained) + len(self.answered),
            "right_abstentions": len(self.abstained),
            "false_answers": len(self.answered),
            "answered": list(self.answered),
        }


def unanswerable(
    outcomes: Iterable[Outcome], ids: Iterable[str], limit: int, ws: Workspace
) -> list[Unanswerable | None]:
    """For each outcome what became of the queries of these ids; None for a run that has no traces. What two plans show
    alike is judged once."""
    known: dict[tuple[str, tuple[int, ...], str], bool] = {}

    def abstains(trace: Trace) -> bool:
        docs = tuple(trace.final.docs[:limit].tolist())
        key = (trace.used.text, docs, trace.corpus.fingerprint)
        if key not in known:
            known[key] = not docs or _evidence(trace, docs, reading(ws, trace.plan)) < ENOUGH
        return known[key]

    asked = list(ids)
    found: list[Unanswerable | None] = []
    for outcome in outcomes:
        if not all(id in outcome.traces for id in asked):
            found.append(None)
            continue
        left = tuple(id for id in asked if abstains(outcome.traces[id]))
        found.append(Unanswerable(left, tuple(id for id in asked if id not in left)))
    return found


def _evidence(trace: Trace, docs: tuple[int, ...], ws: Workspace) -> float:
    layer = Question()
    given = numbered(trace.used, docs, ws, layer.tokens, layer.encoder)
    cosines = [one.cosine for one in sentences(trace.used, given, ws, layer.encoder)]
    return evidence(trace.used, given, cosines, ws).score
