"""What must not be lost: a user's files, imported catalogues, run logs, what evaluations kept, artefacts.

A file may be as it was or as the undisturbed command leaves it, and nothing between. What Strata was writing when it
was killed has a name of its own, ".….tmp", and is no file of anybody's; it is counted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults.answers import wrong
from faults.process import Command, run
from faults.world import Places

KEPT = ("cache/pair_scores", "cache/replies")
_ASIDE = re.compile(r"(data/strata/catalogues/)\.([\w-]+)\.\w{8}\.former\.tmp(?=/)")
"""Of an import that was killed between its two renames: the former catalogue, which is used where it stands."""
TIMES = ("imported", "updated", "written", "recorded")
DOCTOR = Command("strata", ("doctor", "--verify"))
LIST = Command("experiment_cli", ("list", "--limit", "1000"))


@dataclass(frozen=True)
class State:
    """What a world holds, by path within it. files: a user's, and what stands for them. logs: bytes. kept: entries of
    scores and replies. artefacts: KIND/NAME. rubbish: bytes that killed writers left."""

    files: dict[str, str] = field(default_factory=dict)
    logs: dict[str, bytes] = field(default_factory=dict)
    kept: dict[str, frozenset[str]] = field(default_factory=dict)
    artefacts: frozenset[str] = frozenset()
    rubbish: int = 0


def state(world: Path) -> State:
    files, logs, kept, rubbish = {}, {}, {}, 0
    for path in sorted(p for p in world.rglob("*") if p.is_file()):
        name = path.relative_to(world).as_posix()
        aside = _ASIDE.match(name)
        if aside and not (world / aside[1] / aside[2]).exists():
            files[_ASIDE.sub(r"\1\2", name)] = _said(path)
        elif ".tmp" in name:
            rubbish += path.stat().st_size
        elif name.startswith("logs/"):
            logs[name] = path.read_bytes()
        elif name.startswith(KEPT):
            if path.suffix == ".json":
                kept[name] = _entries(path.read_bytes())
        elif not name.startswith(("cache/", "matplotlib/")) and not name.endswith("lock"):
            files[name] = _said(path)
    there = [m.parent for m in world.glob("cache/*/*/manifest.json") if not m.parent.name.endswith(".tmp")]
    return State(files, logs, kept, frozenset(f"{f.parent.name}/{f.name}" for f in there), rubbish)


def _said(path: Path) -> str:
    """A file without the time that is written into it. A report has many: whether it is whole."""
    data = path.read_bytes()
    if path.suffix == ".html":
        return "whole" if data.rstrip().endswith(b"</html>") else f"torn at {len(data)}"
    if path.suffix == ".json":
        try:
            value = json.loads(data)
            return json.dumps({k: v for k, v in value.items() if k not in TIMES} if isinstance(value, dict) else value)
        except ValueError:
            return f"no JSON, {len(data)} bytes"
    return hashlib.sha256(data).hexdigest()


def _entries(data: bytes) -> frozenset[str]:
    """What a file of scores or a reply holds, each entry for itself. Empty where it cannot be read."""
    try:
        value: Any = json.loads(data)
        scores = value.get("scores")
        pairs = [value["reply"]["text"]] if scores is None else [f"{key} {score[0]!r}" for key, score in scores.items()]
        return frozenset(pairs)
    except (ValueError, LookupError, TypeError, AttributeError):
        return frozenset()


def lost(now: State, before: State, after: State | None = None, *, spared: Collection[str] = ()) -> list[str]:
    """What is gone or torn. after: what the undisturbed command leaves. spared: what was damaged on purpose."""
    after = after or before
    found = []
    for name in sorted({*now.files, *before.files, *after.files}):
        if now.files.get(name) not in (before.files.get(name), after.files.get(name)) and not _is_spared(name, spared):
            found.append(f"{name} is neither as it was nor as it was to be: {now.files.get(name, 'gone')[:80]}")
    changed = [name for name, data in before.logs.items() if now.logs.get(name) != data]
    found += [f"{name} changed" for name in changed if not _is_spared(name, spared)]
    torn = [name for name in now.logs.keys() - before.logs.keys() if not _is_json(now.logs[name])]
    found += [f"{name} is torn" for name in torn]
    for name, entries in before.kept.items():
        missing = entries - now.kept.get(name, frozenset())
        if missing and not _is_spared(name, spared) and name in after.kept:
            found.append(f"{name} lost {len(missing)} of its {len(entries)} entries")
    gone = before.artefacts & after.artefacts - now.artefacts
    found += [f"the artefact {name} is gone" for name in sorted(gone) if not _is_spared(f"cache/{name}", spared)]
    return found


def _is_spared(name: str, spared: Collection[str]) -> bool:
    """Whether a file, or an artefact (by the beginning of its path), is one of them, in one, or holds one."""
    return any(name.startswith(f"{path}/") or f"{path}/".startswith((f"{name}/", name)) for path in spared)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
        return True
    except ValueError:
        return False


def unsound(places: Places, *, spared: Collection[str] = (), asked: bool = True) -> list[str]:
    """Artefacts and run logs that are damaged, but for what was damaged on purpose. asked: `strata doctor --verify` and
    `experiment_cli list` say so; else the function behind the former."""
    if not asked:
        from strata.storage import artefact_folders, damage

        world = places.world
        folders = artefact_folders(world / "cache")
        bad = {f.relative_to(world).as_posix(): why for f in folders if (why := damage(f, verify=True))}
        return [f"{name} {why}" for name, why in bad.items() if not _is_spared(name, spared)]
    doctor, listed = run(DOCTOR, places), run(LIST, places)
    for done in (doctor, listed):
        if done.status or wrong(done):
            return [f"{done.command}: status {done.status}: {wrong(done) or done.err[-200:]}"]
    rows = json.loads(doctor.out)["artefacts"]
    bad = {f"cache/{r['kind']}/{r['name']}": r["state"] for r in rows if not r["state"].startswith("sound")}
    bad |= {f"logs/{row['file']}": row["why"] for row in json.loads(listed.out)["unreadable"]}
    return [f"{name} {why}" for name, why in bad.items() if not _is_spared(name, spared)]
