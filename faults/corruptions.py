"""Something in the cache, or of what Strata wrote beside it, is damaged; then the questions that read it are asked.

An answer is the clean one, or a clear error, and what is in the cache mends itself: the next answers are clean. In a
third of the trials the catalogue was edited before, so that builds start from what is damaged.

Bits that flip behind an unchanged stamp are seen by nobody but `strata doctor --verify`; once it was run, answers are
clean.

Of the few files outside the cache (the choice, a catalogue's origin, premises) an answer may also be that of a world
without the file; then it is written anew, as the error advises. They are a user's own and bear no checksum: no bits are
flipped in those whose every bit may be meant.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from faults.answers import answer, clear_error, wrong
from faults.bench import ANY, Bench
from faults.commands import SEARCHES
from faults.losses import DOCTOR, lost, state, unsound
from faults.process import Command, run
from faults.trial import Trial
from faults.ways import WAYS, file_instead, flip_unseen, folder_gone, folder_swapped, garbage, swapped
from faults.world import Places, lay_out

UNSEEN, PICTURES = "behind a stamp", "picture_vectors"
KINDS = {
    "documents": "cache/documents/*/*", "premises": "cache/premises/*/*", "keyword_index": "cache/keyword_index/*/*",
    "document_vectors": "cache/document_vectors/*/*", "chunk_vectors": "cache/chunk_vectors/*/*",
    "parts": "cache/document_vectors_parts/*/*", "manifests": "cache/*/*/manifest.json",
    "stamps of artefacts": "cache/*/*/stamps.json", "stamps": "cache/stamps/*.json",
    "pair_scores": "cache/pair_scores/*.json", "replies": "cache/replies/*.json", "history": "cache/history/*.json",
    "locks": "cache/**/*lock", "run logs": "logs/*.json", "the choice": "config/strata/strata.json",
    PICTURES: "cache/picture_vectors/*/*", UNSEEN: "cache/*/*/*.npy", "origins": "data/strata/catalogues/*/origin.json",
    "kept premises": "data/strata/premises/*.json",
}  # fmt: skip
BUILT_FROM = (*tuple(KINDS)[:8], "stamps", "history", "locks", PICTURES)
"""What a build after an edit may look at."""
OUTSIDE = {"the choice": ("first use",), "origins": ("import --replace", "fetch"), "kept premises": ("enrich",)}
"""What is outside the cache, with the commands that write it anew."""
FINE = ("bits flipped", "longer", "zeros")
WHOLE, SWAP = 8, 10
"""One in so many is about a whole folder; of the rest, one in so many about two files."""


def corrupt(bench: Bench, trial: Trial) -> None:
    """One corruption, then what must hold after it."""
    rng, places = trial.rng, bench.places
    kinds = [kind for kind in KINDS if kind != PICTURES or "picture" in bench.questions]
    kind = trial.group = kinds[(trial.number + trial.seed) % len(kinds)]
    start = "edited" if kind in BUILT_FROM and rng.randrange(3) == 0 else "full"
    world = lay_out(places, start)
    file = rng.choice([p for p in sorted(world.glob(KINDS[kind])) if p.is_file() and ".tmp" not in p.as_posix()])
    name = file.relative_to(world).as_posix()
    asked = [*SEARCHES, "premises"] if start == "edited" else _readers(bench, name, rng)
    asked += ["picture"] if kind == PICTURES and "picture" not in asked else []
    clean = {one: {bench.answers[start][one]} for one in asked}
    right = {one: {*clean[one]} for one in asked}
    if kind in OUTSIDE:
        lay_out(places, start, (name,))
        for one, done in bench.ask(asked).items():
            right[one].add(answer(done))
        right["catalogues"] = {ANY}  # the list says what is damaged
    world = lay_out(places, start)
    before = state(world)
    said, damaged = _damage(world, world / name, kind, rng)
    trial.what = f"{name}{', edited' if start == 'edited' else ''}: {said}"
    if kind == UNSEEN:
        _doctor_sees(trial, places, name)
    if kind == "run logs":
        _log_is_read(trial, places, name)
    bench.hold(trial, "damaged", bench.ask(asked), right, errors=True)
    if kind in OUTSIDE:
        if kind != "origins":
            (world / name).unlink(missing_ok=True)
        for one in OUTSIDE[kind]:
            bench.must(bench.builder(one).command)
    again = asked if trial.errors or trial.rebuilt or kind in OUTSIDE else asked[:1]
    bench.hold(trial, "afterwards", bench.ask(again), clean, errors=False)
    trial.problem("afterwards", lost(state(world), before, spared=damaged))
    trial.problem("afterwards", unsound(places, spared=damaged, asked=kind == "run logs" or trial.number % 8 == 0))


def _doctor_sees(trial: Trial, places: Places, file: str) -> None:
    kind, folder = file.split("/")[1:3]
    rows = json.loads(run(DOCTOR, places).out)["artefacts"]
    if not any((r["kind"], r["name"]) == (kind, folder[:8]) and "altered content" in r["state"] for r in rows):
        trial.defects.append(f"strata doctor --verify does not see it: {rows}")


def _log_is_read(trial: Trial, places: Places, file: str) -> None:
    """What stands in a damaged log may be anything; reading and replaying it is an answer or a clear error."""
    id = file.rpartition("/")[2].removesuffix(".json")
    for args in (("show", id), ("replay", id), ("diff", id, "last")):
        done = run(Command("experiment_cli", args), places)
        if wrong(done) or not (answer(done) or clear_error(done)):
            trial.defects.append(f"experiment_cli {args[0]}: status {done.status}: {wrong(done) or done.err[-300:]}")


def _readers(bench: Bench, file: str, rng: random.Random) -> list[str]:
    """The questions that read in the folder of a file (in the file, where it is no artefact's), and one more."""
    folder = file.rpartition("/")[0] if file.count("/") == 3 else file
    reading = [name for name, files in bench.readers.items() if any(one.startswith(folder) for one in files)]
    others = [name for name in bench.questions if name not in (*reading, "measured")]
    return reading + rng.sample(others, min(len(others), 1 if reading else 2))


def _damage(world: Path, file: Path, kind: str, rng: random.Random) -> tuple[str, list[str]]:
    """Damage it, its folder, or it and another: what was done, and the paths within the world that it was done to."""
    folder, touched = file.parent, [file]
    if kind == UNSEEN:
        return flip_unseen(file, rng), [file.relative_to(world).as_posix()]
    if rng.randrange(WHOLE) == 0 and kind not in OUTSIDE and folder.parent != world:
        how = rng.randrange(3) if (folder / "manifest.json").is_file() else 2
        touched = sorted(folder.parent.glob("*")) if how == 0 else [folder]
        said = folder_swapped(folder, rng) if how == 0 else file_instead(folder) if how == 1 else folder_gone(folder)
    elif rng.randrange(SWAP) == 0 and kind not in OUTSIDE:
        touched = sorted(path for path in world.glob(KINDS[kind]) if path.is_file())
        said = swapped(file, touched, rng)
    elif kind in ("manifests", "stamps of artefacts", "stamps", "history") and rng.randrange(2):
        said = garbage(file, rng)
    else:
        ways = [one for one in WAYS if kind not in OUTSIDE or one != "a folder instead"]
        ways = [one for one in ways if one not in FINE or kind not in ("origins", "kept premises")]
        said = WAYS[rng.choices(ways, [WAYS[one][1] for one in ways])[0]][0](file, rng)
    return said, [path.relative_to(world).as_posix() for path in touched]
