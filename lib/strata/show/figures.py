"""Figures as tables, pages and sentences write them."""

from __future__ import annotations

from collections.abc import Mapping


def figure(value: float, places: int = 3) -> str:
    """.412, 1.000: without the 0 in front."""
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("0.") else text.replace("-0.", "−.")


def signed(value: float) -> str:
    """A difference: +.023, −.006, =."""
    text = figure(abs(value))
    return "=" if text == ".000" else ("+" if value > 0 else "−") + text


def p_value(p: float) -> str:
    """.76, .028, < .001."""
    return "< .001" if p < 0.001 else figure(p, 2 if p >= 0.1 else 3)


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 query", "63 queries"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def tokens(usage: Mapping[str, float]) -> str:
    """What a step asked of a language model, in and out: "40 + 9 tokens"."""
    return f"{usage.get('prompt_tokens', 0):.0f} + {usage.get('completion_tokens', 0):.0f} tokens"
