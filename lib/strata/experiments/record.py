"""A run as its log holds it. Pure values; parsing.py makes them from a file's JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from strata.core.types import DocId
from strata.experiments.calls import Call


@dataclass(frozen=True)
class Hit:
    """A document in a list; its rank is its place + 1. passage: in a result that has one."""

    id: DocId
    title: str
    score: float
    passage: str = ""

    @property
    def key(self) -> str:
        """Ids are compared as strings."""
        return str(self.id)


@dataclass(frozen=True)
class How:
    """Who did a step: by rule, or a model of a provider; None where the step says nothing of it. failed: the error that
    left the step's input standing, as "kind: message", or ""."""

    by_rule: bool | None = None
    provider: str = ""
    model: str = ""
    failed: str = ""

    @property
    def words(self) -> str:
        """ "by rule", "groq, gpt-oss", "failed (kind: message)", or "" where there is nothing to say."""
        return f"failed ({self.failed})" if self.failed else self.brief

    @property
    def brief(self) -> str:
        """The same, of a failure its kind only: how a message is worded makes no difference between two runs."""
        if self.failed:
            return f"failed ({self.failed.partition(':')[0]})"
        return "by rule" if self.by_rule else ", ".join(filter(None, (self.provider, self.model)))


@dataclass(frozen=True)
class Listed:
    """One list of a run. label: unique in the run. matched: how many documents the layer matched. there: how many there
    were before the list was cut, by its depth, a reranker's candidates, the limit or the log."""

    label: str
    slot: str
    ms: float
    matched: int
    there: int
    hits: tuple[Hit, ...]
    how: How = How()

    @property
    def cut(self) -> bool:
        return len(self.hits) < self.there


@dataclass(frozen=True)
class Enhanced:
    layer: str
    ms: float
    how: How


@dataclass(frozen=True)
class Answered:
    """citations: (number, id or None, status) in the order of the text. evidence: 0 to 1, None where not measured."""

    layer: str
    ms: float
    how: How
    text: str
    abstained: bool
    evidence: float | None
    citations: tuple[tuple[int, DocId | None, str], ...]


@dataclass(frozen=True)
class Dataset:
    """path: where it was, "" for one that its name finds again."""

    name: str
    documents: int
    fingerprint: str
    path: str


@dataclass(frozen=True)
class Pictured:
    """A picture that was asked with. width, height: of its file. path: where it was, "" where that is not known."""

    name: str
    format: str
    width: int
    height: int
    digest: str
    path: str = ""

    @property
    def words(self) -> str:
        return f"picture {self.name} ({self.format} {self.width} × {self.height})"


@dataclass(frozen=True)
class Request:
    """A query with its conditions: as it was asked, or as an enhancement left it. exclude, like: ids."""

    text: str
    where: tuple[str, ...] = ()
    exclude: tuple[DocId, ...] = ()
    like: DocId | None = None
    variants: tuple[str, ...] = ()
    meaning: str = ""
    picture: Pictured | None = None


@dataclass(frozen=True)
class Run:
    """raw: the whole log as it stands in the file."""

    id: str
    command: str
    written: str
    preset: str
    dataset: Dataset
    asked: Request
    used: Request
    plan: dict[str, Any]
    enhance: Enhanced | None
    layers: tuple[Listed, ...]
    results: Listed
    answer: Answered | None
    notices: tuple[str, ...]
    artefacts: dict[str, str]
    versions: dict[str, str]
    calls: tuple[Call, ...]
    raw: dict[str, Any] = field(repr=False, default_factory=dict)

    @cached_property
    def by_model(self) -> bool:
        """Whether a language model was there to be asked, as far as the steps tell."""
        hows = [step.how for step in self.layers]
        hows += [step.how for step in (self.enhance, self.answer) if step is not None]
        return bool(self.calls) or any(how.by_rule is False for how in hows)
