"""Answers from a command line: search, answer, check every citation, and with --strict end by what the check finds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from strata.asked import Asked
from strata.common import Common
from strata.core.types import Answer
from strata.errors import CheckFailed
from strata.searching import Found, search


def answer(common: Common, asked: Asked, mode: str, text: str) -> None:
    """Run the plan with an answer of this mode at its end."""
    from strata.show.answer import view

    seen: list[Answer] = []

    def more(found: Found) -> dict[str, Any]:
        from strata.answer.report import to_json

        step = next(step for step in found.trace.steps if step.slot == "answer")
        made: Answer | None = step.output
        if made is None:
            return {"answer": None}
        seen.append(made)
        return {"answer": to_json(made, found.trace.corpus, step.facts, step.usage)}

    search(common, replace(asked, answer=mode), text, view, more=more)
    _strictly(asked, seen)


def check(common: Common, asked: Asked, text: str, pasted: str) -> None:
    """Check a pasted answer against the results for the query: source 1 is the first of them."""
    from strata.answer.check import checked
    from strata.answer.report import to_json
    from strata.show.answer import checked as view

    seen: list[Answer] = []

    def judged(found: Found) -> Answer:
        if not seen:
            seen.append(checked(pasted, found.trace.passages(found.trace.plan.limit), found.ws))
        return seen[0]

    search(
        common, asked, text, lambda found: view(found, judged(found)),
        more=lambda found: {"answer": to_json(judged(found), found.trace.corpus)},
    )  # fmt: skip
    _strictly(asked, seen)


def _strictly(asked: Asked, seen: list[Answer]) -> None:
    from strata.answer.report import verdict

    if asked.values.get("strict") and seen and seen[0].failed:
        raise CheckFailed(f"{verdict(seen[0])} (--strict)", "see the check under the answer")
