"""A bound that spares a sort: which values can be among the k largest.

Values are dealt into groups, and the k-th largest of the groups' maxima is reached by k values at least, one of each
of k groups. Whatever lies below it is not among the k largest.
"""

from __future__ import annotations

import numpy as np

GROUP = 32


def reached_by(values: np.ndarray, k: int) -> float:
    """A number that at least k of the values reach, never above the k-th largest; −inf for fewer than k values.

    values: float[n], in any order; k ≥ 1. Reads them once; partitions only n / GROUP maxima.
    """
    if k > values.size:
        return -np.inf
    groups = values.size // GROUP
    if groups <= k:
        return float(np.partition(values, values.size - k)[values.size - k])
    # Value i is in group i mod `groups`: a maximum over rows is several times faster than over columns.
    maxima = np.maximum.reduce(values[: groups * GROUP].reshape(GROUP, groups), axis=0)
    return float(np.partition(maxima, groups - k)[groups - k])
