"""Neighbours of a document: which document is meant, what is found, and that nothing is encoded for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.core.types import Query
from strata.errors import UsageError
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.similar import Similar
from strata.semantic.units import Whole
from tests.conftest import Done, Run
from tests.counting import Encoders, Opened
from tests.test_imports import HEAVY, loaded_by

ENTRIES: list[dict[str, Any]] = [
    {"id": 10, "title": "The Bear", "description": "British Columbia.", "year": 1988},
    {"id": "x-2", "title": "Brother Bear", "description": "A boy becomes one.", "year": 2003, "genres": ["Animation"]},
    {"id": 3, "title": "Twins", "description": "The very same text.", "year": 1988},
    {"id": 4, "title": "Twins", "description": "The very same text.", "year": 1990},
    {"id": 5, "title": "", "description": "", "year": 1991},
    {"id": 6, "title": "Amélie", "description": "Paris.", "year": 2001, "genres": ["Comedy"]},
    {"id": "—", "title": "🐻", "description": "A title and an id without a word."},
]


@pytest.fixture
def path(catalogue: Callable[..., Path]) -> Path:
    return catalogue(*ENTRIES)


@pytest.fixture
def similar(cli: Run, encoders: Encoders, path: Path, tmp_path: Path) -> Run:
    """similar("Amélie", …): the command over the small catalogue, with counting encoders and a cache of its own."""

    def run(*args: str) -> Done:
        return cli("semantic_search_cli", "similar", *args, "--dataset", str(path), cache=tmp_path / "cache")

    return run


def ids(done: Done) -> list[int | str]:
    assert done.status == 0, done.err
    return [result["id"] for result in done.json["results"]]


@pytest.mark.parametrize("named", ["10", "the bear", "THE BEAR", "The Bear (1988)", " 10 "])
def test_a_document_is_named_by_id_title_or_year(similar: Run, named: str) -> None:
    assert similar(named, "--json").json["query"]["like"] == 10


@pytest.mark.parametrize(("part", "id"), [("Brother", "x-2"), ("amel", 6), ("AMÉL", 6), ("x-2", "x-2")])
def test_a_unique_part_of_a_title_is_enough(similar: Run, part: str, id: int | str) -> None:
    assert similar(part, "--json").json["query"]["like"] == id


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("bear", '"bear" fits 2 titles: (10) The Bear (1988); (x-2) Brother Bear (2003); give one of these ids'),
        ("twins", '"twins" fits 2 titles: (3) Twins (1988); (4) Twins (1990); give one of these ids'),
        ("Brothr Bear", "near: (x-2) Brother Bear (2003)"),
        ("zzzzzz", 'no document has the id or title "zzzzzz"'),
        ("", 'no document has the id or title ""'),
    ],
)
def test_what_names_several_or_none_is_refused_in_one_line(similar: Run, named: str, said: str) -> None:
    done = similar(named)
    assert (done.status, done.out) == (2, "")
    assert said in done.err and len(done.err.splitlines()) == 1
    assert json.loads(similar(named, "--json").err)["error"]["kind"] == "usage"


def test_the_list_is_that_of_brute_force_without_the_document(similar: Run, encoders: Encoders) -> None:
    encoder = encoders[DEFAULT_ENCODER]
    texts = [". ".join(filter(None, [e["title"], *e.get("genres", []), e["description"]])) for e in ENTRIES]
    vectors = {e["id"]: encoder.vector(t).astype(np.float64) for e, t in zip(ENTRIES, texts, strict=True) if t}
    for id, vector in vectors.items():
        wanted = {other: float(v @ vector) for other, v in vectors.items() if other != id}
        found = similar(str(id), "--limit", "99", "--json").json
        assert [result["id"] for result in found["results"]] == sorted(wanted, key=lambda i: -wanted[i])
        for result in found["results"]:
            assert result["score"] == pytest.approx(wanted[result["id"]], abs=1e-6)
        assert found["layers"][0]["matched"] == len(vectors) - 1


def test_nothing_is_encoded_for_it(similar: Run, encoders: Encoders) -> None:
    similar("Amélie")
    assert {kind for kind, _ in encoders[DEFAULT_ENCODER].drain()} == {"document"}  # built on first use
    for args in (("Amélie",), ("10", "--json"), ("x-2", "--where", "year>=1990")):
        assert similar(*args).status == 0
    assert encoders[DEFAULT_ENCODER].drain() == [] == encoders["other"].drain()


def test_a_process_of_its_own_loads_no_tokenizer(films: Workspace, shared_cache: Path, tmp_path: Path) -> None:
    films.index  # noqa: B018 - opening builds
    films.vectors(DEFAULT_ENCODER, Whole())
    loaded = loaded_by("semantic_search_cli", ["similar", "paddington"], shared_cache, tmp_path)
    assert not loaded & (HEAVY | {"tokenizers", "safetensors", "threadpoolctl", "rich"})


def test_two_documents_of_one_text_have_cosine_1(similar: Run) -> None:
    for one, other in (("3", 4), ("4", 3)):
        first = similar(one, "--json").json["results"][0]
        assert first["id"] == other and first["score"] == pytest.approx(1.0, abs=1e-6)
    assert similar("3", "--limit", "1").out.splitlines()[1] == "1. (4) Twins  1.000"


def test_a_document_without_text_has_no_neighbours(similar: Run) -> None:
    done = similar("5")
    assert (done.status, done.out) == (2, "")
    assert "(5) (no title) (1991) has neither title nor text, so it has no vector; name another document" in done.err
    error = json.loads(similar("5", "--json").err.splitlines()[-1])["error"]
    assert error["kind"] == "usage" and error["next_step"]
    assert 5 not in ids(similar("10", "--limit", "99", "--json"))


def test_a_title_and_an_id_without_a_word_are_no_hindrance(similar: Run) -> None:
    """Its label became the query's text, which must hold a word."""
    assert similar("—", "--json").json["query"]["like"] == "—"
    assert similar("🐻").status == 0


def test_json_is_a_search_with_the_document_it_is_like(similar: Run) -> None:
    done = similar("Amélie", "--limit", "2", "--json")
    found = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert done.out.count("\n") == 1
    assert found.keys() >= {"run_id", "dataset", "query", "plan", "layers", "results", "notices"}
    label = "(6) Amélie (2001)"
    assert found["query"] == {"original": label, "used": label, "like": 6, "exclude": [6]}
    assert found["plan"]["retrieve"] == [{"layer": "similar", "encoder": DEFAULT_ENCODER}]
    assert [result["rank"] for result in found["results"]] == [1, 2]
    for result in found["results"]:
        assert type(result["score"]) is float
        assert result["semantic"] == {"rank": result["rank"], "score": result["score"]}
        assert result["keyword"] is result["rerank"] is None
        assert result["passage"] == next(e["description"] for e in ENTRIES if e["id"] == result["id"])


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ((), {10, "x-2", 3, 4, "—"}),
        (("--exclude", "3", "--exclude", "brother"), {10, 4, "—"}),
        (("--exclude", "Amélie"), {10, "x-2", 3, 4, "—"}),
        (("--where", "year>=1990"), {"x-2", 4}),
        (("--where", "year>=1990", "--exclude", "4"), {"x-2"}),
        (("--where", "genres=comedy"), set()),
        (("--min-score", "0.999"), set()),
    ],
)
def test_exclude_where_and_min_score_narrow_the_neighbours(
    similar: Run, options: tuple[str, ...], left: set[int | str]
) -> None:
    assert set(ids(similar("6", "--limit", "99", *options, "--json"))) == left
    if not left:
        assert similar("6", *options).out.splitlines()[1].startswith(("No document matches", "Nothing close enough"))


def test_the_only_document_has_no_neighbour(
    cli: Run, encoders: Encoders, catalogue: Callable[..., Path], tmp_path: Path
) -> None:
    alone = catalogue("A single text.", name="alone.json")
    done = cli("semantic_search_cli", "similar", "1", "--dataset", str(alone), cache=tmp_path / "cache")
    assert done.status == 0 and "No document matches." in done.out


def test_another_encoder_has_other_neighbours_and_shares_no_vector(similar: Run, encoders: Encoders) -> None:
    ours = similar("6", "--limit", "99", "--json").json["results"]
    theirs = similar("6", "--limit", "99", "--json", "--encoder", "other").json["results"]
    assert {r["id"]: r["score"] for r in ours}.keys() == {r["id"]: r["score"] for r in theirs}.keys()
    assert not {r["score"] for r in ours} & {r["score"] for r in theirs}
    assert len(encoders["other"].drain()) == 5, "every text once; the twins share theirs"


def test_the_layer_explains_what_it_lists_and_needs_a_document(encoders: Encoders, opened: Opened, path: Path) -> None:
    ws = opened(path)
    query = Query("", like=0, exclude=frozenset({0}))
    found = Similar()(query, ws, 99)
    for doc, score in zip(found.docs.tolist(), found.scores.tolist(), strict=True):
        assert Similar().explain(query, doc, ws).value == score
        assert Similar().explain(Query("", like=doc), 0, ws).value == score, "the cosine of two is one number"
    assert Similar().explain(query, 4, ws).value == 0.0
    with pytest.raises(UsageError, match="needs a document to be like"):
        Similar()(Query("bears"), ws, 5)


def test_neighbours_are_logged_like_any_search(similar: Run, tmp_path: Path) -> None:
    found = similar("6", "--json").json
    (log,) = (tmp_path / "logs").glob("*.json")
    entry = json.loads(log.read_text(encoding="utf-8"))
    assert entry["run_id"] == found["run_id"] and entry["query"]["like"] == 6
    assert entry["command"] == "semantic_search_cli similar"
    similar("6", "--no-log")
    assert len(list((tmp_path / "logs").glob("*.json"))) == 1
