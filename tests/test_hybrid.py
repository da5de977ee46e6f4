"""Fusion by hand-computed tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.types import Ranking
from strata.errors import UsageError
from strata.hybrid.normalise import min_max
from strata.hybrid.rrf import RRF


def ranking(name: str, *docs: int) -> Ranking:
    return Ranking(name, np.array(docs, dtype=np.int32), np.linspace(9, 1, len(docs)) if docs else np.empty(0))


def test_rrf_by_hand() -> None:
    """Ranks from 1, k = 60: document 7 is 1st and 2nd, 8 is 2nd and absent, 9 is absent and 1st."""
    fused = RRF()([ranking("keyword", 7, 8), ranking("chunks", 9, 7)], 10)
    assert fused.docs.tolist() == [7, 9, 8]
    assert fused.scores.tolist() == pytest.approx([1 / 61 + 1 / 62, 1 / 61, 1 / 62])


def test_only_documents_that_a_list_holds_get_credit_from_it() -> None:
    """cases.md 24: an empty list gives nobody anything."""
    fused = RRF()([ranking("keyword"), ranking("chunks", 4, 2)], 10)
    assert fused.docs.tolist() == [4, 2]
    assert fused.scores.tolist() == pytest.approx([1 / 61, 1 / 62])


def test_a_document_repeated_in_one_list_counts_its_best_rank_only() -> None:
    """cases.md 26."""
    fused = RRF()([ranking("keyword", 7, 7, 7, 8)], 10)
    assert dict(zip(fused.docs.tolist(), fused.scores.tolist(), strict=True)) == pytest.approx({7: 1 / 61, 8: 1 / 64})


def test_equal_scores_stand_in_the_catalogues_order_every_time() -> None:
    """cases.md 35."""
    lists = [ranking("keyword", 9, 3), ranking("chunks", 3, 9)]
    assert {tuple(RRF()(lists, 10).docs.tolist()) for _ in range(100)} == {(3, 9)}


def test_equal_sums_are_equal_whatever_the_order_of_the_lists() -> None:
    """Added one after the other, 1st + 7th + 2nd was less than 2nd + 1st + 7th."""
    ranks = {0: (1, 7, 2), 1: (2, 1, 7)}
    lists = [
        ranking(
            f"list {i}",
            *(next((doc for doc, of in ranks.items() if of[i] == rank), 100 * i + rank) for rank in range(1, 9)),
        )
        for i in range(3)
    ]
    fused = RRF()(lists, 2)
    assert fused.docs.tolist() == [0, 1] and fused.scores[0] == fused.scores[1] == RRF().explain(lists, 1).value


def test_k_0_is_honoured() -> None:
    assert RRF(0)([ranking("keyword", 5)], 1).scores.tolist() == [1.0]


@pytest.mark.parametrize("k", [-1, math.nan, math.inf, -math.inf])
def test_a_k_without_meaning_is_refused(k: float) -> None:
    with pytest.raises(UsageError, match="k must be"):
        RRF(k)


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), min_size=1, max_size=4), st.integers(0, 100))
def test_a_fused_score_is_the_sum_of_its_explanation_and_never_above_the_most(lists: list[list[int]], k: int) -> None:
    rankings = [ranking(f"list{i}", *docs) for i, docs in enumerate(lists)]
    fuse = RRF(k)
    fused = fuse(rankings, 1000)
    for doc, score in zip(fused.docs.tolist(), fused.scores.tolist(), strict=True):
        part = fuse.explain(rankings, doc)
        assert sum(p.value for p in part.parts) == pytest.approx(score)
        assert score <= fuse.most(rankings) + 1e-12


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, -0.2, 1], [0.7 / 1.2, 0, 1]),
        ([3, 3, 3], [1, 1, 1]),
        ([7], [1]),
        ([], []),
        ([0, 0], [1, 1]),
        ([5e-324, 0], [1, 0]),
    ],
)
def test_min_max_by_hand(scores: list[float], expected: list[float]) -> None:
    assert min_max(scores).tolist() == pytest.approx(expected)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_min_max_stays_within_0_and_1_and_keeps_the_order(scores: list[float]) -> None:
    values = min_max(scores)
    assert ((values >= 0) & (values <= 1)).all() and values.max() == 1
    order = np.argsort(scores, kind="stable")
    assert (np.diff(values[order]) >= 0).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_min_max_refuses_what_is_no_number(bad: float) -> None:
    with pytest.raises(UsageError):
        min_max([1.0, bad])
