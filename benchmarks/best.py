"""How the preset `best` was chosen, and what each of its parts brings, on a golden set of the bundled films.

    python benchmarks/best.py [--golden FILE] [--cache-dir DIR] [--seeds 20] [--steps-only]

Prints two tables in Markdown, as docs/best.md holds them.

1. Each part added to the one before, and the dead ends: nDCG@10 with its 95 % interval (bootstrap), the difference to
   the former row with p (paired sign-flip test), by kind of query, and milliseconds a query.
2. Nested cross-validation: 5 folds by kind, 20 seeds. Each query is scored by the plan that is best on the other four
   folds, chosen from the whole grid; the mean over the queries is one figure a seed. Beside it the in-sample figure,
   the best plan of the grid on all queries.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from strata import paths, settings
from strata.core.golden import GoldenSet, load_golden
from strata.core.types import Enhance, Plan, Rerank, Retrieve
from strata.enhance.expand import Expand
from strata.enhance.spell import Spell
from strata.enhance.structure import Structure
from strata.enhance.understand import Understand
from strata.evaluation.folds import folds
from strata.evaluation.measure import measure
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.significance import bootstrap_interval, sign_flip
from strata.hybrid.rrf import RRF
from strata.hybrid.trust import Trust
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.pipeline.planfile import preset
from strata.pipeline.workspace import Workspace
from strata.rerank.cross_encoder import CrossEncoder
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents

LIMIT, CANDIDATES = 10, 20
BGE, USE, READER = "bge-small-en-v1.5", "use-multilingual-v3", "ms-marco-MiniLM-L12-v2"
SENTENCES, NO_SENTENCES = Understand(long=60), Understand()
FOREIGN = Documents(USE, when="foreign")


def lists(which: str, foreign: bool) -> tuple[Retrieve, ...]:
    """BM25 with the vectors of one choice; foreign: other languages go to the multilingual encoder."""
    when = "english" if foreign else None
    mini, whole = Documents(when=when), Documents(BGE, when=when)
    chunks = Chunks(BGE, when=when)
    vectors: dict[str, tuple[Retrieve, ...]] = {
        "bge": (whole,),
        "bge + MiniLM": (replace(whole, weight=2.0), mini),
        "bge + bge chunks + MiniLM": (replace(whole, weight=2.0), chunks, mini),
    }
    return (BM25(), *vectors[which], *([FOREIGN] if foreign else []))


def reader(mix: float | None) -> CrossEncoder:
    return CrossEncoder(READER, candidates=CANDIDATES, mix=mix)


def plan(
    retrieve: tuple[Retrieve, ...], fuse: object, enhance: Enhance | None = None, rerank: Rerank | None = None
) -> Plan:
    return Plan(retrieve, enhance, fuse, rerank, limit=LIMIT)  # type: ignore[arg-type]


def steps() -> list[tuple[str, Plan, str]]:
    """(name, plan, the row that it is held against)."""
    three = "bge + bge chunks + MiniLM"
    rows = [
        ("plain rrf, MiniLM chunks", plan((BM25(), Chunks()), RRF()), ""),
        ("rrf, bge-small", plan(lists("bge", False), RRF()), "plain rrf, MiniLM chunks"),
        ("trust, bge-small", plan(lists("bge", False), Trust()), "rrf, bge-small"),
        ("+ bge chunks, MiniLM", plan(lists(three, False), Trust()), "trust, bge-small"),
        ("+ understand", plan(lists(three, False), Trust(), SENTENCES), "+ bge chunks, MiniLM"),
        ("+ other languages", plan(lists(three, True), Trust(), SENTENCES), "+ understand"),
        ("+ premises", plan(lists(three, True), Trust(), SENTENCES), "+ other languages"),
        ("+ reranked, mixed .4", plan(lists(three, True), Trust(), SENTENCES, reader(0.4)), "+ premises"),
    ]
    full = "+ premises"
    dead = [
        ("weighted .1 for trust", plan(lists(three, True), Weighted(0.1), SENTENCES), full),
        ("weighted .3 for trust", plan(lists(three, True), Weighted(0.3), SENTENCES), full),
        ("rrf for trust", plan(lists(three, True), RRF(), SENTENCES), full),
        ("spell for understand", plan(lists(three, True), Trust(), Spell()), full),
        ("structure for understand", plan(lists(three, True), Trust(), Structure()), full),
        ("expand for understand", plan(lists(three, True), Trust(), Expand()), full),
        ("no sentences as variants", plan(lists(three, True), Trust(), NO_SENTENCES), full),
        ("multilingual for all", plan((*lists(three, False), Documents(USE)), Trust(), SENTENCES), full),
        ("reranked, logit alone", plan(lists(three, True), Trust(), SENTENCES, reader(None)), full),
    ]
    first = [name for name, _, _ in rows].index(full)
    return rows[:first] + [(name, replace(made, premises=True), before) for name, made, before in rows[first:] + dead]


def grid() -> dict[str, Plan]:
    """The plans that the cross-validation chooses from."""
    found = {}
    for which, enhance, (alpha, power), mix in product(
        ("bge", "bge + MiniLM", "bge + bge chunks + MiniLM"),
        (None, Spell(), SENTENCES),
        ((0.1, 1.0), (0.3, 1.0), (0.3, 2.0), (0.5, 2.0), (0.7, 2.0), (0.5, 3.0)),
        (0.0, 0.2, 0.4),
    ):
        name = f"{which}; {enhance.name if enhance else 'as asked'}; trust {alpha:g}^{power:g}; mix {mix:g}"
        made = plan(lists(which, True), Trust(alpha, power), enhance, reader(mix) if mix else None)
        found[name] = replace(made, premises=True)
    return found


def step_table(golden: GoldenSet, ws: Workspace) -> None:
    rows = steps()
    found = evaluate([Contender(name, made) for name, made, _ in rows], golden, ws)
    done = {one.label: one for one in found.outcomes}
    main = measure("ndcg", LIMIT)
    kinds = list(dict.fromkeys(query.kind for query in golden.judged if query.kind))
    print(f"| plan | nDCG@{LIMIT} | 95 % | to the row before | p | " + " | ".join(kinds) + " | ms |")
    print("|---" * (6 + len(kinds)) + "|")
    for name, _, before in rows:
        if name not in done:
            print(f"| {name} | left out |")
            continue
        print(_row(name, done[name], done.get(before), golden, main, kinds))


def _row(name: str, one: Outcome, before: Outcome | None, golden: GoldenSet, main: object, kinds: Sequence[str]) -> str:
    values = one.values(golden.judged, main)  # type: ignore[arg-type]
    low, high = bootstrap_interval(values)
    change, p = "", ""
    if before:
        differences = [a - b for a, b in zip(values, before.values(golden.judged, main), strict=True)]  # type: ignore[arg-type]
        change, p = f"{statistics.fmean(differences):+.3f}", f"{sign_flip(differences).p:.3f}"
    by_kind = [one.mean([q for q in golden.judged if q.kind == kind], main) for kind in kinds]  # type: ignore[arg-type]
    figures = " | ".join(f"{value:.2f}" for value in by_kind)
    mean = statistics.fmean(values)
    return f"| {name} | {mean:.3f} | {low:.2f}–{high:.2f} | {change} | {p} | {figures} | {one.ms_per_query or 0:.0f} |"


def nested(golden: GoldenSet, ws: Workspace, seeds: int) -> None:
    plans = grid()
    main = measure("ndcg", LIMIT)
    judged = replace(golden, queries=golden.judged)
    memo: dict[object, object] = {}
    values = []
    for number, (name, made) in enumerate(plans.items(), start=1):
        (outcome,) = evaluate([Contender(name, made)], judged, ws, memo).outcomes  # type: ignore[arg-type]
        values.append(outcome.values(judged.queries, main))
        if number % 24 == 0:
            print(f"{number} of {len(plans)} plans", file=sys.stderr, flush=True)
    table = np.array(values)
    names = list(plans)
    means, chosen = [], Counter[str]()
    for seed in range(seeds):
        scores = np.zeros(table.shape[1])
        for held_out in folds("5", [query.kind for query in judged.queries], seed).parts:
            rest = np.setdiff1d(np.arange(table.shape[1]), held_out)
            best = int(table[:, rest].mean(axis=1).argmax())
            chosen[names[best]] += 1
            scores[list(held_out)] = table[best, list(held_out)]
        means.append(float(scores.mean()))
    inside = table.mean(axis=1)
    own = preset("best", "rrf")
    print(f"\n{len(plans)} plans, {len(judged.queries)} queries, 5 folds by kind, {seeds} seeds")
    print(f"nested cross-validation: mean {statistics.fmean(means):.4f}, range {min(means):.4f}–{max(means):.4f}")
    print(f"in sample, the best plan of the grid: {inside.max():.4f} ({names[int(inside.argmax())]})")
    print(f"the plans of the grid: median {float(np.median(inside)):.4f}, lowest {inside.min():.4f}")
    (outcome,) = evaluate([Contender("best", replace(own, limit=LIMIT))], judged, ws, memo).outcomes  # type: ignore[arg-type]
    print(f"the preset as it is: {outcome.mean(judged.queries, main):.4f}")
    for name, count in chosen.most_common(8):
        print(f"  chosen {count:3} of {5 * seeds}: {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--golden", type=Path, default=paths.data_dir() / "golden_dataset.json")
    parser.add_argument("--cache-dir")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--steps-only", action="store_true")
    given = parser.parse_args()
    ws = Workspace(settings.load("movies", given.cache_dir), keep=True)
    golden = load_golden(given.golden, ws.corpus)
    step_table(golden, ws)
    if not given.steps_only:
        nested(golden, ws, given.seeds)


if __name__ == "__main__":
    main()
