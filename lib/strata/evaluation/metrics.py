"""How good one ranking is for one query: pure functions, each equal to the measure of trec_eval that it names.

found: document ids, best first; a repeated one counts at its first place only. grades: id → grade; a document is
relevant when its grade is above 0; one that has no grade is not judged and counts as not relevant. k: how far down is
looked. Precision divides by k, however few were found. Every value is from 0 to 1. The order is the order given: no
scores are looked at, so trec_eval's own way with equal scores plays no part.

Sources: Manning, Raghavan and Schütze, "Introduction to Information Retrieval" (2008), chapter 8; nDCG: Järvelin and
Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), as trec_eval has it: the gain is the grade.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Grades = Mapping[str, int]


def unique(found: Sequence[str]) -> list[str]:
    """Each document at its first place."""
    return list(dict.fromkeys(found))


def relevant(grades: Grades) -> int:
    """How many documents are relevant."""
    return sum(grade > 0 for grade in grades.values())


def _hits(found: Sequence[str], grades: Grades, k: int) -> list[bool]:
    return [grades.get(id, 0) > 0 for id in unique(found)[:k]]


def precision(found: Sequence[str], grades: Grades, k: int) -> float:
    """The share of k places that hold a relevant document (P_k)."""
    return sum(_hits(found, grades, k)) / k


def recall(found: Sequence[str], grades: Grades, k: int) -> float:
    """The share of the relevant documents that are found (recall_k); 0 where there are none."""
    return sum(_hits(found, grades, k)) / max(relevant(grades), 1)


def f1(found: Sequence[str], grades: Grades, k: int) -> float:
    """The harmonic mean of precision and recall; 0 where both are 0."""
    return _harmonic(precision(found, grades, k), recall(found, grades, k))


def _harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def hit(found: Sequence[str], grades: Grades, k: int) -> float:
    """1 where anything relevant is found (success_k)."""
    return float(any(_hits(found, grades, k)))


def mrr(found: Sequence[str], grades: Grades, k: int) -> float:
    """1 / the rank of the first relevant document (recip_rank of the first k); 0 where none is found."""
    return next((1 / rank for rank, is_hit in enumerate(_hits(found, grades, k), start=1) if is_hit), 0.0)


def average_precision(found: Sequence[str], grades: Grades, k: int) -> float:
    """Precision at each relevant document found, added up and divided by how many there are to find (map_cut_k)."""
    hits, total = 0, 0.0
    for rank, is_hit in enumerate(_hits(found, grades, k), start=1):
        if is_hit:
            hits += 1
            total += hits / rank
    return total / max(relevant(grades), 1)


def ndcg(found: Sequence[str], grades: Grades, k: int) -> float:
    """Grades, each divided by log2(rank + 1) and added up; over the same sum of the best order (ndcg_cut_k)."""
    gains = [max(grades.get(id, 0), 0) for id in unique(found)[:k]]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    return _discounted(gains) / _discounted(ideal) if ideal else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def r_precision(found: Sequence[str], grades: Grades, k: int) -> float:
    """Precision at as many places as there are relevant documents (Rprec), looking no further than k."""
    wanted = relevant(grades)
    return sum(_hits(found, grades, min(wanted, k))) / max(wanted, 1)


def judged(found: Sequence[str], grades: Grades, k: int) -> float:
    """The share of what was found, up to k, that has a grade at all; 0 where nothing was found."""
    first = unique(found)[:k]
    return sum(id in grades for id in first) / len(first) if first else 0.0


def best_recall(grades: Grades, k: int) -> float:
    """What recall can be at most: k places hold no more than k documents."""
    return min(relevant(grades), k) / max(relevant(grades), 1)


def best_f1(grades: Grades, k: int) -> float:
    """What F1 can be at most."""
    return _harmonic(min(relevant(grades), k) / k, best_recall(grades, k))
