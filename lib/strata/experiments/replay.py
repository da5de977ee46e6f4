"""A logged run once more: the same plan and request, today's code and data. Is the result the same, and if not, since
which step?

The language model's part is not left to chance: a run that asked one is given the replies of its log, and one that went
by rule goes by rule, unless the caller's workspace has a model of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from strata import runlog
from strata.core.analysis import tokens
from strata.core.types import DocId, Query
from strata.errors import DataError, StrataError
from strata.experiments.calls import LoggedReplies
from strata.experiments.diff import Change, Diff, diff, run_json
from strata.experiments.lists import ListDiff
from strata.experiments.parsing import parse
from strata.experiments.record import Run
from strata.experiments.words import settings
from strata.pipeline.plan import from_dict
from strata.pipeline.run import run as run_plan

if TYPE_CHECKING:
    from strata.core.picture import Picture
    from strata.pipeline.trace import Trace
    from strata.pipeline.workspace import Workspace


SEE = "see: experiment_cli list"


@dataclass(frozen=True)
class Step:
    """One step of both runs. lists, changes: what differs in it; gone: "then" or "today" where only that run has it."""

    name: str
    lists: ListDiff | None = None
    changes: tuple[Change, ...] = ()
    gone: str = ""

    @property
    def same(self) -> bool:
        return not self.changes and not self.gone and (self.lists is None or self.lists.same)


@dataclass(frozen=True)
class Replayed:
    """entry: today's run as a log would hold it. replies: the log's, where they stood in for a model. missing: ids of
    documents that were left out and are not in the catalogue today."""

    diff: Diff
    steps: tuple[Step, ...]
    trace: Trace
    entry: dict[str, Any]
    replies: LoggedReplies | None
    missing: tuple[DocId, ...]

    @property
    def same(self) -> bool:
        return all(step.same for step in self.steps)

    @property
    def first(self) -> Step | None:
        """The first step that differs."""
        return next((step for step in self.steps if not step.same), None)

    @property
    def answer_unknown(self) -> bool:
        """Whether today's run has an answer, and the log is of a time when none was written down."""
        return self.diff.before.answer is None and self.diff.after.answer is not None

    @property
    def around(self) -> list[Change]:
        """What is not the run's own: the data, the artefacts, the versions."""
        return self.diff.of("dataset", "artefacts", "versions", "plan")

    def to_json(self) -> dict[str, Any]:
        replies = self.replies
        return {
            "run_id": self.diff.before.id,
            "today": {**run_json(self.diff.after), "run_id": self.trace.run_id},
            "same": self.same,
            "first_difference": self.first.name if self.first else None,
            "steps": [{"step": step.name, "same": step.same, "only": step.gone or None} for step in self.steps],
            "not_compared": ["answer"] if self.answer_unknown else [],
            "replies": None if replies is None else
            {"given_again": replies.given, "not_in_the_log": replies.missing, "not_asked_for": replies.unused},
            "missing_documents": list(self.missing),
            "diff": self.diff.to_json(),
            "notices": self.entry["notices"],
        }  # fmt: skip


def dataset_of(run: Run) -> str:
    """What names the run's catalogue: its name, or the path of one that has none."""
    return _printable(run.dataset.path or run.dataset.name, run)


def _printable(text: str, run: Run) -> str:
    """A text of a log that may come to stand in a message. DataError for control characters: our names have none, but a
    path may hold bytes that are no UTF-8."""
    if not "".join(sign for sign in text if not "\udc80" <= sign <= "\udcff").isprintable():
        raise DataError(f"the log of {run.id} holds control characters where a name should be", SEE)
    return text


def replay(run: Run, ws: Workspace, command: str, *, from_log: bool) -> Replayed:
    """from_log: the log's replies stand in for the language model, or nothing where it asked none; else the workspace's
    own model is asked. DataError where the plan or the request is none that can be run today."""
    for value in settings(run.plan).values():
        for one in value if isinstance(value, list) else [value]:
            _printable(str(one), run)
    plan = from_dict(run.plan, f"the plan of {run.id}")
    query, missing = _query(run, ws)
    replies = LoggedReplies(run.calls, run.id) if from_log and run.by_model else None
    if replies is not None:
        from strata.llm.logged import Logged

        ws.__dict__["model"] = Logged(replies, ws.calls.append)
    trace = run_plan(plan, query, ws)
    if "keyword_index" in run.artefacts:
        ws.index  # noqa: B018 - a search opens it to look its words up, also where no list is made from it
    entry = runlog.entry(trace, ws, command, run.preset)
    plain = json.loads(json.dumps(entry, allow_nan=False))
    found = diff(run, parse(plain | {"command": run.command}))
    if run.answer is None:  # an older log has none though its plan has
        found = replace(found, changes=tuple(one for one in found.changes if one.kind != "answer"))
    return Replayed(found, tuple(_steps(found)), trace, entry, replies, missing)


def _query(run: Run, ws: Workspace) -> tuple[Query, tuple[DocId, ...]]:
    """The request as it was asked, and the documents it names that are no longer there."""
    corpus, asked = ws.corpus, run.asked
    like = None if asked.like is None else corpus.position(asked.like)
    if asked.like is not None and like is None:
        raise DataError(f'{run.id} asks for documents like "{asked.like}", which is not in {corpus.name} today',
                        "name the catalogue it ran on with --dataset")  # fmt: skip
    picture = _picture(run) if asked.picture else None
    if like is None and not tokens(asked.text) and not (picture and not asked.text):
        raise DataError(f"the query of {run.id} holds no word", SEE)
    places = {id: corpus.position(id) for id in asked.exclude}
    there = frozenset(place for place in places.values() if place is not None)
    missing = tuple(id for id, place in places.items() if place is None)
    where = tuple(_printable(one, run) for one in asked.where)
    return Query(asked.text, exclude=there, where=where, like=like, picture=picture), missing


def _picture(run: Run) -> Picture:
    """The picture that was asked with, opened again. DataError where it is not there, or is another."""
    from strata.pictures.open import open_picture

    was = run.asked.picture
    assert was is not None
    path, name = _printable(was.path, run), _printable(was.name, run)
    if not path:
        raise DataError(f"the log of {run.id} does not say where its picture {name} was", SEE)
    try:
        found = open_picture(path)
    except StrataError as error:
        raise DataError(f"the picture of {run.id} cannot be opened again: {error.message}",
                        "put it back to run this again") from error  # fmt: skip
    if found.digest != was.digest:
        raise DataError(f"{path} is not the picture that {run.id} was asked with: its pixels are others",
                        "put that one back to run this again")  # fmt: skip
    return found


def _steps(found: Diff) -> list[Step]:
    """Every step in the order of the run: the logged one's first, then what only today's has."""
    steps = []
    if found.before.enhance or found.after.enhance:
        steps.append(Step("enhance", changes=tuple(found.of("enhance"))))
    lists = {one.label: one for one in found.layers}
    by_layer = {change.name: change for change in found.of("step")}
    for label in (*(layer.label for layer in found.before.layers), *found.only_after):
        gone = "then" if label in found.only_before else "today" if label in found.only_after else ""
        changes: Sequence[Change] = [by_layer[label]] if label in by_layer and not gone else []
        steps.append(Step(label, lists.get(label), tuple(changes), gone))
    steps.append(Step("results", found.results))
    if found.before.answer and found.after.answer:
        steps.append(Step("answer", changes=tuple(found.of("answer"))))
    return steps
