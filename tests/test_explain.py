"""`hybrid_search_cli explain`: whatever stands anywhere is explained with the very numbers of the search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.core.types import Plan, Query
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.explanation import explanation, to_json
from strata.pipeline.planfile import to_toml
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from tests.conftest import Done, Run
from tests.counting import Encoders, Opened

FILMS: tuple[dict[str, Any], ...] = (
    {"id": 1, "title": "The Bear", "description": "bear bear bear. A river.", "year": 1988},
    {"id": 2, "title": "Fox and Bear", "description": "A bear meets a fox. They talk.", "year": 2001},
    {"id": "x y", "title": "Owls", "description": "Owls fly. Owls sleep. A fox looks up. Night. Day.", "year": 2010},
    {"id": 4, "title": "Only a Title", "description": "", "year": 1990},
    {"id": 5, "title": "Elk", "description": "An elk and a bear in the snow of the north.", "year": 2015},
    {"id": 6, "title": "Nothing", "description": "Rain on a roof.", "year": 1999},
    {"id": 7, "title": "Nothing", "description": "Rain on another roof.", "year": 2005},
)
PLANS = {
    "rrf": Plan((BM25(), Chunks()), fuse=RRF()),
    "rrf, short lists": Plan((BM25(), Chunks()), fuse=RRF(), depth=2),
    "weighted": Plan((BM25(), Chunks()), fuse=Weighted(0.3)),
    "keyword alone counts": Plan((BM25(), Chunks()), fuse=Weighted(1)),
    "no word counts": Plan((BM25(), Chunks()), fuse=Weighted(0), depth=3),
    "documents": Plan((BM25(k1=0), Documents("other")), fuse=RRF(0)),
    "many lists": Plan((BM25(), TfIdf(), Chunks(), Chunks("other"), Chunks(sentences=1, overlap=0)), fuse=RRF()),
    "the same twice": Plan((BM25(), BM25(), Chunks(), Chunks()), fuse=Weighted(0.5), depth=4),
    "least cosine": Plan((BM25(), Chunks(min_score=0.0)), fuse=RRF(), depth=3),
    "keyword": Plan((BM25(),), depth=2),
    "chunks": Plan((Chunks(),), depth=4),
    "no fusion of one": Plan((TfIdf(),), fuse=RRF()),
}
QUERIES = ("bear", "bear fox", "a bear in the rain", "the", "quokka", "bear bear quokka the")


@pytest.fixture
def films(catalogue: Callable[..., Path], encoders: Encoders, opened: Opened) -> Workspace:
    return opened(catalogue(*FILMS, name="films.json"))


@pytest.fixture
def small(films: Workspace, cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """small("explain", "bear", "1", "--json"): hybrid_search_cli over the films above."""
    monkeypatch.chdir(tmp_path)

    def call(command: str, *args: str) -> Done:
        return cli("hybrid_search_cli", command, *args, "--dataset", "films.json", cache=tmp_path / "cache")

    return call


def parts_of(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield found
    for part in found.get("parts", []):
        yield from parts_of(part)


# The numbers


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", PLANS)
def test_every_document_is_explained_with_the_numbers_of_the_search(films: Workspace, name: str, query: str) -> None:
    plan, q = PLANS[name], Query(query)
    trace = run(plan, q, films)
    whole = run(Plan(plan.retrieve, fuse=plan.fuse, depth=len(films.corpus)), q, films)
    final = {doc: at for at, doc in enumerate(trace.final.docs.tolist(), start=1)}
    for doc in range(len(films.corpus)):
        explained = explanation(trace, doc, films)
        found = json.loads(json.dumps(to_json(explained, trace), allow_nan=False))
        assert found["id"] == films.corpus.id(doc) and found["title"] == films.corpus.title(doc)
        assert found["rank"] == final.get(doc)
        if found["rank"]:
            assert found["score"] == trace.final.scores[found["rank"] - 1]
        else:
            assert found["score"] == 0
        if plan.fuse:
            assert sum(part["value"] for part in found["parts"]) == pytest.approx(found["score"], rel=1e-9, abs=1e-15)
        for one, cut, full in zip(found["layers"], trace.lists, whole.lists, strict=True):
            place, below = cut.output.place(doc), full.output.place(doc)
            assert (one["layer"], one["rank"]) == (cut.label, place)
            assert one["rank_below_the_cut"] == (None if place else below)
            if below:
                assert one["value"] == full.output.scores[below - 1], "the very score of the list"
            if cut.output.family == "keyword":
                assert sum(p["value"] for p in one.get("parts", [])) == pytest.approx(one["value"], rel=1e-9)
        keyword = next((one for one in found["layers"] if "tf" in str(one.get("parts", "")) or one["label"] in (
            "keyword", "tfidf")), None)  # fmt: skip
        if keyword:
            assert sum(t["contribution"] for t in found["terms"]) == pytest.approx(keyword["value"], rel=1e-9)
            shares = sum(t["share"] for t in found["terms"])
            assert shares == pytest.approx(1) or keyword["value"] == shares == 0
        above(found, trace.final.docs.tolist(), films)


def above(found: dict[str, Any], order: list[int], films: Workspace) -> None:
    """What stands above is the document one rank higher; the first, for one that is nowhere; nothing, for the first."""
    if found["rank"] == 1 or not order:
        assert found["above"] is None
        return
    rank = (found["rank"] or 2) - 1
    assert (found["above"]["rank"], found["above"]["id"]) == (rank, films.corpus.id(order[rank - 1]))
    assert not found["rank"] or found["above"]["score"] >= found["score"]
    here = {one["layer"]: one["rank"] for one in found["layers"]}
    for one in found["above"]["ahead"]:
        assert one["this"] == here[one["layer"]] and (one["this"] is None or one["rank"] < one["this"])


@pytest.mark.parametrize("fuse", [[], ["--fuse", "weighted", "--alpha", "0.7"]])
def test_score_rank_and_neighbour_are_those_of_the_search_command(small: Callable[..., Done], fuse: list[str]) -> None:
    command = "weighted-search" if fuse else "rrf-search"
    results = small(command, "bear fox", *fuse[2:], "--limit", "9", "--json").json["results"]
    assert len(results) >= 5
    for at, result in enumerate(results):
        found = small("explain", "bear fox", str(result["id"]), *fuse, "--json").json
        assert (found["rank"], found["score"], found["of"]) == (result["rank"], result["score"], len(results))
        assert found["preset"] == "lessons" and found["query"]["used"] == "bear fox"
        for part, one in zip(found["parts"], [one for one in result["lists"] if one["rank"]], strict=True):
            assert (part["label"], part["rank"]) == (one["layer"], one["rank"])
            if fuse:
                assert (part["raw"], part["normalised"]) == (one["score"], one["normalised"])
        if at:
            higher = results[at - 1]
            assert (found["above"]["id"], found["above"]["score"]) == (higher["id"], higher["score"])


def test_on_the_bundled_films_too(cli: Run) -> None:
    query = "cute british bear marmalade"
    results = cli("hybrid_search_cli", "rrf-search", query, "--limit", "3", "--json").json["results"]
    for result in results:
        found = cli("hybrid_search_cli", "explain", query, str(result["id"]), "--json").json
        assert (found["rank"], found["score"]) == (result["rank"], result["score"])
        assert sum(part["value"] for part in found["parts"]) == pytest.approx(result["score"], rel=1e-9)
        by_keyword = cli("keyword_search_cli", "explain", query, str(result["id"]), "--json").json
        same = ("term", "tf", "df", "idf", "length_norm", "contribution", "share")
        assert [{k: t[k] for k in same} for t in found["terms"]] == [
            {k: t[k] for k in same} for t in by_keyword["terms"]
        ]
    out = cli("hybrid_search_cli", "explain", query, "paddington").out
    assert out.splitlines()[0].startswith("Paddington (2014) #393 stands 2nd of 125 fused ")
    assert "fused    2nd  0.03178 = 1/(60+1) keyword + 1/(60+5) chunks" in out
    assert "above: The Bear 0.03227 = 1/(60+3) keyword + 1/(60+1) chunks" in out


# Where a document may stand


def test_the_first_has_nothing_above_it(small: Callable[..., Done]) -> None:
    first = small("rrf-search", "bear fox", "--limit", "1", "--json").json["results"][0]
    done = small("explain", "bear fox", str(first["id"]))
    assert " stands 1st of " in done.out and "above:" not in done.out and "first:" not in done.out


def test_below_the_cut_the_place_in_the_whole_list_is_told(small: Callable[..., Done]) -> None:
    whole = small("explain", "bear", "5", "--json").json
    found = small("explain", "bear", "5", "--depth", "1", "--limit", "1", "--json").json
    keyword, chunks = found["layers"]
    assert keyword["rank"] is None and keyword["rank_below_the_cut"] == whole["layers"][0]["rank"] == 3
    assert keyword["value"] == whole["layers"][0]["value"]
    assert found["rank"] is None or chunks["rank"] == 1
    out = small("explain", "bear", "5", "--depth", "1").out
    assert "3rd (cut at 1)" in out
    if found["rank"] is None:
        assert "is in no list that goes into fusion (depth 1)" in out and "fused    –  in no list" in out
        assert "first: " in out


def test_a_document_that_shares_no_word_is_absent_and_the_words_are_named(small: Callable[..., Done]) -> None:
    out = small("explain", "bear fox", "Elk").out
    assert "not in this document: fox (df 2)" in out
    out = small("explain", "bear fox", "6").out
    assert "keyword  absent: no word of the query is in this document" in out
    assert "not in this document: bear (df 3), fox (df 2)" in out


def test_a_document_without_text_is_explained_by_its_title(small: Callable[..., Done]) -> None:
    found = small("explain", "title", "4", "--json").json
    assert found["terms"][0]["tf"] == 1 and found["layers"][1]["rank"]
    assert small("explain", "title", "4").status == 0


def test_a_document_with_nothing_in_it_is_in_no_list(
    films: Workspace, catalogue: Callable[..., Path], opened: Opened
) -> None:
    ws = opened(catalogue({"id": 1, "title": "", "description": ""}, {"id": 2, "title": "A bear", "description": ""}))
    trace = run(PLANS["rrf"], Query("bear"), ws)
    found = to_json(explanation(trace, 0, ws), trace)
    assert found["rank"] is None and [one["rank_below_the_cut"] for one in found["layers"]] == [None, None]
    assert found["layers"][1]["how"] == "the document has neither title nor text"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--exclude", "5"], "(5) Elk (2015) is left out by --exclude"),
        (["--exclude", "Elk"], "(5) Elk (2015) is left out by --exclude"),
        (["--where", "year>=1900", "--where", "year<2010"], "(5) Elk (2015) is left out by --where year<2010"),
    ],
)
def test_what_the_search_itself_leaves_out_is_said_and_not_explained(
    small: Callable[..., Done], args: list[str], said: str
) -> None:
    """It was given a place "below the cut", in lists that may not hold it."""
    done = small("explain", "bear", "5", *args)
    assert (done.status, done.out) == (2, "") and len(done.err.splitlines()) == 1 and said in done.err


def test_a_place_below_the_cut_counts_only_what_may_be_found(small: Callable[..., Done]) -> None:
    """It counted the excluded documents too."""
    whole = small("explain", "bear", "5", "--json", "--exclude", "1").json
    cut = small("explain", "bear", "5", "--json", "--exclude", "1", "--depth", "1").json
    assert cut["layers"][0]["rank_below_the_cut"] == whole["layers"][0]["rank"] == 2
    narrowed = small("explain", "bear", "5", "--json", "--where", "year>2010", "--depth", "1").json
    assert narrowed["layers"][0]["rank"] == 1


def test_a_cosine_below_the_least_one_is_named(small: Callable[..., Done]) -> None:
    cosines = {
        one["id"]: one["score"]
        for one in small("rrf-search", "bear", "--limit", "9", "--json").json["layers"][1]["hits"]
    }
    worst = min(cosines, key=cosines.__getitem__)
    least = str(round(sorted(cosines.values())[1], 6) - 1e-6)
    found = small("explain", "bear", str(worst), "--min-score", least, "--json").json
    assert found["layers"][1]["rank"] is found["layers"][1]["rank_below_the_cut"] is None
    assert found["layers"][1]["value"] == cosines[worst]
    assert "is below --min-score" in small("explain", "bear", str(worst), "--min-score", least).out


@pytest.mark.parametrize(("query", "said"), [("the", 'stop list): "the"'), ("quokka", '"quokka" is in no document')])
def test_a_query_without_a_known_word_is_explained_by_its_vector(
    small: Callable[..., Done], query: str, said: str
) -> None:
    done = small("explain", query, "5")
    assert done.status == 0 and "keyword  absent" in done.out and said in done.out
    found = small("explain", query, "5", "--json").json
    assert found["terms"] == [] and found["layers"][1]["rank"] and found["rank"]
    assert any(said in notice for notice in found["notices"])


@pytest.mark.parametrize(
    ("ref", "said"),
    [("99", "99"), ("Nothing", "(6) Nothing (1999)"), ("", ""), ("zzz", "zzz")],
)
def test_a_reference_that_names_no_one_document_is_refused(small: Callable[..., Done], ref: str, said: str) -> None:
    done = small("explain", "bear", ref)
    assert (done.status, done.out) == (2, "") and said in done.err and len(done.err.splitlines()) == 1


@pytest.mark.parametrize("ref", ["x y", "Owls", "owl", "OWLS (2010)", "Nothing (2005)"])
def test_an_id_a_title_or_a_part_of_it_will_do(small: Callable[..., Done], ref: str) -> None:
    assert small("explain", "bear", ref, "--json").json["id"] == (7 if "Nothing" in ref else "x y")


# What is above, and ties


def test_with_equal_scores_the_catalogues_order_is_named_as_the_reason(
    small: Callable[..., Done], tmp_path: Path
) -> None:
    """With alpha 1 what only the chunks have is worth 0; the reason given was "it is in more of them"."""
    results = small("weighted-search", "bear", "--alpha", "1", "--limit", "9", "--json").json["results"]
    tied = [r for r in results if r["score"] == 0 and r["lists"][0]["rank"] is None]
    assert len(tied) >= 3 and all(r["lists"][1]["rank"] for r in tied)
    said = [small("explain", "bear", str(r["id"]), "--fuse", "weighted", "--alpha", "1").out for r in tied[1:]]
    first, *_ = (r["lists"][1]["rank"] for r in tied)
    for before, result, out in zip(tied, tied[1:], said, strict=False):
        ahead = before["lists"][1]["rank"] < result["lists"][1]["rank"]
        assert ("ahead in chunks" in out) == ahead
        assert ("their scores are equal" in out) != ahead
    assert first and any("their scores are equal" in out for out in said)


# Several lists


def test_lists_of_two_settings_are_told_apart(small: Callable[..., Done], tmp_path: Path) -> None:
    plan = Plan((BM25(), Chunks(), Chunks("other")), fuse=RRF())
    (tmp_path / "plan.toml").write_text(to_toml(plan), encoding="utf-8")
    found = small("explain", "bear", "1", "--config", "plan.toml", "--json").json
    names = ["keyword", f"chunks {DEFAULT_ENCODER}", "chunks other"]
    assert [one["layer"] for one in found["layers"]] == [part["label"] for part in found["parts"]] == names
    assert found["layers"][1]["value"] != found["layers"][2]["value"]
    out = small("explain", "bear", "1", "--config", "plan.toml").out
    for name in names:
        assert any(line.startswith(name) for line in out.splitlines()), name


def test_a_single_list_is_explained_without_a_sum(small: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(to_toml(Plan((BM25(),), depth=2)), encoding="utf-8")
    out = small("explain", "bear", "1", "--config", "plan.toml").out
    assert "stands 1st of 3 found" in out.splitlines()[0] and "fused" not in out
    out = small("explain", "bear", "5", "--config", "plan.toml").out
    assert "is not in the list (depth 2)" in out.splitlines()[0] and "3rd (cut at 2)" in out


def test_a_second_time_is_the_same(small: Callable[..., Done]) -> None:
    assert len({small("explain", "bear fox", "2").out for _ in range(5)}) == 1


def test_it_writes_nothing_on_stderr_and_one_document_on_stdout(small: Callable[..., Done]) -> None:
    small("explain", "bear", "1")  # builds
    done = small("explain", "bear fox", "2", "--json")
    assert done.err == "" and done.out.count("\n") == 1
    numbers = [v for part in parts_of({"parts": done.json["layers"]}) for v in part.values() if isinstance(v, float)]
    assert numbers and np.isfinite(numbers).all()
