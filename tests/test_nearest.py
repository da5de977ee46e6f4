"""The exact search: the same as sorting everything, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.semantic.nearest import best_chunks, best_of, cosines

# Few different values, so that many are equal; and any at all.
SCORES = st.lists(st.sampled_from([-1.0, -0.5, -0.0, 0.0, 0.5, 1.0]), max_size=40) | st.lists(
    st.floats(-1, 1, width=32), max_size=40
)


@given(SCORES, st.integers(-2, 45))
def test_the_best_are_those_of_a_full_sort_and_equal_ones_go_by_place(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    wanted = sorted(range(scores.size), key=lambda i: (-float(scores[i]), i))[: max(k, 0)]
    found = best_of(scores, k)
    assert found.tolist() == wanted and found.dtype == np.int64


@given(SCORES, st.integers(0, 45), st.integers(0, 45))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(values: list[float], k: int, more: int) -> None:
    scores = np.array(values, dtype=np.float32)
    assert best_of(scores, k + more)[:k].tolist() == best_of(scores, k).tolist()


def test_more_than_there_are_gives_all_and_none_gives_none() -> None:
    """cases.md 7."""
    assert best_of(np.array([0.1, 0.2], dtype=np.float32), 10).tolist() == [1, 0]
    assert best_of(np.empty(0, dtype=np.float32), 3).tolist() == []
    assert best_of(np.array([0.1], dtype=np.float32), 0).tolist() == []


@given(st.lists(st.lists(st.sampled_from([-0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=4), max_size=12))
def test_a_document_has_the_score_and_place_of_its_first_best_chunk(documents: list[list[float]]) -> None:
    """cases.md 10: a score never moves to another document."""
    scores = np.array([score for document in documents for score in document], dtype=np.float32)
    starts = np.cumsum([0, *(len(document) for document in documents)])[:-1].astype(np.int64)
    best, chunk = best_chunks(scores, starts)
    assert best.tolist() == [max(document) for document in documents]
    assert chunk.tolist() == [
        int(start) + document.index(max(document)) for start, document in zip(starts, documents, strict=True)
    ]


@pytest.mark.parametrize("count", [0, 1, 500])
def test_cosines_are_the_dot_products_of_unit_vectors(count: int) -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(count, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = np.full(24, 24**-0.5, dtype=np.float32)
    found = cosines(vectors, query)
    assert found.shape == (count,) and found.dtype == np.float32
    wanted = [sum(float(a) * float(b) for a, b in zip(row, query, strict=True)) for row in vectors]
    np.testing.assert_allclose(found, np.array(wanted), atol=1e-6)
