"""plan → run → trace, with layers made for the test: run knows slots, no layer by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from strata.core.types import Answer, Passage, Plan, Query, Ranking
from strata.errors import ProviderError, UsageError
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline import moves
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace


@pytest.fixture
def bears(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Workspace:
    return workspace(
        catalogue(
            {"id": "a", "title": "Bear One", "description": "bear bear", "year": 1990, "genres": ["Comedy"]},
            {"id": "b", "title": "Bear Two", "description": "bear fox", "year": 2000, "genres": ["Drama"]},
            {"id": "c", "title": "Fox", "description": "fox", "year": 2010},
        )
    )


@dataclass(frozen=True)
class Shout:
    """Enhances by a variant."""

    word: str = "fox"

    @property
    def name(self) -> str:
        return "shout"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        ws.note("shouted")
        ws.spent({"tokens": 3})
        return replace(q, variants=(self.word,))


@dataclass(frozen=True)
class Reverse:
    name: str = "reverse"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        return Ranking(self.name, found.docs[::-1], np.arange(len(found.docs), dtype=float)[::-1])


@dataclass(frozen=True)
class Broken:
    name: str = "broken"

    def __call__(self, *_: object) -> Ranking:
        raise ProviderError("the provider is down")


@dataclass(frozen=True)
class FirstWords:
    name: str = "first words"

    def __call__(self, q: Query, sources: Sequence[Passage], ws: Workspace) -> Answer:
        return Answer("rag", " / ".join(s.text for s in sources))


def ids(ws: Workspace, ranking: Ranking) -> list[object]:
    return [ws.corpus.id(doc) for doc in ranking.docs.tolist()]


def test_every_slot_leaves_a_step_with_what_it_gave_and_cost(bears: Workspace) -> None:
    plan = Plan(retrieve=(BM25(),), enhance=Shout(), fuse=RRF(), rerank=Reverse(), answer=FirstWords(), limit=2)
    trace = run(plan, Query("bear"), bears)
    assert [s.slot for s in trace.steps] == ["enhance", "retrieve", "retrieve", "fuse", "rerank", "answer"]
    assert trace.steps[0].notices == ("shouted",) and trace.steps[0].usage == {"tokens": 3}
    assert all(step.ms >= 0 for step in trace.steps)
    assert trace.used.texts == ("bear", "fox")
    assert trace.answer is not None and trace.answer.text == "fox / bear bear"


def test_variants_are_searched_each_and_fused(bears: Workspace) -> None:
    trace = run(Plan(retrieve=(BM25(),), enhance=Shout(), fuse=RRF()), Query("bear"), bears)
    assert [ids(bears, step.output) for step in trace.lists] == [["a", "b"], ["c", "b"]]
    assert ids(bears, trace.final)[0] == "b"


@pytest.mark.parametrize("slot", ["enhance", "rerank", "answer"])
def test_a_provider_that_fails_leaves_the_steps_input_standing_and_says_so(bears: Workspace, slot: str) -> None:
    plan = replace(Plan(retrieve=(BM25(),)), **{slot: Broken()})  # type: ignore[arg-type]
    memo: Memo = {}
    trace = run(plan, Query("bear"), bears, memo)
    assert ids(bears, trace.final) == ["a", "b"]
    assert any("the provider is down" in notice for notice in trace.notices)
    failed = [step for step in trace.steps if step.failed]
    assert [step.slot for step in failed] == [slot]
    assert not any(step.failed for step in memo.values()), "a failure is tried again, never remembered"


def test_a_memo_computes_each_layer_once_for_many_plans(bears: Workspace) -> None:
    memo: Memo = {}
    first = run(Plan(retrieve=(BM25(),)), Query("bear"), bears, memo)
    second = run(Plan(retrieve=(BM25(),), fuse=RRF()), Query("bear"), bears, memo)
    other = run(Plan(retrieve=(BM25(k1=0.5),)), Query("bear"), bears, memo)
    assert second.steps[0].output.docs is first.steps[0].output.docs
    assert other.steps[0] is not first.steps[0]


def test_excluded_documents_are_left_out_before_a_list_is_cut(bears: Workspace) -> None:
    query = Query("bear", exclude=frozenset({0}))
    trace = run(Plan(retrieve=(BM25(),), depth=1), query, bears)
    assert ids(bears, trace.final) == ["b"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("year>=2000", ["b"]),
        ("genres=comedy", ["a"]),
        ("genres!=comedy", ["b"]),
        ("title=bear two", ["b"]),
        ("year<1990", []),
    ],
)
def test_conditions_hold_for_what_is_found(bears: Workspace, where: str, expected: list[str]) -> None:
    assert ids(bears, run(Plan(retrieve=(BM25(),)), Query("bear", where=(where,)), bears).final) == expected


@pytest.mark.parametrize("where", ["year", "colour=red", "year>=soon", "=3"])
def test_a_condition_that_cannot_hold_is_refused(bears: Workspace, where: str) -> None:
    with pytest.raises(UsageError):
        run(Plan(retrieve=(BM25(),)), Query("bear", where=(where,)), bears)


def test_a_trace_is_json_of_plain_finite_values(bears: Workspace) -> None:
    trace = run(Plan(retrieve=(BM25(),), fuse=RRF()), Query("bear"), bears)
    found = json.loads(json.dumps(trace.to_json(), allow_nan=False))
    assert found["dataset"]["documents"] == 3
    assert [r["id"] for r in found["results"]] == ["a", "b"]
    assert found["results"][0]["keyword"] == {"rank": 1, "score": pytest.approx(trace.lists[0].output.scores[0])}
    assert found["results"][0]["semantic"] is None
    assert found["plan"]["retrieve"] == [{"layer": "bm25", "k1": 1.5, "b": 0.75}]


def test_moves_say_who_left_the_top_and_who_fell_furthest(bears: Workspace) -> None:
    trace = run(Plan(retrieve=(BM25(),), rerank=Reverse(), limit=1), Query("bear"), bears)
    left = moves.left_the_top(trace, 1)
    assert [(bears.corpus.id(m.doc), m.name, m.before, m.after) for m in left] == [("a", "keyword", 1, 2)]
    assert moves.largest_fall(trace, left) == left[0]
