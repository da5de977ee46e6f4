"""One JSON file a search: what was asked, what each step held, what it ran on. Written whole or not at all."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata import __version__
from strata.errors import StrataError
from strata.files import dumped, write_atomically

if TYPE_CHECKING:
    from strata.core.picture import Picture
    from strata.pipeline.trace import Trace
    from strata.pipeline.workspace import Workspace

FORMAT = 1
SECOND = len("20261130T110257")
"""Characters of a run_id that tell when it began; the others are chance."""
_LOG = re.compile(r"\d{8}T\d{6}-[0-9a-f]{6}\.json", re.ASCII)
LOGGED = 1000
"""Hits of each list that a run log keeps: more than any list of the bundled plans holds."""


def versions() -> dict[str, str]:
    """What the figures of a run may depend on: Python, Strata, and the libraries that this run loaded."""
    found = {"strata": __version__, "python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("numpy", "tokenizers", "onnxruntime", "PIL", "sentence_transformers", "torch"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return found


def entry(trace: Trace, ws: Workspace, command: str, preset: str, said: Sequence[str] = ()) -> dict[str, Any]:
    """A run as its log holds it: enough to read it, to compare it and to run it again. said: notices beside the run's.

    What is asked comes before the lists, so that a reader who looks for a query need not read those. A catalogue that
    no name finds again is there with its path, and so is a picture.
    """
    run = trace.to_json(candidates=LOGGED)
    source = trace.corpus.source
    return {
        "format": FORMAT,
        "command": command,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **run,
        "query": _found_again(run["query"], trace.query.picture),
        "dataset": run["dataset"] | ({} if source.known else {"path": str(source.path)}),
        **_answer(trace),
        "notices": [*run["notices"], *said],
        "preset": preset,
        "artefacts": dict(ws.opened),
        **({"calls": list(ws.calls)} if ws.calls else {}),
        "versions": versions(),
    }


def _found_again(query: dict[str, Any], picture: Picture | None) -> dict[str, Any]:
    if picture is None:
        return query
    return query | {"picture": query["picture"] | {"path": os.path.abspath(picture.path) if picture.path else ""}}


def _answer(trace: Trace) -> dict[str, Any]:
    from strata.answer.report import to_json

    step = next((step for step in trace.steps if step.slot == "answer"), None)
    if step is None:
        return {}
    head = {"layer": step.label, "ms": round(step.ms, 3)}
    if step.failed:
        return {"answer": {**head, "failed": {"kind": step.failed.kind, "message": step.failed.message}}}
    return {"answer": head | to_json(step.output, trace.corpus, step.facts, step.usage)}


def write(folder: Path, entry: dict[str, Any]) -> Path:
    """Write a log under its run_id; returns the file."""
    path = folder / f"{entry['run_id']}.json"
    write_atomically(path, dumped(entry, allow_nan=False).encode())
    return path


def prune(folder: Path, keep: int) -> int:
    """Remove all but the newest `keep` run logs and nothing else; returns how many went. Their names tell the second,
    within it their times. What another process removed meanwhile is no matter."""
    names = sorted(name for name in os.listdir(folder) if _LOG.fullmatch(name))
    count = max(0, len(names) - keep)
    second = names[count - 1][:SECOND] if count else ""
    before = [name for name in names if name[:SECOND] < second]
    at_once = [name for name in names if name[:SECOND] == second]
    old = before + sorted(at_once, key=lambda name: _written(folder / name))[: count - len(before)]
    for name in old:
        (folder / name).unlink(missing_ok=True)
    return len(old)


def _written(path: Path) -> int:
    """Nanoseconds; 0 for a file that is gone."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def try_write(folder: Path, entry: dict[str, Any], keep: int = 0) -> str:
    """As `write`, but a search is not lost because its log cannot be written: returns the notice to show, or "". keep:
    how many logs may stay (0: all)."""
    try:
        write(folder, entry)
        if keep:
            with suppress(OSError):  # the folder may be one that only takes files; the run is logged all the same
                prune(folder, keep)
    except StrataError as error:
        return f"this run was not logged: {error.message}; --no-log turns logging off"
    return ""
