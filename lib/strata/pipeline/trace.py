"""What a run leaves: every step with what it gave and cost. All views, logs and figures are read from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strata.core.types import Answer, Part, Passage, Plan, Query, Ranking
from strata.errors import ProviderError

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


@dataclass(frozen=True)
class Step:
    """slot: enhance, retrieve, fuse, rerank or answer. ms: wall time. usage: parts of it, tokens, calls.
    failed: the provider's error when the step's input was left standing. facts: what the layer has to say of how it was
    done: by_rule, provider, model, a why for each result …"""

    slot: str
    layer: Any
    output: Any
    ms: float
    usage: dict[str, float]
    notices: tuple[str, ...] = ()
    failed: ProviderError | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def searched(self) -> bool:
        """Whether a list was looked for at all: one may be meant for queries in another language."""
        return "not_searched" not in self.facts

    @property
    def full_ms(self) -> float:
        """The time that the step takes where nothing is remembered: `remembered_ms` is what a memory saved."""
        return self.ms + self.usage.get("remembered_ms", 0.0)

    @property
    def label(self) -> str:
        """What the step is called in this run: a list by its own name (labels.py), else its layer's."""
        name: str = self.output.name if self.slot == "retrieve" else self.layer.name
        return name


@dataclass(frozen=True)
class Placed:
    """Where one list put a document; family: as a Ranking has it."""

    family: str
    name: str
    rank: int
    score: float


@dataclass(frozen=True)
class Result:
    """One result. placed: one entry for each retrieved list that holds the document. fused: rank and score in the fused
    list; parts: that score as a sum, one a list that holds the document. reranked: the reranker's score, None for what
    it did not read; why: its reason, where it gives one."""

    rank: int
    doc: int
    score: float
    placed: tuple[Placed, ...]
    passage: Passage | None
    fused: tuple[int, float] | None = None
    parts: tuple[Part, ...] = ()
    reranked: float | None = None
    why: str = ""

    def by(self, family: str) -> Placed | None:
        return next((p for p in self.placed if p.family == family), None)


@dataclass(frozen=True)
class Trace:
    run_id: str
    plan: Plan
    corpus: Corpus
    query: Query
    used: Query
    steps: tuple[Step, ...]

    @property
    def lists(self) -> list[Step]:
        """The retrieve steps, in order."""
        return [step for step in self.steps if step.slot == "retrieve"]

    @property
    def rankings(self) -> list[Step]:
        """Every step whose output is a ranking, in order."""
        return [step for step in self.steps if isinstance(step.output, Ranking)]

    def step(self, slot: str) -> Step | None:
        """The step of a slot, where the plan fills it and it did not fail."""
        return next((step for step in self.steps if step.slot == slot and step.failed is None), None)

    @cached_property
    def final(self) -> Ranking:
        """What the run came to: its last list, and behind a reranker's the documents that it did not read."""
        last: Ranking = self.rankings[-1].output
        if self.step("rerank") is None:
            return last
        from strata.rerank.order import followed

        return followed(last, self.rankings[-2].output)

    @property
    def answer(self) -> Answer | None:
        return next((s.output for s in self.steps if s.slot == "answer"), None)

    @property
    def notices(self) -> list[str]:
        return [text for step in self.steps for text in step.notices]

    @property
    def ms(self) -> float:
        return sum(step.ms for step in self.steps)

    @property
    def full_ms(self) -> float:
        """As `ms`, and what was remembered counted as if it had been done."""
        return sum(step.full_ms for step in self.steps)

    def path(self, doc: int) -> list[int | None]:
        """A document's rank in each ranking of the run, in order; None where it is not in the list. A reranker's list
        holds what it read: where the others stand in the end, `final` says."""
        return [step.output.place(doc) for step in self.rankings]

    def results(self, limit: int | None = None) -> list[Result]:
        """The first `limit` (default: the plan's) documents of the run, each with where it came from."""
        docs = self.final.docs[: self.plan.limit if limit is None else limit].tolist()
        return [self._result(rank, doc) for rank, doc in enumerate(docs, start=1)]

    def result(self, doc: int) -> Result | None:
        """What `results` says of one document, however far down; None where the run does not hold it."""
        rank = self.final.place(doc)
        return self._result(rank, doc) if rank else None

    def _result(self, rank: int, doc: int) -> Result:
        fused, reranked = self.step("fuse"), self.step("rerank")
        score = float(self.final.scores[rank - 1])
        place = fused.output.place(doc) if fused else None
        in_fused = (place, float(fused.output.scores[place - 1])) if fused and place else None
        parts = self.plan.fuse.explain([step.output for step in self.lists], doc).parts if self.plan.fuse else ()
        again = score if reranked and reranked.output.place(doc) else None
        why = str(reranked.facts.get("why", {}).get(doc, "")) if reranked else ""
        return Result(rank, doc, score, self._placed(doc), self.passage(doc), in_fused, parts, again, why)

    def _placed(self, doc: int) -> tuple[Placed, ...]:
        placed = []
        for step in self.lists:
            rank = step.output.place(doc)
            if rank is not None:
                placed.append(Placed(step.output.family, step.label, rank, float(step.output.scores[rank - 1])))
        return tuple(placed)

    def passage(self, doc: int) -> Passage | None:
        """The best passage that a retrieved list carries for a document, if one does: a part of it before the whole."""
        held = [s.output.passages[r - 1] for s in self.lists if s.output.passages and (r := s.output.place(doc))]
        whole = len(self.corpus.document(doc).text)
        return max(held, key=lambda p: (p.end - p.start < whole, p.score), default=None)

    def passages(self, limit: int) -> list[Passage]:
        """A passage for each of the first results; a document's whole text where no list carries one."""
        sources = []
        for doc in self.final.docs[:limit].tolist():
            text = self.corpus.document(doc).text
            sources.append(self.passage(doc) or Passage(doc, text, 0, len(text), 0.0))
        return sources

    def to_json(self, *, candidates: int | None = None) -> dict[str, Any]:
        """The run as cli.md fixes it. candidates: how many hits of each list are written (default: the limit)."""
        from strata.pipeline.export import to_json

        return to_json(self, self.plan.limit if candidates is None else candidates)
