"""Document vectors: what is encoded and what is reused, what is never mixed; and the layer that reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.core.types import Plan, Query
from strata.errors import DataError, UsageError
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunking import Chunking
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from strata.semantic.similar import Similar
from strata.semantic.units import Cut, Whole
from tests.counting import Encoders, Opened

Catalogue = Callable[..., Path]


def film(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "title": f"Film {number}", "description": f"One of {number}. Two. Three. Four. Five.",
        "genres": ["Drama", "Crime"], "year": 1900 + number, **more,
    }  # fmt: skip


def text_of(entry: dict[str, Any]) -> str:
    """The vector text of an entry, written here a second time: title. genres. description."""
    genres = " ".join(entry.get("genres", []))
    return ". ".join(part for part in (entry["title"], genres, entry["description"]) if part)


# What is encoded, what is reused


def test_a_document_has_one_vector_of_title_genres_and_description(
    encoders: Encoders, opened: Opened, catalogue: Catalogue
) -> None:
    entries = [film(1), {"id": 2, "title": "", "description": ""}, film(3, description=""), film(4, genres=[])]
    store = opened(catalogue(*entries)).vectors(DEFAULT_ENCODER, Whole())
    having = [0, 2, 3]
    assert store.docs.tolist() == store.owners.tolist() == having
    assert store.starts.tolist() == [0, 0, 0]
    assert store.ends.tolist() == [len(entries[at]["description"]) for at in having]
    for vector, at in zip(store.vectors, having, strict=True):
        assert (vector == encoders[DEFAULT_ENCODER].vector(text_of(entries[at]))).all()
    assert sorted(encoders[DEFAULT_ENCODER].drain()) == sorted(("document", text_of(entries[at])) for at in having)


def test_a_beir_document_is_its_title_and_text(encoders: Encoders, opened: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "a", "title": "Cells", "text": "They divide."}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "cells"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    opened(folder).vectors(DEFAULT_ENCODER, Whole())
    assert encoders[DEFAULT_ENCODER].drain() == [("document", "Cells They divide.")]


def test_a_second_opening_encodes_nothing_and_says_nothing(
    encoders: Encoders, opened: Opened, catalogue: Catalogue
) -> None:
    path, notes = catalogue(*map(film, range(9))), list[str]()
    first = opened(path).vectors(DEFAULT_ENCODER, Whole())
    encoders[DEFAULT_ENCODER].drain()
    second = opened(path, notes).vectors(DEFAULT_ENCODER, Whole())
    assert second.path == first.path and (second.vectors == first.vectors).all()
    assert not second.fresh and encoders[DEFAULT_ENCODER].drain() == [] and notes == []


@pytest.mark.parametrize(
    ("change", "encoded"),
    [
        ({"description": "Quite new."}, 1),
        ({"title": "A new name"}, 1),
        ({"genres": ["Western"]}, 1),
        ({"year": 2020, "director": "Somebody"}, 0),
        ({"id": "another"}, 0),
    ],
)
def test_an_edit_costs_one_text_where_the_encoder_reads_it(
    encoders: Encoders, opened: Opened, catalogue: Catalogue, change: dict[str, Any], encoded: int
) -> None:
    """Cases 40 and 41: one edit embedded everything again; an edit that kept the count went unseen."""
    entries = [film(i) for i in range(50)]
    opened(catalogue(*entries)).vectors(DEFAULT_ENCODER, Whole())
    encoders[DEFAULT_ENCODER].drain()
    entries[7] = {**entries[7], **change}
    notes: list[str] = []
    store = opened(catalogue(*entries), notes).vectors(DEFAULT_ENCODER, Whole())
    assert encoders[DEFAULT_ENCODER].drain() == [("document", text_of(entries[7]))] * encoded
    assert (store.vectors[7] == encoders[DEFAULT_ENCODER].vector(text_of(entries[7]))).all()
    assert notes == [f"{encoded} of 50 documents encoded, {50 - encoded} were known"]


def test_documents_that_come_and_go_cost_what_is_new(encoders: Encoders, opened: Opened, catalogue: Catalogue) -> None:
    opened(catalogue(*map(film, range(10)))).vectors(DEFAULT_ENCODER, Whole())
    encoders[DEFAULT_ENCODER].drain()
    notes: list[str] = []
    fewer = [film(i) for i in range(9, 2, -1)]
    opened(catalogue(*fewer), notes).vectors(DEFAULT_ENCODER, Whole())
    opened(catalogue(*fewer, film(10)), notes).vectors(DEFAULT_ENCODER, Whole())
    assert encoders[DEFAULT_ENCODER].drain() == [("document", text_of(film(10)))]
    assert notes == ["0 of 7 documents encoded, 7 were known", "1 of 8 documents encoded, 7 were known"]


def test_equal_texts_are_encoded_once_and_told_from_known_ones(
    encoders: Encoders, opened: Opened, catalogue: Catalogue
) -> None:
    twins, notes = [film(1), {**film(1), "id": 2}, {**film(1), "id": 3}, film(4)], list[str]()
    store = opened(catalogue(*twins), notes).vectors(DEFAULT_ENCODER, Whole())
    assert len(encoders[DEFAULT_ENCODER].drain()) == 2
    assert (store.vectors[0] == store.vectors[1]).all() and (store.vectors[0] == store.vectors[2]).all()
    assert notes == ["2 of 4 documents encoded, 2 repeat the text of another"]
    opened(catalogue(*twins, film(5)), notes).vectors(DEFAULT_ENCODER, Whole())
    assert notes[-1] == "1 of 5 documents encoded, 4 were known"


def test_chunks_and_documents_are_artefacts_apart(
    encoders: Encoders, opened: Opened, catalogue: Catalogue, tmp_path: Path
) -> None:
    ws = opened(catalogue(film(1, genres=[], description="Only one.")))
    chunks, whole = ws.vectors(DEFAULT_ENCODER, Cut(Chunking())), ws.vectors(DEFAULT_ENCODER, Whole())
    # One and the same text; still each artefact is made, and found again, without the other.
    assert encoders[DEFAULT_ENCODER].drain() == [("document", "Film 1. Only one.")] * 2
    assert (chunks.path.parent.name, whole.path.parent.name) == ("chunk_vectors", "document_vectors")
    assert set(ws.opened) == {f"chunk_vectors {DEFAULT_ENCODER}", f"document_vectors {DEFAULT_ENCODER}"}
    assert json.loads((whole.path / "manifest.json").read_text())["made_from"] == {
        "corpus": ws.corpus.fingerprint,
        "encoder": encoders[DEFAULT_ENCODER].fingerprint,
        "text": "films/2",
    }


def test_vectors_of_two_encoders_are_never_mixed(encoders: Encoders, opened: Opened, catalogue: Catalogue) -> None:
    """Case 39: where the dimensions agree, the vectors of another model are silent garbage."""
    entries = [film(i) for i in range(20)]
    paths = set()
    for name in (DEFAULT_ENCODER, "other", DEFAULT_ENCODER):
        ws = opened(catalogue(*entries))
        for unit in (Whole(), Cut(Chunking(2, 0))):
            paths.add(ws.vectors(name, unit).path)
        store = ws.vectors(name, Whole())
        assert all((v == encoders[name].vector(text_of(e))).all() for v, e in zip(store.vectors, entries, strict=True))
    assert len(paths) == 4
    # One edit and a new encoder at once: nothing of the other's is taken for the texts that stayed.
    entries[3] = film(3, description="Edited.")
    encoders["other"].drain()
    store = opened(catalogue(*entries)).vectors("other", Whole())
    assert encoders["other"].drain() == [("document", text_of(entries[3]))]
    assert all((v == encoders["other"].vector(text_of(e))).all() for v, e in zip(store.vectors, entries, strict=True))


def test_every_chunk_size_and_overlap_is_an_artefact_of_its_own(
    encoders: Encoders, opened: Opened, catalogue: Catalogue
) -> None:
    path = catalogue(*map(film, range(3)))
    sizes = [Chunking(4, 1), Chunking(4, 0), Chunking(2, 1), Chunking(2, 0)]
    made = {opened(path).vectors(DEFAULT_ENCODER, Cut(size)).path for size in sizes}
    assert len(made) == 4
    encoders[DEFAULT_ENCODER].drain()
    assert {opened(path).vectors(DEFAULT_ENCODER, Cut(size)).path for size in sizes} == made
    assert encoders[DEFAULT_ENCODER].drain() == []


def test_a_catalogue_with_nothing_to_read_is_refused_by_name(
    encoders: Encoders, opened: Opened, catalogue: Catalogue
) -> None:
    with pytest.raises(DataError, match=r"small\.json"):
        opened(catalogue({"id": 1, "title": "", "description": ""})).vectors(DEFAULT_ENCODER, Whole())


# The layer


@pytest.fixture
def ws(encoders: Encoders, opened: Opened, catalogue: Catalogue) -> Workspace:
    return opened(catalogue(*map(film, range(30)), {"id": 30, "title": "", "description": ""}))


def by_brute_force(encoder: Any, query: str, entries: list[dict[str, Any]]) -> list[tuple[int, float]]:
    """(position, cosine), best first, ties by position; one float64 dot product after the other."""
    vector = encoder.vector(query).astype(np.float64)
    scores = [float(encoder.vector(text_of(entry)).astype(np.float64) @ vector) for entry in entries]
    return sorted(enumerate(scores), key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize("depth", [1, 7, 30, 1000])
def test_the_list_is_that_of_brute_force(ws: Workspace, encoders: Encoders, depth: int) -> None:
    found = Documents()(Query("a query"), ws, depth)
    wanted = by_brute_force(encoders[DEFAULT_ENCODER], "a query", [film(i) for i in range(30)])[:depth]
    assert found.docs.tolist() == [at for at, _ in wanted]
    assert found.scores.tolist() == pytest.approx([score for _, score in wanted], abs=1e-12)
    assert found.matched == 30 and found.name == "document"
    assert [kind for kind, _ in encoders[DEFAULT_ENCODER].drain()].count("query") == 1


def test_the_passage_is_the_whole_text(ws: Workspace) -> None:
    found = Documents()(Query("a query"), ws, 30)
    for passage, doc, score in zip(found.passages, found.docs.tolist(), found.scores.tolist(), strict=True):
        assert passage.text == film(doc)["description"] == ws.corpus.document(doc).text
        assert (passage.doc, passage.start, passage.end, passage.score) == (doc, 0, len(passage.text), score)


def test_the_explanation_gives_the_scores_of_the_list(ws: Workspace) -> None:
    found = Documents()(Query("a query"), ws, 30)
    for doc, score in zip(found.docs.tolist(), found.scores.tolist(), strict=True):
        part = Documents().explain(Query("a query"), doc, ws)
        assert part.value == score and part.parts == ()
    nothing = Documents().explain(Query("a query"), 30, ws)
    assert nothing.value == 0.0 and "neither title nor text" in nothing.how


def test_a_lowest_score_cuts_exactly_where_it_says(ws: Workspace) -> None:
    every = Documents()(Query("a query"), ws, 30)
    for at in (0, 1, 14, 29):
        found = Documents(min_score=float(every.scores[at]))(Query("a query"), ws, 5)
        assert found.docs.tolist() == every.docs.tolist()[: min(at + 1, 5)] and found.matched == at + 1
    above = float(np.nextafter(every.scores[0], 1))
    assert Documents(min_score=above)(Query("a query"), ws, 5).docs.size == 0


@pytest.mark.parametrize("layer", [Documents, Chunks, Similar])
@pytest.mark.parametrize("score", [float("nan"), float("inf"), 1.01, -1.01])
def test_a_lowest_score_that_is_no_cosine_is_refused(layer: Any, score: float) -> None:
    with pytest.raises(UsageError, match="from -1 to 1"):
        layer(min_score=score)


def test_an_encoder_of_the_plan_reads_its_own_vectors(ws: Workspace, encoders: Encoders) -> None:
    entries = [film(i) for i in range(30)]
    for name in (DEFAULT_ENCODER, "other"):
        found = Documents(name)(Query("a query"), ws, 30)
        assert found.docs.tolist() == [at for at, _ in by_brute_force(encoders[name], "a query", entries)]


# Among other lists


def test_beside_chunks_the_passage_shown_is_the_chunk(ws: Workspace) -> None:
    plan = Plan((Documents(), Chunks()), fuse=RRF(), limit=30)
    for result in run(plan, Query("a query"), ws).results():
        assert result.passage is not None
        whole = film(result.doc)["description"]
        assert result.passage.text in whole and result.passage.text != whole
    alone = run(Plan((Documents(), BM25()), fuse=RRF()), Query("film"), ws).results()
    assert all(r.passage and r.passage.text == film(r.doc)["description"] for r in alone)


@pytest.mark.parametrize("lists", [(Documents(),), (Chunks(),), (Documents(), Chunks())])
@pytest.mark.parametrize(
    ("query", "left"),
    [
        (Query("a query"), 30),
        (Query("a query", exclude=frozenset({4, 5})), 28),
        (Query("a query", where=("year>=1910",)), 20),
        (Query("a query", where=("year>=1910",), exclude=frozenset({29})), 19),
    ],
)
def test_only_the_passages_that_are_shown_are_read(
    ws: Workspace, lists: tuple[Any, ...], query: Query, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = Plan(lists, fuse=RRF() if len(lists) > 1 else None, limit=3)
    read: list[int] = []
    document = ws.corpus.document
    monkeypatch.setattr(ws.corpus, "document", lambda at: (read.append(at), document(at))[1])
    trace = run(layers, query, ws)
    assert read == []
    shown = trace.results()
    assert set(read) == {result.doc for result in shown} and len(shown) == 3
    assert all(step.output.matched == left for step in trace.lists)
    assert not {result.doc for result in shown} & query.exclude
    assert all(result.doc >= 10 for result in shown) or not query.where


# The real encoder


def test_a_search_is_brute_force_over_the_real_encoder(opened: Opened, catalogue: Catalogue) -> None:
    """Ids and scores against vectors of texts put together here, one at a time, and one NumPy product."""
    entries = [
        {"id": "rig", "title": "Rig", "description": "A lorry crosses a desert.", "genres": ["Thriller"]},
        {"id": 7, "title": "Reef", "description": "Sharks circle a boat.", "genres": ["Horror", "Sea"]},
        {"id": "7a", "title": "The Cab", "description": "A taxi driver talks to himself at night."},
        {"id": 0, "title": "Choir", "description": "Nuns sing. One of them leaves."},
        {"id": "-1", "title": "Garage", "description": ""},
    ]
    ws = opened(catalogue(*entries))
    encoder = ws.encoder(DEFAULT_ENCODER)
    vectors = np.stack([encoder.encode([text_of(entry)])[0] for entry in entries]).astype(np.float64)
    for text in ("automobile", "fish that eat people", "a cab"):
        scores = vectors @ encoder.encode([text], "query")[0].astype(np.float64)
        order = np.argsort(-scores, kind="stable")
        found = run(Plan((Documents(),), limit=99), Query(text), ws).to_json()["results"]
        assert [result["id"] for result in found] == [entries[at]["id"] for at in order]
        assert [result["score"] for result in found] == pytest.approx(scores[order].tolist(), abs=1e-6)
