"""The header Retry-After (RFC 9110, section 10.2.3): seconds, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime

MOST = 1e9
"""Seconds; who asks for longer does not mean it."""


def retry_after(value: str, now: datetime | None = None) -> float | None:
    """Seconds from now; None where the value is neither, or a date without a zone."""
    from email.utils import parsedate_to_datetime

    value = value.strip()
    if re.fullmatch(r"\d+(\.\d+)?", value, re.ASCII):
        return min(float(value), MOST)
    try:
        return max(0.0, (parsedate_to_datetime(value) - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
