"""Every citation of an answer checked against the source that it names.

A citation is absent where no source has its number; else supported or not, as the judge finds (judge.py). A claim that
names several sources may be held up by them together: each of its clauses by one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strata.answer.citable import MOST
from strata.answer.cite import Statement, statements
from strata.answer.judge import Judge, Verdict
from strata.core.types import Answer, Citation, Claim, Passage
from strata.errors import UsageError
from strata.printable import plain

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

ABSENT, UNSUPPORTED, SUPPORTED, UNCITED = "absent", "unsupported", "supported", "uncited"


def checked(text: str, sources: Sequence[Passage], ws: Workspace) -> Answer:
    """Any answer, wherever it comes from, checked against the sources 1, 2, … (each passage stands for its document).

    UsageError for one without a word.
    """
    text = read(text, ws)
    if not any(c.isalnum() for c in text):
        raise UsageError("the answer is empty", "give the text of an answer, in quotes")
    docs = tuple(passage.doc for passage in sources)
    return Answer("check", text, claims(statements(text, len(docs)), docs, ws), sources=docs)


def read(text: str, ws: Workspace) -> str:
    """An answer as it may be drawn, cut where it is far too long, which is announced."""
    text = plain(text).strip()
    if len(text) > MOST:
        ws.note(f"the answer has {len(text):,} characters: what comes after the first {MOST:,} is left out")
        text = text[:MOST].rsplit(maxsplit=1)[0]
    return text


def claims(found: Iterable[Statement], docs: Sequence[int], ws: Workspace) -> tuple[Claim, ...]:
    """What was stated, with the status of each citation. docs: the documents behind the numbers 1, 2, …"""
    judge = Judge(ws)
    return tuple(_claim(statement, docs, judge) for statement in found)


@dataclass(frozen=True)
class _Sources:
    """What each source that exists says to each clause of a claim."""

    verdicts: dict[int, list[Verdict]]

    @property
    def together(self) -> bool:
        """Whether each clause is held up by one of them."""
        return all(any(v.holds for v in column) for column in zip(*self.verdicts.values(), strict=True))


def _claim(statement: Statement, docs: Sequence[int], judge: Judge) -> Claim:
    if not statement.numbers:
        return Claim(statement.text, (), UNCITED)
    given = [number for number in statement.numbers if 1 <= number <= len(docs)]
    cited = [docs[number - 1] for number in given]
    parts = judge.parts(statement.text, cited)
    said = _Sources(
        {n: judge.verdicts(statement.text, parts, docs[n - 1], f"source {n}", cited) for n in given}
        if statement.text
        else {}
    )
    found = tuple(_citation(number, statement.text, docs, said) for number in statement.numbers)
    worst = next((c for status in (UNSUPPORTED, ABSENT) for c in found if c.status == status), found[0])
    return Claim(statement.text, statement.numbers, worst.status, worst.evidence, found)


def _citation(number: int, claim: str, docs: Sequence[int], said: _Sources) -> Citation:
    if not 1 <= number <= len(docs):
        return Citation(number, None, ABSENT, claim, None, _given(len(docs)))
    doc, verdicts = docs[number - 1], said.verdicts.get(number, [])
    if not verdicts:
        return Citation(number, doc, UNSUPPORTED, claim, 0.0, "it is cited for nothing")
    held = [verdict for verdict in verdicts if verdict.holds]
    if len(held) == len(verdicts) or (held and said.together):
        score, evidence = min(v.score for v in held), max(held, key=lambda v: v.score).evidence
        return Citation(number, doc, SUPPORTED, claim, score, evidence)
    wrong = next(verdict for verdict in verdicts if not verdict.holds)
    return Citation(number, doc, UNSUPPORTED, claim, min(v.score for v in verdicts), wrong.why)


def _given(count: int) -> str:
    return "no source was given" if not count else f"only {count} source{'s were' if count > 1 else ' was'} given"
