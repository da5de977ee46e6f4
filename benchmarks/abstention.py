"""When no answer is given: by the evidence, by the best logit of a cross-encoder, or by both.

    python benchmarks/abstention.py [--config FILE] [--candidates 10] [--limit 5] [--list] [--cache-dir DIR]

Unanswerable: data/unanswerable.json and the golden set's own three; none had a part in choosing ENOUGH. Answerable: the
golden set's queries of which a relevant film is among the first `limit` results. Those whose film was not found are
counted apart, since refusing is right for them; so are names and genres (evidence.py's SHORT), of which logits know
little. The plan is rrf-search's of the lessons, or a plan file's; a cross-encoder reads the first candidates.

A query belongs to one of two halves, by whether the number in its id is odd. A way's thresholds are those of a grid
with the smallest sum of both error rates on one half (of equals: the way that refuses less); its errors are counted on
the other half. Then the halves change parts. Intervals: 95 %, exact binomial. Exits with 1 where a way beats the
present one by more than MARGIN on both halves together: then answer/evidence.py should go by it.

Scores of pairs are kept in the cache, so that only the first run takes its minutes.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from evidence import SHORT  # benchmarks/evidence.py
from scipy.stats import binomtest

from strata import paths, settings
from strata.answer.evidence import ENOUGH, evidence
from strata.answer.extract import sentences
from strata.answer.sources import numbered
from strata.core.golden import load_golden
from strata.core.types import Plan, Query
from strata.pipeline import planfile
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.rerank.cross_encoder import CrossEncoder

MARGIN = 0.1
"""Of the sum of both error rates; chance alone moves it by as much."""
ODD, EVEN = 1, 0
TOKENS = 1500
"""Of the sources together, as the answers take them."""
EVIDENCE = [round(x, 2) for x in np.arange(0.30, 0.561, 0.01)]
LOGIT = [round(x, 1) for x in np.arange(-11, 4.1, 0.5)]
WORDS = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
A_LOGIT = [0.005, 0.01, 0.02]


@dataclass(frozen=True)
class Row:
    """One query. group: "answerable", "not found", "name" or "unanswerable". kind: of a golden query; of one without an
    answer, how hard it is: the first word of its note."""

    id: str
    text: str
    group: str
    kind: str
    evidence: float
    words: float
    logit: float

    @property
    def half(self) -> int:
        return int("".join(re.findall(r"\d", self.id))) % 2


@dataclass(frozen=True)
class Way:
    """answers: whether a row has enough, given thresholds, each of which has its grid."""

    name: str
    grids: tuple[Sequence[float], ...]
    answers: Callable[..., bool]

    def chosen(self, rows: Sequence[Row]) -> tuple[float, ...]:
        def wrong(at: tuple[float, ...]) -> tuple[float, float]:
            refused = share(not self.answers(row, *at) for row in rows if row.group == "answerable")
            answered = share(self.answers(row, *at) for row in rows if row.group == "unanswerable")
            return round(refused + answered, 9), refused

        return min(itertools.product(*self.grids), key=wrong)


WAYS = (
    Way("evidence ≥ ENOUGH, as it is", ((ENOUGH,),), lambda row, t: row.evidence >= t),
    Way("evidence ≥ a", (EVIDENCE,), lambda row, t: row.evidence >= t),
    Way("logit ≥ a", (LOGIT,), lambda row, t: row.logit >= t),
    Way("logit ≥ a or words ≥ b", (LOGIT, WORDS), lambda row, t, u: row.logit >= t or row.words >= u),
    Way("evidence ≥ a or logit ≥ b", (EVIDENCE, LOGIT), lambda row, t, u: row.evidence >= t or row.logit >= u),
    Way("evidence ≥ a and logit ≥ b", (EVIDENCE, LOGIT), lambda row, t, u: row.evidence >= t and row.logit >= u),
    Way("evidence + b · logit ≥ a", (EVIDENCE, A_LOGIT), lambda row, t, u: row.evidence + u * row.logit >= t),
)


def measured(plan: Plan, ws: Workspace) -> list[Row]:
    golden = load_golden(paths.data_dir() / "golden_dataset.json", ws.corpus)
    without = load_golden(paths.data_dir() / "unanswerable.json", ws.corpus)
    asked = [(q.id, q.text, "not found", q.kind, q.relevant) for q in golden.judged]
    asked += [(q.id, q.text, "unanswerable", "golden", {}) for q in golden.unjudged]
    asked += [(q.id, q.text, "unanswerable", q.note.partition(":")[0], {}) for q in without.queries]
    asked += [(f"s{i:02}", text, "name", "name", {}) for i, text in enumerate(SHORT, start=1)]
    memo: Memo = {}
    rows = []
    for id, text, group, kind, relevant in asked:
        trace = run(plan, Query(text), ws, memo)
        step = trace.step("rerank")
        if step is None:
            sys.exit(f"no cross-encoder: {trace.steps[-1].failed}")
        docs = trace.final.docs[: plan.limit].tolist()
        found = any(relevant.get(str(ws.corpus.id(doc)), 0) > 0 for doc in docs)
        sources = numbered(trace.used, docs, ws, TOKENS, DEFAULT_ENCODER)
        cosines = [one.cosine for one in sentences(trace.used, sources, ws, DEFAULT_ENCODER)]
        there = evidence(trace.used, sources, cosines, ws)
        logit = float(step.facts.get("best_logit", -np.inf))  # where nothing was found, nothing was read
        rows.append(Row(id, text, "answerable" if found else group, kind, there.score, there.words, logit))
    return rows


def share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def counted(values: Iterable[bool]) -> str:
    """k/n, the share and its interval."""
    listed = list(values)
    if not listed:
        return "0/0"
    low, high = binomtest(sum(listed), len(listed)).proportion_ci()
    return f"{sum(listed)}/{len(listed)} = {share(listed):.2f} ({low:.2f}–{high:.2f})"


@dataclass(frozen=True)
class Judged:
    """at: the thresholds that each half chooses. gets: for each query whether it gets an answer, by those that the half
    chooses to which it does not belong."""

    way: Way
    rows: tuple[Row, ...]
    at: dict[int, tuple[float, ...]]
    gets: dict[str, bool]

    def refused(self, group: str, half: int | None = None) -> list[bool]:
        return [not self.gets[r.id] for r in self.rows if r.group == group and half in (None, r.half)]

    def answered(self, half: int | None = None, kind: str | None = None) -> list[bool]:
        rows = [row for row in self.rows if row.group == "unanswerable" and kind in (None, row.kind)]
        return [self.gets[row.id] for row in rows if half in (None, row.half)]

    @property
    def errors(self) -> float:
        return share(self.refused("answerable")) + share(self.answered())


def judged(way: Way, rows: Sequence[Row]) -> Judged:
    at = {half: way.chosen([row for row in rows if row.half == half]) for half in (ODD, EVEN)}
    return Judged(way, tuple(rows), at, {row.id: way.answers(row, *at[1 - row.half]) for row in rows})


def area(rows: Sequence[Row], figure: Callable[[Row], float]) -> float:
    """Under the ROC curve: how often the figure of an answerable query is above that of an unanswerable one."""
    there, gone = ([figure(row) for row in rows if row.group == group] for group in ("answerable", "unanswerable"))
    return float(np.mean([(a > b) + (a == b) / 2 for a in there for b in gone]))


def tables(found: Sequence[Judged]) -> Iterator[str]:
    yield "| way | thresholds, chosen on | answerable, refused | unanswerable, answered |\n|---|---|---|---|"
    for one in found:
        for half, name in ((ODD, "odd"), (EVEN, "even")):
            at = f"{', '.join(f'{t:g}' for t in one.at[half])} {name}"
            cells = counted(one.refused("answerable", 1 - half)), counted(one.answered(1 - half))
            yield f"| {one.way.name} | {at} | {' | '.join(cells)} |"
        yield f"| {one.way.name} | both | {counted(one.refused('answerable'))} | {counted(one.answered())} |"
    kinds = list(dict.fromkeys(row.kind for row in found[0].rows if row.group == "unanswerable"))
    yield f"\n| answered: | {' | '.join(kinds)} | names, refused | not found, refused |\n|{'---|' * (len(kinds) + 3)}"
    for one in found:
        lists = [*(one.answered(kind=kind) for kind in kinds), one.refused("name"), one.refused("not found")]
        yield f"| {one.way.name} | {' | '.join(f'{sum(some)}/{len(some)}' for some in lists)} |"
    rows = found[0].rows
    areas = area(rows, lambda row: row.evidence), area(rows, lambda row: row.logit)
    yield "\narea under the ROC curve, of no threshold: evidence {:.2f}, logit {:.2f}".format(*areas)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--config", type=Path, help="a plan file with [rrf]")
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--cache-dir")
    parser.add_argument("--list", action="store_true", help="every query with its figures")
    given = parser.parse_args()
    ws = Workspace(settings.load("movies", given.cache_dir), lambda text: print(f"note: {text}", flush=True), keep=True)
    plan = planfile.read(given.config, "rrf") if given.config else planfile.preset("lessons", "rrf")
    reader = plan.rerank if isinstance(plan.rerank, CrossEncoder) else CrossEncoder()
    rows = measured(replace(plan, rerank=replace(reader, candidates=given.candidates), limit=given.limit), ws)
    if given.list:
        for row in sorted(rows, key=lambda row: -row.evidence):
            figures = f"{row.evidence:.3f}  words {row.words:.2f}  logit {row.logit:6.2f}"
            print(f"{figures}  {row.group:12}  {row.kind:12}  {row.id}  {row.text[:60]}")
    counts = Counter(row.group for row in rows)
    print(", ".join(f"{count} {group}" for group, count in counts.items()), "\n")
    found = [judged(way, rows) for way in WAYS]
    print("\n".join(tables(found)))
    better = [f"{one.way.name} {one.errors:.2f}" for one in found if one.errors < found[0].errors - MARGIN]
    if better:
        sys.exit(f"better than the present way ({found[0].errors:.2f}): {'; '.join(better)}")


if __name__ == "__main__":
    main()
