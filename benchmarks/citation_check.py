"""How often the citation check is right: data/citation_pairs.jsonl, claims about the bundled films with their sources.

    python benchmarks/citation_check.py [--calibration] [--list] [--cache-dir DIR]

Each pair is a claim, the film that it cites, whether that film's entry supports it, and its kind: true, paraphrase and
quote are supported; false, misattributed (true of another film), half_true (one of two facts is wrong), stitched (a
quotation put together from several places), replaced (one noun by another), number, name and negated are not. The rules
and thresholds were fitted to the part "calibration"; what is printed and checked is the part "held_out", of which only
these sums were seen. A pair's part follows from the hash of its claim, alternately within each kind.

recall of a kind: the share of its pairs that are judged as they are labelled. precision: of the pairs judged so, the
share that is of this kind, where its pairs stand against a share of those with the other label that is as large as
theirs of their own. Exits with 1 where a figure is below what is expected.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from strata import paths, settings
from strata.answer.check import SUPPORTED, UNSUPPORTED, claims
from strata.answer.cite import Statement
from strata.pipeline.workspace import Workspace

LEAST = {  # recall on the held-out part
    "true": 0.80, "paraphrase": 0.45, "quote": 0.90, "false": 0.70, "misattributed": 0.90, "half_true": 0.80,
    "stitched": 0.90, "number": 0.90, "name": 0.80, "negated": 0.85, "replaced": 0.05,
}  # fmt: skip
LEAST_OF_ALL = {
    (SUPPORTED, "precision"): 0.68, (SUPPORTED, "recall"): 0.76,
    (UNSUPPORTED, "precision"): 0.86, (UNSUPPORTED, "recall"): 0.79,
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """source: the film's id. label: "supported" or "unsupported"."""

    id: str
    claim: str
    source: int
    label: str
    kind: str
    part: str
    true_of: int | None = None


def pairs() -> list[Pair]:
    lines = (paths.data_dir() / "citation_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair(**json.loads(line)) for line in lines]


def parts(given: Iterable[Pair]) -> dict[str, str]:
    """id → the part it belongs to: within each kind alternately, in the order of the claims' SHA-256."""
    found: dict[str, str] = {}
    kinds: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in given:
        kinds[pair.kind].append(pair)
    for mine in kinds.values():
        mine.sort(key=lambda pair: hashlib.sha256(pair.claim.encode()).hexdigest())
        found |= {pair.id: ("calibration", "held_out")[i % 2] for i, pair in enumerate(mine)}
    return found


def judged(given: Iterable[Pair], ws: Workspace) -> list[tuple[Pair, str, float, str]]:
    """Each pair with the status, the score and the evidence that the check gives."""
    out = []
    for pair in given:
        doc = ws.corpus.position(pair.source)
        assert doc is not None, pair
        (claim,) = claims([Statement(pair.claim, (1,))], [doc], ws)
        out.append((pair, claim.status, claim.citations[0].score or 0.0, claim.evidence))
    return out


def ratio(count: float, of: float) -> float:
    return count / of if of else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--calibration", action="store_true", help="the part that the thresholds were chosen on")
    parser.add_argument("--list", action="store_true", help="every pair with its score")
    parser.add_argument("--cache-dir")
    given = parser.parse_args()
    everything = pairs()
    belongs = parts(everything)
    wrong = [pair.id for pair in everything if pair.part != belongs[pair.id]]
    if wrong:
        sys.exit(f"in the wrong part: {', '.join(wrong)}")
    part = "calibration" if given.calibration else "held_out"
    ws = Workspace(settings.load("movies", given.cache_dir), say=lambda text: print(f"note: {text}", flush=True))
    found = judged([pair for pair in everything if pair.part == part], ws)
    if given.list:
        for pair, status, score, evidence in found:
            print(
                f"{'  ' if status == pair.label else '× '}{pair.id:16} {score:.2f} {pair.claim}\n      {evidence[:100]}"
            )
    print(f"{part}: {len(found)} pairs\n{'kind':14} {'label':12} pairs  right  recall  precision")
    low = []
    for kind in dict.fromkeys(pair.kind for pair in everything):
        mine = [(pair, status) for pair, status, _, _ in found if pair.kind == kind]
        label = mine[0][0].label
        right = sum(status == label for _, status in mine)
        same = sum(pair.label == label for pair, *_ in found)
        alarms = sum(status == label for pair, status, _, _ in found if pair.label != label) * len(mine) / same
        recall = ratio(right, len(mine))
        print(f"{kind:14} {label:12} {len(mine):5}  {right:5}  {recall:6.2f}  {ratio(right, right + alarms):9.2f}")
        if not given.calibration and recall < LEAST[kind]:
            low.append(f"{kind} recall {recall:.2f} < {LEAST[kind]}")
    for label in (SUPPORTED, UNSUPPORTED):
        mine = [(pair, status) for pair, status, _, _ in found if pair.label == label]
        right = sum(status == label for _, status in mine)
        figures = {
            "recall": ratio(right, len(mine)),
            "precision": ratio(right, sum(status == label for _, status, _, _ in found)),
        }
        print(f"{'all':14} {label:12} {len(mine):5}  {right:5}  {figures['recall']:6.2f}  {figures['precision']:9.2f}")
        low += [
            f"{label} {name} {value:.2f} < {LEAST_OF_ALL[label, name]}"
            for name, value in figures.items()
            if not given.calibration and value < LEAST_OF_ALL[label, name]
        ]
    if low:
        sys.exit(f"not as expected: {', '.join(low)}")


if __name__ == "__main__":
    main()
