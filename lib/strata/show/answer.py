"""An answer drawn: its sources by number, the text and who wrote it, and the check of every citation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from strata.answer.report import verdict
from strata.core.types import Answer
from strata.show.figures import tokens
from strata.show.results import header, nothing
from strata.show.text import Block, between, clean, cut, line, width, wrapped
from strata.show.words import drawn

if TYPE_CHECKING:
    from strata.searching import Found

SIGNS = {"supported": "✓", "unsupported": "✗", "absent": "?"}
INDENT = " " * 9


def view(found: Found) -> Iterator[Block]:
    """Of a run whose plan ends with an answer; where that failed, the sources stand alone and the notice says why."""
    yield from head(found)
    yield from rest(found)


def head(found: Found) -> Iterator[Block]:
    """What is known before there is an answer: what ran, and the sources by number."""
    yield from header(found)
    yield from _sources(found, found.trace.final.docs[: found.trace.plan.limit].tolist())


def rest(found: Found, *, told: bool = False) -> Iterator[Block]:
    """The answer and its check. told: the text is on the terminal already."""
    step = next(step for step in found.trace.steps if step.slot == "answer")
    answer: Answer | None = step.output
    if answer is None:
        yield f"Answer   none: {clean(step.failed.message) if step.failed else 'the plan has none'}"
    else:
        if told:
            yield line((f"{INDENT}{tokens(step.usage)}", "dim"))
        else:
            yield line((f"Answer   {_who(answer, step.facts, step.usage)}", "bold"))
            yield from _text(answer)
        yield from _check(answer, step.facts)
    yield from drawn(found.words)


def checked(found: Found, answer: Answer) -> Iterator[Block]:
    """Of a pasted answer and what was retrieved to check it."""
    yield from header(found)
    yield from _sources(found, answer.sources)
    yield line(("Answer   as given", "bold"))
    yield from _text(answer)
    yield from _check(answer, {})


def _sources(found: Found, docs: Sequence[int]) -> Iterator[Block]:
    if not docs:
        yield nothing(found.trace)
        return
    corpus = found.trace.corpus
    named = []
    for number, doc in enumerate(docs, start=1):
        document = corpus.document(doc)
        year = f" {document.fields['year']}" if document.fields.get("year") else ""
        named.append(
            cut(f"[{number}] ({clean(str(document.id))}) {clean(document.title)}{year}", width() - len(INDENT))
        )
    yield from wrapped(between(named, "   "), width(), "Sources  ", INDENT)


def _who(answer: Answer, facts: dict[str, Any], usage: dict[str, float]) -> str:
    if facts.get("by_rule", True):
        return "none, by rule" if answer.abstained else "by rule: sentences of the sources"
    return clean(f"{facts.get('provider')} {facts.get('model')} · {tokens(usage)}")


def _text(answer: Answer) -> Iterator[Block]:
    for paragraph in answer.text.split("\n"):
        yield from wrapped(between(clean(paragraph).split(" "), " "), width(), "  ", "  ")


def _check(answer: Answer, facts: dict[str, Any]) -> Iterator[Block]:
    if answer.abstained:
        yield line((f"Check    abstained: {_abstained(answer, facts)}", "bold"))
    else:
        yield line((f"Check    {verdict(answer)}", "bold"))
    for citation in answer.citations:
        score = "" if citation.score is None else f" {citation.score:.2f}"
        lead = f"  {SIGNS[citation.status]} [{citation.number}] {citation.status}{score}  "
        yield cut(lead + clean(citation.evidence), width())
    for claim in answer.uncited:
        yield cut(f"  – uncited  {clean(claim.text)}", width())


def _abstained(answer: Answer, facts: dict[str, Any]) -> str:
    """Why there is no answer."""
    evidence = answer.evidence or 0.0
    if not facts.get("by_rule", True):
        return "the model says that the sources hold no answer"
    if not answer.sources:
        return "there are no sources"
    if evidence < facts.get("min_evidence", 1.0):
        return f"the sources hold too little ({evidence:.2f})"
    return "the sources have no sentence to repeat"
