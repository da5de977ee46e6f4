"""The test of a winner that was picked: against enumeration, what it comes to for one row, and its promise on noise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata.evaluation import luck as module
from strata.evaluation.luck import EXACT, FLIPS, Luck, luck
from strata.evaluation.significance import sign_flip

tables = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(-5, 5), min_size=n, max_size=n), min_size=1, max_size=4)
)


def enumerated(rows: list[list[int]], winner: int) -> float:
    """The share of choices of signs by which any row's scaled sum is as high as the winner's own."""

    def scaled(row: list[int], signs: tuple[int, ...]) -> float:
        scale = sum(value * value for value in row) ** 0.5
        return sum(s * v for s, v in zip(signs, row, strict=True)) / scale if scale else float("-inf")

    signs = list(itertools.product((1, -1), repeat=len(rows[0])))
    observed = scaled(rows[winner], signs[0]) - 1e-9
    return sum(max(scaled(row, one) for row in rows) >= observed for one in signs) / len(signs)


@given(tables, st.data())
@bounds(deadline=None)
def test_the_exact_p_is_that_of_enumeration(rows: list[list[int]], data: st.DataObject) -> None:
    winner = data.draw(st.integers(0, len(rows) - 1))
    found = luck([[value / 10 for value in row] for row in rows], winner)
    assert found.exact
    assert found.p == pytest.approx(enumerated(rows, winner) if any(rows[winner]) else 1.0)


@given(st.lists(st.integers(-5, 9), min_size=1, max_size=12).filter(lambda row: sum(row) > 0))
def test_for_a_single_row_that_is_ahead_it_is_half_the_sign_flip_test(row: list[int]) -> None:
    assert luck([row], 0).p == pytest.approx(sign_flip(row).p / 2)


@given(tables)
@bounds(deadline=None)
def test_more_rows_never_make_luck_less_likely(rows: list[list[int]]) -> None:
    ps = [luck(rows[:count], 0).p for count in range(1, len(rows) + 1)]
    assert ps == sorted(ps)


def test_a_row_given_twice_and_rows_of_nothing_change_nothing() -> None:
    table = np.random.default_rng(1).normal(0.3, 1, (3, 12))
    alone = luck(table, 1)
    assert luck([*table, table[0], np.zeros(12)], 1) == alone
    assert luck(np.zeros((3, 5)), 1) == Luck(1.0, True, None)
    wider = luck(np.hstack([table, np.zeros((3, 12))]), 1)  # queries at which nothing differs: half the mean difference
    assert wider.p == alone.p and alone.needed is not None and wider.needed == pytest.approx(alone.needed / 2)


def test_the_estimate_is_near_the_exact_p_never_zero_and_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(2).normal(0.2, 1, (6, EXACT))
    winner = int(table.mean(axis=1).argmax())
    exact = luck(table, winner)
    monkeypatch.setattr(module, "EXACT", 0)
    found = luck(table, winner)
    assert exact.exact and not found.exact and found.p == pytest.approx(exact.p, abs=0.015)
    assert found.needed == pytest.approx(exact.needed, rel=0.03)
    assert found == luck(table, winner) != luck(table, winner, seed=1)
    assert luck(np.ones((2, 60)), 0).p == 1 / (FLIPS + 1)


def test_what_is_flipped_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [np.random.default_rng(3).normal(0.2, 1, (4, queries)) for queries in (10, 40)]
    found = [luck(table, 2).p for table in tables]
    monkeypatch.setattr(module, "BLOCK", 999)
    assert [luck(table, 2).p for table in tables] == pytest.approx(found, abs=0.01)


def test_the_needed_difference_is_where_p_comes_to_05() -> None:
    random = np.random.default_rng(4)
    table = random.normal(0, 0.3, (8, 40))
    needed = luck(table, 3).needed
    assert needed is not None
    signs = random.choice((-1, 1), (4000, 40))  # by flips of its own, not the module's
    scaled = (signs @ table.T) / np.sqrt((table**2).sum(axis=1))
    share = (scaled.max(axis=1) >= needed * 40 / np.sqrt((table[3] ** 2).sum())).mean()
    assert share == pytest.approx(0.05, abs=0.012)
    assert luck([[1.0] * 6], 0).needed == pytest.approx(1)  # five of six ahead are 7 of 64, all six 1 of 64
    assert luck([[0.5, 0.4, 0.1]], 0).needed is None  # three queries: p is 1/8 at the least


@pytest.mark.parametrize("queries", [8, 14, 15, 40])
@pytest.mark.parametrize("seed", range(3))
def test_a_difference_of_what_is_needed_has_a_p_of_05_or_less_and_nothing_rarer_is_asked_for(
    queries: int, seed: int
) -> None:
    """Enumerated or estimated: of the sums that chance gives, the last but those that are too often reached."""
    table = np.random.default_rng(seed).normal(0, 0.3, (5, queries))
    found = luck(table, 1)
    assert found.needed is not None and found.exact == (queries <= EXACT)
    scale = np.sqrt((table[1] ** 2).sum())
    largest = np.sort(module._largest(table / np.sqrt((table**2).sum(axis=1))[:, None], found.exact, 0))
    asked = found.needed * queries / scale
    more = int(not found.exact)  # an estimate counts the observed one among those drawn
    as_far = np.count_nonzero(largest >= asked - 1e-9)
    assert (as_far + more) / (largest.size + more) <= 0.05
    below = largest[largest < asked - 1e-9].max()
    assert (np.count_nonzero(largest >= below - 1e-9) + more) / (largest.size + more) > 0.05


@pytest.mark.parametrize(("rows", "wrongly"), [(2, 0.0), (11, 0.1), (40, 0.2)])
def test_the_best_of_equals_is_significant_no_more_often_than_it_says(
    rows: int, wrongly: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base is one of them, as a plan's own setting mostly is. The sign-flip test of the winner alone is wrong more
    often than `wrongly`."""
    monkeypatch.setattr(module, "FLIPS", 3000)
    told, alone = [], []
    for seed in range(250):
        values = np.random.default_rng(seed).random((rows, 24))
        differences = values - values[0]
        winner = int(values.mean(axis=1).argmax())
        told.append(luck(differences, winner).p < 0.05)
        alone.append(sign_flip(differences[winner]).p < 0.05)
    assert 0.01 < np.mean(told) < 0.085
    assert np.mean(alone) > wrongly
