"""The weights of keyword search, as pure functions of counts. They take numbers, never text.

tf: how often a term stands in a document. df: in how many documents. n: number of documents in the
catalogue, those without a term among them. dl: a document's length in terms; avgdl: the mean of dl.
All accept floats or arrays of them.

Sources: TF-IDF after Spärck Jones (1972), smoothed; BM25 after Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which is above 0 for every df.
"""

from __future__ import annotations

import math
from typing import Any

from strata.errors import UsageError

K1 = 1.5
LARGEST_K1 = 1e100
"""Above it, tf · (k1 + 1) may overflow."""
B = 0.75


def idf(df: int, n: int) -> float:
    """ln((n + 1) / (df + 1)): smoothed, so that a term in no document has a finite weight."""
    return math.log((n + 1) / (df + 1))


def bm25_idf(df: int, n: int) -> float:
    """ln(1 + (n − df + 0.5) / (df + 0.5)): above 0 even for a term in every document."""
    return math.log(1.0 + (n - df + 0.5) / (df + 0.5))


def length_norm(dl: Any, avgdl: float, b: float = B) -> Any:
    """1 − b + b · dl / avgdl: above 1 for documents longer than average. 1 where the catalogue holds no term."""
    return 1.0 - b + b * (dl / avgdl) if avgdl > 0 else dl * 0.0 + 1.0


def bm25_tf(tf: Any, dl: Any, avgdl: float, k1: float = K1, b: float = B) -> Any:
    """tf · (k1 + 1) / (tf + k1 · length_norm): grows with tf towards k1 + 1. tf must be above 0, or k1 must."""
    return tf * (k1 + 1.0) / (tf + k1 * length_norm(dl, avgdl, b))


def checked_k1_b(k1: float, b: float) -> None:
    """Refuse settings for which BM25 is not defined. 0 is honoured for both: k1 = 0 leaves idf alone."""
    if not (math.isfinite(k1) and k1 >= 0):
        raise UsageError(f"k1 must be a number from 0 up, not {k1}", "the usual value is 1.5")
    if k1 > LARGEST_K1:
        raise UsageError(f"k1 is too large: {k1:g}", f"take {LARGEST_K1:g} at most; beyond a thousand little changes")
    if not 0 <= b <= 1:
        raise UsageError(f"b must be between 0 and 1, not {b}", "the usual value is 0.75")
