"""Nearest vectors, against sorting everything in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.core import bounds
from strata.core.bounds import GROUP, LARGE, LEFT, among_largest, reached_by
from strata.semantic import nearest
from strata.semantic.nearest import best_of, cosines, exact, nearest_groups, nearest_many


def units(rows: int, dimensions: int, seed: int) -> np.ndarray:
    """Random unit vectors, many of them equal to another."""
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(max(1, rows // 2), dimensions)).astype(np.float32)
    distinct /= np.linalg.norm(distinct, axis=1, keepdims=True)
    return np.ascontiguousarray(distinct[rng.integers(0, len(distinct), rows)])


def brute(vectors: np.ndarray, firsts: np.ndarray, query: np.ndarray, k: int) -> list[tuple[int, int, float]]:
    """(group, row, score) of the k best groups, by Python's sort over every float64 score."""
    scores = exact(vectors, query, np.arange(len(vectors))).tolist()
    ends = [*firsts[1:].tolist(), len(vectors)]
    best = [max((scores[row], -row) for row in range(a, b)) for a, b in zip(firsts.tolist(), ends, strict=True)]
    order = sorted(range(len(best)), key=lambda group: (-best[group][0], group))[:k]
    return [(group, -best[group][1], best[group][0]) for group in order]


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=30), st.integers(0, 40), st.integers(1, 20), st.integers(0, 999)
)
def test_the_k_best_documents_are_those_of_a_full_sort(sizes: list[int], k: int, dimensions: int, seed: int) -> None:
    firsts = np.cumsum([0, *sizes[:-1]])
    vectors, query = units(sum(sizes), dimensions, seed), units(1, dimensions, seed + 1)[0]
    found = nearest_groups(vectors, firsts, query, k)
    got = list(zip(found.groups.tolist(), found.rows.tolist(), found.scores.tolist(), strict=True))
    assert got == brute(vectors, firsts, query, k)
    assert found.matched == len(sizes)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=20), st.integers(0, 999), st.data())
def test_a_lowest_score_keeps_exactly_the_documents_that_reach_it(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    firsts = np.cumsum([0, *sizes[:-1]])
    vectors, query = units(sum(sizes), 6, seed), units(1, 6, seed + 1)[0]
    everything = brute(vectors, firsts, query, len(sizes))
    lowest = data.draw(st.one_of(st.sampled_from([score for _, _, score in everything]), st.floats(-1, 1)))
    expected = [row for row in everything if row[2] >= lowest]
    found = nearest_groups(vectors, firsts, query, 3, lowest)
    assert list(zip(found.groups.tolist(), found.rows.tolist(), found.scores.tolist(), strict=True)) == expected[:3]
    assert found.matched == len(expected)


def test_twenty_thousand_chunks_give_what_a_loop_over_them_gives() -> None:
    """Case 45: similarity in a Python loop was slow; one matrix product gives the same."""
    vectors, query = units(20_000, 32, 1), units(1, 32, 2)[0]
    firsts = np.arange(0, 20_000, 4)
    found = nearest_groups(vectors, firsts, query, 100)
    got = list(zip(found.groups.tolist(), found.rows.tolist(), found.scores.tolist(), strict=True))
    assert got == brute(vectors, firsts, query, 100)


def test_equal_scores_stand_in_the_order_of_the_corpus() -> None:
    vectors = np.ascontiguousarray(np.tile(units(1, 384, 3), (50, 1)))
    found = nearest_groups(vectors, np.arange(50), units(1, 384, 4)[0], 7)
    assert found.groups.tolist() == list(range(7))
    assert len(set(found.scores.tolist())) == 1


@pytest.mark.parametrize("k", [0, 1, 10])
def test_without_vectors_nothing_is_found(k: int) -> None:
    found = nearest_groups(np.empty((0, 8), np.float32), np.empty(0, np.int64), np.ones(8, np.float32), k)
    assert found.groups.size == found.rows.size == found.scores.size == found.matched == 0


def test_a_score_does_not_depend_on_what_else_is_scored() -> None:
    vectors, query = units(100, 384, 5), units(1, 384, 6)[0]
    alone = [exact(vectors, query, np.array([row]))[0] for row in range(100)]
    assert exact(vectors, query, np.arange(100)).tolist() == alone
    assert np.abs(cosines(vectors, query) - alone).max() < 1e-6


@pytest.mark.parametrize("threads", [1, 3])
def test_a_product_by_several_threads_is_that_of_one(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    vectors, query = units(1000, 384, 1), units(1, 384, 2)[0]
    alone = cosines(vectors, query)
    monkeypatch.setattr(nearest, "LARGE", 0)
    monkeypatch.setattr(nearest, "PIECE", 17 * vectors[0].nbytes)
    monkeypatch.setattr(nearest, "cores", lambda: threads)
    assert cosines(vectors, query).tolist() == alone.tolist()


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, -1.0, 1.0]), max_size=40), st.integers(0, 50))
def test_the_k_best_scores_are_those_of_a_stable_sort(scores: list[float], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:k]
    assert best_of(np.array(scores, dtype=np.float32), k).tolist() == expected


def test_scores_are_plain_finite_float64() -> None:
    """Case 47: float32 is not JSON serialisable."""
    found = nearest_groups(units(9, 5, 7), np.arange(9), units(1, 5, 8)[0], 9)
    assert found.scores.dtype == np.float64 and np.isfinite(found.scores).all()
    assert all(type(score) is float for score in found.scores.tolist())


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(0, 12), st.integers(1, 4), st.integers(0, 999))
def test_many_queries_find_what_each_finds_alone(n: int, k: int, m: int, seed: int) -> None:
    vectors, queries = units(n, 4, seed), units(m, 4, seed + 1)
    rows, scores = nearest_many(vectors, queries, k)
    for query, found, given_scores in zip(queries, rows.tolist(), scores.tolist(), strict=True):
        alone = nearest_groups(vectors, np.arange(n), query, k)
        assert (found, given_scores) == (alone.rows.tolist(), alone.scores.tolist())
        assert len(found) == min(n, k)


@given(st.lists(st.integers(-3, 3), max_size=400), st.integers(1, 50))
def test_the_bound_is_reached_by_k_values_and_never_above_the_kth(values: list[int], k: int) -> None:
    bound = reached_by(np.array(values, dtype=np.float64), k)
    if len(values) < k:
        assert bound == -np.inf
    else:
        assert bound <= sorted(values, reverse=True)[k - 1] and sum(value >= bound for value in values) >= k


@pytest.mark.parametrize("large", [0, LARGE], ids=["by groups", "all at once"])
@given(st.data())
def test_what_can_be_among_the_largest_holds_them_all(large: int, data: st.DataObject) -> None:
    """Both ways, ties and margins included, and no value below the lowest that is asked for."""
    k = data.draw(st.integers(1, 3))
    size = data.draw(st.integers(0, 3 * GROUP * LEFT * k))
    values = np.random.default_rng(size).integers(-2, 9, size).astype(np.float64)
    least, margin = data.draw(st.sampled_from([-np.inf, 0.5, 8.5])), data.draw(st.sampled_from([0.0, 2.0]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bounds, "LARGE", large)
        found = among_largest(values, k, least, margin).tolist()
    last = -np.sort(-values)[k - 1] - margin if size >= k else -np.inf
    assert found == sorted(found) and {i for i in range(size) if values[i] >= max(least, last)} <= set(found)
    assert all(values[i] >= least for i in found)


def test_few_are_looked_at_again_where_there_are_many() -> None:
    values = np.random.default_rng(0).random(3 * LARGE + 17)
    values[-1] = 2.0  # in no group
    found = among_largest(values, 10)
    assert set(np.argsort(-values)[:10].tolist()) <= set(found.tolist()) and len(found) < 40
    assert found[-1] == values.size - 1
