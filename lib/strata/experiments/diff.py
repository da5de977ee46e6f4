"""What changed between two logged runs: what was asked, the plan, what it ran on, and each list. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strata.experiments.lists import ListDiff, compare, same_score
from strata.experiments.record import Answered, Enhanced, How, Listed, Request, Run
from strata.experiments.words import plan_words, settings

AROUND = ("command", "asked", "dataset", "plan", "preset", "artefacts", "versions")
"""Kinds of changes that may be the cause of others …"""
INSIDE = ("enhance", "step", "answer")
"""… and those that are part of what came out."""


@dataclass(frozen=True)
class Change:
    """One value of two runs; None where a run has no such value. kind: one of AROUND and INSIDE."""

    kind: str
    name: str
    before: Any
    after: Any

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class Diff:
    """layers: the lists that both runs have, by name, in the later run's order. only_before, only_after: the names of
    those that one of them has."""

    before: Run
    after: Run
    changes: tuple[Change, ...]
    layers: tuple[ListDiff, ...]
    results: ListDiff
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    def of(self, *kinds: str) -> list[Change]:
        return [change for change in self.changes if change.kind in kinds]

    @property
    def same_result(self) -> bool:
        """Whether query, lists, results and answer came out alike, whatever they were made with."""
        lists = all(one.same for one in (*self.layers, self.results))
        return lists and not (self.only_before or self.only_after or self.of(*INSIDE))

    @property
    def identical(self) -> bool:
        """Whether nothing differs but times and ids."""
        return self.same_result and not self.changes and all(a == b for a, b in map(_matched, self.layers))

    def to_json(self) -> dict[str, Any]:
        return {
            "runs": [run_json(self.before), run_json(self.after)],
            "identical": self.identical,
            "same_result": self.same_result,
            "changes": [change.to_json() for change in self.changes],
            "layers": [one.to_json() for one in self.layers],
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
            "results": self.results.to_json(),
        }


def run_json(run: Run) -> dict[str, Any]:
    """A run in a list of runs."""
    hits = run.results.hits
    first = {"id": hits[0].id, "title": hits[0].title, "score": hits[0].score} if hits else None
    return {
        "run_id": run.id, "written": run.written, "command": run.command, "query": run.asked.text,
        **({"picture": run.asked.picture.name} if run.asked.picture else {}),
        "dataset": {"name": run.dataset.name, "documents": run.dataset.documents,
                    "fingerprint": run.dataset.fingerprint},
        "plan": run.plan, "plan_in_words": plan_words(run.plan), "results": len(hits), "first": first,
    }  # fmt: skip


def diff(before: Run, after: Run) -> Diff:
    """Lists are matched by their names: two runs of other layers have other lists."""
    old, new = ({layer.label: layer for layer in run.layers} for run in (before, after))
    return Diff(
        before,
        after,
        tuple(_changes(before, after)),
        tuple(compare(old[label], layer) for label, layer in new.items() if label in old),
        compare(before.results, after.results, scores=[*old][-1:] == [*new][-1:]),
        tuple(label for label in old if label not in new),
        tuple(label for label in new if label not in old),
    )


def _matched(one: ListDiff) -> tuple[int, int]:
    return one.before.matched, one.after.matched


def _changes(before: Run, after: Run) -> list[Change]:
    tables = {
        "command": [{"command": run.command} for run in (before, after)],
        "asked": [_request(run.asked) for run in (before, after)],
        "dataset": [_dataset(run) for run in (before, after)],
        "plan": [settings(run.plan) for run in (before, after)],
        "preset": [{"preset": run.preset} for run in (before, after)],
        "artefacts": [run.artefacts for run in (before, after)],
        "versions": [run.versions for run in (before, after)],
        "enhance": [{**_enhanced(run.enhance), **_request(run.used)} for run in (before, after)],
        "step": [_steps(run.layers) for run in (before, after)],
        "answer": [_answered(run.answer) for run in (before, after)],
    }
    found = [change for kind, (old, new) in tables.items() for change in _of_tables(kind, old, new)]
    # What no enhancement changed in either run is what was asked: said once.
    plain = {name for name in tables["enhance"][0] | tables["enhance"][1] if _as_asked(name, before, after)}
    return [change for change in found if change.kind != "enhance" or change.name not in plain]


def _as_asked(name: str, *runs: Run) -> bool:
    return all(_request(run.used).get(name) == _request(run.asked).get(name) for run in runs) and name != "done"


def _of_tables(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    names = [*old, *(name for name in new if name not in old)]
    return [
        Change(kind, name, old.get(name), new.get(name)) for name in names if not _equal(old.get(name), new.get(name))
    ]


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return same_score(old, new)
    return bool(old == new)


def _dataset(run: Run) -> dict[str, Any]:
    return {"name": run.dataset.name, "documents": run.dataset.documents, "fingerprint": run.dataset.fingerprint}


def _request(request: Request) -> dict[str, Any]:
    found = {
        "query": request.text, "meaning": request.meaning, "variants": list(request.variants),
        "where": list(request.where), "exclude": sorted(str(id) for id in request.exclude),
        "like": None if request.like is None else str(request.like),
        "picture": None if request.picture is None else f"{request.picture.name} {request.picture.digest[:8]}",
    }  # fmt: skip
    return {name: value for name, value in found.items() if value not in ("", [], None)}


def _by(how: How) -> dict[str, str]:
    return {"done": how.brief} if how.brief else {}


def _enhanced(step: Enhanced | None) -> dict[str, Any]:
    return _by(step.how) if step else {}


def _steps(layers: tuple[Listed, ...]) -> dict[str, str]:
    """Who made each list, where that can differ: a model or a rule, or nobody where it failed."""
    return {layer.label: layer.how.brief for layer in layers if layer.how.brief}


def _answered(answer: Answered | None) -> dict[str, Any]:
    if answer is None:
        return {}
    cited = [f"[{number}] {status}" for number, _, status in answer.citations]
    return {
        **_by(answer.how), "text": answer.text, "abstained": answer.abstained, "evidence": answer.evidence,
        "citations": cited,
    }  # fmt: skip
