"""Views of two runs beside each other: what changed between them, and whether a replay came out the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from strata.experiments.diff import AROUND, INSIDE, Change, Diff
from strata.experiments.lists import ListDiff, Placed
from strata.experiments.record import Run
from strata.experiments.words import plan_words, said, settings
from strata.show.experiment import asked_for, when
from strata.show.text import Block, between, clean, cut, line, ordinal, width, wrapped

if TYPE_CHECKING:
    from strata.experiments.replay import Replayed, Step

FIELDS = {"artefacts": "artefact ", "versions": "version ", "dataset": "dataset ", "enhance": "searched ", "answer": ""}
"""How a change of a kind begins; settings of the plan stand for themselves."""
VALUE = 34


def changed(diff: Diff, limit: int) -> Iterator[Block]:
    """limit: how many documents are named of those that entered a list, left it, or moved in it."""
    columns = width()
    yield from _run("before", diff.before, columns)
    yield from _run("after", diff.after, columns)
    if diff.identical:
        yield "Nothing differs: request, plan, data and versions, lists, scores and passages."
        return
    gone = _gone(diff)
    yield from _changes([change for change in diff.of(*AROUND) if change.name not in gone], columns)
    yield from _changes(diff.of(*INSIDE), columns)
    for names, which in ((diff.only_before, "before"), (diff.only_after, "after")):
        if names:
            yield from wrapped(between([clean(name) for name in names], ", "), columns, f"only {which}: ", "  ")
    for one in (*diff.layers, diff.results):
        yield from _list(one, limit, columns)
    if diff.same_result:
        yield "The lists, scores and passages are the same."


def _run(name: str, run: Run, columns: int) -> Iterator[Block]:
    head = f"{name.ljust(8)}{run.id}  "
    yield line(head, (cut(" + ".join(asked_for(run.asked)), columns - len(head)), "bold"))
    parts = [clean(run.command), clean(plan_words(run.plan)), clean(run.dataset.name)]
    yield from wrapped(between(parts, " · "), columns, " " * 8, " " * 8)


def _gone(diff: Diff) -> set[str]:
    """Settings of layers that the later plan has not at all: that the layer is gone says it."""
    left = settings(diff.after.plan)
    there = {name.rpartition(".")[0] for name in left} | {*left}
    return {change.name for change in diff.of("plan") if change.name.rpartition(".")[0] not in {"", *there}}


def _changes(changes: Sequence[Change], columns: int) -> Iterator[Block]:
    """ "fuse.k 60 → 10", one a line."""
    for change in changes:
        name = clean(f"{FIELDS.get(change.kind, '')}{change.name}")
        values = [_value(change, value) for value in (change.before, change.after)]
        yield cut(f"  {name}  {values[0]} → {values[1]}", columns)


def _value(change: Change, value: object) -> str:
    text = clean(said(value))
    if change.kind == "artefacts" or change.name == "fingerprint":
        return text[:8]
    if change.name == "query" or (change.kind == "answer" and change.name == "text"):
        text = f'"{text}"' if value is not None else text
    return cut(text, VALUE)


def _list(one: ListDiff, limit: int, columns: int) -> Iterator[Block]:
    """A line that says what came of a list, then the documents behind it."""
    yield from wrapped(between(_said(one), ", "), columns, f"{clean(one.label)}  ", "    ")
    yield from _documents(one, limit, columns)


def _documents(one: ListDiff, limit: int, columns: int) -> Iterator[Block]:
    for name, placed in (("entered", one.entered), ("left", one.left), ("moved", one.moved)):
        for row in placed[:limit]:
            yield _placed(name, row, columns)
        if limit and len(placed) > limit:
            yield f"    {name:8} and {len(placed) - limit:,} more"


def _said(one: ListDiff) -> list[str]:
    old, new = len(one.before.hits), len(one.after.hits)
    counts = f"{old:,} documents" if old == new else f"{old:,} → {new:,} documents"
    found = [f"{counts}: the same" if one.same else counts]
    if one.before.matched != one.after.matched and one.label != "results":
        found.append(f"matched {one.before.matched:,} → {one.after.matched:,}")
    if one.depth is not None:
        found.append(f"cut at different depths: the first {one.depth:,} are compared")
    if one.same:
        return found
    counted = (("entered", one.entered), ("left", one.left), ("moved", one.moved))
    found += [f"{len(rows):,} {name}" for name, rows in counted if rows]
    if one.ties:
        found.append("only among equal scores")
    if one.rescored:
        most = one.rescored[0]
        found.append(f"{len(one.rescored):,} score{'' if len(one.rescored) == 1 else 's'} changed")
        found.append(f"at most by {most.difference:.3g} ({cut(clean(most.title), 24)})")
    if one.texts:
        found.append(f"{len(one.texts):,} with another passage")
    return found


def _placed(name: str, one: Placed, columns: int) -> str:
    ranks = [ordinal(rank) for rank in (one.before, one.after) if rank is not None]
    way = " → ".join(ranks)
    title = f"({clean(str(one.id))}) {clean(one.title) or '(no title)'}"
    return f"    {name:8} {cut(title, columns - 15 - len(way))}  {way}"


def replayed(found: Replayed, limit: int) -> Iterator[Block]:
    """Each step with whether it came out the same, then the verdict, then what else is not as it was."""
    columns = width()
    run = found.diff.before
    yield line(("replay of ", "dim"), f"{run.id} ", (cut(" + ".join(asked_for(run.asked)), columns - 34), "bold"))
    yield from wrapped(between([clean(plan_words(run.plan)), f"logged {when(run.id)} UTC"], " · "), columns, "  ", "  ")
    for step in found.steps:
        yield from _step(step, limit if step is found.first else 0, columns)
    if found.answer_unknown:
        yield "  · answer  not in this log, so it is not compared"
    yield from _verdict(found, columns)
    if found.around:
        yield "Not as it was then:"
        yield from _changes(found.around, columns)
    for id in found.missing:
        yield f"  document {clean(str(id))}, which was left out then, is not in the catalogue today"


def _step(step: Step, limit: int, columns: int) -> Iterator[Block]:
    """Only the first step that differs has its documents named: what follows is made from it."""
    mark = "✓" if step.same else "✗"
    if step.gone:
        yield cut(f"  {mark} {clean(step.name)}  only {step.gone}", columns)
        return
    parts = _said(step.lists) if step.lists else ["the same" if step.same else "differs"]
    yield from wrapped(between(parts, ", "), columns, f"  {mark} {clean(step.name)}  ", "      ")
    yield from _changes(step.changes, columns)
    if step.lists:
        yield from _documents(step.lists, limit, columns)


def _verdict(found: Replayed, columns: int) -> Iterator[Block]:
    first = found.first
    if first is None:
        yield "The same result: every list, score and passage."
    else:
        ties = ": equal scores in another order" if first.lists and first.lists.ties else ""
        said = f"Not the same result: it differs from the step {clean(first.name)} on{ties}."
        yield line((cut(said, columns), "bold"))
    replies = found.replies
    if replies is not None:
        counts = [f"{replies.given:,} given again from the log"]
        counts += [f"{replies.missing:,} asked for that the log has not"] if replies.missing else []
        counts += [f"{replies.unused:,} in the log not asked for"] if replies.unused else []
        yield from wrapped(between(counts, ", "), columns, "replies of the language model: ", "  ")
