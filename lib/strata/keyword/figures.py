"""Single figures of the keyword layer, by the words and references that a user types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from strata.core.analysis import spans, stopwords
from strata.core.types import Part, Query, Term
from strata.errors import UsageError
from strata.keyword import formulas
from strata.keyword.bm25 import BM25

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace


def _figure(term: str, value: float, ws: Workspace, doc: int | None = None) -> dict[str, Any]:
    return {"term": term, "doc_id": None if doc is None else ws.corpus.id(doc), "value": value}


def tf(ws: Workspace, ref: str, word: str) -> dict[str, Any]:
    """Term frequency; 0 for a word that the document, or the whole catalogue, does not hold."""
    doc, term = ws.corpus.find(ref), ws.index.term(word)
    return _figure(word, 0 if term is None else ws.index.tf(term, doc), ws, doc)


def idf(ws: Workspace, word: str) -> dict[str, Any]:
    return _figure(word, formulas.idf(_df(ws, word), ws.index.documents), ws)


def bm25idf(ws: Workspace, word: str) -> dict[str, Any]:
    return _figure(word, formulas.bm25_idf(_df(ws, word), ws.index.documents), ws)


def _df(ws: Workspace, word: str) -> int:
    term = ws.index.term(word)
    return 0 if term is None else ws.index.df(term)


def tfidf(ws: Workspace, ref: str, word: str) -> dict[str, Any]:
    frequency = tf(ws, ref, word)
    return {**frequency, "value": frequency["value"] * idf(ws, word)["value"]}


def bm25tf(ws: Workspace, ref: str, word: str, k1: float, b: float) -> dict[str, Any]:
    """BM25's tf weight; 0 where the document does not hold the word."""
    formulas.checked_k1_b(k1, b)
    frequency = tf(ws, ref, word)
    count, dl = frequency["value"], int(ws.index.lengths[ws.corpus.find(ref)])
    value = float(formulas.bm25_tf(float(count), dl, ws.index.avgdl, k1, b)) if count else 0.0
    return {**frequency, "value": value, "k1": k1, "b": b}


def analyze(ws: Workspace, text: str) -> list[dict[str, Any]]:
    """For each word as written: dropped, or its term and df. Words of no document have their stem as term and df 0."""
    stop = stopwords()
    rows: list[dict[str, Any]] = []
    for start, end, folded in spans(text):
        row: dict[str, Any] = {"word": text[start:end], "folded": folded, "dropped": folded in stop}
        if not row["dropped"]:
            term = ws.index.term_of(folded)
            row |= {"term": ws.index.stem(folded), "df": 0 if term is None else ws.index.df(term)}
        rows.append(row)
    return rows


@dataclass(frozen=True)
class Postings:
    word: str
    term: Term
    df: int
    docs: list[int]
    tfs: list[int]

    def to_json(self, ws: Workspace) -> dict[str, Any]:
        held = [
            {"id": ws.corpus.id(doc), "title": ws.corpus.title(doc), "tf": tf}
            for doc, tf in zip(self.docs, self.tfs, strict=True)
        ]
        return {"word": self.word, "term": ws.index.terms[self.term], "df": self.df, "postings": held}


def postings(ws: Workspace, word: str, limit: int) -> Postings:
    """The documents that hold a term, most often first (ties: as in the catalogue). UsageError when none does."""
    term = ws.index.term(word)
    if term is None:
        raise UsageError(f'"{word}" is in no document', f'see what it becomes: keyword_search_cli analyze "{word}"')
    row = ws.index.row(term)
    order = np.argsort(-row.tfs, kind="stable")[:limit]
    return Postings(word, term, ws.index.df(term), row.docs[order].tolist(), row.tfs[order].tolist())


@dataclass(frozen=True)
class Explained:
    """A document's place: rank among the matched (None: it shares no term), and its score as a sum."""

    doc: int
    rank: int | None
    matched: int
    part: Part

    def to_json(self, ws: Workspace) -> dict[str, Any]:
        names = ("tf", "df", "idf", "tf_weight", "times")
        return {
            "id": ws.corpus.id(self.doc),
            "title": ws.corpus.title(self.doc),
            "score": self.part.value,
            "rank": self.rank,
            "matched": self.matched,
            **self.part.facts,
            "terms": [
                {
                    "term": part.label,
                    **{name: part.facts[name] for name in names},
                    "length_norm": self.part.facts["length_norm"],
                    "contribution": part.value,
                    "share": part.facts["share"],
                }
                for part in self.part.parts
            ],
        }


def explain(ws: Workspace, text: str, ref: str, k1: float, b: float) -> Explained:
    """Where a document stands for a query under BM25, and why."""
    layer, query, doc = BM25(k1, b), Query(text), ws.corpus.find(ref)
    ranking = layer(query, ws, len(ws.corpus))
    return Explained(doc, ranking.place(doc), ranking.matched, layer.explain(query, doc, ws))
