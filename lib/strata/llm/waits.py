"""How long a provider asks to wait: in a header, in a structured detail, or in words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from strata.retry_after import retry_after

_WORDS = re.compile(r"(?:try again|retry) in\s+((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)\s*)+)", re.I)
_DELAY = re.compile(r"retryDelay: ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|h|m|s)", re.I)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def asked_wait(headers: Mapping[str, str], text: str, now: datetime | None = None) -> float | None:
    """Seconds, from retry-after-ms, retry-after (seconds or a date), or, in the text, Gemini's retryDelay
    or "try again in 9m38.016s"."""
    low = {name.lower(): value.strip() for name, value in headers.items()}
    if re.fullmatch(r"\d{1,9}(\.\d+)?", low.get("retry-after-ms", "")):
        return float(low["retry-after-ms"]) / 1000
    if (wait := retry_after(low.get("retry-after", ""), now)) is not None:
        return wait
    match = _DELAY.search(text) or _WORDS.search(text)
    return sum(float(number) * _UNITS[unit.lower()] for number, unit in _PIECE.findall(match[1])) if match else None


def spoken(seconds: float) -> str:
    """A wait in words: 5.3 s, 4 min, 2 h."""
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
