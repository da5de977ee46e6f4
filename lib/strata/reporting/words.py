"""Figures and names as the page writes them."""

from __future__ import annotations

from strata.show.figures import counted as counted
from strata.show.figures import figure as figure
from strata.show.figures import p_value as p_value
from strata.show.figures import signed as signed
from strata.show.text import clean, cut

METRICS = {
    "precision": "P", "recall": "R", "f1": "F1", "hit": "hit", "mrr": "MRR", "map": "MAP", "ndcg": "nDCG",
    "r_precision": "Rprec",
}  # fmt: skip
"""Short names; the others are called as they are."""
NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF))


def plain(text: object, columns: int = 10_000) -> str:
    """Text from data, without control and format characters and at most so many columns wide."""
    return cut(clean(str(text)).translate(NOT_IN_XML), columns)


def measure_name(label: str, limit: int) -> str:
    """ "nDCG@10", for "ndcg" at the limit and "ndcg@10" alike."""
    name, _, depth = label.partition("@")
    return f"{METRICS.get(name, name.replace('_', '-'))}@{depth or limit}"


def milliseconds(ms: float) -> str:
    return f"{ms:.1f}" if ms < 10 else f"{ms:,.0f}"


def listed(names: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
