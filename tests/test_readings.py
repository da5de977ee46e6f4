"""Each plan of a table is run on the catalogue that it names itself, as it stands or with premises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.types import Plan
from strata.evaluation.failures import failures
from strata.evaluation.outcome import Contender, evaluate
from strata.evaluation.readings import reading
from strata.evaluation.unanswerable import unanswerable
from strata.keyword.bm25 import BM25
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from tests.conftest import Run
from tests.counting import Encoders, Opened
from tests.deep_tide import FILMS, enriched

Catalogue = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("kept_in")

TEXT = "swimmer off a holiday island"
"""In the story of the first film, which the second has as its premise."""
GOLDEN = GoldenSet("tides", (GoldenQuery("a", TEXT, {"t2": 2}), GoldenQuery("none", "opera swimmer", {})))
PLAIN, WITH = Plan((BM25(),)), Plan((BM25(),), premises=True)


@pytest.fixture
def files(catalogue: Catalogue) -> Path:
    return catalogue(*FILMS)


@pytest.mark.parametrize("first", [False, True])
def test_a_plan_is_run_on_the_reading_that_it_names(files: Path, opened: Opened, first: bool) -> None:
    ws = enriched(opened(files)) if first else opened(files)
    ran = evaluate([Contender("as it stands", PLAIN), Contender("with premises", WITH)], GOLDEN, ws)
    plain, read = ran.outcomes
    assert plain.found["a"] == ("1",) and set(read.found["a"]) == {"1", "t2"}
    assert len(failures(plain, GOLDEN, ws, 5).missed) == 1 and not failures(read, GOLDEN, ws, 5).missed
    assert [reading(ws, one.plan).corpus.fingerprint for one in ran.outcomes] == [
        one.traces["a"].corpus.fingerprint for one in ran.outcomes
    ]


def test_there_are_two_readings_and_each_is_opened_once(files: Path, opened: Opened) -> None:
    ws = opened(files)
    other = reading(ws, WITH)
    assert other is reading(ws, WITH) is reading(other, WITH) and other.enriched
    assert reading(ws, PLAIN) is reading(other, PLAIN) is reading(ws, None) is ws


def test_what_is_of_a_model_is_shared_and_what_is_of_a_text_is_not(
    files: Path, opened: Opened, encoders: Encoders
) -> None:
    ws = opened(files)
    other, unit = reading(ws, WITH), Chunks().unit
    assert ws.encoder(DEFAULT_ENCODER) is other.encoder(DEFAULT_ENCODER) and other.model is ws.model
    assert ws.once("of a model", lambda: "first") == other.once("of a model", lambda: "second")
    assert ws.vectors(DEFAULT_ENCODER, unit).path != other.vectors(DEFAULT_ENCODER, unit).path
    assert ws.index.path != other.index.path


def test_a_list_is_opened_on_each_reading_before_any_query(files: Path, opened: Opened, encoders: Encoders) -> None:
    ws = opened(files)
    plans = [Plan((Chunks(),), premises=premises) for premises in (False, True)]
    evaluate([Contender(str(plan.premises), plan) for plan in plans], GOLDEN, ws)
    asked = [text for kind, text in encoders[DEFAULT_ENCODER].drain() if kind == "query"]
    assert asked[:2] == ["warm-up", "warm-up"] and "warm-up" not in asked[2:]


def test_evidence_is_weighed_on_the_reading_of_each_plan(
    files: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same results for the same query, but another catalogue: nothing is taken over."""
    weighed: list[bool] = []

    def evidence(trace: Any, docs: Any, ws: Workspace) -> float:
        weighed.append(ws.enriched)
        return float(ws.enriched)

    monkeypatch.setattr("strata.evaluation.unanswerable._evidence", evidence)
    ws = opened(files)
    ran = evaluate([Contender("as it stands", PLAIN), Contender("with premises", WITH)], GOLDEN, ws)
    found = unanswerable(ran.outcomes, ["none"], 1, ws)
    assert [one and one.answered for one in found] == [(), ("none",)] and weighed == [False, True]


@pytest.fixture
def tides(files: Path, tmp_path: Path) -> list[str]:
    """Options: the catalogue, a golden set over it, a plan with premises."""
    cases = [{"id": "a", "query": TEXT, "relevant": [{"id": "t2", "grade": 2}]}]
    golden, plan = tmp_path / "tides.json", tmp_path / "mine.toml"
    golden.write_text(json.dumps({"test_cases": cases}))
    plan.write_text('premises = true\nretrieve = [{ layer = "bm25" }]\n')
    return ["--dataset", str(files), "--golden", str(golden), "--config", str(plan), "-q"]


def test_the_rows_of_a_table_read_no_premises_but_the_plan_that_has_them(
    cli: Run, tides: list[str], encoders: Encoders
) -> None:
    data = cli("evaluation_cli", "--layers", *tides, "--json").json
    rows = {row["layer"]: row for row in data["layers"]}
    assert [label for label, row in rows.items() if row["premises"]] == ["mine.toml"]
    assert rows["bm25"]["recall"] == 0 and rows["mine.toml"]["recall"] == 1
    text = cli("evaluation_cli", "--layers", *tides)
    assert "with premises before thin entries: mine.toml" in text.out.splitlines()


def test_runs_and_pools_are_of_both_readings(cli: Run, tides: list[str], encoders: Encoders, tmp_path: Path) -> None:
    assert cli("evaluation_cli", "trec", str(tmp_path / "to"), "--layers", *tides).status == 0
    found = {file.name: file.read_text().split("\n") for file in (tmp_path / "to").iterdir()}
    assert [len(found[name]) for name in ("bm25.run", "mine.toml.run")] == [2, 3]
    lines = [json.loads(line) for line in cli("evaluation_cli", "pool", *tides).out.splitlines()]
    (line,) = [line for line in lines if line["id"] == 1]
    assert {"bm25", "mine.toml"} <= set(line["found_by"])


def test_failures_sweeps_and_reports_go_by_the_plans_own_reading(
    cli: Run, tides: list[str], encoders: Encoders, tmp_path: Path
) -> None:
    assert cli("evaluation_cli", "failures", *tides, "--json").json["missed"] == 0
    page = tmp_path / "page.html"
    done = cli("evaluation_cli", "report", str(page), *tides, "--json")
    assert done.status == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "With premises" in text and " and with premises " in text
    assert "mine.toml misses <b>0</b> of 1" in text  # a list alone has its failures told, too
