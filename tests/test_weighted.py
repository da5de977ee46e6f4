"""Weighted fusion by hand-computed tables, against a brute-force oracle, and as the programs show it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.types import Plan, Query, Ranking
from strata.errors import UsageError
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.run import run
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from tests.conftest import Run
from tests.counting import Encoders, Opened

Pairs = list[tuple[int, float]]


def ranking(name: str, family: str, pairs: Pairs) -> Ranking:
    docs = np.array([doc for doc, _ in pairs], dtype=np.int32)
    return Ranking(name, docs, np.array([score for _, score in pairs], dtype=np.float64), family=family)


def keyword(*pairs: tuple[int, float], name: str = "keyword") -> Ranking:
    return ranking(name, "keyword", list(pairs))


def semantic(*pairs: tuple[int, float], name: str = "chunks") -> Ranking:
    return ranking(name, "semantic", list(pairs))


def fused(alpha: float, *lists: Ranking) -> Pairs:
    found = Weighted(alpha)(lists, 1000)
    assert found.docs.dtype == np.int32 and found.scores.dtype == np.float64 and found.matched == len(found.docs)
    return list(zip(found.docs.tolist(), found.scores.tolist(), strict=True))


# By hand


def test_by_hand() -> None:
    """Normalised, keyword has 1, .7, 0 and the chunks 1, .2, 0; 4 is not in the keyword list, 2 not in the chunks'."""
    lists = keyword((7, 11), (8, 8), (2, 1)), semantic((4, 0.9), (7, 0.5), (8, 0.4))
    expected = {4: 0.7, 7: 0.3 + 0.7 * 0.2, 8: 0.3 * 0.7, 2: 0.0}
    assert [doc for doc, _ in fused(0.3, *lists)] == [4, 7, 8, 2]
    assert dict(fused(0.3, *lists)) == pytest.approx(expected, abs=1e-12)


def test_a_score_of_25_does_not_beat_cosines_because_it_is_large() -> None:
    """cases.md 32: both sides are normalised, so a keyword hit is worth no more than the best cosine."""
    assert dict(fused(0.5, keyword((1, 25.9), (2, 3.0)), semantic((3, 0.43), (2, 0.21)))) == pytest.approx(
        {1: 0.5, 3: 0.5, 2: 0.0}, abs=1e-12
    )


def test_several_lists_of_a_side_share_its_weight() -> None:
    lists = [
        keyword((1, 4), (2, 2)),
        keyword((2, 9), (1, 0), name="tfidf"),
        semantic((3, 0.8), (1, 0.2)),
        semantic((1, 0.5), (3, 0.1), name="document"),
    ]
    assert Weighted(0.6).weights(lists) == pytest.approx([0.3, 0.3, 0.2, 0.2])
    assert dict(fused(0.6, *lists)) == pytest.approx({1: 0.3 + 0.2, 2: 0.3, 3: 0.2}, abs=1e-12)
    assert Weighted(0.6).most(lists) == pytest.approx(1.0)


@pytest.mark.parametrize("pairs", [[(5, 2.0)], [(5, 2.0), (3, 2.0), (9, 2.0)], [(5, 0.0), (3, 0.0)], [(5, -1.0)]])
def test_a_list_of_equal_scores_is_worth_1_throughout(pairs: Pairs) -> None:
    found = dict(fused(0.5, keyword(*pairs), semantic()))
    assert found == {doc: 0.5 for doc, _ in pairs}


def test_a_document_repeated_in_one_list_counts_its_best_place_only() -> None:
    """cases.md 26."""
    found = dict(fused(0.5, keyword((7, 9), (7, 8), (7, 1), (8, 1)), semantic((8, 0.5), (8, 0.5), (9, 0.1))))
    assert found == pytest.approx({7: 0.5, 8: 0.5, 9: 0.0})


@pytest.mark.parametrize("empty", [0, 1, 2])
def test_an_empty_list_gives_nobody_anything(empty: int) -> None:
    """cases.md 24: 0 the keyword list, 1 the semantic one, 2 both."""
    k = keyword() if empty in (0, 2) else keyword((1, 3), (2, 1))
    s = semantic() if empty in (1, 2) else semantic((4, 0.5), (2, 0.1))
    expected = {0: {4: 0.5, 2: 0.0}, 1: {1: 0.5, 2: 0.0}, 2: {}}[empty]
    assert dict(fused(0.5, k, s)) == expected


# alpha


def test_alpha_1_is_the_keyword_order_and_what_only_the_other_side_has_comes_after() -> None:
    """The last keyword hit also has 0: it was matched, so it stands before what no keyword list holds (cases.md 30)."""
    lists = keyword((9, 7), (8, 3), (6, 1)), semantic((5, 0.9), (8, 0.8), (2, 0.7))
    assert fused(1, *lists) == [(9, 1.0), (8, pytest.approx(1 / 3)), (6, 0.0), (2, 0.0), (5, 0.0)]
    assert fused(1.0, *lists) == fused(1, *lists)


def test_alpha_0_is_the_semantic_order_and_what_only_the_other_side_has_comes_after() -> None:
    lists = keyword((9, 7), (8, 3), (1, 1)), semantic((5, 0.9), (8, 0.8), (7, 0.7))
    assert fused(0, *lists) == [(5, 1.0), (8, pytest.approx(0.5)), (7, 0.0), (1, 0.0), (9, 0.0)]


@pytest.mark.parametrize("alpha", [math.nan, -1, 2, math.inf, -math.inf, -1e-9, 1.0000001, 10**400])
def test_an_alpha_without_meaning_is_refused_with_the_range(alpha: float) -> None:
    """cases.md 31."""
    with pytest.raises(UsageError, match="alpha must be between 0 and 1"):
        Weighted(alpha)


@pytest.mark.parametrize("command", [["weighted-search"], ["trace", "--fuse", "weighted"]])
@pytest.mark.parametrize("alpha", ["nan", "-1", "2", "inf", "-inf", "1e309", "1.01"])
def test_the_programs_refuse_it_in_one_line(cli: Run, command: list[str], alpha: str, tmp_path: Path) -> None:
    done = cli("hybrid_search_cli", *command, "bear", "--alpha", alpha, cache=tmp_path / "none")
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1 and "alpha must be between 0 and 1" in done.err
    assert not (tmp_path / "none").exists(), "refused before anything is opened"


def test_what_is_no_number_is_refused(cli: Run) -> None:
    done = cli("hybrid_search_cli", "weighted-search", "bear", "--alpha", "half")
    assert (done.status, done.out) == (2, "") and len(done.err.splitlines()) == 1


# Sides


@pytest.mark.parametrize(
    "lists", [[keyword((1, 1)), keyword((2, 1), name="tfidf")], [semantic((1, 1))], [semantic(), semantic()], []]
)
def test_a_side_without_a_list_is_refused(lists: list[Ranking]) -> None:
    for call in (lambda f: f(lists, 9), lambda f: f.most(lists), lambda f: f.explain(lists, 1)):
        with pytest.raises(UsageError, match="needs a keyword list and a semantic one"):
            call(Weighted())


@pytest.mark.parametrize("retrieve", [(BM25(), TfIdf()), (BM25(), BM25(k1=2)), (Chunks(), Documents())])
def test_a_plan_of_one_side_is_refused_when_it_is_run(
    retrieve: tuple[object, ...], catalogue: Callable[..., Path], encoders: Encoders, opened: Opened
) -> None:
    ws = opened(catalogue("a bear", "a fox"))
    with pytest.raises(UsageError, match="needs a keyword list and a semantic one"):
        run(Plan(retrieve=retrieve, fuse=Weighted()), Query("bear"), ws)  # type: ignore[arg-type]


# Against brute force

scores = st.one_of(st.integers(-50, 50).map(float), st.floats(-1e6, 1e6), st.floats(-1, 1))
pairs = st.lists(st.tuples(st.integers(0, 25), scores), max_size=20).map(lambda p: sorted(p, key=lambda x: -x[1]))
sides = st.lists(st.tuples(st.booleans(), pairs), min_size=2, max_size=5).filter(lambda s: len({k for k, _ in s}) == 2)
alphas = st.one_of(st.sampled_from([0, 1, 0.5, 0.3]), st.floats(0, 1))


def made(lists: list[tuple[bool, Pairs]]) -> list[Ranking]:
    return [ranking(f"list{i}", "keyword" if k else "semantic", p) for i, (k, p) in enumerate(lists)]


def oracle(alpha: float, lists: list[tuple[bool, Pairs]]) -> tuple[dict[int, float], set[int]]:
    """Each document's score, and the documents that some list with a weight holds."""
    total: dict[int, float] = {}
    held: set[int] = set()
    for is_keyword, found in lists:
        side = alpha if is_keyword else 1 - alpha
        share = side / sum(1 for other, _ in lists if other == is_keyword)
        worst, best = min((s for _, s in found), default=0), max((s for _, s in found), default=0)
        first: dict[int, float] = {}
        for doc, score in found:
            first.setdefault(doc, 1.0 if best == worst else (score - worst) / (best - worst))
        for doc, value in first.items():
            total[doc] = total.get(doc, 0) + share * value
        held |= set(first) if share else set()
    return total, held


@given(alphas, sides)
def test_it_is_what_brute_force_computes(alpha: float, lists: list[tuple[bool, Pairs]]) -> None:
    expected, held = oracle(alpha, lists)
    found = fused(alpha, *made(lists))
    assert dict(found) == pytest.approx(expected, abs=1e-9)
    assert len(found) == len(expected)
    places = [(-score, doc not in held, doc) for doc, score in found]
    assert places == sorted(places), "score, then what counts, then the catalogue's order"


@given(alphas, sides)
def test_a_score_is_the_sum_of_its_explanation_and_never_above_the_most(
    alpha: float, lists: list[tuple[bool, Pairs]]
) -> None:
    rankings, fuse = made(lists), Weighted(alpha)
    for doc, score in fused(alpha, *rankings):
        part = fuse.explain(rankings, doc)
        assert part.value == pytest.approx(score, abs=1e-12) == sum(p.value for p in part.parts)
        assert -1e-12 <= score <= fuse.most(rankings) + 1e-12 <= 1 + 2e-12
        assert [p.label for p in part.parts] == [r.name for r in rankings if doc in r.docs]
        for p in part.parts:
            facts, source = p.facts, next(r for r in rankings if r.name == p.label)
            assert facts["rank"] == source.place(doc) and facts["raw"] == source.scores[facts["rank"] - 1]
            assert 0 <= facts["normalised"] <= 1 and p.value == facts["weight"] * facts["normalised"]
    nowhere = fuse.explain(rankings, 999)
    assert nowhere.value == 0 and nowhere.parts == ()


@given(alphas, sides, st.integers(1, 10))
def test_a_cut_keeps_the_best(alpha: float, lists: list[tuple[bool, Pairs]], depth: int) -> None:
    rankings = made(lists)
    whole, cut = Weighted(alpha)(rankings, 1000), Weighted(alpha)(rankings, depth)
    assert cut.docs.tolist() == whole.docs.tolist()[:depth] and cut.matched == whole.matched


def test_the_same_output_100_times() -> None:
    """cases.md 35."""
    lists = keyword((9, 2), (3, 2), (4, 1)), semantic((4, 0.5), (3, 0.5), (9, 0.5), (1, 0.1))
    assert len({tuple(fused(0.5, *lists)) for _ in range(100)}) == 1


# As it is shown


@pytest.fixture
def small(catalogue: Callable[..., Path], encoders: Encoders) -> Path:
    return catalogue("bear bear bear", "bear fox owl elk", "a bear and a fox", "owl", "elk and owl", name="five.json")


def test_raw_normalised_and_absent_are_told_apart_in_json(cli: Run, small: Path, tmp_path: Path) -> None:
    """cases.md 30: the last real hit is 0, what was not matched is null."""
    args = "weighted-search", "bear", "--dataset", str(small), "--json", "--alpha", "0.4"
    found = cli("hybrid_search_cli", *args, cache=tmp_path / "cache").json
    lists = {layer["layer"]: {hit["id"]: hit for hit in layer["hits"]} for layer in found["layers"]}
    seen = set()
    for result in found["results"]:
        held, other = result["lists"]
        assert (held["layer"], other["layer"]) == ("keyword", "chunks")
        for one, weight in ((held, 0.4), (other, 0.6)):
            hit = lists[one["layer"]].get(result["id"])
            assert (one["rank"], one["score"]) == ((hit["rank"], hit["score"]) if hit else (None, None))
            assert ("normalised" in one) == (hit is not None)
            seen.add("absent" if hit is None else one["normalised"] if one["normalised"] in (0, 1) else "between")
            one["worth"] = weight * one.get("normalised", 0)
        assert result["score"] == pytest.approx(held["worth"] + other["worth"], abs=1e-12)
        assert result["keyword"] == (None if held["rank"] is None else {k: held[k] for k in ("rank", "score")})
    assert seen == {"absent", 0, 1, "between"}


def test_raw_normalised_and_absent_are_told_apart_in_text(cli: Run, small: Path, tmp_path: Path) -> None:
    args = "hybrid_search_cli", "weighted-search", "bear", "--dataset", str(small), "--alpha", "0.25"
    found = cli(*args, "--json", cache=tmp_path / "cache").json
    lines = cli(*args, cache=tmp_path / "cache").out.splitlines()
    assert ", weighted alpha=0.25, lessons, " in lines[0]
    assert lines[1] == f"keyword 0.25 {'▓' * 5}{'░' * 15} 0.75 semantic"
    for result in found["results"]:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{result['rank']}. ({result['id']}) "))
        assert f"{result['score']:.5f}" in lines[at]
        held, _ = result["lists"]
        said = lines[at + 1].strip().split(" · ")
        if held["rank"] is None:
            assert said[0] == "keyword absent" and "▓" not in lines[at]
        else:
            assert said[0].startswith("keyword ") and said[0].endswith(f" → {held['normalised']:.2f}")
        assert said[1].startswith("semantic ")


@pytest.mark.parametrize(("alpha", "side"), [("1", "keyword"), ("0", "chunks")])
def test_a_whole_weight_gives_the_order_of_that_side(
    cli: Run, small: Path, tmp_path: Path, alpha: str, side: str
) -> None:
    args = "weighted-search", "bear", "--dataset", str(small), "--alpha", alpha, "--json", "--limit", "9"
    found = cli("hybrid_search_cli", *args, cache=tmp_path / "cache").json
    (wanted,) = (layer["hits"] for layer in found["layers"] if layer["layer"] == side)
    ids = [result["id"] for result in found["results"]]
    assert ids[: len(wanted)] == [hit["id"] for hit in wanted]
    assert ids[len(wanted) :] == sorted(ids[len(wanted) :])
    assert all(result["score"] == 0 for result in found["results"][len(wanted) :])
