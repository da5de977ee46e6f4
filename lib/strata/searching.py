"""One search from a command line: run the plan, log the trace, show it. Every program that ranks goes through here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from strata import runlog
from strata.core.types import Plan
from strata.flags import query
from strata.pipeline import plan as plans
from strata.pipeline.run import run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.shell import Common
from strata.show.text import Block, plain
from strata.show.words import about_words

LOGGED = 1000
"""Hits of each list that a run log keeps: more than any list of the bundled plans holds."""


def search(
    common: Common,
    command: str,
    plan: Plan,
    text: str,
    draw: Callable[[Trace, Workspace, list[Block]], Iterable[Block]],
    *,
    exclude: list[str] | None = None,
    where: list[str] | None = None,
    no_log: bool = False,
    more: Callable[[Trace], dict[str, Any]] = lambda _: {},
) -> None:
    """`draw` gives the text (it is handed what there is to say of the query's words), `more` what JSON adds."""
    ws = common.workspace()
    trace = run(plan, query(text, ws, exclude, where), ws)
    common.detail(f"plan {json.dumps(plans.to_dict(plan))}")
    for step in trace.steps:
        parts = "".join(f", {name} {value:.1f}" for name, value in step.usage.items())
        common.detail(f"{step.slot} {step.label}: {step.ms:.1f} ms{parts}")
    words = list(about_words(trace.used.text, ws))
    said = [line for block in words for line in plain(block)]
    if not no_log:
        run_log = trace.to_json(candidates=LOGGED)
        run_log["notices"] = run_log["notices"] + said
        run_log["artefacts"] = ws.opened
        failed = runlog.try_write(ws.settings.log_dir, run_log, command)
        common.detail(f"run {trace.run_id}" + ("" if failed else f" logged in {ws.settings.log_dir}"))
        if failed:
            common.say(failed)
            said.append(failed)
    found = trace.to_json()
    common.emit({**found, "notices": found["notices"] + said, **more(trace)}, lambda: draw(trace, ws, words))
