"""Intervals and tests against enumeration, plain loops, hand-computed tables, and what they promise on seeded data."""

from __future__ import annotations

import itertools
import math
import random
import statistics
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata.errors import DataError
from strata.evaluation import significance
from strata.evaluation.significance import (
    EXACT,
    FLIPS,
    Flip,
    bootstrap_interval,
    bootstrap_intervals,
    holm,
    sentence,
    sign_flip,
    sign_flips,
    smallest_difference,
    student,
)

tenths = st.lists(st.integers(-10, 10), max_size=11)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=30)


# The sign-flip test


def enumerated(numbers: list[int]) -> Fraction:
    """The test as it is defined: every choice of signs, in whole numbers."""
    observed = abs(sum(numbers))
    sums = [sum(s * n for s, n in zip(signs, numbers, strict=True)) for signs in _signs(len(numbers))]
    return Fraction(sum(abs(total) >= observed for total in sums), len(sums))


def _signs(count: int) -> list[tuple[int, ...]]:
    return list(itertools.product((1, -1), repeat=count))


@given(tenths)
@bounds(deadline=None)
def test_the_exact_p_is_that_of_enumeration_ties_and_zeros_included(numbers: list[int]) -> None:
    """Tenths as floats: .1 + .2 is not .3, and must count as a tie all the same."""
    found = sign_flip([number / 10 for number in numbers])
    assert found.exact and found.nonzero == sum(number != 0 for number in numbers)
    assert found.p == pytest.approx(float(enumerated(numbers)), abs=1e-15)


@pytest.mark.parametrize(
    ("differences", "p"),
    [([], 1), ([0, 0, 0], 1), ([0.3], 1), ([0.3, 0.2], 0.5), ([0.3, -0.3], 1), ([1] * 6, 2 / 64), ([0, 1, 1, 1], 0.25)],
)
def test_the_sign_flip_test_by_hand(differences: list[float], p: float) -> None:
    assert sign_flip(differences).p == pytest.approx(p, abs=1e-15)


def test_thirty_equal_differences_have_the_binomials_tail() -> None:
    """29 of 30 queries point one way: (1 + 30) choices on either side are as far."""
    assert sign_flip([0.1] * 29 + [-0.1]) == Flip(2 * 31 / 2**30, exact=True, nonzero=30)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=14), st.randoms(use_true_random=False))
@bounds(deadline=None)
def test_it_is_symmetric_and_knows_no_order_or_unit(millionths: list[int], shuffled: random.Random) -> None:
    differences = [number / 1e6 for number in millionths]
    p = sign_flip(differences).p
    again = list(differences)
    shuffled.shuffle(again)
    assert sign_flip([-d for d in differences]).p == p
    assert sign_flip(again).p == pytest.approx(p, abs=1e-12)
    assert sign_flip([8 * d for d in differences]).p == p
    assert 2.0 ** (1 - len(differences)) <= p <= 1


def test_it_is_exact_up_to_a_number_and_estimated_beyond() -> None:
    values = np.random.default_rng(3).normal(0.2, 1, EXACT + 1)
    assert sign_flip(values[:-1]).exact and not sign_flip(values).exact
    padded = np.concatenate([values[:-1], np.zeros(500)])  # queries at which nothing differs cost nothing
    assert sign_flip(padded) == sign_flip(values[:-1])


def test_the_estimate_is_near_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(4).normal(0.3, 1, (40, 25)).round(1)
    exact = sign_flips(table)
    monkeypatch.setattr(significance, "EXACT", 0)
    for one, other in zip(exact, sign_flips(table), strict=True):
        assert one.exact and not other.exact
        assert other.p == pytest.approx(one.p, abs=5 * math.sqrt(one.p * (1 - one.p) / FLIPS) + 2 / FLIPS)


def test_the_estimate_is_never_zero_and_the_same_every_time() -> None:
    far = [0.5] * (EXACT + 20)
    assert sign_flip(far).p == 1 / (FLIPS + 1)
    near = np.random.default_rng(5).normal(0.1, 1, 60)
    assert sign_flip(near) == sign_flip(near)
    assert sign_flip(near, seed=1) != sign_flip(near, seed=2)
    assert sign_flip(near).p == sign_flip(-near).p


def test_a_row_does_not_depend_on_the_rows_beside_it() -> None:
    table = np.random.default_rng(6).normal(0.1, 1, (7, EXACT + 10))
    table[3, 5:] = 0
    assert sign_flips(table) == [sign_flip(row) for row in table]
    assert bootstrap_intervals(table) == pytest.approx(np.array([bootstrap_interval(row) for row in table]))


@pytest.mark.parametrize("queries", [12, 45])
def test_where_nothing_differs_p_is_uniform(queries: int) -> None:
    """Of layers that are equally good, a share a has a p of a or less: no more, which would be false findings."""
    ps = np.array([found.p for found in sign_flips(np.random.default_rng(7).normal(0, 1, (300, queries)))])
    for share in (0.01, 0.05, 0.1, 0.25, 0.5, 0.9):
        assert (ps <= share).mean() == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 300))


# Holm


def test_holm_by_hand() -> None:
    """4 · .005, 3 · .01, 2 · .03, and .04, which must not be below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2] and holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12), st.randoms(use_true_random=False))
def test_holm_is_monotone_bounded_and_knows_no_order(ps: list[float], shuffled: random.Random) -> None:
    adjusted = holm(ps)
    pairs = sorted(zip(ps, adjusted, strict=True))
    assert [one for _, one in pairs] == sorted(adjusted)
    assert all(p <= one <= min(1.0, len(ps) * p) for p, one in pairs)
    order = list(range(len(ps)))
    shuffled.shuffle(order)
    assert holm([ps[i] for i in order]) == [adjusted[i] for i in order]


def test_holm_keeps_false_findings_to_their_share() -> None:
    families = np.random.default_rng(8).random((2000, 5)).tolist()
    assert sum(min(holm(ps)) < 0.05 for ps in families) / 2000 == pytest.approx(0.05, abs=0.015)
    assert sum(min(ps) < 0.05 for ps in families) / 2000 > 0.2


# The bootstrap


def test_the_interval_is_that_of_a_plain_loop() -> None:
    values = [0.0, 0.2, 0.2, 0.9, 1.0, 0.4, 0.7]
    places = np.random.default_rng(2).integers(0, 7, size=(500, 7)).tolist()
    means = sorted(statistics.fmean(values[i] for i in drawn) for drawn in places)

    def quantile(share: float) -> float:
        at = share * 499
        low = math.floor(at)
        return means[low] + (at - low) * (means[math.ceil(at)] - means[low])

    found = bootstrap_interval(values, confidence=0.9, resamples=500, seed=2)
    assert found == pytest.approx((quantile(0.05), quantile(0.95)), abs=1e-12)


def test_what_is_drawn_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(9).random((3, 37))
    differences = np.random.default_rng(9).normal(0.1, 1, (3, 37))
    intervals, flips = bootstrap_intervals(values, resamples=1000), sign_flips(differences)
    monkeypatch.setattr(significance, "BLOCK", 37 * 64)
    assert np.allclose(bootstrap_intervals(values, resamples=1000), intervals, atol=1e-12)
    for one, other in zip(sign_flips(differences), flips, strict=True):
        assert one.p == pytest.approx(other.p, abs=0.01)


@given(shares)
@bounds(max_examples=50, deadline=None)
def test_an_interval_lies_within_the_values_and_holds_their_mean(values: list[float]) -> None:
    low, high = bootstrap_interval(values, resamples=300)
    assert min(values) <= low <= high <= max(values)
    assert all(type(end) is float for end in (low, high))


@pytest.mark.parametrize("values", [[0.3], [0.1] * 7, [0.0] * 63, [1.0, 1.0]])
def test_one_value_or_equal_ones_leave_no_doubt(values: list[float]) -> None:
    assert bootstrap_interval(values) == (values[0], values[0])


def test_no_value_is_refused() -> None:
    with pytest.raises(DataError, match="no value"):
        bootstrap_interval([])


@pytest.mark.parametrize(("queries", "least"), [(20, 0.91), (60, 0.925)])
def test_the_interval_holds_the_true_mean_about_as_often_as_it_says(queries: int, least: float) -> None:
    """Values like nDCG's: many 0 and 1, a mean of .4."""
    table = np.random.default_rng(10).beta(0.4, 0.6, (1000, queries))
    held = [low <= 0.4 <= high for low, high in bootstrap_intervals(table, resamples=1000)]
    assert least <= statistics.fmean(held) <= 0.965


def test_more_confidence_is_wider_and_more_queries_narrower() -> None:
    values = np.random.default_rng(11).random(50)
    sizes = [high - low for low, high in (bootstrap_interval(values, c) for c in (0.5, 0.8, 0.95, 0.99))]
    assert sizes == sorted(sizes) and len(set(sizes)) == 4
    low, high = bootstrap_interval(np.tile(values, 4))
    assert high - low == pytest.approx(sizes[2] / 2, rel=0.05)


# The smallest difference


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (62, 1.999), (10**6, 1.96)]
)
def test_students_quantiles_are_those_of_the_printed_tables(freedom: int, quantile: float) -> None:
    assert student(0.975, freedom) == pytest.approx(quantile, abs=0.004)
    assert student(0.025, freedom) == pytest.approx(-quantile, abs=0.004)
    assert student(0.5, freedom) == pytest.approx(0, abs=1e-12)


def test_the_smallest_difference_by_hand() -> None:
    """Nine differences with standard deviation 1: t for 8 degrees is 2.306, and .889 for a power of .8."""
    nine = [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    assert statistics.stdev(nine) == 1
    assert smallest_difference(nine) == pytest.approx(2.306 / 3, abs=0.001)
    assert smallest_difference(nine, power=0.8) == pytest.approx((2.306 + 0.889) / 3, abs=0.001)
    assert smallest_difference(nine, alpha=0.01) == pytest.approx(3.355 / 3, abs=0.01)
    assert smallest_difference([d + 5 for d in nine]) == smallest_difference(nine)
    rows = [nine, [3 * d for d in nine], [0.0] * 9]  # variances 1, 9, 0
    assert smallest_difference(rows) == pytest.approx(2.306 / 3 * math.sqrt(10 / 3), abs=0.002)


def test_a_difference_just_above_it_is_significant_and_one_just_below_is_not() -> None:
    random = np.random.default_rng(12)
    for queries in (25, 63):
        noise = random.normal(0, 0.3, queries)
        noise -= noise.mean()
        least = smallest_difference(noise)
        assert least is not None
        assert sign_flip(noise + 1.1 * least).p < 0.05 < sign_flip(noise + 0.9 * least).p


def test_with_a_power_of_80_four_sets_of_five_show_it() -> None:
    random = np.random.default_rng(13)
    least = smallest_difference(random.normal(0, 0.3, 100_000).reshape(2500, 40), power=0.8)
    assert least is not None
    found = sign_flips(random.normal(least, 0.3, (400, 40)))
    assert sum(one.p < 0.05 for one in found) / 400 == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        ([], "So few queries prove no difference."),
        ([0.9] * 5, "So few queries prove no difference."),
        ([0.0] * 6, "Every query gives the same."),
        ([0.2] * 6, "Every query differs by the same."),
        ([0.1, -0.1] * 32, "Differences under about .03 prove nothing."),
        ([0.01, -0.01] * 32, "Differences under about .003 prove nothing."),
        ([9.0, -9.0] * 8, "Differences under about 4.95 prove nothing."),
    ],
)
def test_the_sentence(differences: list[float], said: str) -> None:
    assert sentence(differences) == said


def test_five_queries_cannot_prove_anything_and_six_can() -> None:
    assert sign_flip([1.0] * 5).p > 0.05 > sign_flip([1.0] * 6).p
    assert smallest_difference([1.0, 0.5, 0.2, 0.1, 0.9]) is None
    assert smallest_difference([1.0, 0.5, 0.2, 0.1, 0.9, 0.3]) is not None


def test_nothing_heavy_is_loaded() -> None:
    script = "import sys, strata.evaluation.sweep; print({'scipy', 'torch', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
