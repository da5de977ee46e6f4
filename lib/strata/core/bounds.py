"""A bound that spares a sort: which values can be among the k largest.

Values are dealt into groups, and the k-th largest of the groups' maxima is reached by k values at least, one of each
of k groups. Whatever lies below it is not among the k largest. The maxima are dealt into groups again until few are
left; with LEFT · k of them about 1.15 k values of a random order reach the bound.
"""

from __future__ import annotations

import numpy as np

GROUP = 32
"""At most so many values a group: longer ones make rows too short for a fast maximum over rows."""
LEFT = 4
"""Groups are made as long as this many times k would be left."""
LARGE = 1 << 16
"""From so many values on, only groups whose maximum reaches the bound are looked at again."""


def reached_by(values: np.ndarray, k: int) -> float:
    """A number that at least k of the values reach, never above the k-th largest; −inf where there are no more than k.

    values: float[n], in any order; k ≥ 1. Reads them once.
    """
    if k >= values.size:
        return -np.inf
    while (size := min(GROUP, values.size // (LEFT * k))) > 1:
        values = _maxima(values, size)
    # Not np.partition: where most values are equal (0, in a list of sums) it took 60 times as long as this sort.
    return float(np.sort(values)[-k])


def reached_by_rows(values: np.ndarray, k: int) -> np.ndarray:
    """float[m]: `reached_by` of each row of values float[m, n]."""
    if k >= values.shape[1]:
        return np.full(len(values), -np.inf)
    while (size := min(GROUP, values.shape[1] // (LEFT * k))) > 1:
        groups = values.shape[1] // size
        values = np.maximum.reduce(values[:, : size * groups].reshape(-1, size, groups), axis=1)
    bounds: np.ndarray = np.sort(values, axis=1)[:, -k]
    return bounds


def among_largest(values: np.ndarray, k: int, least: float = -np.inf, margin: float = 0.0) -> np.ndarray:
    """int64[m]: the places, ascending, of all values that can be among the k largest, and are not below `least`.

    values: float[n]; k ≥ 1. margin: how much lower than the k-th largest a value may be, and is given all the same.
    """
    if values.size < LARGE or values.size < GROUP * LEFT * k:
        return np.flatnonzero(values >= max(least, reached_by(values, k) - margin))
    maxima = _maxima(values, GROUP)
    floor = max(least, reached_by(maxima, k) - margin)
    near = np.flatnonzero(maxima >= floor)
    dealt = maxima.size * GROUP
    # Row by row, so that they ascend; those of the tail were in no group.
    places = (np.arange(0, dealt, maxima.size)[:, None] + near).ravel()
    places = np.concatenate((places, np.arange(dealt, values.size)))
    reaching: np.ndarray = places[values[places] >= floor]
    return reaching


def _maxima(values: np.ndarray, size: int) -> np.ndarray:
    """The maxima of groups of so many values; up to size − 1 at the end are in none."""
    groups = values.size // size
    # Value i is in group i mod `groups`: a maximum over rows is several times faster than over columns.
    maxima: np.ndarray = np.maximum.reduce(values[: size * groups].reshape(size, groups), axis=0)
    return maxima
