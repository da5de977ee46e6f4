"""One trial and what came of it; the same trial comes again from its name and the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

SAME, REBUILT, CLEAR, DEFECT = "same answer", "rebuilt", "clear error", "defect"
VERDICTS = (SAME, REBUILT, CLEAR, DEFECT)


@dataclass
class Trial:
    """kind, number: its name, as kills:17. what: what was done, in words. errors: clear errors that were met. defects:
    what must not be. rubbish: bytes that were left."""

    kind: str
    number: int
    seed: int
    what: str = ""
    group: str = ""
    rebuilt: bool = False
    errors: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    rubbish: int = 0
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.number}"

    @property
    def verdict(self) -> str:
        if self.defects:
            return DEFECT
        return CLEAR if self.errors else REBUILT if self.rebuilt else SAME

    @property
    def rng(self) -> random.Random:
        return random.Random(f"{self.seed} {self.name}")

    def problem(self, where: str, what: Iterable[str]) -> None:
        self.defects += [f"{where}: {one}" for one in what]

    def to_json(self) -> dict[str, Any]:
        return {"trial": self.name, "verdict": self.verdict, **asdict(self)}


def summary(trials: Iterable[Trial]) -> str:
    """A table: a line for each kind, and for each group of it, with how many ended in which way."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for trial in trials:
        for group in ("", trial.group):
            row = counts.setdefault((trial.kind, group), dict.fromkeys(VERDICTS, 0))
            row[trial.verdict] += 1
    head = f"{'':36}{'trials':>8}" + "".join(f"{verdict:>13}" for verdict in VERDICTS)
    lines = [head]
    for (kind, group), row in sorted(counts.items()):
        name = f"  {group}" if group else kind
        lines.append(f"{name[:36]:36}{sum(row.values()):8}" + "".join(f"{n or '·':>13}" for n in row.values()))
    return "\n".join(lines)
