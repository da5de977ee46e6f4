"""CLIP: a picture and texts as vectors of one space, in which a picture is near to what says what it shows.

A picture and a sentence that fit each other have a cosine of about .3, two sentences easily .8: the space keeps
pictures and texts apart. So where a query has both, its two rows of cosines are not added as they are; each is counted
in standard deviations from its own mean over all sentences, and then weighed.

Radford et al., "Learning Transferable Visual Models From Natural Language Supervision" (2021); for the gap Liang et
al., "Mind the Gap" (2022).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strata.core.types import Part, Query, Ranking
from strata.encoders.weights import find
from strata.errors import UsageError
from strata.pictures.pieces import Sentences
from strata.registry import DEFAULT_PICTURE_ENCODER
from strata.semantic.lists import checked, nearest, query_vector
from strata.semantic.nearest import best_of, exact
from strata.semantic.passages import Passages
from strata.semantic.vectors import Vectors

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


@dataclass(frozen=True)
class Clip:
    """model: CLIP or a model like it: a name of the registry or of the hub, or a folder. text_weight: how much the
    words of a query count beside its picture, 0 to 1; a query that has one of the two is searched by that alone.
    weight: as in Chunks."""

    family: ClassVar[str] = "picture"
    model: str = DEFAULT_PICTURE_ENCODER
    text_weight: float = 0.5
    weight: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.text_weight <= 1:  # false for nan too
            raise UsageError(f"text-weight must be between 0 and 1, not {self.text_weight}", "0.5 counts both the same")
        checked(None, self.weight)

    @property
    def name(self) -> str:
        return "clip"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        if q.picture is None and not q.text.strip():
            ws.report(not_searched="the query has neither picture nor words")
            return Ranking.none(self.name)
        store = self._store(ws)
        asked = self._asked(q, ws)
        if len(asked) == 1:
            return nearest(self.name, store, asked[0].vector, ws, depth, None)
        scores = np.sum([part.weight * part.standing(store)[0] for part in asked], axis=0)
        best = np.maximum.reduceat(scores, store.firsts)
        groups = best_of(best, depth)
        rows = np.array([self._first(scores, store, int(group), best) for group in groups.tolist()], dtype=np.int64)
        docs = store.owners[groups].astype(np.int32)
        passages = Passages(ws.corpus, docs, store.starts[rows], store.ends[rows], best[groups])
        return Ranking(self.name, docs, best[groups], passages, int(store.owners.size))

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        """The document's best sentence: its cosine, or, of picture and words together, what each adds."""
        store = self._store(ws)
        rows = store.rows(doc)
        asked = self._asked(q, ws)
        if not rows.size:
            return Part(self.name, 0.0, "the document has neither title nor text")
        text = ws.corpus.document(doc).text
        if len(asked) == 1:
            scores = exact(store.vectors, asked[0].vector, rows)
            parts = tuple(
                Part(f"sentence {i + 1} of {rows.size}", float(scores[i]), "cosine",
                     facts={"passage": text[int(store.starts[rows[i]]) : int(store.ends[rows[i]])]})
                for i in np.argsort(-scores, kind="stable").tolist()
            )  # fmt: skip
            return Part(self.name, parts[0].value, f"the best sentence, by the {asked[0].label}", parts)
        standing = [part.standing(store) for part in asked]
        total = np.sum([part.weight * away for part, (away, _) in zip(asked, standing, strict=True)], axis=0)[rows]
        at = int(np.argmax(total))
        row = rows[at]
        passage = {"passage": text[int(store.starts[row]) : int(store.ends[row])]}
        added = tuple(
            Part(part.label, float(part.weight * away[row]), f"{part.weight:g} × {away[row]:.2f} deviations",
                 facts={"cosine": float(cosine[row]), **passage})
            for part, (away, cosine) in zip(asked, standing, strict=True)
        )  # fmt: skip
        return Part(self.name, float(total[at]), "the best sentence, by picture and words", added)

    def _store(self, ws: Workspace) -> Vectors:
        """The sentences' vectors. A model that reads text only is refused before thousands of them are made."""
        ws.once(f"pictures by {self.model}", lambda: find(self.model, ws.settings, ws.note, pictures=True))
        return ws.vectors(self.model, Sentences())

    def _asked(self, q: Query, ws: Workspace) -> list[_Asked]:
        """What the query has: its picture, its words, or both with their weights."""
        found = []
        if q.picture is not None:
            found.append(_Asked("picture", _picture_vector(self.model, q, ws), 1 - self.text_weight))
        if q.text.strip():
            found.append(_Asked("words", query_vector(self.model, q, ws), self.text_weight))
        return found

    @staticmethod
    def _first(scores: np.ndarray, store: Vectors, group: int, best: np.ndarray) -> int:
        """The first row of a document that has its best score."""
        start = int(store.firsts[group])
        end = int(store.firsts[group + 1]) if group + 1 < store.firsts.size else scores.size
        return start + int(np.argmax(scores[start:end] == best[group]))


@dataclass(frozen=True)
class _Asked:
    """vector: float32[d], unit length."""

    label: str
    vector: np.ndarray
    weight: float

    def standing(self, store: Vectors) -> tuple[np.ndarray, np.ndarray]:
        """float64[n] twice: how many standard deviations each sentence's cosine is from the mean, and the cosines."""
        cosines = exact(store.vectors, self.vector, np.arange(len(store.vectors)))
        spread = float(cosines.std())
        away = (cosines - cosines.mean()) / spread if spread > 0 else np.zeros_like(cosines)
        return away, cosines


def _picture_vector(model: str, q: Query, ws: Workspace) -> np.ndarray:
    """float32[d], unit length; its milliseconds go to the step, as those of a text do."""
    assert q.picture is not None
    opened = ws.encoder(model)
    saved = opened.saved(q.picture.digest)
    start = time.perf_counter()
    vector: np.ndarray = opened.encode_pictures([q.picture])[0]
    ws.spent({"remembered_ms": saved} if saved else {"encode_picture_ms": (time.perf_counter() - start) * 1000})
    return vector
