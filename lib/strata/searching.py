"""One search from a command line: run the plan, log the trace, show it. Every program that ranks goes through here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from shlex import quote
from typing import Any

from strata import runlog
from strata.asked import Asked
from strata.common import Common
from strata.core.types import Plan
from strata.flags import query
from strata.pipeline import plan as plans
from strata.pipeline.run import Memo, run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.show.text import Block, plain
from strata.show.words import about_words

LOGGED = 1000
"""Hits of each list that a run log keeps: more than any list of the bundled plans holds."""


@dataclass(frozen=True)
class Found:
    """What a search came to. words: what there is to say of the query's words. origin: the preset, or the plan file.
    beside: a second run for comparison, not part of the result. options: those with which another command runs the same
    plan over the same catalogue."""

    trace: Trace
    ws: Workspace
    words: list[Block]
    origin: str
    beside: Trace | None = None
    options: tuple[str, ...] = ()


def search(
    common: Common,
    asked: Asked,
    text: str,
    draw: Callable[[Found], Iterable[Block]],
    *,
    more: Callable[[Found], dict[str, Any]] = lambda _: {},
    like: str | None = None,
    beside: Callable[[Plan], Plan | None] = lambda _: None,
) -> None:
    """`draw` gives the text, `more` what JSON adds. like: a document whose neighbours are wanted, `text` is then not
    looked at. beside: the plan of a second run to compare with."""
    plan = asked.plan()
    if asked.show_plan:
        show_plan(common, plan)
        return
    ws = common.workspace()
    position = None if like is None else ws.corpus.find(like)
    q = query(text, ws, asked.exclude, asked.where, position)
    memo: Memo = {}
    trace = run(plan, q, ws, memo)
    other = beside(plan)
    options = (*asked.options, *([f"--dataset {quote(common.dataset)}"] if common.dataset else []))
    found = Found(trace, ws, [], asked.origin, run(other, q, ws, memo) if other else None, options)
    _tell(common, trace)
    if position is None:
        found.words.extend(about_words(trace.used.text, ws))
    said = [line for block in found.words for line in plain(block)]
    if not asked.no_log:
        failed = _log(common, found, said)
        said += [failed] if failed else []
    data = trace.to_json()
    notices = [*data["notices"], *said]
    common.emit({**data, "preset": found.origin, "notices": notices, **more(found)}, lambda: draw(found))


def show_plan(common: Common, plan: Plan) -> None:
    """The plan on stdout in the form that --config reads."""
    from strata.pipeline.planfile import to_toml

    if common.json:
        common.emit(plans.to_dict(plan), list)
    else:
        common.emit(None, lambda: to_toml(plan).rstrip("\n").split("\n"))


def _tell(common: Common, trace: Trace) -> None:
    common.detail(f"plan {json.dumps(plans.to_dict(trace.plan))}")
    for step in trace.steps:
        parts = "".join(f", {name} {value:.1f}" for name, value in step.usage.items())
        common.detail(f"{step.slot} {step.label}: {step.ms:.1f} ms{parts}")


def _log(common: Common, found: Found, said: list[str]) -> str:
    """Write the run's log; returns why that failed, or ""."""
    entry = found.trace.to_json(candidates=LOGGED)
    entry["notices"] = entry["notices"] + said
    entry["preset"] = found.origin
    entry["artefacts"] = found.ws.opened
    logs = found.ws.settings.log_dir
    failed = runlog.try_write(logs, entry, common.command)
    common.detail(f"run {found.trace.run_id}" + ("" if failed else f" logged in {logs}"))
    if failed:
        common.say(failed)
    return failed
