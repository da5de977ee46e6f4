"""Answers from a command line: search, answer, check every citation, and with --strict end by what the check finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from strata.asked import Asked
from strata.common import Common
from strata.core.types import Answer
from strata.errors import CheckFailed
from strata.searching import Found, search
from strata.show.text import Block


def answer(common: Common, asked: Asked, mode: str, text: str) -> None:
    """Run the plan with an answer of this mode at its end. On a terminal a model's words are shown as they come."""
    from strata.answer.report import to_json
    from strata.show.answer import rest, view
    from strata.show.live import Live

    def more(found: Found) -> dict[str, Any]:
        step = next(step for step in found.trace.steps if step.slot == "answer")
        made: Answer | None = step.output
        return {"answer": None if made is None else to_json(made, found.trace.corpus, step.facts, step.usage)}

    live = Live(sys.stdout) if _on_a_terminal(common) else None

    def draw(found: Found) -> Iterator[Block]:
        if live is None or not live.opened:
            yield from view(found)
            return
        live.close()
        yield from rest(found, told=live.begun)

    found = search(common, replace(asked, puts={"answer": mode}), text, draw, more=more, live=live)
    _strictly(asked, found.trace.answer if found else None)


def _on_a_terminal(common: Common) -> bool:
    return sys.stdout.isatty() and not common.json


def check(common: Common, asked: Asked, text: str, pasted: str) -> None:
    """Check a pasted answer against the results for the query: source 1 is the first of them."""
    from strata.answer.check import checked
    from strata.answer.report import to_json
    from strata.show.answer import checked as view

    judged: list[Answer] = []  # by whichever of text and JSON is given out

    def judge(found: Found) -> Answer:
        judged.append(checked(pasted, found.trace.passages(found.trace.plan.limit), found.ws))
        return judged[0]

    search(
        common, asked, text, lambda found: view(found, judge(found)),
        more=lambda found: {"answer": to_json(judge(found), found.trace.corpus)},
    )  # fmt: skip
    _strictly(asked, judged[0] if judged else None)


def _strictly(asked: Asked, answer: Answer | None) -> None:
    from strata.answer.report import verdict

    if asked.values.get("strict") and answer and answer.failed:
        raise CheckFailed(f"{verdict(answer)} (--strict)", "see the check under the answer")
