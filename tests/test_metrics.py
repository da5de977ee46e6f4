"""Metrics: equal to trec_eval's binding on every judged collection, and the invariances that hold for any ranking."""

from __future__ import annotations

import gzip
import json
import math
import random
import re
import zlib
from collections.abc import Callable, Sequence

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata import paths, registry
from strata.core.golden import GoldenQuery, load_golden
from strata.errors import UsageError
from strata.evaluation import metrics
from strata.evaluation.measure import EVERY, Measure, measure, measures
from strata.evaluation.outcome import Outcome
from tests.conftest import DATASETS

DEPTHS = (1, 5, 10, 100)
LENGTHS = (3, 7, 40, 150)
"""Of the rankings: shorter than most depths, and longer than all."""
SAMPLE = 150
"""At most this many queries of a collection."""
COLLECTIONS = [
    *((name, "test") for name in ("adi", "cisi", "cranfield", "npl", "negconstraint", "beir-nfcorpus", "beir-scifact")),
    ("beir-nfcorpus", "dev"), ("beir-scifact", "train"), ("cranfield", "original_codes"),
    *((queries, films)
      for queries in ("tomt-movies", "trec-tot-movies")
      for films in ("wikipedia-movies", "tmdb-top-rated", "tmdb-movies", "movie-plots-long")),
    ("bootdev-course", "wikipedia-movies"), ("bootdev-course", "tmdb-top-rated"),
]  # fmt: skip
Grades = dict[str, int]
Metric = Callable[[Sequence[str], Grades, int], float]
METRICS: dict[str, Metric] = {name: registry.load(row) for name, row in registry.METRICS.items()}


def by_trec_eval(runs: dict[str, list[str]], qrels: dict[str, Grades], k: int) -> dict[str, dict[str, float]]:
    """query → every metric of the registry at depth k, from trec_eval's own figures.

    It is given the first k documents, since recip_rank and Rprec have no depth of their own, with 1/rank as score, so
    that its own tie-break cannot change the order. F1 is not among its measures: it is put together from P and recall.
    No grade may be below -1: -2 has a meaning of its own there, and what is below reads beyond its arrays and crashes.
    """
    own = {f"{name}.{k}" for name in ("P", "recall", "success", "map_cut", "ndcg_cut")}
    counts = {"num_ret", "num_rel_ret", "num_nonrel_judged_ret"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, own | counts | {"recip_rank", "Rprec"})
    given = {query: {id: 1 / rank for rank, id in enumerate(ids[:k], start=1)} for query, ids in runs.items()}
    figures = {}
    for query, v in evaluator.evaluate(given).items():
        p, r = v[f"P_{k}"], v[f"recall_{k}"]
        negative = sum(qrels[query].get(id, 0) < 0 for id in given[query])  # which it does not count as judged
        graded = v["num_rel_ret"] + v["num_nonrel_judged_ret"] + negative
        figures[query] = {
            "precision": p,
            "recall": r,
            "f1": 2 * p * r / (p + r) if p + r else 0.0,
            "hit": v[f"success_{k}"],
            "mrr": v["recip_rank"],
            "map": v[f"map_cut_{k}"],
            "ndcg": v[f"ndcg_cut_{k}"],
            "r_precision": v["Rprec"],
            "judged": graded / v["num_ret"] if v["num_ret"] else 0.0,
        }
    return figures


def mixed_run(rng: random.Random, query: GoldenQuery, ids: Sequence[str], length: int) -> list[str]:
    """Some of what was judged for the query and random documents of the collection, shuffled."""
    judged = list(query.relevant)
    some = rng.sample(judged, rng.randint(0, min(len(judged), length)))
    others = rng.sample(ids, min(length, len(ids)))
    run = metrics.unique([*some, *others])[:length]
    rng.shuffle(run)
    return run


def ids_of(name: str, split: str) -> list[str]:
    """The ids of a collection's documents, or of the films that a split is about."""
    corpus = DATASETS / name / "corpus.jsonl.gz"
    if corpus.is_file():
        return re.findall(r'^\{"_id": *"([^"]+)"', gzip.decompress(corpus.read_bytes()).decode(), re.MULTILINE)
    with gzip.open(DATASETS / split / "movies.json.gz") as file:
        return [str(film["id"]) for film in json.load(file)["movies"]]


def differences(queries: Sequence[GoldenQuery], ids: Sequence[str], seed: int) -> list[str]:
    """Every figure that is not trec_eval's, to 1e-9."""
    rng = random.Random(seed)
    sample = list(queries) if len(queries) <= SAMPLE else rng.sample(list(queries), SAMPLE)
    runs = {query.id: mixed_run(rng, query, ids, LENGTHS[i % len(LENGTHS)]) for i, query in enumerate(sample)}
    qrels = {query.id: query.relevant for query in sample}
    wrong = []
    for k in DEPTHS:
        theirs = by_trec_eval(runs, qrels, k)
        assert set(theirs) == set(runs)
        for query, found in runs.items():
            ours = {name: metric(found, qrels[query], k) for name, metric in METRICS.items()}
            assert set(ours) == set(theirs[query])
            wrong += [
                f"{query} {name}@{k}: {ours[name]} and {theirs[query][name]}"
                for name in ours
                if not math.isclose(ours[name], theirs[query][name], rel_tol=0, abs_tol=1e-9)
            ]
    return wrong


@pytest.mark.parametrize(("name", "split"), COLLECTIONS, ids=[f"{name}-{split}" for name, split in COLLECTIONS])
def test_every_metric_is_trec_evals_on_every_judged_collection(name: str, split: str) -> None:
    if not (DATASETS / name).is_dir():
        pytest.skip(f"{DATASETS / name} is not here")
    golden = load_golden(DATASETS / name, split=split)
    queries = [query for query in golden.queries if query.relevant]  # also those judged with nothing found relevant
    assert len(queries) >= 10
    ids = ids_of(name, split)
    assert len(ids) >= 82
    assert differences(queries, ids, zlib.crc32(f"{name}/{split}".encode())) == []


def test_no_judged_collection_is_left_out() -> None:
    if not DATASETS.is_dir():
        pytest.skip(f"{DATASETS} is not here")
    there = {(path.parent.parent.name, path.name.removesuffix(".tsv")) for path in DATASETS.glob("*/qrels/*.tsv")}
    assert there == set(COLLECTIONS)


def test_every_metric_is_trec_evals_on_the_bundled_films() -> None:
    golden = load_golden(paths.data_dir() / "golden_dataset.json")
    assert differences(golden.judged, [str(id) for id in range(1, 594)], 5) == []


# Any ranking, any grades

IDS = st.sampled_from("abcdefghij")
RANKINGS = st.lists(IDS, max_size=14)
GRADES = st.dictionaries(IDS, st.integers(-2, 4), max_size=10)
DEPTH = st.integers(1, 12)
SOME = bounds(max_examples=200, deadline=None)


@SOME
@given(RANKINGS, GRADES, DEPTH)
def test_every_metric_is_from_0_to_1(found: list[str], grades: Grades, k: int) -> None:
    """cases.md 67."""
    for name, metric in METRICS.items():
        assert 0.0 <= metric(found, grades, k) <= 1.0, name


@SOME
@given(RANKINGS, GRADES, DEPTH)
def test_every_metric_is_trec_evals(found: list[str], grades: Grades, k: int) -> None:
    once = metrics.unique(found)
    theirs = by_trec_eval({"q": once}, {"q": {id: max(grade, -1) for id, grade in grades.items()}}, k).get("q")
    if theirs is None:  # it knows no query without judgements
        assert not grades
        theirs = dict.fromkeys(METRICS, 0.0)
    assert {name: metric(found, grades, k) for name, metric in METRICS.items()} == pytest.approx(theirs, abs=1e-9)


@SOME
@given(RANKINGS, GRADES, DEPTH)
def test_duplicates_change_nothing(found: list[str], grades: Grades, k: int) -> None:
    """cases.md 67."""
    for name, metric in METRICS.items():
        assert metric(found, grades, k) == metric(metrics.unique(found), grades, k), name
        assert metric([id for id in found for _ in range(2)], grades, k) == metric(found, grades, k), name


@SOME
@given(RANKINGS, GRADES, DEPTH, st.integers(0, 14), st.sampled_from([None, 0, -1]))
def test_one_more_document_that_is_not_relevant_never_raises_a_metric(
    found: list[str], grades: Grades, k: int, place: int, grade: int | None
) -> None:
    """Wherever it comes in, judged or not. The share of what was judged is no matter of relevance."""
    known = grades if grade is None else {**grades, "new": grade}
    for name in METRICS.keys() - {"judged"}:
        more = METRICS[name]([*found[:place], "new", *found[place:]], known, k)
        assert more <= METRICS[name](found, known, k) + 1e-12, name


@SOME
@given(RANKINGS, GRADES, DEPTH, st.integers(1, 13))
def test_a_better_document_moved_up_never_lowers_a_metric(found: list[str], grades: Grades, k: int, place: int) -> None:
    once = metrics.unique(found)
    if place >= len(once):
        return
    upper, lower = once[place - 1], once[place]
    if max(grades.get(lower, 0), 0) < max(grades.get(upper, 0), 0):
        upper, lower = lower, upper  # the better one is above already: the swap below undoes what would move it up
        once[place - 1 : place + 1] = [upper, lower]
    swapped = [*once[: place - 1], lower, upper, *once[place + 1 :]]
    for name in METRICS.keys() - {"judged"}:
        assert METRICS[name](swapped, grades, k) >= METRICS[name](once, grades, k) - 1e-12, name


@SOME
@given(RANKINGS, GRADES, DEPTH)
def test_negative_grades_count_as_0(found: list[str], grades: Grades, k: int) -> None:
    floored = {id: max(grade, 0) for id, grade in grades.items()}
    for name, metric in METRICS.items():
        assert metric(found, grades, k) == metric(found, floored, k), name


@SOME
@given(RANKINGS, GRADES, DEPTH)
def test_the_ceiling_is_never_passed_and_the_best_order_reaches_it(found: list[str], grades: Grades, k: int) -> None:
    best = sorted(grades, key=lambda id: -grades[id])
    for ceiling, metric in ((metrics.best_recall, metrics.recall), (metrics.best_f1, metrics.f1)):
        assert metric(found, grades, k) <= ceiling(grades, k) + 1e-12
        assert metric(best, grades, k) == pytest.approx(ceiling(grades, k), abs=1e-12)
    if metrics.relevant(grades):
        assert [METRICS[name](best, grades, k) for name in ("hit", "mrr", "ndcg", "judged")] == [1.0] * 4


@SOME
@given(RANKINGS, GRADES, st.integers(1, 11))
def test_what_may_only_grow_with_the_depth_does(found: list[str], grades: Grades, k: int) -> None:
    for name in ("recall", "hit", "mrr", "map"):
        assert METRICS[name](found, grades, k + 1) >= METRICS[name](found, grades, k), name


# Cases


@pytest.mark.parametrize("name", registry.METRICS)
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1, "b": 0}, {"a": 1}])
def test_nothing_found_is_0(name: str, grades: Grades) -> None:
    assert METRICS[name]([], grades, 5) == 0.0


@pytest.mark.parametrize("name", [name for name in registry.METRICS if name != "judged"])
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1, "b": 0}])
def test_a_query_without_an_answer_is_0_and_never_an_error(name: str, grades: Grades) -> None:
    """cases.md 71: such queries are left out of averages before (GoldenSet.judged)."""
    assert METRICS[name](["a", "b"], grades, 5) == 0.0
    assert not GoldenQuery("q", "x", grades).judged


def test_f1_is_0_where_precision_and_recall_are() -> None:
    """cases.md 72."""
    assert metrics.f1(["x", "y"], {"a": 1}, 5) == 0.0
    assert metrics.best_f1({}, 5) == 0.0 and metrics.best_recall({}, 5) == 0.0


def test_recall_is_a_share_and_not_a_hit() -> None:
    """cases.md 73."""
    assert metrics.recall(["a", "x"], {"a": 1, "b": 1}, 5) == 0.5
    assert metrics.hit(["a", "x"], {"a": 1, "b": 1}, 5) == 1.0


def test_one_relevant_document_by_hand() -> None:
    found, grades = ["x", "y", "a", "z"], {"a": 2, "y": 0}
    expected = {
        "precision": 1 / 5, "recall": 1.0, "f1": 1 / 3, "hit": 1.0, "mrr": 1 / 3, "map": 1 / 3,
        "ndcg": 0.5, "r_precision": 0.0, "judged": 0.5,
    }  # fmt: skip
    assert {name: metric(found, grades, 5) for name, metric in METRICS.items()} == pytest.approx(expected)
    assert all(metric(found, grades, 2) == 0.0 for name, metric in METRICS.items() if name != "judged")


def test_the_gain_of_ndcg_is_the_grade_itself() -> None:
    """cli.md: as in trec_eval's ndcg_cut, not 2^grade − 1."""
    assert metrics.ndcg(["b", "a"], {"a": 2, "b": 1}, 5) == pytest.approx(
        (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    )


def test_precision_divides_by_the_depth_however_few_were_found() -> None:
    assert metrics.precision(["a"], {"a": 1}, 10) == 0.1
    assert metrics.judged(["a", "x"], {"a": 0}, 10) == 0.5


# Measures and outcomes


def test_a_measure_is_a_metric_at_its_own_depth_or_at_the_limit() -> None:
    ten, deep = measure("ndcg", 10), measure("recall@100", 10)
    assert (ten.label, ten.k, deep.label, deep.k) == ("ndcg", 10, "recall@100", 100)
    assert deep(["x"] * 3 + ["a"], {"a": 1}) == 1.0
    assert [one.label for one in measures(5)] == list(EVERY) and EVERY[:-1] == tuple(registry.METRICS)


@pytest.mark.parametrize(
    "text", ["", "nothing", "@5", "ndcg@", "ndcg@0", "ndcg@-1", "ndcg@5.0", "ndcg@٣", "ndcg@1000001"]
)
def test_a_measure_that_is_none_says_which_there_are(text: str) -> None:
    with pytest.raises(UsageError):
        measure(text, 5)


def test_a_judged_query_without_results_counts_0_in_the_mean() -> None:
    """As trec_eval -c has it; without -c trec_eval leaves it out."""
    queries = [GoldenQuery("1", "x", {"a": 1}), GoldenQuery("2", "y", {"a": 1}), GoldenQuery("3", "z", {"a": 1})]
    outcome = Outcome("mine", {"1": ("a",), "2": ()})
    hit = Measure("hit", metrics.hit, 5)
    assert outcome.values(queries, hit) == [1.0, 0.0, 0.0]
    assert outcome.mean(queries, hit) == pytest.approx(1 / 3) and outcome.mean([], hit) == 0.0


def test_a_constant_scorer_gains_nothing_from_equal_scores() -> None:
    """cases.md 69: the order is the order given; no score is looked at."""
    queries = [GoldenQuery("1", "x", {"c": 1})]
    outcome = Outcome("constant", {"1": ("a", "b", "c")}, {"1": (1.0, 1.0, 1.0)})
    assert outcome.values(queries, measure("mrr", 5)) == [1 / 3]
