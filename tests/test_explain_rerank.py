"""`explain` where a reranker ran, or an enhancement rules something out: every figure is what it is said to be."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from strata.core.types import Part, Plan, Query, Ranking
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.pipeline.explanation import explanation, to_json
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank.order import first, reranked
from strata.searching import Found
from strata.semantic.chunks import Chunks
from strata.show.explain import view
from strata.show.text import columns_of, plain
from tests.conftest import Run
from tests.counting import Encoders, Opened
from tests.test_explain import FILMS

LISTS = (BM25(), Chunks())


@dataclass(frozen=True)
class Letters:
    """A reranker that counts the letters of a title, those of each word a part."""

    candidates: int = 3
    reasons: bool = False
    name: str = "letters"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = first(found, self.candidates)
        ws.report(label="letters", **({"why": {docs[0]: "it is short"}} if self.reasons else {}))
        return reranked(self.name, docs, [self.explain(q, doc, ws).value for doc in docs])

    def explain(self, q: Query, doc: int, ws: Workspace) -> Part:
        parts = tuple(Part(word, float(len(word)), "letters") for word in ws.corpus.title(doc).split())
        return Part(self.name, sum(part.value for part in parts), "the sum over the words", parts)


@dataclass(frozen=True)
class Silent:
    """One that does not explain itself, and finds all candidates equally good."""

    candidates: int = 3
    name: str = "silent"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = first(found, self.candidates)
        return reranked(self.name, docs, [0.5] * len(docs))


PLANS = {
    "rrf": Plan(LISTS, fuse=RRF(), rerank=Letters()),
    "weighted": Plan(LISTS, fuse=Weighted(0.3), rerank=Letters(5)),
    "one is read": Plan(LISTS, fuse=RRF(), rerank=Letters(1)),
    "all are read": Plan(LISTS, fuse=RRF(), rerank=Letters(25, reasons=True)),
    "equal": Plan(LISTS, fuse=RRF(), rerank=Silent()),
    "nothing fused": Plan((Chunks(),), rerank=Letters(4)),
    "a short list": Plan((BM25(),), rerank=Letters(2), depth=2),
}


@pytest.fixture
def films(catalogue: Callable[..., Path], encoders: Encoders, opened: Opened) -> Workspace:
    return opened(catalogue(*FILMS))


def drawn(ws: Workspace, plan: Plan, query: str, doc: int) -> list[str]:
    trace = run(plan, Query(query), ws)
    found = Found(trace, ws, [], "lessons")
    lines = [text for block in view(found, explanation(trace, doc, ws)) for text in plain(block)]
    assert max(map(columns_of, lines)) <= 80
    return lines


@pytest.mark.parametrize("query", ["bear", "a bear in the rain", "quokka"])
@pytest.mark.parametrize("name", PLANS)
def test_fused_and_reranked_are_told_apart(films: Workspace, name: str, query: str) -> None:
    """The reranker's score was given as the sum of the fusion's parts, which add up to another."""
    plan = PLANS[name]
    trace = run(plan, Query(query), films)
    fused, again, final = trace.step("fuse"), trace.step("rerank"), trace.final
    assert again
    for doc in range(len(films.corpus)):
        found = json.loads(json.dumps(to_json(explanation(trace, doc, films), trace), allow_nan=False))
        rank, read = final.place(doc), again.output.place(doc)
        assert (found["rank"], found["of"]) == (rank, len(final.docs) if fused else final.matched)
        assert found["score"] == (final.scores[rank - 1] if rank else 0) and found["read"] == len(again.output.docs)
        assert found["rerank"] == ({"rank": read, "score": again.output.scores[read - 1]} if read else None)
        if "reread" in found:
            assert read and sum(part["value"] for part in found["reread"]["parts"]) == found["rerank"]["score"]
        else:
            assert not read or name == "equal"
        if fused:
            place = fused.output.place(doc)
            assert found["fused"] == ({"rank": place, "score": fused.output.scores[place - 1]} if place else None)
            whole = found["fused"]["score"] if place else 0
            assert sum(part["value"] for part in found["parts"]) == pytest.approx(whole, rel=1e-9, abs=1e-15)
        else:
            assert found["fused"] is None and found["parts"] == []
        higher = found["above"]
        if rank == 1 or not final.docs.size:
            assert higher is None
            continue
        at = rank - 1 if rank else 1
        other = int(final.docs[at - 1])
        assert (higher["rank"], higher["id"]) == (at, films.corpus.id(other))
        assert (higher["rerank"] is not None) == (again.output.place(other) is not None)
        if fused:
            assert sum(part["value"] for part in higher["parts"]) == pytest.approx(higher["fused"]["score"], rel=1e-9)


def said(lines: list[str], start: str) -> str:
    return next((text for text in lines if text.startswith(start)), "")


@pytest.mark.parametrize("name", PLANS)
def test_the_text_gives_the_place_before_and_after(films: Workspace, name: str) -> None:
    plan = PLANS[name]
    trace = run(plan, Query("a bear in the rain"), films)
    again = trace.step("rerank")
    assert again
    read, before = len(again.output.docs), trace.rankings[-2].output
    for doc in range(len(films.corpus)):
        lines = drawn(films, plan, "a bear in the rain", doc)
        place, row = again.output.place(doc), said(lines, "reranked")
        if place:
            assert f"of {read} reranked" in lines[0]
            old, score = before.place(doc), again.output.scores[place - 1]
            assert old and f"{before.scores[old - 1]:.5f} → " in row and f" {score:.5f} " in row
        else:
            assert f"not read: {again.label} reads the first {read}" in row
            assert trace.final.place(doc) is None or f", not among the {read} read" in lines[0]
        assert bool(said(lines, "fused")) == (plan.fuse is not None)


def test_who_stands_above_is_told_by_what_ordered_them(films: Workspace) -> None:
    """Both fused sums were compared, or both scores called equal."""
    trace = run(PLANS["rrf"], Query("bear"), films)
    order = trace.final.docs.tolist()
    second, last_read, first_unread, next_unread = (drawn(films, PLANS["rrf"], "bear", doc) for doc in order[1:5])
    for lines in (second, last_read):
        assert " letters, fused " in said(lines, "above: ")
        assert not said(lines, "  ahead in") and not said(lines, "  their scores")
    assert " letters, fused " in said(first_unread, "above: ")
    assert "  it was read, and what is not read stands behind" in first_unread
    assert " = 1/(60+" in said(next_unread, "above: ") and said(next_unread, "  ahead in")
    equal = drawn(films, PLANS["equal"], "bear", run(PLANS["equal"], Query("bear"), films).final.docs.tolist()[1])
    assert "  their scores are equal, and it stood first before" in equal


def test_a_reranker_gives_its_reasons(films: Workspace) -> None:
    fused = run(PLANS["all are read"], Query("bear"), films).step("fuse")
    assert fused
    lines = drawn(films, PLANS["all are read"], "bear", int(fused.output.docs[0]))
    assert said(lines, "  = ") and "  because: it is short" in lines


@pytest.mark.parametrize("title", ["無間道" * 40, "A" * 200])
def test_no_line_is_wider_than_80_columns(
    catalogue: Callable[..., Path], encoders: Encoders, opened: Opened, title: str
) -> None:
    texts = [{"id": i, "title": f"{title} {i}", "description": "bear"} for i in range(6)]
    ws = opened(catalogue(*texts))
    for doc in range(6):
        assert drawn(ws, PLANS["rrf"], "bear", doc)


def test_the_others_on_the_bundled_films(cli: Run) -> None:
    query = "haunted house family"
    args = ("hybrid_search_cli", "explain", query, "390", "--rerank", "late_interaction")
    found, lines = cli(*args, "--json").json, cli(*args).out.splitlines()
    assert (found["rank"], found["fused"]["rank"], found["read"]) == (5, 1, 25)
    assert sum(part["value"] for part in found["parts"]) == pytest.approx(found["fused"]["score"], rel=1e-9)
    assert sum(p["value"] for p in found["reread"]["parts"]) == pytest.approx(found["rerank"]["score"], rel=1e-5)
    assert found["above"]["rerank"]["score"] > found["rerank"]["score"] == found["score"]
    assert " stands 5th of 25 reranked " in lines[0]
    assert "fused     1st  0.03202 = 1/(60+1) keyword + 1/(60+4) chunks" in lines
    assert said(lines, "reranked").startswith("reranked  1st 0.03202 → 5th 1.96")
    assert said(lines, "  = haunted → haunting 0.5")
    assert " sum of cosines, fused 14th" in said(lines, "above: Cinderella 1.98")


def test_what_is_not_read_has_a_place_all_the_same(cli: Run) -> None:
    """It was said to be in no list, though one had it 10th."""
    results = cli("hybrid_search_cli", "rrf-search", "horse", "--limit", "60", "--json").json["results"]
    ref = results[39]
    out = cli("hybrid_search_cli", "explain", "horse", str(ref["id"]), "--rerank", "late_interaction").out
    assert " stands 40th of " in out and ", not among the 25 read" in out.splitlines()[0]
    assert said(out.splitlines(), "fused ").split()[1:3] == ["40th", f"{ref['score']:.5f}"]


# What an enhancement rules out


def test_a_condition_that_nobody_typed_is_explained_as_the_enhancement_s(cli: Run) -> None:
    """It was an error that named --where."""
    args = ("hybrid_search_cli", "explain", "a film without sharks", "jaws", "--enhance", "understand")
    done = cli(*args)
    lines = done.out.splitlines()
    assert done.status == 0 and " is ruled out by understand: text!~sharks " in lines[0]
    assert said(lines, "chunks") and "ruled out, though it scores 0." in said(lines, "chunks")
    assert "fused    –  in no list" in lines and not said(lines, "first:")
    found = cli(*args, "--json").json
    assert found["ruled_out"] == {"layer": "understand", "condition": "text!~sharks"}
    assert found["rank"] is None and found["above"] is None and found["layers"][1]["value"] > 0


def test_a_condition_that_was_typed_stays_an_error(cli: Run) -> None:
    args = ("hybrid_search_cli", "explain", "a film without sharks", "jaws", "--enhance", "understand")
    done = cli(*args, "--where", "year>2000")
    assert (done.status, done.out) == (2, "") and "is left out by --where year>2000" in done.err


def test_a_title_that_is_only_compared_with_is_ruled_out_by_name(cli: Run) -> None:
    done = cli("hybrid_search_cli", "explain", "a film like Jaws", "jaws", "--enhance", "understand")
    assert done.status == 0 and " is ruled out by understand: left out by name " in done.out.splitlines()[0]
