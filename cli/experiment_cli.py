"""Logged runs: which there were, what is in one, what changed between two, and one run again."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from strata import model_flags
from strata.shell import Common, Program

app = Program("experiment_cli", help=__doc__ or "")

RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A run's id, a unique part at its beginning or end, last, or last-1 …", show_default=False
    ),
]
Named = Annotated[int, typer.Option("--limit", min=0, help="How many documents to name of each list.")]


@app.run("list")
def list_(
    common: Common,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many runs to show.")] = 20,
    command: Annotated[
        str | None, typer.Option("--command", metavar="TEXT", help="Only runs of commands with this in their name.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="TEXT", help="Only runs whose query holds this.")
    ] = None,
) -> None:
    """The logged runs, newest first; with --dataset those over one catalogue."""
    from strata.experiments.diff import run_json
    from strata.experiments.runs import logs, wanted
    from strata.show.experiment import listed, unread

    there = logs(common.settings().log_dir)
    runs, problems = there.newest(limit, wanted(command, query, common.dataset))
    notices = list(unread(problems, there.others))
    for notice in notices:
        common.say(notice)
    rows = [{**run_json(run), "short": there.short(run.id)} for run in runs]
    unreadable = [{"file": one.file, "why": one.why} for one in problems]
    data = {"runs": rows, "total": len(there.ids), "folder": str(there.folder), "unreadable": unreadable,
            "other_files": list(there.others), "notices": notices}  # fmt: skip
    common.emit(data, lambda: listed(runs, there))


@app.run("show")
def show(common: Common, run: RunName) -> None:
    """One run: what was asked, the plan, each step, what it ran on, the results."""
    from strata.experiments.runs import logs
    from strata.show.experiment import raw, shown

    there = logs(common.settings().log_dir)
    id = there.pick(run)
    found = there.read(id)
    common.emit(raw(found, str(there.path(id))), lambda: shown(found))


@app.run("diff")
def diff(
    common: Common,
    before: RunName,
    after: RunName,
    limit: Named = 5,
) -> None:
    """What changed between two runs: request, plan, data, versions; then list by list."""
    from strata.experiments.diff import diff
    from strata.experiments.runs import logs
    from strata.show.experiment_diff import changed

    there = logs(common.settings().log_dir)
    old, new = (there.read(there.pick(name)) for name in (before, after))
    found = diff(old, new)
    common.emit(found.to_json(), lambda: changed(found, limit))


@app.run("replay")
def replay(
    common: Common,
    run: RunName,
    limit: Named = 5,
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            metavar="NAME",
            help="Ask this one (none: by rule) instead of giving the log's replies again.",
            show_default=False,
            rich_help_panel=model_flags.MODEL,
        ),
    ] = None,
    llm_model: model_flags.LlmModel = None,
    log: Annotated[bool, typer.Option("--log", help="Log the replay as a run of its own.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 where the result is not the same.")] = False,
) -> None:
    """A run again, with today's code and data: the same result, or from which step on not."""
    from strata import runlog
    from strata.errors import CheckFailed, UsageError
    from strata.experiments.replay import dataset_of, replay
    from strata.experiments.runs import logs
    from strata.llm.opening import Choice
    from strata.searching import end_as
    from strata.show.experiment_diff import replayed
    from strata.show.text import clean

    if llm_model is not None and llm is None:
        raise UsageError("--llm-model names the model of a provider", "add --llm NAME")
    there = logs(common.settings().log_dir)
    logged = there.read(there.pick(run))
    choice = None if llm is None else Choice(llm, llm_model, sees=logged.asked.picture is not None)
    found = replace(common, dataset=common.dataset or dataset_of(logged))
    ws = found.workspace(choice, enriched=bool(logged.plan.get("premises")))
    done = replay(logged, ws, common.command, from_log=choice is None)
    failed = runlog.try_write(there.folder, done.entry, ws.settings.keep_runs) if log else ""
    if failed:
        common.say(failed)
    written = {"logged_as": done.trace.run_id if log and not failed else None}
    common.emit(done.to_json() | written, lambda: replayed(done, limit))
    end_as(common, choice, done.trace)
    if strict and done.first:
        raise CheckFailed(f"{logged.id} differs from the step {clean(done.first.name)} on (--strict)",
                          f"see: experiment_cli replay {logged.id}")  # fmt: skip


if __name__ == "__main__":
    app()
