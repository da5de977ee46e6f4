"""Rights taken away: read-only and unreadable folders and files, in the cache and beside it. Then they are given back.

Root may do anything whatever modes say, so where the harness runs as root a command gives up its rights and goes on as
nobody (uid 65534), whose world it is then.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

from faults.answers import answer, clear_error, wrong
from faults.bench import ANY, Bench
from faults.commands import SEARCHES
from faults.losses import lost, state, unsound
from faults.process import run
from faults.strikes import NOBODY, as_nobody
from faults.trial import Trial
from faults.world import lay_out

SHUT, READ = "unreadable", "read-only"
CACHE = ("documents", "premises", "keyword_index", "document_vectors", "chunk_vectors", "document_vectors_parts",
         "stamps", "history", "pair_scores", "replies")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """what, how: globs within the world that become unreadable or read-only. builders: what is tried beside the
    questions that read there. start: as in world.START."""

    what: tuple[str, ...]
    how: str
    builders: tuple[str, ...] = ()
    start: str = "full"

    def __str__(self) -> str:
        return f"{self.what[0]} {self.how}{'' if self.start == 'full' else f', {self.start}'}"


def _cases() -> list[Case]:
    build = ("build", "embed_chunks", "evaluate")
    mine = "data/strata/catalogues/mine"
    found = [
        Case(("cache", "cache/**/*"), READ, build), Case(("cache", "cache/**/*"), READ, build, "edited"),
        Case(("cache",), READ, build, "cold"), Case(("cache",), SHUT, build),
        Case(("logs", "logs/*"), READ, ("a logged search", "replay --log")), Case(("logs",), SHUT, ("replay --log",)),
        Case(("logs/*.json",), SHUT, ("a logged search", "replay --log")),
        Case(("films.json",), SHUT, build), Case(("golden.json",), SHUT, ("evaluate", "check --merge")),
        Case(("plan.toml",), SHUT), Case(("graded.jsonl",), SHUT, ("check --merge",)),
        Case((".",), READ, ("check --merge",)), Case(("second.json",), SHUT, ("import --replace",)),
        Case(("config/strata/strata.json",), SHUT, ("first use",)), Case(("config/strata",), READ, ("use",)),
        Case(("config/strata",), SHUT, ("use",)), Case(("config",), SHUT, ("use",)),
        Case(("data/strata/catalogues",), READ, ("import --replace", "import --update", "fetch")),
        Case(("data/strata/catalogues",), SHUT, ("import --replace", "fetch")),
        Case((mine, f"{mine}/*"), READ, ("import --update",)), Case((f"{mine}/*",), SHUT, ("import --update",)),
        Case((mine,), SHUT, ("import --update", "import --replace")), Case((f"{mine}/origin.json",), SHUT),
        Case(("data/strata/premises",), READ, ("enrich",)), Case(("data/strata/premises",), SHUT, ("enrich",)),
        Case(("data/strata/premises/*.json",), SHUT, ("enrich",)),
        Case(("out",), READ, ("trec", "pool")), Case(("out",), SHUT, ("trec", "pool")),
        Case(("out/pool.jsonl",), SHUT, ("pool",)),
        Case(("cache/*/*/manifest.json",), SHUT, build), Case(("cache/*/*/stamps.json",), SHUT, build),
        Case(("cache/**/*lock",), SHUT, build, "edited"), Case(("cache/**/*lock",), READ, build, "edited"),
    ]  # fmt: skip
    for kind in CACHE:
        start = "edited" if kind in ("document_vectors_parts", "history") else "full"
        found += [
            Case((f"cache/{kind}/*", f"cache/{kind}/*/*"), SHUT, ("evaluate",), start),
            Case((f"cache/{kind}",), SHUT, ("evaluate",), start),
            Case((f"cache/{kind}",), READ, (), "edited"),
        ]
    return found


CASES = _cases()


def take(bench: Bench, trial: Trial) -> None:
    """One case, then what must hold in it, and after it."""
    order = random.Random(trial.seed).sample(CASES, len(CASES))
    case, places = order[trial.number % len(CASES)], bench.places
    clean = bench.answers["edited" if case.start == "edited" else "full"]
    asked = _asked(bench, case)
    files = {name for builder in case.builders for name in bench.clean(bench.builder(builder)).after.files}
    world = lay_out(places, case.start, linked=False)
    trial.what, trial.group = str(case), case.how
    trial.what += f" (as uid {NOBODY})" if os.geteuid() == 0 else ""
    _give_to_nobody(world)
    before = state(world)
    touched = {path: path.stat().st_mode for glob in case.what for path in _found(world, glob)}
    for path, mode in sorted(touched.items(), key=lambda pair: -len(pair[0].parts)):
        path.chmod(0 if case.how == SHUT else mode & ~0o222)
    try:
        done = {name: run(bench.questions[name], places, as_nobody) for name in asked}
        right = {name: {ANY if name == "catalogues" else clean[name]} for name in asked}  # it says what is damaged
        bench.hold(trial, str(case), done, right, errors=True)
        for name in case.builders:
            one = run(bench.builder(name).command, places, as_nobody)
            if wrong(one) or not (answer(one) or clear_error(one)):
                trial.defects.append(f"{name}: status {one.status} {wrong(one) or repr(one.err[-300:])}")
            elif not answer(one):
                trial.errors.append(f"{name}: {clear_error(one)}")
    finally:
        for path, mode in sorted(touched.items(), key=lambda pair: len(pair[0].parts)):
            if path.exists():
                path.chmod(mode)
    after = state(world)
    trial.problem("afterwards", [one for one in lost(after, before) if one.split()[0] not in files])
    trial.problem("afterwards", unsound(places, asked=False))
    if after.files == before.files:
        done = {name: run(bench.questions[name], places, as_nobody) for name in asked}
        bench.hold(trial, "rights given back", done, {name: {clean[name]} for name in asked}, errors=False)


def _found(world: Path, glob: str) -> list[Path]:
    return [world] if glob == "." else sorted(world.glob(glob))


def _asked(bench: Bench, case: Case) -> list[str]:
    """The questions that read there; where something has to be built, those that build."""
    begins = [glob.partition("*")[0].rstrip("/") for glob in case.what]
    reading = [name for name, files in bench.readers.items() if any(f.startswith(b) for f in files for b in begins)]
    found = [name for name in reading if name != "measured" or "evaluate" in case.builders]
    return [*SEARCHES, "premises"] if case.start == "edited" else found or ["keyword", "chosen"]


def _give_to_nobody(world: Path) -> None:
    if os.geteuid() == 0:
        for path in [world, *world.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
