"""Every enhancement by rule on the bundled golden set, and what `spell` wins back of what misspelling lost.

    python benchmarks/enhance_quality.py [--encoder NAME] [--cache-dir DIR] [--seeds 5]

nDCG@10 by trec_eval's own code, with plain RRF (k = 60, depth 100) of BM25 and chunks, as in quality.py; by kind of
query, with the number of queries that got better and worse. Then each English answerable query is misspelt, seeded: one
letter of one content word, or two, in one word or in two; a letter inserted, deleted, replaced, or exchanged with the
next. Exits with 1 when spell wins back less than half of what either kind lost, for all these queries or for those
that were spelled correctly to begin with, or changes more than 5 % of the correctly spelled ones.
"""

from __future__ import annotations

import argparse
import random
import statistics
import string
import sys
from collections.abc import Callable
from dataclasses import replace

import pytrec_eval

from strata import paths, registry, settings
from strata.core.analysis import spans, stopwords
from strata.core.golden import GoldenQuery, GoldenSet, load_golden
from strata.core.types import Enhance, Plan, Query
from strata.enhance.expand import Expand
from strata.enhance.rewrite import Rewrite
from strata.enhance.spell import Spell
from strata.enhance.structure import Structure
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace
from strata.semantic.chunks import Chunks

DEPTH = 100
LAYERS: tuple[Enhance, ...] = (Spell(), Rewrite(), Expand(), Structure())
NOT_ENGLISH, MISSPELT = "spanish", "typo"
"""Kinds of queries in the golden set."""
WON_BACK, CHANGED = 0.5, 0.05
LONG = 6
"""Letters of a word that may be misspelt twice, where there is one."""


class Figures:
    """nDCG@10 of a query under a plan; lists are computed once."""

    def __init__(self, golden: GoldenSet, ws: Workspace) -> None:
        self._ws, self._memo = ws, Memo()
        self._evaluator = pytrec_eval.RelevanceEvaluator({q.id: q.relevant for q in golden.judged}, {"ndcg_cut.10"})

    def __call__(self, plan: Plan, query: GoldenQuery, text: str) -> float:
        docs = run(plan, Query(text), self._ws, self._memo).final.docs[:DEPTH].tolist()
        found = {query.id: {str(self._ws.corpus.id(doc)): 1 / rank for rank, doc in enumerate(docs, start=1)}}
        return float(self._evaluator.evaluate(found).get(query.id, {"ndcg_cut_10": 0.0})["ndcg_cut_10"])


def by_kind(golden: GoldenSet, plan: Plan, figure: Figures) -> None:
    kinds = list(dict.fromkeys(query.kind for query in golden.judged))
    print(f"{'':10}" + "".join(f"{kind:>11}" for kind in kinds) + f"{'all':>9}  better  worse")
    plain: dict[str, float] = {}
    for layer in (None, *LAYERS):
        values = {query.id: figure(replace(plan, enhance=layer), query, query.text) for query in golden.judged}
        plain = plain or values
        means = [statistics.fmean(values[q.id] for q in golden.judged if q.kind == kind) for kind in kinds]
        better, worse = (sum(1 for q in values if sign * (values[q] - plain[q]) > 1e-9) for sign in (1, -1))
        row = f"{layer.name if layer else 'none':10}" + "".join(f"{mean:11.3f}" for mean in means)
        print(f"{row}{statistics.fmean(values.values()):9.4f}  {better:6}  {worse:5}", flush=True)


def misspelt_word(word: str, rng: random.Random) -> str:
    """A word with one letter inserted, deleted, replaced, or exchanged with the next one: never the word itself."""
    while True:
        at, letter = rng.randrange(len(word)), rng.choice(string.ascii_lowercase)
        new = rng.choice(
            (
                word[:at] + letter + word[at:],
                word[:at] + word[at + 1 :],
                word[:at] + letter + word[at + 1 :],
                word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
            )
        )
        if new != word:
            return new


def misspelt(text: str, edits: int, rng: random.Random) -> str:
    """The text with so many edits in its content words of four letters or more."""
    words = [(a, b) for a, b, word in spans(text) if b - a >= 4 and word.isalpha() and word not in stopwords()]
    if edits == 2 and len(words) > 1 and rng.random() < 0.5:
        chosen = [(place, 1) for place in rng.sample(words, 2)]
    else:
        long = [(a, b) for a, b in words if b - a >= LONG] if edits == 2 else []
        chosen = [(rng.choice(long or words), edits)]
    for (start, end), times in sorted(chosen, reverse=True):
        word = text[start:end]
        for _ in range(times):
            word = misspelt_word(word, rng)
        text = text[:start] + word + text[end:]
    return text


def won_back(golden: GoldenSet, plan: Plan, figure: Figures, seeds: int, say: Callable[[str], None]) -> list[str]:
    """What spell failed to win back."""
    queries = [query for query in golden.judged if query.kind != NOT_ENGLISH]
    missed = []
    for edits in (1, 2):
        rows: list[tuple[str, float, float, float]] = []
        for seed in range(1, seeds + 1):
            rng = random.Random(f"{edits} edits, seed {seed}")
            for query in queries:
                text = misspelt(query.text, edits, rng)
                clean = figure(plan, query, query.text)
                rows.append(
                    (query.kind, clean, figure(plan, query, text), figure(replace(plan, enhance=Spell()), query, text))
                )
        well_spelled = [row for row in rows if row[0] != MISSPELT]
        for which, chosen in (("all", rows), ("correctly spelled", well_spelled)):
            clean, bad, spelled = (statistics.fmean(row[column] for row in chosen) for column in (1, 2, 3))
            share = (spelled - bad) / (clean - bad)
            held = share >= WON_BACK
            kind = f"{edits} edit{'s' if edits > 1 else ' '}  {which:18} {len(chosen) // seeds:3} × {seeds}"
            means = f"clean {clean:.4f}  misspelt {bad:.4f}  spelled {spelled:.4f}"
            say(f"{kind}  {means}  won back {share:4.0%}{'' if held else '   MISSED'}")
            missed += [] if held else [f"{edits} edits, {which}"]
    return missed


def changed(golden: GoldenSet, ws: Workspace, say: Callable[[str], None]) -> list[str]:
    """Correctly spelled queries that spell changes."""
    clean = [query for query in golden.queries if query.kind != MISSPELT]
    ws.drain()
    found = {}
    for query in clean:
        Spell()(Query(query.text), ws)
        found[query.id] = ws.drain()[2].get("changed")
    wrong = {id: pairs for id, pairs in found.items() if pairs}
    share = len(wrong) / len(clean)
    held = share <= CHANGED
    say(f"changed {len(wrong)} of {len(clean)} correctly spelled queries ({share:.1%}){'' if held else '   MISSED'}")
    for id, pairs in wrong.items():
        say(f"  {id}: " + ", ".join(f"{old} → {new}" for old, new in pairs))
    return [] if held else ["correctly spelled queries changed"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--encoder", default=registry.DEFAULT_ENCODER)
    parser.add_argument("--cache-dir")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    ws = Workspace(settings.load("movies", given.cache_dir))
    golden = load_golden(paths.data_dir() / "golden_dataset.json", ws.corpus)
    plan = Plan(retrieve=(BM25(), Chunks(given.encoder)), fuse=RRF(), depth=DEPTH, limit=DEPTH)
    figure = Figures(golden, ws)
    print(f"movies, {len(golden.judged)} judged queries, {given.encoder}, nDCG@10 of rrf (k = 60)")
    by_kind(golden, plan, figure)
    print("\nspell on seeded misspellings")
    missed = won_back(golden, plan, figure, given.seeds, lambda line: print(line, flush=True))
    missed += changed(golden, ws, print)
    if missed:
        sys.exit(f"not as expected: {', '.join(missed)}")


if __name__ == "__main__":
    main()
