"""One search from a command line: run the plan, log the trace, show it. Every program that ranks goes through here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from strata import runlog
from strata.asked import Asked
from strata.common import Common
from strata.core.types import Plan
from strata.errors import NotSent, ProviderError
from strata.flags import query
from strata.pipeline import plan as plans
from strata.pipeline.run import Memo, run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.prompts import Prompts
from strata.show.text import Block
from strata.show.words import about_words

if TYPE_CHECKING:
    from strata.core.picture import Picture
    from strata.llm.opening import Choice
    from strata.show.live import Live


@dataclass(frozen=True)
class Found:
    """What a search came to. words: what there is to say of the query's words. origin: the preset, or the plan file.
    beside: a second run for comparison, not part of the result. options: those with which another command runs the same
    plan over the same catalogue. grades: a judge's opinion of results, with its reason."""

    trace: Trace
    ws: Workspace
    words: list[str]
    origin: str
    beside: Trace | None = None
    options: tuple[str, ...] = ()
    grades: dict[int, tuple[int, str]] = field(default_factory=dict)


def search(
    common: Common,
    asked: Asked,
    text: str,
    draw: Callable[[Found], Iterable[Block]],
    *,
    more: Callable[[Found], dict[str, Any]] = lambda _: {},
    like: str | None = None,
    beside: Callable[[Plan, Workspace], Plan | None] = lambda *_: None,
    live: Live | None = None,
    picture: Picture | None = None,
) -> Found | None:
    """`draw` gives the text, `more` what JSON adds. like: a document whose neighbours are wanted, `text` is then not
    looked at. beside: the plan of a second run to compare with. live: shows a model's answer as it comes. picture:
    asked with beside the text, or instead of it. None where nothing was searched."""
    plan = asked.plan()
    if asked.show_plan:
        show_plan(common, plan)
        return None
    prompts = Prompts()
    choice = asked.choice(prompts, sees=getattr(plan.enhance, "sees", False))
    ws = common.workspace(choice, enriched=plan.premises)
    position = None if like is None else ws.corpus.find(like)
    q = query(text, ws, asked.exclude, asked.where, position, picture)
    memo: Memo = {}
    options = (*asked.options, *([f"--dataset {quote(common.dataset)}"] if common.dataset else []))
    streaming = live is not None and ws.model is not None and not (choice and choice.show_prompt)
    if streaming:
        ws.stream = live

    def ready(trace: Trace) -> None:
        if live and streaming:
            live.open(Found(trace, ws, [], asked.origin))

    try:
        trace = run(plan, q, ws, memo, ready)
    except NotSent:  # nothing to go on with without the reply
        prompts.emit(common)
        return None
    asks = position is None and trace.used.text
    words = list(about_words(trace.used.text, ws, keyword=by_keyword(trace))) if asks else []
    opened = dict(ws.opened)  # by the run itself
    other = beside(plan, ws)
    # With the very query that the run's own lists were asked; one column stands for it.
    compared = run(other, replace(trace.used, variants=()), ws, memo) if other else None
    found = Found(trace, ws, words, asked.origin, compared, options)
    if asked.evaluate:
        found.grades.update(_graded(found))
    if choice and choice.show_prompt:
        prompts.emit(common)
        return None
    _tell(common, trace)
    said = list(words)
    if not asked.no_log:
        failed = log(common, found, said, opened)
        said += [failed] if failed else []
    if common.json:
        common.emit(_as_json(found, said, more), list)
    else:
        common.emit(None, lambda: _drawn(found, draw, asked.debug))
    unjudged = asked.evaluate and not found.grades and bool(trace.final.docs.size)
    end_as(common, choice, trace, also=unjudged)
    return found


def _as_json(found: Found, said: list[str], more: Callable[[Found], dict[str, Any]]) -> dict[str, Any]:
    data, corpus = found.trace.to_json(), found.trace.corpus
    judged = [{"id": corpus.id(doc), "grade": grade, "why": why} for doc, (grade, why) in found.grades.items()]
    data |= {"preset": found.origin, "notices": [*data["notices"], *said], **({"judged": judged} if judged else {})}
    return {**data, **more(found)}


def end_as(common: Common, choice: Choice | None, trace: Trace, *, also: bool = False) -> None:
    """Exit 3 where a provider that was asked for by name failed, after the result is out. also: it failed elsewhere."""
    if choice and choice.by_name and (also or any(step.failed for step in trace.steps)):
        common.ended(ProviderError.exit_status)


def _drawn(found: Found, draw: Callable[[Found], Iterable[Block]], debug: bool) -> Iterator[Block]:
    yield from draw(found)
    if debug:
        from strata.show.trace import view

        yield ""
        yield from view(found)


def _graded(found: Found) -> dict[int, tuple[int, str]]:
    """What a language model says of the results; {} where there is none, or it fails, both of which are said."""
    from strata.rerank.judge import judged

    docs = found.trace.final.docs[: found.trace.plan.limit].tolist()
    try:
        trace = found.trace
        # Without its picture, a request is not what was asked for; its rewrite is nearer.
        return judged(trace.query if trace.query.picture is None else trace.used, docs, found.ws)
    except ProviderError as error:
        if error.exit_status:
            found.ws.note(f"the judge failed ({error.message})")
        return {}


def by_keyword(trace: Trace) -> bool:
    """Whether one of the run's lists looks for words."""
    return any(step.output.family == "keyword" for step in trace.lists)


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


def log(common: Common, found: Found, said: list[str], opened: Mapping[str, str] | None = None) -> str:
    """Write the run's log; returns why that failed, or "". opened: the artefacts that the run is made from, where more
    have been opened since."""
    logs = found.ws.settings.log_dir
    entry = runlog.entry(found.trace, found.ws, common.command, found.origin, said)
    entry |= {} if opened is None else {"artefacts": dict(opened)}
    failed = runlog.try_write(logs, entry, found.ws.settings.keep_runs)
    common.detail(f"run {found.trace.run_id}" + ("" if failed else f" logged in {logs}"))
    if failed:
        common.say(failed)
    return failed
