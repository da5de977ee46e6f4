"""Views of logged runs: the list of them, and one of them whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from strata.experiments.calls import Call
from strata.experiments.record import Answered, How, Listed, Request, Run
from strata.experiments.runs import Logs, Problem
from strata.experiments.words import WHOLE, plan_words, said, settings
from strata.show.figures import counted
from strata.show.text import Block, Grid, between, clean, cut, line, width, wrapped

SIDE = 11
"""Columns of the names at the left."""
LONGEST_REPLY = 60


def listed(runs: Sequence[Run], logs: Logs) -> Iterator[Block]:
    """Two lines a run, newest first: its short id, when, the query; then the command, the plan and what came first."""
    columns = width()
    for run in runs:
        short = logs.short(run.id).ljust(6)
        head = f"{short}  {when(run.id)}  "
        yield line((head, "dim"), (cut(" + ".join(asked_for(run.asked)), columns - len(head)), "bold"))
        data = [] if run.dataset.name == "movies" else [clean(run.dataset.name)]
        parts = [clean(run.command), clean(plan_words(run.plan)), *data, first(run)]
        indent = " " * (len(short) + 2)
        yield from wrapped(between(parts, " · "), columns, indent, indent)
    if not runs:
        yield "No run is logged here yet." if not logs.ids else "No logged run fits."
        return
    yield ""
    yield line((cut(f"{len(runs):,} of {len(logs.ids):,} runs · times are UTC · experiment_cli show "
                    f"{logs.short(runs[0].id)}", columns), "dim"))  # fmt: skip


def first(run: Run) -> str:
    """ "first (47) The Bear", or that there was none."""
    hits = run.results.hits
    return f"first ({clean(str(hits[0].id))}) {clean(hits[0].title) or '(no title)'}" if hits else "no result"


def when(id: str) -> str:
    """The time at the beginning of a run's id, UTC."""
    return f"{id[:4]}-{id[4:6]}-{id[6:8]} {id[9:11]}:{id[11:13]}:{id[13:15]}"


def unread(problems: Sequence[Problem], others: Sequence[str]) -> Iterator[str]:
    """What a list leaves out, as notices."""
    if problems:
        named = "; ".join(f"{clean(one.file)} {clean(one.why)}" for one in problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        yield f"{counted(len(problems), 'file')} left out: {named}{more}"
    if others:
        named = ", ".join(map(clean, others[:5])) + (", …" if len(others) > 5 else "")
        verb = "is" if len(others) == 1 else "are"
        yield f"{counted(len(others), 'file')} in the log folder {verb} no run's: {named}"


def shown(run: Run) -> Iterator[Block]:
    """What was asked, the plan, each step, what it ran on, the results."""
    columns = width()
    yield line((f"run {run.id}", "bold"))
    yield from _sided("asked", [*asked_for(run.asked), *_conditions(run)], columns)
    yield from _sided("by", [clean(run.command), f"preset {clean(run.preset)}", f"{when(run.id)} UTC"], columns)
    dataset = run.dataset
    where = [clean(dataset.path)] if dataset.path else []
    documents = f"{dataset.documents:,} documents"
    yield from _sided("dataset", [clean(dataset.name), documents, clean(dataset.fingerprint)[:8], *where], columns)
    yield from _sided("plan", [clean(plan_words(run.plan))], columns)
    named = [f"{clean(name)} {clean(said(value))}" for name, value in settings(run.plan).items() if _is_setting(name)]
    yield from _sided("settings", named, columns)
    yield from _sided("searched", _searched(run), columns)
    yield from _steps(run)
    for notice in run.notices:
        yield from wrapped(between(clean(notice).split(" "), " "), columns, "notice".ljust(SIDE), " " * SIDE)
    for call in run.calls:
        yield from _sided("model call", [_called(call)], columns)
    made = [f"{clean(name)} {clean(print_)[:8]}" for name, print_ in run.artefacts.items()]
    yield from _sided("artefacts", made, columns)
    yield from _sided("versions", [f"{clean(name)} {clean(one)}" for name, one in run.versions.items()], columns)
    yield from _results(run, columns)


def _is_setting(name: str) -> bool:
    return "." in name or name in WHOLE


def _sided(name: str, parts: Sequence[str], columns: int) -> Iterator[str]:
    """A name at the left, and what there is to say beside it; nothing where there is nothing."""
    if parts:
        yield from wrapped(between(parts, " · "), columns, name.ljust(SIDE), " " * SIDE)


def asked_for(request: Request) -> list[str]:
    """The words, the picture, or both."""
    if request.picture is None:
        return [f'"{clean(request.text)}"']
    return [*([f'"{clean(request.text)}"'] if request.text else []), clean(request.picture.words)]


def _conditions(run: Run) -> list[str]:
    asked = run.asked
    found = [f"where {clean(one)}" for one in asked.where]
    found += [f"without {clean(str(id))}" for id in asked.exclude]
    return found + ([f"like {clean(str(asked.like))}"] if asked.like is not None else [])


def _searched(run: Run) -> list[str]:
    """What an enhancement made of the query; nothing where it is as it was asked."""
    used, asked = run.used, run.asked
    found = [f'"{clean(text)}"' for text in (used.text, *used.variants) if text != asked.text]
    found += [f'for vectors "{clean(used.meaning)}"'] if used.meaning else []
    found += [f"where {clean(one)}" for one in used.where if one not in asked.where]
    return found + [f"without {clean(str(id))}" for id in used.exclude if id not in asked.exclude]


def _steps(run: Run) -> Iterator[Block]:
    rows: list[tuple[str, ...]] = []
    if run.enhance:
        rows.append((clean(run.enhance.layer), _ms(run.enhance.ms), "", "", clean(run.enhance.how.words)))
    rows += [_row(layer) for layer in run.layers]
    if run.answer:
        rows.append((clean(run.answer.layer), _ms(run.answer.ms), "", "", clean(run.answer.how.words)))
    if rows:
        rows = [(*row[:-1], cut(row[-1], 30)) for row in rows]
        yield Grid(tuple(rows), head=("step", "ms", "matched", "list", "done"), align="lrrrl")


def _row(layer: Listed) -> tuple[str, ...]:
    how = clean(layer.how.words)
    return cut(clean(layer.label), 30), _ms(layer.ms), f"{layer.matched:,}", f"{len(layer.hits):,}", how


def _ms(ms: float) -> str:
    return f"{ms:.1f}" if ms < 10 else f"{ms:,.0f}"


def _called(call: Call) -> str:
    """Who was asked and what came of it. No key is in a log; what was sent is in --json."""
    who = clean(How(False, call.provider, call.model).words) or "a language model"
    if call.error is not None:
        return f"{who}: failed ({clean(call.error[0])}: {clean(call.error[1])})"
    assert call.reply is not None
    usage = call.reply.usage
    return (f"{who}: {usage.prompt} + {usage.completion} tokens, {_ms(call.reply.ms)} ms, "
            f'"{cut(clean(call.reply.text), LONGEST_REPLY)}"')  # fmt: skip


def _results(run: Run, columns: int) -> Iterator[Block]:
    if not run.results.hits:
        yield "No document matched."
    for rank, hit in enumerate(run.results.hits, start=1):
        number = f"{hit.score:.5g}"
        name = f"{rank}. ({clean(str(hit.id))}) {clean(hit.title) or '(no title)'}"
        yield f"{cut(name, columns - len(number) - 2)}  {number}"
    if run.answer and run.answer.text:
        yield from _answer(run.answer, columns)


def _answer(answer: Answered, columns: int) -> Iterator[Block]:
    for i, text in enumerate(answer.text.split("\n")):
        lead = "answer".ljust(SIDE) if i == 0 else " " * SIDE
        yield from wrapped(between(clean(text).split(" "), " "), columns, lead, " " * SIDE)
    cited = [f"[{number}] {clean(status)}" for number, _, status in answer.citations]
    yield from _sided("check", cited, columns)


def raw(run: Run, file: str) -> dict[str, Any]:
    """A log as --json gives it: as it stands in its file."""
    return {"file": file, **run.raw}
