"""The values that travel between layers, and the shape of a layer.

Documents are named by their *position* in the corpus (0 … N−1) between layers, so that arrays of
them stay small and fast; the id as the catalogue gives it appears only at the boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NewType, Protocol

from strata.core.answer import Answer as Answer
from strata.core.answer import Citation as Citation
from strata.core.answer import Claim as Claim

if TYPE_CHECKING:  # numpy takes 0.1 s to import, and --help does not need it
    import numpy as np
    from numpy.typing import NDArray

    from strata.core.picture import Picture
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


NO_WORDS = "the query has no words"
"""Why a list of words did not search."""


@dataclass(frozen=True)
class Query:
    """A request. `variants` are searched each and then fused; `exclude` (positions) is applied by `run`, once.

    meaning: what encoders read instead of the text, where an enhancement wrote something for them; "" for the text.
    like: a document (position) whose neighbours are wanted. picture: asked with beside the text, or instead of it (then
    the text is ""). Only layers that say so read these two.
    """

    text: str
    variants: tuple[str, ...] = ()
    exclude: frozenset[int] = frozenset()
    where: tuple[str, ...] = ()
    like: int | None = None
    meaning: str = ""
    picture: Picture | None = None

    @property
    def has_words(self) -> bool:
        """False where a document or a picture alone asks."""
        return bool((self.meaning or self.text).strip())

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.variants)


@dataclass(frozen=True)
class Passage:
    """A stretch of a document: `text == document.text[start:end]`; `score`: its list's, mostly a cosine."""

    doc: int
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True)
class Ranking:
    """Documents best first; a document's rank is its place + 1.

    docs: int32[n], positions. scores: float64[n]. passages: empty, or one a document. matched: how many documents the
    layer matched before the list was cut at its depth.
    family: "keyword", "semantic", "picture": which side of a fusion the list is on; empty for a list made from others.
    weight: how much the list counts beside others of its side, in fusions that weigh lists. covers: how much of the
    query a document holds, 0 to 1; None where the layer cannot tell.
    """

    name: str
    docs: Positions
    scores: Scores
    passages: Sequence[Passage] = ()
    matched: int = 0
    family: str = ""
    weight: float = 1.0
    covers: Callable[[int], float] | None = None

    @classmethod
    def none(cls, name: str) -> Ranking:
        """A list without documents."""
        import numpy as np

        return cls(name, np.empty(0, np.int32), np.empty(0))

    @cached_property
    def coverage(self) -> float | None:
        """How much of the query the first document holds; None where nothing is said of it. Only some fusions ask."""
        return self.covers(int(self.docs[0])) if self.covers and self.docs.size else None

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
    """Gives the documents that it read, best first."""

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking: ...


class Answering(Layer, Protocol):
    def __call__(self, q: Query, sources: Sequence[Passage], ws: Workspace) -> Answer: ...


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
