"""Fusion by coverage: weights by hand, sums that explain themselves, empty sides, settings that make no sense."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.types import Query, Ranking
from strata.errors import UsageError
from strata.hybrid.trust import Trust
from strata.keyword.bm25 import BM25
from strata.keyword.coverage import coverage
from strata.pipeline.workspace import Workspace
from strata.semantic.document import Documents


def ranking(
    name: str, *scores: float, family: str = "semantic", weight: float = 1.0, covers: float | None = None
) -> Ranking:
    docs = np.arange(len(scores), dtype=np.int32)
    held = None if covers is None else lambda _: covers
    return Ranking(name, docs, np.array(scores), family=family, weight=weight, covers=held)


def test_the_weights_are_those_of_the_formula() -> None:
    lists = [
        ranking("keyword", 9, 4, family="keyword", covers=0.5),
        ranking("document", 0.9, 0.1, weight=3),
        ranking("chunks", 0.8, 0.2),
    ]
    keyword = 0.4 * 0.5**2
    assert Trust(0.4, 2).weights(lists) == pytest.approx([keyword, (1 - keyword) * 0.75, (1 - keyword) * 0.25])
    fused = Trust(0.4, 2)(lists, 10)
    assert fused.docs.tolist() == [0, 1] and fused.scores.tolist() == pytest.approx([1, 0])


def test_two_keyword_lists_share_what_each_covers() -> None:
    lists = [
        ranking("a", 1, family="keyword", covers=1.0),
        ranking("b", 1, family="keyword", covers=0.0),
        ranking("c", 1),
    ]
    assert Trust(0.4, 2).weights(lists) == pytest.approx([0.2, 0, 0.8])


@pytest.mark.parametrize(
    ("lists", "weights"),
    [
        ([ranking("keyword", family="keyword"), ranking("document", 0.5)], [0, 1]),
        ([ranking("keyword", 3, family="keyword", covers=0.2), ranking("document")], [1, 0]),
        ([ranking("keyword", family="keyword"), ranking("document")], [0, 0]),
        ([ranking("document"), ranking("chunks", 0.4)], [0, 1]),
        ([ranking("tfidf", 2, family="keyword"), ranking("document", 0.5)], [0.5 * 0.25, 1 - 0.5 * 0.25]),
    ],
    ids=["no word is known", "no vectors", "nothing", "one list left out", "a list that says nothing of its coverage"],
)
def test_a_side_that_holds_nothing_has_no_weight(lists: list[Ranking], weights: list[float]) -> None:
    assert Trust().weights(lists) == pytest.approx(weights)


def test_the_score_is_the_sum_of_its_parts_and_says_why() -> None:
    lists = [ranking("keyword", 9, 4, 1, family="keyword", covers=0.9), ranking("document", 0.9, 0.5, 0.1, 0.05)]
    fused = Trust()(lists, 10)
    for doc, score in zip(fused.docs.tolist(), fused.scores.tolist(), strict=True):
        part = Trust().explain(lists, doc)
        assert sum(one.value for one in part.parts) == pytest.approx(score) == part.value
    assert (
        part.how == "keyword is trusted 0.5 · 0.90^2 = 0.41: its first document holds 90% of the query's words by idf"
    )


values = st.lists(st.floats(0, 1), min_size=0, max_size=6)


@given(values, values, st.floats(0, 1), st.floats(0, 1), st.floats(0, 4))
def test_scores_stay_between_0_and_1(a: list[float], b: list[float], alpha: float, covers: float, power: float) -> None:
    lists = [
        ranking("keyword", *sorted(a)[::-1], family="keyword", covers=covers),
        ranking("document", *sorted(b)[::-1]),
    ]
    fused, weights = Trust(alpha, power)(lists, 10), Trust(alpha, power).weights(lists)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.scores.tolist())
    assert set(fused.docs.tolist()) == set(range(max(len(a), len(b))))
    assert sum(weights) == pytest.approx(1 if a or b else 0)


@pytest.mark.parametrize(("alpha", "power"), [(-0.1, 2), (1.1, 2), (float("nan"), 2), (0.3, -1), (0.3, float("inf"))])
def test_settings_that_make_no_sense_are_refused(alpha: float, power: float) -> None:
    with pytest.raises(UsageError):
        Trust(alpha, power)


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan")])
def test_a_list_without_weight_is_refused(weight: float) -> None:
    with pytest.raises(UsageError, match="weight"):
        Documents(weight=weight)


def test_a_list_for_no_language_is_refused() -> None:
    with pytest.raises(UsageError, match="when cannot be"):
        Documents(when="spanish")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("notting hill", 1, 1),
        ("the notting hill", 1, 1),
        ("notting hill zzzz", 0.3, 0.8),
        ("zzzz", 0, 0),
        ("the and of", 0, 0),
        ("a poor community pays a small group of warriors to protect it from robbers", 0.05, 0.5),
    ],
)
def test_coverage_is_what_the_first_document_holds(films: Workspace, text: str, low: float, high: float) -> None:
    found = BM25()(Query(text), films, 10)
    assert found.coverage is None if not found.docs.size else low <= (found.coverage or 0) <= high
    if found.docs.size:
        assert found.coverage == coverage(text, int(found.docs[0]), films.index)
