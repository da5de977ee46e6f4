"""A building command is killed: at a moment, before an operation on a file, in the middle of a write; forked or cold.

A kill before an operation, or in a write, comes again exactly; one at a moment comes again at the same share of the
command's time, as measured in that run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from faults.answers import answer, apart, clear_error, wrong
from faults.bench import Bench, Clean
from faults.commands import Builder
from faults.losses import lost, state, unsound
from faults.process import Running, cold, forked, gather, run
from faults.strikes import Counter, at_operation, in_a_write
from faults.trial import Trial
from faults.world import lay_out

MOMENT, OPERATION, WRITE, COLD = "at a moment", "before an operation", "in a write", "cold, at a moment"
OFTEN = {MOMENT: 6, OPERATION: 9, WRITE: 4, COLD: 2}
Start = Callable[[], Running]


def kill(bench: Bench, trial: Trial) -> None:
    """One kill, then what must hold after it."""
    rng = trial.rng
    builder = bench.builders[(trial.number + trial.seed) % len(bench.builders)]
    trial.group = rng.choices(list(OFTEN), list(OFTEN.values()))[0]
    clean = bench.clean(builder)
    where, start = _strike(bench, builder, clean, trial.group, rng)
    lay_out(bench.places, builder.start, builder.without)
    (done,) = gather([start()])
    trial.what = f"{builder.name}: {where}{'' if done.status < 0 else ', too late'}"
    if done.status >= 0 and (wrong(done) or answer(done) != clean.answer):
        said = wrong(done) or apart(answer(done), clean.answer)
        trial.defects.append(f"{builder.name}, not killed: status {done.status}: {said}")
    afterwards(bench, trial, builder, clean, rng)


def _strike(bench: Bench, builder: Builder, clean: Clean, way: str, rng: random.Random) -> tuple[str, Start]:
    """Where it hits, in words, and what starts the command that it will hit."""
    command, places, share = builder.command, bench.places, rng.random()
    if way == OPERATION:
        fatal = 1 + int(share * clean.operations)
        setup = at_operation(places.world, Counter(), fatal)
        return f"before operation {fatal} of {clean.operations}", lambda: forked(command, places, setup)
    if way == WRITE and clean.sizes:
        size = int(share * rng.choice(clean.sizes))
        return f"in a write, at byte {size}", lambda: forked(command, places, in_a_write(size))
    if way == COLD:
        at = share * bench.cold_seconds(builder)
        return f"cold, after {share:.0%} of its time", lambda: cold(command, places, at)
    return f"after {share:.0%} of its time", lambda: forked(command, places, kill_at=share * clean.seconds)


def afterwards(bench: Bench, trial: Trial, builder: Builder, clean: Clean, rng: random.Random) -> None:
    """Nothing is lost; the questions have the answers of before or after; the command, run again, does its work.

    Where that changes no answer, one of the questions is asked again, else all. The doctor is asked in one of five.
    """
    places = bench.places
    there = state(places.world)
    trial.rubbish = there.rubbish
    trial.problem(
        "afterwards", [*lost(there, clean.before, clean.after), *unsound(places, asked=rng.randrange(5) == 0)]
    )
    right = {name: {clean.answers_before.get(name, ""), clean.answers_after[name]} for name in builder.asked}
    bench.hold(trial, "afterwards", bench.ask(builder.asked), right, errors=False)
    was_done = there.files == clean.after.files != clean.before.files
    again = run(builder.command, places)
    trial.rebuilt |= "note: " in again.err
    if wrong(again) or (answer(again) != clean.answer and not (was_done and (answer(again) or clear_error(again)))):
        said = wrong(again) or clear_error(again) or apart(answer(again), clean.answer)
        trial.defects.append(f"{builder.name} again: status {again.status}: {said}")
    done = replace(clean.after, logs=clean.before.logs)
    trial.problem("after the next run", lost(state(places.world), done))
    right = {name: {text} for name, text in clean.answers_after.items()}
    asked = builder.asked if builder.changes else (rng.choice(builder.asked),)
    bench.hold(trial, "after the next run", bench.ask(asked), right, errors=False)
