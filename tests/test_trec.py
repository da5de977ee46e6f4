"""Runs and judgements as files: trec_eval's figures from them are ours, and foreign runs are read as it would."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata import paths
from strata.core.golden import GoldenQuery, GoldenSet, load_golden
from strata.core.types import Plan
from strata.errors import DataError
from strata.evaluation.measure import measure
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.runfile import read_run
from strata.evaluation.ties import Row, ordered
from strata.evaluation.trec import write_qrels, write_run
from strata.evaluation.versus import Moved, versus
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.workspace import Workspace
from strata.show.text import plain
from strata.show.versus import versus as drawn

SET = GoldenSet(
    "small",
    (
        GoldenQuery("q1", "one", {"a": 2, "b": 1, "c": 0}),
        GoldenQuery("q2", "two", {"d": 1}),
        GoldenQuery("q3", "three", {"e": 1}),
        GoldenQuery("q4", "nobody knows", {}),
    ),
)
NAMES = {"ndcg": "ndcg_cut.5", "precision": "P.5", "recall": "recall.5", "map": "map_cut.5", "hit": "success.5"}


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[[str], Path]:
    """run_of(text): a file with it."""

    def write(text: str) -> Path:
        path = tmp_path / "their.run"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def theirs(run: Path, qrels: Path) -> dict[str, dict[str, float]]:
    """What trec_eval's binding computes from two files."""
    with run.open(encoding="utf-8") as of_run, qrels.open(encoding="utf-8") as of_qrels:
        given, judged = pytrec_eval.parse_run(of_run), pytrec_eval.parse_qrel(of_qrels)
    return pytrec_eval.RelevanceEvaluator(judged, {*NAMES.values(), "recip_rank"}).evaluate(given)


def assert_same_figures(outcome: Outcome, golden: GoldenSet, figures: dict[str, dict[str, float]]) -> None:
    for query in golden.judged:
        for ours, name in NAMES.items():
            value = figures.get(query.id, {}).get(name.replace(".", "_"), 0.0)  # it leaves out what found nothing
            assert outcome.values([query], measure(ours, 5)) == [pytest.approx(value, abs=1e-9)], (query.id, ours)
        reciprocal = figures.get(query.id, {}).get("recip_rank", 0.0)
        assert outcome.values([query], measure("mrr@1000", 5)) == [pytest.approx(reciprocal, abs=1e-9)]


# Writing


def test_what_trec_eval_makes_of_exported_files_is_what_we_make_of_the_outcome(
    films: Workspace, tmp_path: Path
) -> None:
    golden = load_golden(paths.data_dir() / "golden_dataset.json", films.corpus)
    (outcome,) = evaluate([Contender("bm25", Plan(retrieve=(BM25(),)))], golden, films).outcomes
    run, qrels = tmp_path / "a" / "bm25.run", tmp_path / "a" / "films.qrels"
    assert write_run(outcome, run) == sum(map(len, outcome.found.values()))
    assert write_qrels(golden, qrels) == 262
    assert_same_figures(outcome, golden, theirs(run, qrels))
    back = read_run(run, golden, films.corpus)
    assert back.outcome.found == outcome.found and (back.problems, back.notes) == ((), ())
    assert back.outcome.label == "bm25" and back.outcome.plan is None and back.outcome.traces == {}


def test_a_run_in_six_columns(tmp_path: Path) -> None:
    path = tmp_path / "run"
    outcome = Outcome("rrf > rerank", {"q1": ("b", "a", "b", "c"), "q2": ()}, {"q1": (9.0, 9.0, 9.0, 9.0)})
    assert write_run(outcome, path) == 3
    assert path.read_text(encoding="utf-8") == (
        "q1 Q0 b 1 1 rrf_>_rerank\nq1 Q0 a 2 0.5 rrf_>_rerank\nq1 Q0 c 3 0.333333333 rrf_>_rerank\n"
    )
    write_run(outcome, path, tag="my run")
    assert path.read_text(encoding="utf-8").split()[5] == "my_run"


def test_our_order_outlasts_trec_evals_way_with_equal_scores(tmp_path: Path) -> None:
    """cases.md 69: every score is the same, and the relevant document is last in our order, first in theirs."""
    golden = GoldenSet("g", (GoldenQuery("q", "x", {"z": 1}),))
    outcome = Outcome("constant", {"q": ("a", "b", "z")}, {"q": (1.0, 1.0, 1.0)})
    write_run(outcome, tmp_path / "run")
    write_qrels(golden, tmp_path / "qrels")
    assert theirs(tmp_path / "run", tmp_path / "qrels")["q"]["recip_rank"] == pytest.approx(1 / 3)


def test_scores_stay_apart_in_32_bits_however_long_the_list(tmp_path: Path) -> None:
    golden = GoldenSet("g", (GoldenQuery("q", "x", {"doc19999": 1}),))
    write_run(Outcome("long", {"q": tuple(f"doc{i:05}" for i in range(20_000))}), tmp_path / "run")
    write_qrels(golden, tmp_path / "qrels")
    assert theirs(tmp_path / "run", tmp_path / "qrels")["q"]["recip_rank"] == pytest.approx(1 / 20_000)


@bounds(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.lists(st.sampled_from("abcdefgh"), max_size=9)))
def test_any_outcome_is_read_as_it_was_written(found: dict[str, list[str]]) -> None:
    outcome = Outcome("mine", {query.id: tuple(dict.fromkeys(found.get(query.id, ()))) for query in SET.queries})
    with tempfile.TemporaryDirectory() as name:
        run, qrels, as_json = (Path(name) / part for part in ("run", "qrels", "run.json"))
        write_qrels(SET, qrels)
        count = write_run(outcome, run)
        assert count == write_run(outcome, as_json)
        if count:
            assert read_run(run, SET).outcome.found == read_run(as_json, SET).outcome.found == outcome.found
            assert_same_figures(outcome, SET, theirs(run, qrels))


def test_judgements_in_four_columns_and_grades_below_0_as_0(tmp_path: Path) -> None:
    golden = GoldenSet("g", (GoldenQuery("q1", "x", {"a": 2, "b": 0, "c": -2}), GoldenQuery("q2", "y", {})))
    assert write_qrels(golden, tmp_path / "qrels") == 3
    assert (tmp_path / "qrels").read_text(encoding="utf-8") == "q1 0 a 2\nq1 0 b 0\nq1 0 c 0\n"
    (tmp_path / "queries.tsv").write_text("q1\tx\nq2\ty\n", encoding="utf-8")
    assert load_golden(tmp_path / "qrels").queries[0].relevant == {"a": 2, "b": 0, "c": 0}
    write_qrels(golden, tmp_path / "qrels.json")
    assert json.loads((tmp_path / "qrels.json").read_text(encoding="utf-8")) == {"q1": {"a": 2, "b": 0, "c": 0}}


@pytest.mark.parametrize("bad", ["d 1", "d\t1", "d1 ", "", "d\u00a01"])
def test_an_id_with_a_blank_is_refused_and_json_holds_it(tmp_path: Path, bad: str) -> None:
    for outcome in (Outcome("x", {"q1": ("a", bad)}), Outcome("x", {bad: ("a",)})):
        path = tmp_path / "run"
        with pytest.raises(DataError, match=r"blank|empty") as caught:
            write_run(outcome, path)
        assert ".json" in caught.value.next_step and not path.exists()
        write_run(outcome, tmp_path / "run.json")
        golden = GoldenSet("g", tuple(GoldenQuery(query, "x", {}) for query in outcome.found))
        assert read_run(tmp_path / "run.json", golden).outcome.found == outcome.found
    with pytest.raises(DataError, match=r"blank|empty"):
        write_qrels(GoldenSet("g", (GoldenQuery("q1", "x", {bad: 1}),)), tmp_path / "qrels")


def test_a_file_that_stood_there_is_whole_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "run"
    write_run(Outcome("x", {"q1": ("a",)}), path)
    with pytest.raises(DataError):
        write_run(Outcome("x", {"q1": ("b", "c d")}), path)
    assert path.read_text(encoding="utf-8") == "q1 Q0 a 1 1 x\n" and list(tmp_path.iterdir()) == [path]


# Reading


def test_a_foreign_run_is_ordered_by_score_whatever_its_ranks(run_of: Callable[[str], Path]) -> None:
    read = read_run(run_of("q1 Q0 a 1 0.1 t\nq1 Q0 b 2 0.9 t\nq2 Q0 d 1 3 t\nq3 Q0 x 1 3 t\n"), SET)
    assert read.outcome.found == {"q1": ("b", "a"), "q2": ("d",), "q3": ("x",), "q4": ()}
    assert read.outcome.scores["q1"] == (0.9, 0.1)
    assert read.notes == ("in 1 query ranks and scores disagree: the scores count, as for trec_eval",)
    assert read.outcome.label == "t" and read_run(run_of("q1 Q0 a 1 1 t\n"), SET, label="mine").outcome.label == "mine"


def test_equal_scores_go_by_the_ranks_of_the_file(run_of: Callable[[str], Path]) -> None:
    read = read_run(run_of("q1 Q0 a 3 1 t\nq1 Q0 b 1 1 t\nq1 Q0 c 2 1 t\nq1 Q0 d 0 0.5 t\n"), SET)
    assert read.outcome.found["q1"] == ("b", "c", "a", "d")
    assert read.notes[0] == "2 rows have the score of the row above: the file's ranks order them"


@pytest.mark.parametrize("ranks", [("0", "0", "0"), ("x", "y", "z"), ("1", "1", "2")])
def test_equal_scores_without_ranks_go_by_id_descending_as_in_trec_eval(
    run_of: Callable[[str], Path], ranks: tuple[str, ...]
) -> None:
    rows = "".join(f"q1 Q0 {id} {rank} 1.0 t\n" for id, rank in zip(("a", "ü", "b"), ranks, strict=True))
    read = read_run(run_of(rows), SET)
    assert read.outcome.found["q1"] == ("ü", "b", "a")
    assert read.notes == ("2 rows have the score of the row above: ordered by id, descending, as trec_eval does",)


def test_the_order_of_equal_scores_without_ranks_is_trec_evals() -> None:
    """Many ties, also of scores that are equal in 32 bits only: the rank of one relevant document tells the order."""
    rng = random.Random(8)
    ids = [f"d{i}" for i in range(12)]
    for _ in range(200):
        scores = {id: rng.choice([0.5, 0.5 + 1e-9, 1.0, 1e39, 2e39, 0.25]) for id in rng.sample(ids, 9)}
        wanted = rng.choice(list(scores))
        evaluator = pytrec_eval.RelevanceEvaluator({"q": {wanted: 1}}, {"recip_rank"})
        place = ordered([Row(id, score) for id, score in scores.items()]).ids.index(wanted) + 1
        assert evaluator.evaluate({"q": scores})["q"]["recip_rank"] == pytest.approx(1 / place)


def test_what_does_not_fit_is_counted_and_what_lacks_counts_0(films: Workspace, run_of: Callable[[str], Path]) -> None:
    golden = GoldenSet("g", (GoldenQuery("q1", "x", {"393": 1}), GoldenQuery("q2", "y", {"1": 1})))
    read = read_run(
        run_of("q1 Q0 none 1 3 t\nq1 Q0 393 2 2 t\nq1 Q0 393 3 1 t\nq9 Q0 393 1 1 t\n"), golden, films.corpus
    )
    assert (read.unknown_queries, read.lacking, read.unknown_documents, read.repeated) == (
        ("q9",),
        ("q2",),
        ("none",),
        1,
    )
    assert read.problems == (
        "1 query of the run is not in g: q9",
        "1 judged query has no row in the run and counts 0: q2",
        "1 document is not in movies and counts as not relevant: none",
        "1 row names a document again: its best place counts",
    )
    assert read.outcome.found == {"q1": ("none", "393"), "q2": ()}
    assert read.outcome.values(golden.judged, measure("mrr", 5)) == [0.5, 0.0]
    assert json.loads(json.dumps(read.to_json()))["unknown_documents"] == ["none"]


def test_runs_come_with_tabs_packed_and_as_json(tmp_path: Path) -> None:
    path = tmp_path / "bm25.run.gz"
    path.write_bytes(gzip.compress(b"q1\tQ0\td 1\t1\t2.5\tmine\r\n\r\nq1\tQ0\ta\t2\t1e-3\tmine\r\n"))
    read = read_run(path, SET)
    assert read.outcome.found["q1"] == ("d 1", "a") and read.outcome.label == "mine"
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps({"q1": {"a": 1, "b": 2.5}, "q2": {}}), encoding="utf-8")
    read = read_run(path, SET)
    assert read.outcome.found == {"q1": ("b", "a"), "q2": (), "q3": (), "q4": ()} and read.outcome.label == "theirs"
    assert read.lacking == ("q2", "q3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no run"),
        ("{}", "holds no run"),
        ("q1 Q0 a 1 1 t\nq1 Q0 a 1 1\n", "line 2: not a row"),
        ("q1 Q0 a 1 1 t\n\nq1 0 a 1 1 my tag\n", "line 3: not a row"),
        ("q1\tQ0\t\t1\t1\tt\n", "line 1: not a row"),
        ("q1 Q0 a 1 high t\n", 'line 1: the score "high"'),
        ("q1 Q0 a 1 nan t\n", 'the score "nan"'),
        ("q1 Q0 a 1 1e999 t\n", 'the score "1e999"'),
        ('{"q1": ["a"]}', 'query "q1": no documents'),
        ('{"q1": {"a": "1"}}', "the score '1' is not a number"),
        ('{"q1": {"a": true}}', "the score True"),
        ('{"q1": {"a": NaN}}', "the score None"),
        ('{"q1": {"a": 1' + "0" * 400 + "}}", 'document "a"'),
        ('{"q1":\n{"a" 1}}', "line 2: not JSON"),
    ],
)
def test_what_is_no_run_is_named_by_its_line(run_of: Callable[[str], Path], text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        read_run(run_of(text), SET)
    assert said in caught.value.message


@bounds(deadline=None, max_examples=60)
@given(st.one_of(st.binary(max_size=80), st.text('q1 Q0a\t\n.-{}[]:",', max_size=80).map(str.encode)))
def test_any_bytes_give_a_run_or_one_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "any"
        path.write_bytes(content)
        try:
            assert set(read_run(path, SET).outcome.found) == {"q1", "q2", "q3", "q4"}
        except DataError as error:
            assert "\n" not in error.message


# Two outcomes side by side


BEFORE = Outcome("old", {"q1": ("x", "a", "b"), "q2": ("d",), "q3": ("y",), "q4": ("a",)})
AFTER = Outcome("new", {"q1": ("a", "b", "z", "x"), "q2": ("d",), "q3": (), "q4": ("b",)})


def test_two_outcomes_are_set_side_by_side_query_by_query() -> None:
    found = versus(BEFORE, AFTER, SET, measure("mrr", 2))
    assert (found.wins, found.losses, found.ties, found.unjudged, found.changed) == (1, 0, 2, 1, 3)
    assert found.means == (pytest.approx(0.5), pytest.approx(2 / 3))
    (first,) = found.furthest()
    assert (first.query.id, first.before, first.after, first.difference) == ("q1", 0.5, 1.0, 0.5)
    assert first.entered == (Moved("b", 1, 3, 2),) and first.left == (Moved("x", None, 1, 4),)
    back = versus(AFTER, BEFORE, SET, measure("mrr", 2))
    assert (back.wins, back.losses, back.ties) == (0, 1, 2)
    assert back.furthest()[0].entered == (Moved("x", None, 4, 1),)


def test_an_outcome_beside_itself_differs_nowhere() -> None:
    found = versus(BEFORE, BEFORE, SET, measure("ndcg", 5))
    assert (found.wins, found.losses, found.ties, found.changed, found.furthest()) == (0, 0, 3, 0, [])
    assert versus(BEFORE, AFTER, GoldenSet("none", SET.queries[3:]), measure("ndcg", 5)).means == (0.0, 0.0)


def test_the_largest_differences_come_first_gains_and_losses_alike() -> None:
    golden = GoldenSet("g", tuple(GoldenQuery(f"q{i}", "x", {"a": 1}) for i in range(4)))
    before = Outcome("b", {"q0": ("a",), "q1": ("a",), "q2": ("x", "a"), "q3": ("a",)})
    after = Outcome("a", {"q0": ("x", "a"), "q1": (), "q2": ("a",), "q3": ("a",)})
    found = versus(before, after, golden, measure("mrr", 5))
    assert [pair.query.id for pair in found.furthest()] == ["q1", "q0", "q2"]
    assert [pair.query.id for pair in found.furthest(1)] == ["q1"]


def test_the_view_and_the_json_of_a_comparison(films: Workspace) -> None:
    golden = load_golden(paths.data_dir() / "golden_dataset.json", films.corpus)
    contenders = [Contender("tf-idf", Plan(retrieve=(TfIdf(),))), Contender("bm25", Plan(retrieve=(BM25(),)))]
    found = versus(*evaluate(contenders, golden, films).outcomes, golden, measure("ndcg", 5))
    data = json.loads(json.dumps(found.to_json(films.corpus), allow_nan=False))
    assert len(data["queries"]) == 63 == data["wins"] + data["losses"] + data["ties"]
    assert data["mean"]["difference"] == pytest.approx(sum(row["difference"] for row in data["queries"]) / 63)
    entered = [moved for row in data["queries"] for moved in row["entered"]]
    assert entered and all(moved["title"] and moved["after"] <= 5 for moved in entered)
    lines = [text for block in drawn(found, films.corpus, 3) for text in plain(block)]
    assert all(len(text) <= 80 for text in lines)
    assert lines[:2] == ["before: tf-idf", "after:  bm25"] and lines[2].startswith("mean ndcg@5: ")
    assert f"{found.wins} better, {found.losses} worse, {found.ties} equal" in lines[3]
    assert sum(" → " in text and ": " in text for text in lines[3:]) == 3
