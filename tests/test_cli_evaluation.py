"""evaluation_cli: figures as they are fixed by cli.md, options on either side of a subcommand, clear refusals."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import typer

import evaluation_cli
from strata.subcommand import arranged
from tests.conftest import DATASETS, Run
from tests.counting import Encoders
from tests.html_reader import read
from tests.llm_server import Server, reply
from tests.test_report import tables

MEASURES = {"precision", "recall", "f1", "hit", "mrr", "map", "ndcg"}


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """A catalogue of three and a golden set of two queries and one without an answer."""
    films = [
        {"id": 1, "title": "Bear", "description": "A bear eats honey in the woods."},
        {"id": 2, "title": "Fox", "description": "A fox steals a hen from the farm."},
        {"id": 3, "title": "Hen", "description": "A hen runs away from the farm at night."},
    ]
    cases = [
        {"id": "a", "query": "honey", "kind": "short", "relevant": [{"id": 1, "grade": 2}]},
        {"id": "b", "query": "farm", "kind": "short", "relevant": [{"id": 2, "grade": 1}, {"id": 3, "grade": 2}]},
        {"id": "c", "query": "submarine", "kind": "none", "relevant": []},
    ]
    catalogue, golden = tmp_path / "films.json", tmp_path / "golden.json"
    catalogue.write_text(json.dumps({"movies": films}))
    golden.write_text(json.dumps({"name": "small", "test_cases": cases}))
    return str(catalogue), str(golden)


def test_the_plain_evaluation_is_as_cli_md_fixes_it(cli: Run) -> None:
    data = cli("evaluation_cli", "--limit", "5", "--json").json
    assert data["limit"] == 5 and data["golden"] == "movies-golden"
    assert (data["judged_queries"], data["unjudged_queries"], len(data["queries"])) == (63, 3, 63)
    assert data["mean"].keys() >= MEASURES and data["unanswerable"]["queries"] == 3
    first = data["queries"][0]
    assert first.keys() >= {"id", "query", "precision", "recall", "f1", "retrieved", "relevant"}
    assert len(first["retrieved"]) == 5 and first["relevant"][0] == {"id": 393, "title": "Paddington"}
    for name in ("precision", "recall", "f1"):
        assert data["mean"][name] == pytest.approx(sum(q[name] for q in data["queries"]) / 63)
    assert data["ceiling"]["recall"] < 1 and data["mean"]["recall"] <= data["ceiling"]["recall"]


def test_the_text_shows_each_query_then_the_means(cli: Run, small: tuple[str, str]) -> None:
    done = cli("evaluation_cli", "--dataset", small[0], "--golden", small[1], "--limit", "2", "--depth", "2")
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == "a honey (short)" and "P .50  R 1.00  F1 .67" in lines[1] and "Bear ✓" in lines[2]
    assert "mean of 2 queries at 2, small" in lines and "1 without a relevant document: in no mean." in lines
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("place", ["before", "after"])
def test_options_stand_on_either_side_of_a_subcommand(cli: Run, place: str) -> None:
    options = ["--limit", "3", "--encoder", "all-MiniLM-L6-v2", "--kind", "typo", "-q", "--json"]
    args = [*options, "evaluate"] if place == "before" else ["evaluate", *options]
    data = cli("evaluation_cli", *args).json
    assert data["limit"] == 3 and data["judged_queries"] == 6


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ([], ["evaluate"]),
        (["--limit", "5"], ["evaluate", "--limit", "5"]),
        (["--limit", "5", "evaluate"], ["evaluate", "--limit", "5"]),
        (["--limit=5", "-q", "evaluate", "--json"], ["evaluate", "--limit=5", "-q", "--json"]),
        (["-k", "10", "--layers"], ["evaluate", "-k", "10", "--layers"]),
        (["--layers", "failrues"], ["failrues", "--layers"]),
        (["--help"], ["--help"]),
        (["evaluate", "--help"], ["evaluate", "--help"]),
        (["--limit", "5", "--help"], ["evaluate", "--limit", "5", "--help"]),
    ],
)
def test_the_subcommand_is_found(given: list[str], made: list[str]) -> None:
    assert arranged(typer.main.get_command(evaluation_cli.app), given, "evaluate") == made


def test_an_unknown_subcommand_is_named(cli: Run) -> None:
    done = cli("evaluation_cli", "--limit", "5", "failrues")
    assert done.status == 2 and "failrues" in done.err and done.err.count("\n") == 1


def test_the_layers_are_as_cli_md_fixes_them(cli: Run) -> None:
    data = cli("evaluation_cli", "--layers", "--limit", "10", "--json").json
    rows = {row["layer"]: row for row in data["layers"]}
    assert list(rows) == ["tf-idf", "bm25", "document", "chunks", "weighted", "rrf"]
    for label, row in rows.items():
        assert row.keys() >= {*MEASURES, "recall@100", "ci95", "p_value", "against", "ms_per_query", "tokens_per_query"}
        low, high = row["ci95"]["ndcg"]
        assert low <= row["ndcg"] <= high
        assert (row["p_value"] is None) == (label == "bm25") and (row["against"] is None) == (label == "bm25")
    figures = {label: round(row["ndcg"], 3) for label, row in rows.items()}
    assert figures["bm25"] == 0.257 and figures["rrf"] == 0.349
    assert figures["document"] == pytest.approx(0.420, abs=0.002)
    assert rows["chunks"]["difference"]["ndcg"] == pytest.approx(rows["chunks"]["ndcg"] - rows["bm25"]["ndcg"])


def test_rows_are_added_and_held_against_another(cli: Run, small: tuple[str, str]) -> None:
    where = ["--dataset", small[0], "--golden", small[1], "--limit", "2"]
    done = cli("evaluation_cli", "--layers", "--with", "spell,enhance", "--against", "chunks", "--kinds", *where)
    assert done.status == 0, done.err
    for label in ("spell > rrf", "rewrite > rrf", "expand > rrf", "structure > rrf", "diff.: to chunks", "short"):
        assert label in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_a_setting_goes_to_the_rows_that_have_it(cli: Run, small: tuple[str, str]) -> None:
    where = ["--dataset", small[0], "--golden", small[1], "--layers", "--json"]
    plain, changed = (cli("evaluation_cli", *where, *more).json["layers"] for more in ([], ["--alpha", "1"]))
    assert [row["layer"] for row in plain] == [row["layer"] for row in changed]
    differing = {a["layer"] for a, b in zip(plain, changed, strict=True) if a["ndcg"] != b["ndcg"]}
    assert differing <= {"weighted"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--with", "rerank"], "add --layers"),
        (["--layers", "--with", "reranking"], "--with knows no"),
        (["--layers", "--against", "bm26"], "no row is called"),
        (["--layers", "--metric", "speed"], "no metric is called"),
        (["--metric", "ndcg@0", "--layers"], "from 1 up"),
        (["--kind", "nosuch"], "no query is of the kind"),
        (["--golden", "nowhere.json"], "nowhere.json"),
        (["--layers", "--min-score", "0.2", "--chunk-size=3"], "No such option"),
        (["--metric", "ndcg"], "--metric belongs to the table of layers; add --layers"),
        (["--against", "bm25"], "--against belongs to the table of layers; add --layers"),
        (["--kinds"], "add --layers"),
        (["trec", "out", "--with", "rerank"], "--with adds rows to every layer's; add --layers"),
        (["trec", "out", "--metric", "nope"], "--metric belongs to runs that are read"),
        (["trec", "out", "--layers", "--against", "zzz"], "--against belongs to runs that are read"),
        (["trec", "--run", "a.run", "--layers"], "--layers says how runs are made"),
        (["trec", "--run", "a.run", "--with", "spell"], "--with says how runs are made"),
        (["trec", "--run", "a.run", "--rerank", "cross_encoder"], "--rerank says how runs are made"),
        (["check", "--force"], "--force belongs to --merge"),
        (["check", "--merge", "graded.jsonl"], "--golden FILE"),
        (["sweep"], "--over is missing"),
        (["sweep", "--over", "kk"], "kk"),
        (["trec"], "give FOLDER"),
        (["failures", "--query", "q99"], "q99"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(cli: Run, args: list[str], said: str) -> None:
    done = cli("evaluation_cli", *args)
    assert done.status == 2 and said in done.err and done.err.count("\n") == 1 and not done.out


def test_a_catalogue_without_a_golden_set_says_so(cli: Run, small: tuple[str, str]) -> None:
    done = cli("evaluation_cli", "--dataset", small[0])
    assert done.status == 2 and "no golden set comes with films.json" in done.err


@pytest.mark.skipif(not (DATASETS / "adi").is_dir(), reason="needs the shared collections")
def test_a_folder_in_beir_layout_brings_its_own(cli: Run) -> None:
    data = cli("evaluation_cli", "--dataset", str(DATASETS / "adi"), "--layers", "--json").json
    assert data["judged_queries"] == 35 and data["layers"][1]["ndcg"] > 0.3


def test_a_model_that_fails_for_good_is_no_row(
    cli: Run, small: tuple[str, str], llm_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row would hold the figures of plain rrf under another name."""
    monkeypatch.setenv("STRATA_LLM_BASE_URL", llm_server.base("openai"))
    monkeypatch.setenv("STRATA_LLM_MODEL", "m")
    llm_server.gives(reply({"error": {"message": "wrong key", "code": "invalid_api_key"}}, 401))
    where = ["--dataset", small[0], "--golden", small[1], "--layers", "--with", "rewrite"]
    done = cli("evaluation_cli", *where, "--json")
    assert done.status == 0 and "rewrite > rrf is left out" in done.err
    assert "rewrite > rrf" not in {row["layer"] for row in done.json["layers"]}


def test_a_plan_of_ones_own_stands_beside_the_layers(cli: Run, small: tuple[str, str], tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text('limit = 2\nretrieve = [{ layer = "bm25", k1 = 0.5 }]\n')
    data = cli(
        "evaluation_cli", "--dataset", small[0], "--golden", small[1], "--layers", "--config", str(plan), "--json"
    )
    assert data.json["layers"][-1]["layer"] == "mine.toml"


def test_every_subcommand_takes_options_on_either_side(cli: Run, small: tuple[str, str], tmp_path: Path) -> None:
    where = ["--dataset", small[0], "--golden", small[1], "--limit", "2", "-q", "--json"]
    for command in (
        ["check"], ["failures"], ["sweep", "--over", "k=1,60"], ["pool"], ["trec", str(tmp_path / "to")], ["evaluate"],
    ):  # fmt: skip
        before, after = cli("evaluation_cli", *where, *command), cli("evaluation_cli", *command, *where)
        assert before.status == after.status == 0, (before.err, after.err)
        times = {"ms_per_query"}
        if command != ["pool"]:
            assert {k: v for k, v in before.json.items() if k not in times} == {
                k: v for k, v in after.json.items() if k not in times
            }


def test_a_pool_is_graded_and_merged_and_judged_rises(cli: Run, small: tuple[str, str], tmp_path: Path) -> None:
    where = ["--dataset", small[0], "--golden", small[1], "--limit", "3", "-q"]
    lines = cli("evaluation_cli", "pool", "--depth", "3", *where).out.splitlines()
    graded = tmp_path / "graded.jsonl"
    graded.write_text("".join(json.dumps({**json.loads(line), "grade": 0}) + "\n" for line in lines))
    rows = [cli("evaluation_cli", "--layers", *where, "--json").json["layers"]]
    done = cli("evaluation_cli", "check", "--merge", str(graded), *where)
    assert done.status == 0 and lines, done.err
    rows.append(cli("evaluation_cli", "--layers", *where, "--json").json["layers"])
    assert all(a["judged"] < b["judged"] == 1 for a, b in zip(*rows, strict=True) if a["layer"] == "document")


def test_runs_go_out_and_come_back_the_same(cli: Run, small: tuple[str, str], tmp_path: Path) -> None:
    where = ["--dataset", small[0], "--golden", small[1], "--limit", "2", "-q"]
    assert cli("evaluation_cli", "trec", str(tmp_path / "out"), "--layers", *where).status == 0
    runs = [str(tmp_path / "out" / f"{name}.run") for name in ("bm25", "chunks")]
    read = cli("evaluation_cli", "trec", "--run", runs[0], "--run", runs[1], *where, "--json").json
    own = {row["layer"]: row for row in cli("evaluation_cli", "--layers", *where, "--json").json["layers"]}
    for row in read["layers"]:
        assert row["ndcg"] == own[row["layer"]]["ndcg"] and row["ms_per_query"] is None
    assert read["versus"]["judged_queries"] == 2
    assert [(one["label"], one["problems"]) for one in read["runs"]] == [("bm25", []), ("chunks", [])]
    text = cli("evaluation_cli", "trec", "--run", runs[0], "--run", runs[1], *where)
    assert text.status == 0 and "diff.: to bm25" in text.out


def test_a_sweep_takes_an_option_by_its_own_name(cli: Run, small: tuple[str, str], encoders: Encoders) -> None:
    where = ["sweep", "--dataset", small[0], "--golden", small[1], "--json", "-q"]
    for name in ("max_chunk_size", "max-chunk-size", "sentences"):
        done = cli("evaluation_cli", *where, "--over", f"{name}=2,4")
        assert done.status == 0, done.err
        assert done.json["over"] == [{"setting": "sentences", "values": [2, 4]}]


@pytest.fixture
def troubled(small: tuple[str, str], tmp_path: Path) -> list[str]:
    """Options: the same catalogue, and a golden set with a query whose titles are all unknown and one without an
    answer."""
    cases = [
        {"id": "a", "query": "honey", "relevant": [{"id": 1}]},
        {"id": "b", "query": "farm", "relevant": ["The Hen", "Foxes"]},
        {"id": "c", "query": "submarine", "relevant": []},
    ]
    golden = tmp_path / "troubled.json"
    golden.write_text(json.dumps({"test_cases": cases}))
    return ["--dataset", small[0], "--golden", str(golden), "-q"]


def test_a_query_whose_titles_are_unknown_is_not_unanswerable(
    cli: Run, troubled: list[str], encoders: Encoders, tmp_path: Path
) -> None:
    data = cli("evaluation_cli", *troubled, "--json").json
    assert (data["judged_queries"], data["unjudged_queries"], data["unanswerable"]["queries"]) == (1, 2, 1)
    rows = cli("evaluation_cli", "--layers", *troubled, "--json").json["layers"]
    assert {row["unanswerable"]["queries"] for row in rows} == {1}
    text = " ".join(cli("evaluation_cli", "--layers", *troubled).out.split())
    assert "1 query judged, 1 unanswerable, 1 whose titles are not in the catalogue." in text
    page = tmp_path / "page.html"
    assert cli("evaluation_cli", "report", str(page), *troubled).status == 0
    heat = tables(read(page.read_text(encoding="utf-8")))["Queries by layers"]
    assert [row[0].split()[0] for row in heat if row[0].startswith(("a ", "b ", "c "))] == ["a", "c"]


@pytest.mark.parametrize("way", ["--layers", "--run"])
def test_the_problems_of_a_golden_set_are_told_beside_every_table(
    cli: Run, troubled: list[str], encoders: Encoders, tmp_path: Path, way: str
) -> None:
    run = tmp_path / "their.run"
    run.write_text("a Q0 1 1 1 x\n")
    command = ["trec", "--run", str(run)] if way == "--run" else ["--layers"]
    data = cli("evaluation_cli", *command, *troubled, "--json").json
    assert len(data["problems"]) == 2 and "The Hen" in data["problems"][0] and data["unjudged_queries"] == 2
    lines = cli("evaluation_cli", *command, *troubled).out.splitlines()
    assert "2 problems in the golden set; see: evaluation_cli check" in lines


@pytest.mark.parametrize("packed", [False, True])
def test_whether_a_set_is_of_test_cases_is_told_by_what_it_holds(
    cli: Run, small: tuple[str, str], encoders: Encoders, tmp_path: Path, packed: bool
) -> None:
    golden = Path(small[1])
    if packed:
        golden = tmp_path / "golden.json.gz"
        golden.write_bytes(gzip.compress(Path(small[1]).read_bytes()))
    data = cli("evaluation_cli", "--dataset", small[0], "--golden", str(golden), "--json").json
    assert (data["judged_queries"], data["unjudged_queries"], data["unanswerable"]["queries"]) == (2, 1, 1)


def test_judgements_leave_out_queries_that_nobody_judged_however_the_file_is_called(
    cli: Run, small: tuple[str, str], encoders: Encoders, tmp_path: Path
) -> None:
    (tmp_path / "qrels.json").write_text("a 0 1 2\n")
    (tmp_path / "queries.tsv").write_text("a\thoney\nb\tfarm\n")
    where = ["--golden", str(tmp_path / "qrels.json"), "--queries", str(tmp_path / "queries.tsv")]
    data = cli("evaluation_cli", "--dataset", small[0], *where, "--json").json
    assert (data["judged_queries"], data["unjudged_queries"], data["unanswerable"]) == (1, 0, None)
