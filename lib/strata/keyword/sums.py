"""A keyword score as the sum it is: one part for each distinct term of the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from strata.core.types import Part, Term
from strata.keyword.index import Index


def explained(
    name: str,
    how: str,
    index: Index,
    terms: Sequence[Term],
    doc: int,
    weigh: Callable[[int, int], tuple[float, float]],
    facts: dict[str, Any],
) -> Part:
    """weigh(tf, df) → (idf, tf weight). A part is worth times · idf · tf weight, where times is how often the query
    says the term. Each part's facts: tf, df, idf, tf_weight, times, share (of the score, 0 where the score is 0)."""
    rows = []
    for term in dict.fromkeys(terms):
        tf, df, times = index.tf(term, doc), index.df(term), terms.count(term)
        idf, weight = weigh(tf, df)
        rows.append((index.terms[term], times * idf * weight, tf, df, idf, weight, times))
    total = sum(row[1] for row in rows)
    names = ("tf", "df", "idf", "tf_weight", "times")
    parts = tuple(
        Part(
            label,
            value,
            "idf × tf weight",
            facts=dict(zip(names, rest, strict=True)) | {"share": value / total if total else 0.0},
        )
        for label, value, *rest in rows
    )
    return Part(name, total, how, parts, facts)
