"""One JSON file a search: what was asked, what each step held, what it ran on. Written whole or not at all."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from strata import __version__
from strata.errors import StrataError
from strata.files import write_atomically


def versions() -> dict[str, str]:
    """What the figures of a run may depend on: Python, Strata, and the libraries that this run loaded."""
    found = {"strata": __version__, "python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("numpy", "tokenizers", "sentence_transformers", "torch"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return found


def write(folder: Path, run: dict[str, Any], command: str) -> Path:
    """Write a run (as Trace.to_json gives it, with all candidates) under its run_id; returns the file."""
    entry = {
        "format": 1,
        "command": command,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **run,
        "versions": versions(),
    }
    path = folder / f"{run['run_id']}.json"
    write_atomically(path, json.dumps(entry, ensure_ascii=False, allow_nan=False).encode())
    return path


def try_write(folder: Path, run: dict[str, Any], command: str) -> str:
    """As `write`, but a search is not lost because its log cannot be written: returns the notice to show, or ""."""
    try:
        write(folder, run, command)
    except StrataError as error:
        return f"this run was not logged: {error.message}; --no-log turns logging off"
    return ""
