"""Min-max normalisation of a list of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from strata.errors import UsageError


def min_max(scores: Sequence[float] | np.ndarray) -> np.ndarray:
    """float64[n]: (s − min) / (max − min), so the worst is 0 and the best 1; all equal → all 1.

    UsageError for scores that are not finite.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size == 0:
        return values
    if not np.isfinite(values).all():
        raise UsageError("scores must be finite numbers", "leave out nan and inf")
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.ones_like(values)
    if not math.isfinite(high - low):  # of two huge numbers of opposite sign
        values, low, high = values / 2, low / 2, high / 2
    return (values - low) / (high - low)
