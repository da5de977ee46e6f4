"""What a run leaves: every step with what it gave and cost. All views, logs and figures are read from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from strata.core.types import Answer, Passage, Plan, Query, Ranking
from strata.errors import ProviderError
from strata.pipeline import plan as plans

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
    def label(self) -> str:
        """What the step is called in this run: a list by its own name (labels.py), else its layer's."""
        name: str = self.output.name if self.slot == "retrieve" else self.layer.name
        return name


@dataclass(frozen=True)
class Placed:
    """Where one list put a document; `family` is "keyword" or "semantic"."""

    family: str
    name: str
    rank: int
    score: float


@dataclass(frozen=True)
class Result:
    """One result. placed: one entry for each retrieved list that holds the document."""

    rank: int
    doc: int
    score: float
    placed: tuple[Placed, ...]
    passage: Passage | None
    reranked: float | None = None

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

    @property
    def final(self) -> Ranking:
        ranking: Ranking = self.rankings[-1].output
        return ranking

    @property
    def answer(self) -> Answer | None:
        return next((s.output for s in self.steps if s.slot == "answer"), None)

    @property
    def notices(self) -> list[str]:
        return [text for step in self.steps for text in step.notices]

    @property
    def ms(self) -> float:
        return sum(step.ms for step in self.steps)

    def path(self, doc: int) -> list[int | None]:
        """A document's rank in each ranking of the run, in order; None where it is not in the list."""
        return [step.output.place(doc) for step in self.rankings]

    def results(self, limit: int | None = None) -> list[Result]:
        """The first `limit` (default: the plan's) documents of the last ranking, each with where it came from."""
        limit = self.plan.limit if limit is None else limit
        reranked = self.rankings[-1].slot == "rerank"
        found = []
        for i, doc in enumerate(self.final.docs[:limit].tolist()):
            score = float(self.final.scores[i])
            found.append(Result(i + 1, doc, score, self._placed(doc), self.passage(doc), score if reranked else None))
        return found

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
        count = self.plan.limit if candidates is None else candidates
        return {
            "run_id": self.run_id,
            "dataset": {
                "name": self.corpus.name,
                "documents": len(self.corpus),
                "fingerprint": self.corpus.fingerprint,
            },
            "query": {
                "original": self.query.text,
                "used": self.used.text,
                **({"variants": list(self.used.variants)} if self.used.variants else {}),
                **({} if self.query.like is None else {"like": self.corpus.id(self.query.like)}),
            },
            "plan": plans.to_dict(self.plan),
            "layers": [self._layer(step, count) for step in self.rankings],
            "results": [self._result(result) for result in self.results()],
            "notices": self.notices,
        }

    def _layer(self, step: Step, count: int) -> dict[str, Any]:
        ranking: Ranking = step.output
        pairs = zip(ranking.docs[:count].tolist(), ranking.scores[:count].tolist(), strict=True)
        hits = [{"rank": i, **self._named(doc), "score": score} for i, (doc, score) in enumerate(pairs, start=1)]
        head = {"layer": step.label, "slot": step.slot, "ms": round(step.ms, 3), "matched": ranking.matched}
        return {**head, "usage": {name: round(n, 3) for name, n in step.usage.items()}, "hits": hits}

    def _named(self, doc: int) -> dict[str, Any]:
        return {"id": self.corpus.id(doc), "title": self.corpus.title(doc)}

    def _result(self, result: Result) -> dict[str, Any]:
        def place(family: str) -> dict[str, Any] | None:
            placed = result.by(family)
            return {"rank": placed.rank, "score": placed.score} if placed else None

        fuse = self.plan.fuse
        parts = fuse.explain([step.output for step in self.lists], result.doc).parts if fuse else ()
        normalised = {part.label: part.facts.get("normalised") for part in parts}
        return {
            "rank": result.rank,
            **self._named(result.doc),
            "score": result.score,
            "keyword": place("keyword"),
            "semantic": place("semantic"),
            "rerank": None if result.reranked is None else {"rank": result.rank, "score": result.reranked},
            "passage": result.passage.text if result.passage else None,
            "lists": [self._in_list(step, result.doc, normalised.get(step.label)) for step in self.lists],
        }

    def _in_list(self, step: Step, doc: int, normalised: float | None) -> dict[str, Any]:
        """Rank and score are null where the list does not hold the document."""
        rank = step.output.place(doc)
        score = None if rank is None else float(step.output.scores[rank - 1])
        scaled = {} if normalised is None else {"normalised": normalised}
        return {"layer": step.label, "rank": rank, "score": score, **scaled}
