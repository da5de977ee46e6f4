"""What counts as an answer: its JSON, but for times, run ids and how it came about. And what as a clear error."""

from __future__ import annotations

import json
import re
from typing import Any

from faults.process import Done

_BESIDE = re.compile(
    r"(.*_)?(ms|seconds|run_id|logged_as|notices|bytes|written|imported_at|unjudged_notices|artefacts|usage|versions)(_.*)?"
)
_COUNTS = frozenset(("encoded", "analysed", "made", "kept", "tokens_per_query", "where", "folder", "built", "fresh"))
"""How much was known before hangs on what a killed build had done."""
_SAYS_AGAIN = re.compile(r"\b(again|encoded|analysed|not kept|not logged)\b")


_TOLD = re.compile(r'note: |error: |\{"error": |[\d,]+ of [\d,]+ .* in [\d.]+ (s|min)\b|$')
"""What may stand on stderr: notices, an error's line, and where it takes long how far it is."""


def answer(done: Done) -> str:
    """A clean answer in one form; "" where there is none."""
    if done.status not in (0, 1):
        return ""
    try:
        return f"{done.status} {json.dumps(_plain(json.loads(done.out)), sort_keys=True)}"
    except ValueError:
        return ""


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if not _BESIDE.fullmatch(k) and k not in _COUNTS}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def apart(found: str, right: str) -> str:
    """Where two answers part, for whoever looks into a defect."""
    at = next((i for i, (a, b) in enumerate(zip(found, right, strict=False)) if a != b), min(len(found), len(right)))
    return f"…{found[max(0, at - 60) : at + 60]}… instead of …{right[max(0, at - 60) : at + 60]}…"


def clear_error(done: Done) -> str:
    """The message of an error that is one clear line and status 2; "" for anything else."""
    *before, last = done.err.splitlines() or [""]
    if done.status != 2 or done.out or not all(_TOLD.match(line) for line in before):
        return ""
    try:
        error = json.loads(last)["error"]
        good = error["message"] and error["next_step"] and "\n" not in error["message"]
        return str(error["message"]) if good else ""
    except (ValueError, LookupError, TypeError):
        return ""


def announced(done: Done) -> bool:
    """Whether a command says that something had to be done again, or could not be kept."""
    return bool(_SAYS_AGAIN.search(done.err))


def wrong(done: Done) -> str:
    """What is wrong with how a command ended, whatever it was to say; "" for nothing."""
    if done.hung:
        return f"no end after {done.seconds:.0f} s"
    if "Traceback" in done.err or "Exception ignored" in done.err:
        return "a traceback: " + done.err.strip().splitlines()[-1][:200]
    noise = [line for line in done.err.splitlines() if not _TOLD.match(line)]
    if noise:
        return f"on stderr: {noise[0][:200]}"
    if done.status not in (0, 1, 2):
        return f"status {done.status}: {done.err.strip()[:200]}"
    return ""
