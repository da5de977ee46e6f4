"""Eight processes at once on one cache: all build and search; in some trials three of them are killed meanwhile."""

from __future__ import annotations

from dataclasses import replace

from faults.answers import answer, apart, wrong
from faults.bench import Bench
from faults.commands import SEARCHES
from faults.losses import lost, state, unsound
from faults.process import Command, forked, gather
from faults.trial import Trial
from faults.world import lay_out

MANY, KILLED = 8, 3
SCENES = ("cold", "cold, with kills", "edited, with kills", "full, a catalogue updated")
UPDATE = "import --update"
BUILDING = ("build", "verify_embeddings", "embed_chunks")
ASKING = (*SEARCHES, "premises", "measured")
LONG = 0.4
"""Seconds within which the kills fall."""


def crowd(bench: Bench, trial: Trial) -> None:
    """One crowd, then what must hold after it."""
    rng, places = trial.rng, bench.places
    scene = trial.group = SCENES[(trial.number + trial.seed) % len(SCENES)]
    start = scene.partition(",")[0]
    right = _right(bench, scene)
    names = rng.sample(list(right), min(len(right), MANY))
    names += rng.choices([name for name in right if name != UPDATE], k=MANY - len(names))
    killed = set(rng.sample(range(MANY), KILLED)) if "kills" in scene else set()
    world = lay_out(places, start)
    before = state(world)
    running = [
        forked(_command(bench, name), places, kill_at=rng.random() * LONG if n in killed else None)
        for n, name in enumerate(names)
    ]
    trial.what = ", ".join(f"{name}{' †' if n in killed else ''}" for n, name in enumerate(names))
    for name, done, struck in zip(names, gather(running), (n in killed for n in range(MANY)), strict=True):
        if struck and done.status < 0:
            continue
        if wrong(done) or answer(done) not in right[name]:
            said = wrong(done) or done.err[-300:] or apart(answer(done), max(right[name]))
            trial.defects.append(f"{name}, one of {MANY}: status {done.status} {said}")
    now = state(world)
    trial.rubbish = now.rubbish
    after = replace(bench.clean(bench.builder(UPDATE)).after, logs=before.logs) if UPDATE in right else before
    trial.problem("afterwards", lost(now, before, after))
    trial.problem("afterwards", unsound(places))
    asked = [name for name in ASKING if name in right]
    bench.hold(trial, "afterwards", bench.ask(asked), {name: right[name] for name in asked}, errors=False)


def _right(bench: Bench, scene: str) -> dict[str, set[str]]:
    """What each may answer. Where the imported catalogue is changed meanwhile, what was or what came."""
    answers = bench.answers["edited" if "edited" in scene else "full"]
    right = {name: {answers[name]} for name in ASKING}
    if "updated" in scene:
        clean = bench.clean(bench.builder(UPDATE))
        names = ("imported", "chosen", "catalogues")
        right = {name: {clean.answers_before[name], clean.answers_after[name]} for name in names}
        return {**right, "keyword": {answers["keyword"]}, UPDATE: {clean.answer}}
    return right | {name: {bench.clean(bench.builder(_variant(name, scene))).answer} for name in BUILDING}


def _variant(name: str, scene: str) -> str:
    return f"{name}, edited" if "edited" in scene else name


def _command(bench: Bench, name: str) -> Command:
    return bench.questions[name] if name in bench.questions else bench.builder(name).command
