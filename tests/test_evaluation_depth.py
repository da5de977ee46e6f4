"""Rankings are kept as far down as anything looks: the limit, a measure of its own depth, a pool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.types import Plan
from strata.evaluation.grid import axes
from strata.evaluation.measure import measure
from strata.evaluation.outcome import Contender, evaluate
from strata.evaluation.sweep import sweep
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.workspace import Workspace
from tests.conftest import Run
from tests.counting import Encoders

MANY = 130
RELEVANT = 111
GRADES = {str(n): 1 for n in range(1, RELEVANT + 1)}


@pytest.fixture
def barns(catalogue: Callable[..., Path]) -> Path:
    """Documents that all answer to "farm", in the catalogue's order."""
    return catalogue(*[f"A farm and barn number {n + 1000}." for n in range(MANY)])


@pytest.fixture
def given(barns: Path, tmp_path: Path) -> list[str]:
    """Options: the catalogue, a golden set with 111 answers to a query and one to another, a list alone as a plan."""
    golden = tmp_path / "golden.json"
    cases = [
        {"id": "a", "query": "farm", "relevant": [{"id": n} for n in range(1, RELEVANT + 1)]},
        {"id": "b", "query": "1007", "relevant": [{"id": 8}]},
    ]
    golden.write_text(json.dumps({"test_cases": cases}))
    return ["--dataset", str(barns), "--golden", str(golden), "--json"]


@pytest.fixture
def alone(given: list[str], tmp_path: Path) -> list[str]:
    (tmp_path / "alone.toml").write_text('retrieve = [{ layer = "bm25" }]\n')
    return [*given, "--config", str(tmp_path / "alone.toml")]


def rows(data: Any, name: str) -> dict[str, float]:
    return {row["layer"]: row[name] for row in data["layers"]}


def test_as_many_are_kept_as_is_said_and_no_fewer_than_100(barns: Path, workspace: Callable[[Path], Workspace]) -> None:
    golden = GoldenSet("g", (GoldenQuery("a", "farm", GRADES),))
    ws, plans = workspace(barns), [Contender("bm25", Plan((BM25(),), depth=10))]
    for keep, kept in ((None, 100), (120, 120), (1000, MANY)):
        (one,) = evaluate(plans, golden, ws, **({"keep": keep} if keep else {})).outcomes
        assert len(one.found["a"]) == len(one.scores["a"]) == kept
        assert one.plan == plans[0].plan  # the row's, however deep its list was made


def test_recall_and_its_ceiling_look_as_far_as_the_limit(cli: Run, alone: list[str]) -> None:
    data = cli("evaluation_cli", "--limit", "120", *alone).json
    assert data["mean"]["recall"] == data["ceiling"]["recall"] == 1
    assert len(data["queries"][0]["retrieved"]) == 120


def test_a_run_has_a_line_for_each_result_of_the_limit(cli: Run, alone: list[str], tmp_path: Path) -> None:
    files = cli("evaluation_cli", "trec", str(tmp_path / "to"), "--limit", "120", *alone).json["files"]
    assert files[str(tmp_path / "to" / "alone.toml.run")] == 121


def test_every_row_is_as_deep_as_the_measure_looks(cli: Run, given: list[str], encoders: Encoders) -> None:
    done = cli("evaluation_cli", "--layers", "--metric", "recall@120", *given)
    deep, usual = rows(done.json, "recall@120"), rows(done.json, "recall@100")
    assert len(deep) == 6 and deep["bm25"] == deep["tf-idf"] == 1
    assert all(deep[label] > usual[label] for label in deep)
    assert "lists go into fusions 120 deep, as far as recall@120 looks" in done.err
    written = cli("evaluation_cli", "--layers", "--metric", "recall@120", "--depth", "5", *given)
    assert "deep" not in written.err  # how deep lists are was said: that stands
    assert rows(written.json, "recall@120")["rrf"] < rows(written.json, "recall@120")["bm25"]


def test_a_limit_beyond_the_usual_depth_makes_no_row_twice(cli: Run, given: list[str], encoders: Encoders) -> None:
    data = cli("evaluation_cli", "--layers", "--limit", "110", "--enhance", "none", *given).json
    assert [row["layer"] for row in data["layers"]] == ["tf-idf", "bm25", "document", "chunks", "weighted", "rrf"]
    assert rows(data, "recall")["bm25"] == pytest.approx((110 / RELEVANT + 1) / 2)


def test_a_pool_goes_as_deep_as_it_says(cli: Run, given: list[str], encoders: Encoders, tmp_path: Path) -> None:
    where = [option for option in given if option != "--json"]
    done = cli("evaluation_cli", "pool", "--depth", "125", *where)
    lines = [json.loads(line) for line in done.out.splitlines()]
    ranks = [line["found_by"]["bm25"] for line in lines if line["query_id"] == "a" and "bm25" in line["found_by"]]
    assert sorted(ranks) == list(range(RELEVANT + 1, 126))


def test_a_sweep_measures_as_deep_as_its_measure(barns: Path, workspace: Callable[[Path], Workspace]) -> None:
    golden = GoldenSet("g", (GoldenQuery("a", "farm", GRADES), GoldenQuery("b", "barn", GRADES)))
    plan = Plan((BM25(), TfIdf()), fuse=RRF(), depth=125)
    found = sweep(plan, axes(["k=1,60"], plan), golden, workspace(barns), measure("recall@120", 5))
    assert [point.mean for point in found.points] == [1, 1]


def test_a_swept_depth_is_not_raised(cli: Run, given: list[str], encoders: Encoders) -> None:
    options = ["sweep", "--metric", "recall@120", *given]
    swept = cli("evaluation_cli", *options, "--over", "depth=10,125").json
    assert swept["own"]["settings"] == {"depth": 100}
    few, many = (point["mean"] for point in swept["settings"])
    assert few < swept["own"]["mean"] < many
    assert cli("evaluation_cli", *options, "--over", "k=1,60").json["own"]["mean"] > swept["own"]["mean"]
