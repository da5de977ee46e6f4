"""The four answers: rag, summarize, citations, question. By a language model where there is one, else by rule.

Either way: the sources are numbered, what they have to say is measured, and below the threshold the answer is that they
do not hold one; a model is then not asked. Every citation of the answer is checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from strata.answer import asking, by_rule, suspicious
from strata.answer.evidence import ENOUGH, evidence
from strata.answer.extract import Sentence, sentences
from strata.answer.sources import Source, numbered
from strata.core.types import Answer, Passage, Query
from strata.errors import UsageError
from strata.registry import DEFAULT_ENCODER

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace

LEAST_TOKENS, MOST_TOKENS = 100, 100_000


@dataclass(frozen=True)
class _Mode:
    """min_evidence: from 0 (always answer) to 1; None: `ENOUGH`. tokens: what the sources may take together.

    encoder: whose chunks the passages are chosen by. The check has its own, since its thresholds belong to it.
    """

    min_evidence: float | None = None
    tokens: int = 1500
    encoder: str = DEFAULT_ENCODER

    mode: ClassVar[str]
    choice: ClassVar[by_rule.Choice]

    def __post_init__(self) -> None:
        least = self.min_evidence
        if least is not None and not (math.isfinite(least) and 0 <= least <= 1):
            raise UsageError(f"min-evidence must be from 0 to 1, not {least}", "0 answers whatever the sources hold")
        if not LEAST_TOKENS <= self.tokens <= MOST_TOKENS:
            raise UsageError(
                f"the sources may take from {LEAST_TOKENS} to {MOST_TOKENS:,} tokens, not {self.tokens}",
                f"the usual number is {_Mode.tokens}",
            )

    @property
    def name(self) -> str:
        return self.mode

    def __call__(self, q: Query, sources: Sequence[Passage], ws: Workspace) -> Answer:
        docs = tuple(passage.doc for passage in sources)
        given = numbered(q, docs, ws, self.tokens, self.encoder)
        self._warn(given, ws)
        found = sentences(q, given, ws, self.encoder)
        there = evidence(q, given, [one.cosine for one in found], ws)
        least = ENOUGH if self.min_evidence is None else self.min_evidence
        ws.report(by_rule=True, provider=None, model=None, evidence=there.score, min_evidence=least)
        if not given or there.score < least:
            text = by_rule.abstention(q, given, there, least)
            return Answer(self.mode, text, abstained=True, sources=docs, evidence=there.score)
        return self._answered(q, given, found, there.score, ws)

    def _answered(
        self, q: Query, sources: Sequence[Source], found: Sequence[Sentence], score: float, ws: Workspace
    ) -> Answer:
        docs = tuple(source.doc for source in sources)
        if ws.model:
            text, claims, abstained = asking.by_model(self.mode, q, sources, ws)
        else:
            text, claims, abstained = by_rule.by_rule(self.choice, q, sources, found, ws)
        return Answer(self.mode, text, claims, abstained, docs, score)

    def _warn(self, sources: Sequence[Source], ws: Workspace) -> None:
        odd = {s.number: signs for s in sources if (signs := suspicious.findings(f"{s.title}\n{s.facts}\n{s.raw}"))}
        if odd:
            ws.report(suspicious=list(odd))
        for number, signs in odd.items():
            ws.note(f"source {number} holds {', '.join(signs)}: it is treated as text and nothing else")


@dataclass(frozen=True)
class Rag(_Mode):
    """A few sentences across the sources."""

    mode: ClassVar[str] = "rag"
    choice: ClassVar[by_rule.Choice] = by_rule.Choice(most=4, a_source=2, least=0.6)


@dataclass(frozen=True)
class Summarize(_Mode):
    """What each source says to it."""

    mode: ClassVar[str] = "summarize"
    choice: ClassVar[by_rule.Choice] = by_rule.Choice(most=100, a_source=1, least=0.0, in_order=True)


@dataclass(frozen=True)
class Citations(_Mode):
    """One claim a sentence, each with its source."""

    mode: ClassVar[str] = "citations"
    choice: ClassVar[by_rule.Choice] = by_rule.Choice(most=8, a_source=1, least=0.5)


@dataclass(frozen=True)
class Question(_Mode):
    """The answer to a question, in one to three sentences."""

    mode: ClassVar[str] = "question"
    choice: ClassVar[by_rule.Choice] = by_rule.Choice(most=3, a_source=3, least=0.85)
