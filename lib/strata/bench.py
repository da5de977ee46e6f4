"""The bench: a golden set, the plans that a command's options ask for, and running them over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from strata.asked import NOT_SETTINGS, SETTINGS, Asked, number
from strata.common import Common
from strata.core.golden import GoldenSet
from strata.core.types import Plan
from strata.errors import ProviderError, UsageError
from strata.evaluation.labels import distinct
from strata.evaluation.layers import contenders
from strata.evaluation.measure import measure
from strata.evaluation.outcome import DEPTH, Contender, Evaluated, Outcome, evaluate
from strata.evaluation.unanswerable import Unanswerable, unanswerable
from strata.pipeline.run import Memo
from strata.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from strata.llm.opening import Choice


@dataclass(frozen=True)
class Bench:
    """What every evaluation works with. ws: over the catalogue as it stands; a plan with premises has its own reading.
    given: the options with which the golden set was named. looked: how far down a measure or a pool looks, where that
    is said."""

    common: Common
    asked: Asked
    golden: GoldenSet
    ws: Workspace
    choice: Choice | None
    given: tuple[str, ...] = ()
    memo: Memo = field(default_factory=dict)
    looked: int = 0

    @property
    def limit(self) -> int:
        return int(self.asked.values["limit"])

    def looking(self, depth: int, what: str) -> Bench:
        """The bench for something that looks so far down. Lists are fused as deep, unless somebody wrote how deep, as
        they are where so many results are asked for."""
        if depth > max(Plan.depth, self.limit) and "depth" not in self.asked.given:
            self.ws.note(f"lists go into fusions {depth:,} deep, as far as {what} looks")
        return replace(self, looked=max(self.looked, depth))

    def _deep(self, one: Contender) -> Contender:
        depth = max(one.plan.depth, self.limit, self.looked)
        return one if "depth" in self.asked.given else replace(one, plan=replace(one.plan, depth=depth))

    @property
    def own(self) -> Contender:
        """The plan that the options ask for, under the name that a table gives it."""
        plan, config = self.asked.plan(), self.asked.values.get("config")
        named = config is not None or self.asked.origin != "lessons"
        one = Contender(self.asked.origin if named else name_of(plan), plan)
        return one if config is not None else self._deep(one)

    @property
    def encoders(self) -> list[str]:
        """--encoder may name several for a table of layers, with commas between them."""
        found = list(dict.fromkeys(names(self.asked.values["encoder"])))
        if not found:
            raise UsageError("--encoder names none", "one or more names, with commas between them")
        return found

    def layers(self, added: Sequence[str]) -> list[Contender]:
        """The rows of --layers, no two called alike; the asked plan stands last where it is none of them."""
        values, given = self.asked.values, self.asked.given
        typed = {SETTINGS.get(n, n): number(values[n]) for n in values if n in given and n not in NOT_SETTINGS}
        typed.pop("encoder", None)
        typed.pop("limit", None)
        encoders = self.encoders
        model = self.ws.model is not None
        found = contenders(encoders, values["vectors"], added, typed, self.limit, self.ws.note, model=model)
        found = [self._deep(one) for one in found]
        if {"config", "preset", "enhance", "rerank"} & given:
            asked = replace(self.asked, values={**values, "encoder": encoders[0]})
            own = replace(self, asked=asked).own
            if own.plan not in [one.plan for one in found]:
                found.append(own)
        labels = distinct(one.label for one in found)
        return [replace(one, label=label) for one, label in zip(found, labels, strict=True)]

    def check_names(self, rows: Sequence[Contender], against: str, metric: str) -> None:
        """UsageError for a row or metric that is none, before anything is run."""
        measure(metric, self.limit)
        labels = [row.label for row in rows]
        if against not in labels:
            raise UsageError(f'--against: no row is called "{against}"', f"one of: {', '.join(labels)}")

    def run(self, plans: Sequence[Contender], against: str = "") -> Evaluated:
        """What each plan gave. The provider's own error where every plan had to be left out, or the row that others
        are held against."""
        keep = max(DEPTH, self.limit, self.looked)
        done = evaluate(plans, self.golden, self.ws, self.memo, self.common.progress, keep)
        for one in done.left_out:
            if not done.outcomes or one.label == against:
                raise one.error
        return done

    def unanswerable(self, outcomes: Sequence[Outcome]) -> list[Unanswerable | None]:
        """What became of queries without an answer; None each where there are none."""
        ids = [query.id for query in self.golden.unanswerable]
        return unanswerable(outcomes, ids, self.limit, self.ws) if ids else [None for _ in outcomes]

    def about(self) -> dict[str, Any]:
        """The golden set, as JSON of several rows has it."""
        golden = self.golden
        return {
            "golden": golden.name,
            "unjudged_queries": len(golden.unjudged),
            "problems": list(golden.problems),
        }

    def end(self, *, failed: bool) -> None:
        """Exit 3 where a provider that was asked for by name failed, after the result is out."""
        if failed and self.choice and self.choice.by_name:
            self.common.ended(ProviderError.exit_status)


def names(text: str | None) -> list[str]:
    """What stands between commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def name_of(plan: Plan) -> str:
    """What a plan makes of its lists, as "spell > rrf > cross_encoder"; a list's own name where it is alone."""
    middle = plan.fuse.name if plan.fuse else plan.retrieve[0].name
    before = [plan.enhance.name] if plan.enhance else []
    return " > ".join([*before, middle, *([plan.rerank.name] if plan.rerank else [])])
