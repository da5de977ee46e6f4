"""The template filled in. Whatever comes from data is cleaned and escaped here, wherever the template puts it."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from strata.reporting.words import plain


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("strata.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _final(value: Any) -> Any:
    """Every text that an expression gives, but markup that was made here."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(**values: Any) -> str:
    """The page of these values (see templates/page.html.j2)."""
    return _environment().get_template("page.html.j2").render(values) + "\n"
