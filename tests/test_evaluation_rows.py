"""Rows of a table: no two are called alike, one that a provider failed is told of, lists are open before queries."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.types import Plan, Ranking
from strata.errors import ModelGone
from strata.evaluation.labels import distinct, of_files
from strata.evaluation.layers import contenders
from strata.evaluation.outcome import Contender, evaluate
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from tests.conftest import Run
from tests.counting import Encoders, Opened
from tests.llm_server import Server, completion, reply

# Names


@given(st.lists(st.sampled_from(["a", "A", "b", "a (2)", "a (3)", ""])))
def test_no_two_labels_are_alike_and_the_first_of_each_stays(labels: list[str]) -> None:
    found = distinct(labels)
    assert len({label.casefold() for label in found}) == len(labels)
    for i, label in enumerate(labels):
        first = label.casefold() not in {other.casefold() for other in labels[:i]}
        assert (found[i] == label) == first and found[i].startswith(label)


def test_run_files_are_called_by_their_names_and_of_one_name_by_their_folders(tmp_path: Path) -> None:
    def named(*names: str) -> list[str]:
        return of_files([tmp_path / name for name in names])

    assert named("a/bm25.run", "b/chunks.run.gz", "mine.v2.json") == ["bm25", "chunks", "mine.v2"]
    assert named("a/bm25.run", "b/bm25.run", "c.run") == ["a/bm25", "b/bm25", "c"]
    assert named("a/bm25.run", "a/bm25.run.gz") == ["a/bm25", "a/bm25 (2)"]


def test_encoders_whose_names_end_alike_have_rows_each() -> None:
    rows = contenders(["one/mini", "two/mini"], "chunks", [], {}, 5, print, model=False)
    chunks = [row for row in rows if row.label.startswith("chunks")]
    assert [row.label for row in chunks] == ["chunks mini", "chunks mini (2)"]
    assert [row.plan.retrieve for row in chunks] == [(Chunks("one/mini"),), (Chunks("two/mini"),)]


@pytest.fixture
def farm(catalogue: Callable[..., Path], tmp_path: Path) -> list[str]:
    """Options: a catalogue of three and a golden set over it."""
    cases = [{"id": "a", "query": "honey", "relevant": [{"id": 1}]}, {"id": "b", "query": "farm", "relevant": [2]}]
    cases[1]["relevant"] = [{"id": 2}]
    golden = tmp_path / "golden.json"
    golden.write_text(json.dumps({"test_cases": cases}))
    path = catalogue("A bear eats honey.", "A fox steals a hen from the farm.", "A hen runs from the coop at night.")
    return ["--dataset", str(path), "--golden", str(golden)]


def test_of_two_run_files_of_one_name_only_the_better_is_the_best(cli: Run, farm: list[str], tmp_path: Path) -> None:
    for folder, rows in (("good", "a Q0 1 1 1 x\nb Q0 2 1 1 x\n"), ("bad", "a Q0 3 1 1 x\nb Q0 3 1 1 x\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.run").write_text(rows)
    runs = [word for name in ("good", "bad") for word in ("--run", str(tmp_path / name / "bm25.run"))]
    data = cli("evaluation_cli", "trec", *runs, *farm, "-q", "--json").json
    assert {row["layer"]: row["ndcg"] for row in data["layers"]} == {"good/bm25": 1, "bad/bm25": 0}
    lines = cli("evaluation_cli", "trec", *runs, *farm, "-q").out.splitlines()
    assert [line.split()[1] for line in lines if line.endswith(" best")] == ["good/bm25"]
    assert "before: good/bm25" in lines and "after:  bad/bm25" in lines
    held = cli("evaluation_cli", "trec", *runs, *farm, "-q", "--json", "--against", "bad/bm25").json
    assert [row["against"] for row in held["layers"]] == ["bad/bm25", None]


def test_a_plan_file_called_like_a_row_is_a_row_of_its_own(
    cli: Run, farm: list[str], encoders: Encoders, tmp_path: Path
) -> None:
    plan = tmp_path / "BM25"
    plan.write_text('retrieve = [{ layer = "bm25", k1 = 0.1 }]\n')
    options = ["--config", str(plan), *farm, "-q", "--json"]
    rows = [row["layer"] for row in cli("evaluation_cli", "--layers", *options).json["layers"]]
    assert rows[1] == "bm25" and rows[-1] == "BM25 (2)"
    done = cli("evaluation_cli", "trec", str(tmp_path / "to"), "--layers", *options)
    assert {"bm25.run", "BM25_2.run"} <= {file.name for file in (tmp_path / "to").iterdir()}
    assert len(done.json["files"]) == 8


def test_files_of_runs_do_not_overwrite_each_other_whatever_they_are_called(
    cli: Run, farm: list[str], encoders: Encoders, tmp_path: Path
) -> None:
    """ "rrf weighted" and "rrf > weighted" would be the same name of a file."""
    plan = tmp_path / "spell rrf"
    plan.write_text('retrieve = [{ layer = "bm25", k1 = 0.1 }]\n')
    options = ["--layers", "--with", "spell", "--config", str(plan), *farm, "-q"]
    assert cli("evaluation_cli", "trec", str(tmp_path / "to"), *options).status == 0
    assert {"spell_rrf.run", "spell_rrf_2.run"} <= {file.name for file in (tmp_path / "to").iterdir()}


# Providers that fail


@dataclass(frozen=True)
class Gone:
    """A reranker whose model is gone."""

    candidates: int = 5
    name = "gone"

    def __call__(self, *_: Any) -> Ranking:
        raise ModelGone("no such model", "name another")


QUERIES = GoldenSet("g", tuple(GoldenQuery(f"q{n}", "honey", {"1": 1}) for n in range(5)))


def test_a_plan_that_is_left_out_is_told_of_with_its_error(catalogue: Callable[..., Path], opened: Opened) -> None:
    notes: list[str] = []
    ws = opened(catalogue("A bear eats honey.", "A fox."), notes)
    plan = Plan((BM25(),))
    ran = evaluate([Contender("gone", Plan((BM25(),), rerank=Gone())), Contender("bm25", plan)], QUERIES, ws)
    (left,) = ran.left_out
    assert isinstance(left.error, ModelGone) and ran.failed and [one.label for one in ran.outcomes] == ["bm25"]
    assert left.to_json() == {"layer": "gone", "error": "no such model", "queries": 1}
    assert notes[-1] == "gone is left out: no such model (query 1 of 5)"
    assert not evaluate([Contender("bm25", plan)], QUERIES, ws).failed


@pytest.fixture
def refusing(llm_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A model that is there and takes no key."""
    monkeypatch.setenv("STRATA_LLM_BASE_URL", llm_server.base("openai"))
    monkeypatch.setenv("STRATA_LLM_MODEL", "m")
    llm_server.gives(reply({"error": {"message": "wrong key", "code": "invalid_api_key"}}, 401))
    return llm_server


@pytest.mark.parametrize(("named", "status"), [([], 0), (["--llm", "openai"], 3)])
def test_a_row_that_is_left_out_is_in_what_is_given_out_and_counts_as_a_failure_of_a_provider_asked_for_by_name(
    cli: Run, farm: list[str], encoders: Encoders, refusing: Server, tmp_path: Path, named: list[str], status: int
) -> None:
    options = ["--with", "rewrite", *named, *farm]
    done = cli("evaluation_cli", "--layers", *options, "--json")
    (left,) = done.json["left_out"]
    assert done.status == status and left["layer"] == "rewrite > rrf" and "key" in left["error"]
    text = cli("evaluation_cli", "--layers", *options, "-q")
    assert text.status == status and "left out: rewrite > rrf (" in text.out
    for command in (["trec", str(tmp_path / "to"), "--layers"], ["pool", str(tmp_path / "pool.jsonl")]):
        done = cli("evaluation_cli", *command, *options, "--json")
        assert done.status == status and [one["layer"] for one in done.json["left_out"]] == ["rewrite > rrf"]
    page = tmp_path / "page.html"
    assert cli("evaluation_cli", "report", str(page), *options).status == status
    assert "Left out" in page.read_text(encoding="utf-8")


def test_where_nothing_is_left_the_providers_own_error_ends_it(
    cli: Run, farm: list[str], encoders: Encoders, refusing: Server
) -> None:
    for command in ([], ["failures"], ["--layers", "--with", "rewrite", "--against", "rewrite > rrf"]):
        done = cli("evaluation_cli", *command, "--enhance", "rewrite", "--llm", "openai", *farm, "-q")
        assert done.status == 3 and not done.out and "key" in done.err and done.err.count("\n") == 1, command


def test_a_sweep_at_which_a_provider_failed_ends_with_3(
    cli: Run, farm: list[str], encoders: Encoders, llm_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_LLM_BASE_URL", llm_server.base("openai"))
    monkeypatch.setenv("STRATA_LLM_MODEL", "m")
    llm_server.gives(reply(completion('{"query": "honey"}')), *[reply(completion("nothing of use"))] * 9)
    options = ["sweep", "--over", "k=1,60", "--enhance", "rewrite", "--llm", "openai", *farm, "-q"]
    done = cli("evaluation_cli", *options)
    assert "a provider failed and a step was left out" in " ".join(done.out.split()), (done.out, done.err)
    assert done.status == 3


# Warm-up


def asked(encoders: Encoders, name: str) -> list[str]:
    return [text for kind, text in encoders[name].drain() if kind == "query"]


SPANISH = "una película sobre el amor y la guerra en una isla"


def test_a_list_for_other_languages_is_open_before_the_first_query(
    catalogue: Callable[..., Path], opened: Opened, encoders: Encoders
) -> None:
    """Opened by a query of its own, which says so: else opening and building would count as that query's time."""
    ws = opened(catalogue("A bear eats honey.", "A fox."))
    plan = Plan((BM25(), Chunks(when="english"), Documents("other", when="foreign")), fuse=RRF())
    golden = GoldenSet("g", (GoldenQuery("a", "a bear", {"1": 1}), GoldenQuery("b", SPANISH, {"2": 1})))
    evaluate([Contender("plan", plan)], golden, ws)
    assert asked(encoders, "other") == ["warm-up", SPANISH]
    assert asked(encoders, DEFAULT_ENCODER) == ["warm-up", "a bear"]


def test_a_list_that_no_query_needs_stays_closed(
    catalogue: Callable[..., Path], opened: Opened, encoders: Encoders
) -> None:
    ws = opened(catalogue("A bear eats honey.", "A fox."))
    plan = Plan((BM25(), Documents("other", when="foreign")), fuse=RRF())
    evaluate([Contender("plan", plan)], GoldenSet("g", (GoldenQuery("a", "a bear", {"1": 1}),)), ws)
    assert not encoders["other"].drain() and not ws.opened.keys() - {"keyword_index"}
