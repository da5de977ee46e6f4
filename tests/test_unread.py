"""What a reranker does not read keeps its place behind what it read: in results, views, logs and figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import runlog
from strata.core.types import Plan, Query, Ranking
from strata.experiments.diff import diff
from strata.experiments.parsing import parse
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline import moves
from strata.pipeline.run import run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.searching import Found
from strata.semantic.chunks import Chunks
from strata.show.results import fused
from strata.show.text import columns_of, plain
from strata.show.trace import view
from tests.conftest import Run
from tests.counting import Encoders, Opened
from tests.harbour import FILMS

TEXTS = ("bear bear bear", "bear and fox", "fox. An owl.", "owl", "an elk and a bear", "rain on a bear's roof", "snow")
LISTS = (BM25(), Chunks())


@dataclass(frozen=True)
class Backwards:
    """A reranker that turns round its first candidates; its scores lie far below any of a fusion."""

    candidates: int
    name: str = "backwards"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = found.docs[: self.candidates][::-1]
        return Ranking(self.name, docs, -10.0 - np.arange(len(docs)), matched=len(docs))


@pytest.fixture
def ws(catalogue: Callable[..., Path], encoders: Encoders, opened: Opened) -> Workspace:
    return opened(catalogue(*TEXTS))


def traced(ws: Workspace, candidates: int, limit: int = 7, **more: Any) -> Trace:
    plan = Plan(**{"retrieve": LISTS, "fuse": RRF(), "rerank": Backwards(candidates), "limit": limit, **more})
    return run(plan, Query("a bear"), ws)


@pytest.mark.parametrize("candidates", [1, 2, 4, 6])
@pytest.mark.parametrize("alone", [False, True])
def test_no_document_is_lost(ws: Workspace, candidates: int, alone: bool) -> None:
    trace = traced(ws, candidates, **({"retrieve": (Chunks(),), "fuse": None} if alone else {}))
    before = trace.rankings[-2].output
    order = before.docs.tolist()
    assert trace.final.docs.tolist() == order[:candidates][::-1] + order[candidates:] and len(order) == 7
    assert trace.final.scores[candidates:].tolist() == before.scores[candidates:].tolist()
    assert trace.rankings[-1].output.docs.tolist() == order[:candidates][::-1], "the step has what its layer gave"
    for result in trace.results():
        read = result.rank <= candidates
        place = before.place(result.doc)
        assert result.reranked == (result.score if read else None) and (read or place == result.rank)
        assert result.score == trace.final.scores[result.rank - 1] == (-9.0 - result.rank if read else result.score)
        assert trace.path(result.doc)[-2:] == [place, result.rank if read else None]
    found = json.loads(json.dumps(trace.to_json(), allow_nan=False))["results"]
    assert [one["rerank"] is not None for one in found] == [rank <= candidates for rank in range(1, 8)]
    assert [one["rank"] for one in found] == list(range(1, 8))


@pytest.mark.parametrize("candidates", [7, 25])
def test_where_all_is_read_nothing_stands_behind(ws: Workspace, candidates: int) -> None:
    trace = traced(ws, candidates)
    assert trace.final is trace.rankings[-1].output
    assert all(result.reranked is not None for result in trace.results())


def test_an_empty_list_stays_empty(ws: Workspace) -> None:
    trace = run(Plan((BM25(),), rerank=Backwards(3)), Query("quokka"), ws)
    assert trace.results() == [] and trace.final.docs.size == 0


def test_what_keeps_its_place_has_not_left_the_top(ws: Workspace) -> None:
    """All of them were said to have left it."""
    assert moves.left_the_top(traced(ws, 3), 5) == [] == moves.left_the_top(traced(ws, 3, 7), 7)
    (left,) = moves.left_the_top(traced(ws, 3), 1)
    assert (left.before, left.after) == (1, 3)


def test_views_say_what_was_read(ws: Workspace) -> None:
    trace = traced(ws, 3)
    shown = [text for block in fused(Found(trace, ws, [], "lessons")) for text in plain(block)]
    assert "rerank backwards (by rule): the best 3 of 7, the rest as before" in shown
    assert sum(" · fused " in text and text.endswith(" → not read") for text in shown) == 4
    table = [text for block in view(Found(trace, ws, [], "lessons")) for text in plain(block)]
    assert sum(text.endswith("unread") for text in table) == 4
    assert max(map(columns_of, [*shown, *table])) <= 80
    usual = [text for block in fused(Found(traced(ws, 3, 3), ws, [], "lessons")) for text in plain(block)]
    assert "rerank backwards (by rule): the best 3" in usual and "not read" not in "".join(usual)


def test_a_log_tells_whether_its_results_were_cut_and_one_of_before_is_compared_as_far_as_it_goes(
    ws: Workspace,
) -> None:
    def logged(trace: Trace) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps(runlog.entry(trace, ws, "test", "lessons")))
        return found

    whole, short = logged(traced(ws, 3)), logged(traced(ws, 3, 5))
    assert not parse(whole).results.cut and parse(short).results.cut
    former = {**whole, "results": whole["results"][:3]}  # what was not read was lost
    found = diff(parse(former), parse(whole))
    assert found.identical and found.results.depth == 3


@pytest.fixture(scope="module")
def query() -> str:
    return "haunted house family"


def test_a_limit_beyond_the_candidates_is_filled(cli: Run, query: str) -> None:
    """--rerank late_interaction --limit 120 gave 25 results, and did not say so."""
    args = ("hybrid_search_cli", "rrf-search", query, "--limit", "120", "--json")
    plain, again = cli(*args).json["results"], cli(*args, "--rerank", "late_interaction").json["results"]
    assert len(again) == len(plain) == 120
    assert [one["id"] for one in again[25:]] == [one["id"] for one in plain[25:]]
    assert {one["id"] for one in again[:25]} == {one["id"] for one in plain[:25]}
    assert all(one["rerank"] for one in again[:25]) and not any(one["rerank"] for one in again[25:])
    assert [one["score"] for one in again[25:]] == [one["score"] for one in plain[25:]]


def test_recall_at_100_is_that_of_the_whole_list(cli: Run, films_file: Path, harbour_cache: Path) -> None:
    """It was the recall of the candidates."""
    golden = films_file.parent / "golden.json"
    relevant = [film["title"] for film in FILMS]
    golden.write_text(json.dumps({"test_cases": [{"query": "harbour bread", "relevant_docs": relevant}]}))
    args = ("--dataset", str(films_file), "--golden", str(golden), "--limit", "1", "--layers", "--json")
    found = cli("evaluation_cli", *args, "--with", "late_interaction", cache=harbour_cache).json["layers"]
    recall = {row["layer"]: row["recall@100"] for row in found}
    assert recall["rrf > late_interaction"] == recall["rrf"] == 1, "five of the six are read"
