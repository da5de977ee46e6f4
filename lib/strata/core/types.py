"""The values that travel between layers, and the shape of a layer.

Documents are named by their *position* in the corpus (0 … N−1) between layers, so that arrays of
them stay small and fast; the id as the catalogue gives it appears only at the boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NewType, Protocol

if TYPE_CHECKING:  # numpy takes 0.1 s to import, and --help does not need it
    import numpy as np
    from numpy.typing import NDArray

    from strata.core.premise import Premise
    from strata.pipeline.workspace import Workspace

    Positions = NDArray[np.int32]
    Scores = NDArray[np.float64]
else:
    Positions = Scores = object

Term = NewType("Term", int)
"""A term's number in one index. Only an index makes them, so text that was analysed once cannot be analysed again."""

DocId = int | str


@dataclass(frozen=True)
class Document:
    """One entry of a catalogue. `fields`: what else it gives: year, genres, cast … premise: see core/premise.py."""

    id: DocId
    title: str
    text: str
    fields: dict[str, Any] = field(default_factory=dict)
    premise: Premise | None = None


@dataclass(frozen=True)
class Query:
    """A request. `variants` are searched each and then fused; `exclude` (positions) is applied by `run`, once.

    like: a document (position) whose neighbours are wanted; only layers that say so read it.
    meaning: what encoders read instead of the text, where an enhancement wrote something for them; "" for the text.
    """

    text: str
    variants: tuple[str, ...] = ()
    exclude: frozenset[int] = frozenset()
    where: tuple[str, ...] = ()
    like: int | None = None
    meaning: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.variants)


@dataclass(frozen=True)
class Passage:
    """A stretch of a document: `text == document.text[start:end]`; `score` is a cosine."""

    doc: int
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True)
class Ranking:
    """Documents best first; a document's rank is its place + 1.

    docs: int32[n], positions. scores: float64[n]. passages: empty, or one a document.
    matched: how many documents the layer matched before the list was cut at its depth.
    family: "keyword", "semantic" …: which side of a fusion the list is on; empty for a list made from others.
    weight: how much the list counts beside others of its side, in fusions that weigh lists. coverage: how much of the
    query the first document of a keyword list holds, 0 to 1; None where nothing is said of it.
    """

    name: str
    docs: Positions
    scores: Scores
    passages: Sequence[Passage] = ()
    matched: int = 0
    family: str = ""
    weight: float = 1.0
    coverage: float | None = None

    def place(self, doc: int) -> int | None:
        """The rank of a document, from 1, or None when the list does not hold it."""
        (hits,) = (self.docs == doc).nonzero()
        return int(hits[0]) + 1 if hits.size else None


@dataclass(frozen=True)
class Part:
    """A node of an explanation: `value` is what it contributes; the parts of a sum add up to its value."""

    label: str
    value: float
    how: str = ""
    parts: tuple[Part, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


class Layer(Protocol):
    """A frozen dataclass whose fields are its settings. Hashable, so that its output can be memoised."""

    @property
    def name(self) -> str: ...


class Enhance(Layer, Protocol):
    def __call__(self, q: Query, ws: Workspace) -> Query: ...


class Retrieve(Layer, Protocol):
    family: ClassVar[str]

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking: ...

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part: ...


class Fuse(Layer, Protocol):
    """label: the method and its settings in words. most(lists): the best score that these lists can give a document."""

    @property
    def label(self) -> str: ...

    def most(self, lists: Sequence[Ranking]) -> float: ...

    def __call__(self, lists: Sequence[Ranking], depth: int) -> Ranking: ...

    def explain(self, lists: Sequence[Ranking], doc: int) -> Part:
        """The fused score as a sum: a part for each list that holds the document, labelled with the list's name."""
        ...


class Rerank(Layer, Protocol):
    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking: ...


class Answering(Layer, Protocol):
    def __call__(self, q: Query, sources: Sequence[Passage], ws: Workspace) -> Answer: ...


@dataclass(frozen=True)
class Citation:
    """One number cited for one claim. status: "supported", "unsupported" or "absent" (no such source: doc is None).

    score: how near the source comes to saying it, 0 to 1; None where absent. evidence: what the source says, or what
    is wrong.
    """

    number: int
    doc: int | None
    status: str
    claim: str
    score: float | None
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, or the part of one that its numbers stand for. status: "supported", "unsupported" or
    "absent", the worst of its citations; "uncited" where it has none. evidence: that citation's."""

    text: str
    cites: tuple[int, ...]
    status: str
    evidence: str = ""
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class Answer:
    """text: plain, in lines. sources: the documents (positions) behind the numbers 1, 2, …. evidence: how much the
    sources have to say, 0 to 1; None where it was not measured. abstained: they have too little, and the text says so.
    """

    mode: str
    text: str
    claims: tuple[Claim, ...] = ()
    abstained: bool = False
    sources: tuple[int, ...] = ()
    evidence: float | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation in the order of the text."""
        return tuple(citation for claim in self.claims for citation in claim.citations)

    @property
    def failed(self) -> tuple[Citation, ...]:
        """The citations that do not hold."""
        return tuple(citation for citation in self.citations if citation.status != "supported")

    @property
    def uncited(self) -> tuple[Claim, ...]:
        """The sentences that cite nothing."""
        return tuple(claim for claim in self.claims if claim.status == "uncited")


@dataclass(frozen=True)
class Plan:
    """Layers in their slots. depth: of each list that is fused; limit: results shown. premises: before thin entries."""

    retrieve: tuple[Retrieve, ...]
    enhance: Enhance | None = None
    fuse: Fuse | None = None
    rerank: Rerank | None = None
    answer: Answering | None = None
    depth: int = 100
    limit: int = 5
    premises: bool = False
