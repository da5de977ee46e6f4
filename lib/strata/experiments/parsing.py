"""From the JSON of a run log to a run: every field that is read later has its type, or the log is refused."""

from __future__ import annotations

from typing import Any

from strata.experiments.calls import call
from strata.experiments.fields import Fields
from strata.experiments.record import Answered, Dataset, Enhanced, Hit, How, Listed, Pictured, Request, Run
from strata.experiments.words import SLOTS
from strata.runlog import FORMAT


def parse(data: dict[str, Any]) -> Run:
    """The run that a log holds; fields.Odd where it is of another format, or not what a log holds."""
    log = Fields(data)
    if data.get("format") != FORMAT or isinstance(data.get("format"), bool):
        known = isinstance(data.get("format"), int) and data["format"] > FORMAT
        log.odd("is of a later format" if known else "is no run log")
    asked, used = _requests(log.table("query"))
    layers: tuple[Listed, ...] = ()
    for one in log.tables("layers"):
        layers += (_layer(one, layers[-1:]),)
    labels = [layer.label for layer in layers]
    if len(set(labels)) < len(labels):
        log.odd("two of its layers have one name")
    return Run(
        id=log.text("run_id"),
        command=log.text("command"),
        written=log.text("written"),
        preset=log.text("preset", ""),
        dataset=_dataset(log.table("dataset")),
        asked=asked,
        used=used,
        plan=_plan(log.table("plan")),
        enhance=_enhanced(log.table("enhance")),
        layers=layers,
        results=_results(log, layers[-1:]),
        answer=_answer(log.table("answer")),
        notices=log.texts("notices"),
        artefacts=log.words("artefacts"),
        versions=log.words("versions"),
        calls=tuple(call(one) for one in log.tables("calls")),
        raw=data,
    )


def _dataset(data: Fields) -> Dataset:
    return Dataset(data.text("name"), data.count("documents"), data.text("fingerprint"), data.text("path", ""))


def _requests(query: Fields) -> tuple[Request, Request]:
    like = query.id("like") if query.data.get("like") is not None else None
    where, exclude = query.texts("where"), query.ids("exclude")
    picture = _picture(query.table("picture"))
    variants, meaning = query.texts("variants"), query.text("meaning", "")
    used = Request(query.text("used"), where, exclude, like, variants, meaning, picture)
    given = query.table("asked")
    if "asked" in query.data:
        where, exclude = given.texts("where"), given.ids("exclude")
    return Request(query.text("original"), where, exclude, like, picture=picture), used


def _picture(data: Fields) -> Pictured | None:
    if not data.data:
        return None
    size = data.count("width"), data.count("height")
    return Pictured(data.text("name"), data.text("format"), *size, data.text("digest"), data.text("path", ""))


def _plan(plan: Fields) -> dict[str, Any]:
    """Layers by slot, each with a name; what their settings may be is checked when the plan is run."""
    for one in (*plan.tables("retrieve"), *(plan.table(slot) for slot in SLOTS if slot in plan.data)):
        one.text("layer")
    for name in ("depth", "limit"):
        plan.count(name)
    return {name: value for name, value in plan.data.items() if value is not None}


def _how(step: Fields) -> How:
    failed = step.table("failed")
    said = f"{failed.text('kind')}: {failed.text('message')}" if failed.data else ""
    return How(step.flag("by_rule"), step.text("provider", ""), step.text("model", ""), said)


def _enhanced(step: Fields) -> Enhanced | None:
    return Enhanced(step.text("layer"), step.number("ms"), _how(step)) if step.data else None


def _layer(layer: Fields, before: tuple[Listed, ...]) -> Listed:
    """before: the list before it, which a reranker takes its candidates from."""
    hits, slot, matched = _hits(layer, "hits"), layer.text("slot"), layer.count("matched")
    there = len(before[0].hits) if before and slot == "rerank" else matched
    return Listed(layer.text("layer"), slot, layer.number("ms"), matched, there, hits, _how(layer))


def _results(log: Fields, before: tuple[Listed, ...]) -> Listed:
    """before: the run's last list; behind a reranker's stands the rest of what it was given."""
    hits = _hits(log, "results")
    there = next((one.there if one.slot == "rerank" else len(one.hits) for one in before), len(hits))
    return Listed("results", "results", 0.0, len(hits), there, hits)


def _hits(log: Fields, name: str) -> tuple[Hit, ...]:
    rows = log.tables(name)
    hits = tuple(Hit(row.id(), row.text("title"), row.number("score"), row.text("passage", "")) for row in rows)
    if len({hit.key for hit in hits}) < len(hits):
        log.odd(f"{name} hold a document twice")
    return hits


def _answer(step: Fields) -> Answered | None:
    if not step.data:
        return None
    cited = tuple(
        (one.count("number"), None if one.data.get("id") is None else one.id(), one.text("status"))
        for one in step.tables("citations")
    )
    evidence = None if step.data.get("evidence") is None else step.number("evidence")
    how = _how(step)
    text = step.text("text", "" if how.failed else None)
    return Answered(step.text("layer"), step.number("ms"), how, text, bool(step.flag("abstained")), evidence, cited)
