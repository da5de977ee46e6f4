"""Replies that are no use were paid for all the same: they are counted, logged, recorded, and replayed as they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.core.types import Plan, Query
from strata.enhance.spell import Spell
from strata.errors import BadReply, BudgetSpent, ProviderError, Refused
from strata.keyword.bm25 import BM25
from strata.llm.asking import Asking
from strata.llm.logged import Logged
from strata.llm.opening import open_wire
from strata.llm.recording import Recorded, read
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.llm.types import LanguageModel, Message, Reply, Usage
from strata.llm.wire import Raw
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank.batch import Batch
from strata.rerank.individual import Individual
from strata.rerank.judge import judged
from strata.settings import Access, Providers
from tests.llm_client import ALL, SCORE, Make
from tests.llm_server import KEY, Server, reply, said
from tests.llm_wire import ScriptedWire, within
from tests.test_rerank_models import QUERY, listed, one_at_a_time
from tests.test_rerank_models import films as small  # noqa: F401 - a fixture

ASK = (Message("user", "hi"),)
UNFIT = Reply("7 of 10", usage=Usage(40, 9, 4, 1), ms=12.5, finish_reason="stop", provider="groq", model="m-1")


def refused(model: LanguageModel, schema: Any = SCORE, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        model.complete(ASK, schema, **more)
    return caught.value


def same(one: ProviderError, other: ProviderError) -> bool:
    """Whether two errors say the same and hold the same reply, but for where it was read."""
    assert isinstance(one, BadReply) and isinstance(other, BadReply) and one.reply and other.reply
    assert (one.reply.replayed, other.reply.replayed) == (False, True)
    facts = [
        (e.message, e.next_step, e.text, e.reply.text, e.reply.usage, e.reply.ms, e.reply.finish_reason, e.reply.model)
        for e in (one, other)
        if e.reply
    ]
    return facts[0] == facts[1]


@pytest.mark.parametrize("text", ["None is relevant.", '{"score": 11}', '{"sco', '{"score": 1} {"score": 2}'])
def test_a_reply_that_does_not_fit_is_recorded_and_refused_again_in_the_same_words(tmp_path: Path, text: str) -> None:
    live = refused(Recorded(Scripted(Reply(text, usage=Usage(40, 9, 4, 1), provider="groq", model="m-1")), tmp_path))
    [file] = tmp_path.iterdir()
    assert live.reply and live.reply.text == text and "refusal" not in json.loads(file.read_bytes())["reply"]
    assert same(live, refused(Replay(tmp_path)))


@pytest.mark.parametrize(
    ("text", "finish", "schema"),
    [('{"sco', "length", SCORE), ("", "length", SCORE), ("", "length", None), ("  ", "stop", None)],
    ids=["half", "nothing of a value", "nothing", "blank"],
)
@pytest.mark.parametrize("provider", ALL)
def test_what_was_cut_off_or_empty_is_recorded_with_what_it_used_up(
    llm_server: Server, client: Make, tmp_path: Path, provider: str, text: str, finish: str, schema: Any
) -> None:
    llm_server.gives(reply(said(provider, text, finish)))
    ask = client(provider)
    live = refused(Recorded(ask.model, tmp_path), schema, max_tokens=100)
    times = 2 if finish == "length" else 1
    assert live.reply and live.reply.usage == Usage(40 * times, 9 * times, 4 * times, times)
    again = refused(Replay(tmp_path), schema, max_tokens=100)
    assert again.reply and round(live.reply.ms, 1) == again.reply.ms
    assert (live.message, live.next_step) == (again.message, again.next_step)
    assert (live.reply.text, live.reply.usage) == (again.reply.text, again.reply.usage)


def test_a_body_that_is_no_reply_is_not_recorded(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply(b"<html>a portal</html>"))
    wire = open_wire(Providers(openai=Access(KEY, llm_server.base("openai"), "m")), "openai", None, 5)
    assert refused(Recorded(Asking(wire, print), tmp_path / "new")).reply is None
    assert not (tmp_path / "new").exists()


def test_a_recording_of_a_refusal_that_was_damaged_is_named(tmp_path: Path) -> None:
    refused(Recorded(Scripted(_with_reply(BadReply("empty", "try again"), Reply(""))), tmp_path))
    [file] = tmp_path.iterdir()
    assert read(file).refusal == ("empty", "try again")
    file.write_text(file.read_text().replace('"next_step"', '"step"'))
    with pytest.raises(Exception, match="cannot be read"):
        read(file)


def _with_reply(error: ProviderError, reply: Reply) -> ProviderError:
    error.reply = reply
    return error


def test_the_log_has_the_text_and_its_cost_beside_the_error() -> None:
    records: list[dict[str, Any]] = []
    refused(Logged(Scripted(UNFIT), records.append))
    [record] = records
    assert (record["reply"], record["finish_reason"], record["ms"]) == ("7 of 10", "stop", 12.5)
    assert (record["provider"], record["model"], record["replayed"]) == ("groq", "m-1", False)
    assert record["usage"] == {"prompt": 40, "completion": 9, "reasoning": 4, "calls": 1}
    assert record["error"]["kind"] == "bad_reply" and "holds no JSON" in record["error"]["message"]


def test_the_log_of_a_replay_says_so(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = []
    Recorded(Scripted("fine", provider="groq", model="m-1"), tmp_path).complete(ASK)
    refused(Recorded(Scripted(UNFIT, provider="groq", model="m-1"), tmp_path))
    logged = Logged(Replay(tmp_path), records.append)
    logged.complete(ASK)
    refused(logged)
    with pytest.raises(ProviderError):
        logged.complete((Message("user", "never recorded"),))
    assert [(record["reply"], record["replayed"]) for record in records] == [
        ("fine", True), ("7 of 10", True), (None, True),
    ]  # fmt: skip


def test_its_tokens_count_against_the_budget() -> None:
    model, budget = within(ScriptedWire(Raw(UNFIT.text, "stop", "m-1", UNFIT.usage)), max_tokens_total=48)
    refused(model)
    assert budget.used == UNFIT.usage
    with pytest.raises(BudgetSpent, match="49 are used"):
        model.complete(ASK)


@pytest.mark.parametrize("provider", ALL)
def test_a_blocked_reply_was_paid_for_too(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, "The fil", "content_filter" if provider != "gemini" else "SAFETY")))
    error = client(provider).fails()
    assert isinstance(error, Refused) and error.reply and error.reply.usage == Usage(40, 9, 4, 1)


# The layers that go on with it, or leave their input standing


def test_rerankers_and_judge_count_what_they_repair_and_name_who_wrote_it(small: Callable[..., Workspace]) -> None:  # noqa: F811
    ranked = Reply("[2, 1]", usage=Usage(40, 9, 4, 1), provider="groq", model="served-1")
    graded = Reply('[{"id": 1, "grade": 2}]', usage=Usage(40, 9, 4, 1), provider="groq", model="served-1")
    for work, given in (
        (lambda ws: Batch()(QUERY, listed(0, 1), ws), ranked),
        (lambda ws: one_at_a_time(Individual(), ws, listed(0)), UNFIT_GRADE),
        (lambda ws: judged(QUERY, [0], ws), graded),
    ):
        ws = small(given)
        work(ws)
        _, usage, facts = ws.drain()
        assert usage == {"prompt_tokens": 40, "completion_tokens": 9, "calls": 1}
        assert (facts["by_rule"], facts["provider"], facts["model"]) == (False, "groq", "served-1")


UNFIT_GRADE = Reply("7", usage=Usage(40, 9, 4, 1), provider="groq", model="served-1")


def test_a_reply_that_cannot_be_repaired_is_counted_all_the_same(small: Callable[..., Workspace]) -> None:  # noqa: F811
    useless = Reply("None of them.", usage=Usage(40, 9, 4, 1), provider="groq", model="served-1")
    for layer in (Batch(), Individual(candidates=1)):
        step = run(Plan((BM25(),), rerank=layer), Query("bear bee"), small(useless)).steps[-1]
        assert isinstance(step.failed, BadReply) and step.facts["model"] == "served-1"
        assert (step.usage["prompt_tokens"], step.usage["calls"]) == (40, 1)
    step = run(Plan((BM25(),), enhance=Spell()), Query("bear bee"), small(useless)).steps[0]
    assert isinstance(step.failed, BadReply) and step.usage["completion_tokens"] == 9
    assert step.facts["provider"] == "groq"


def test_a_fatal_error_among_replies_names_who_gave_the_others(small: Callable[..., Workspace]) -> None:  # noqa: F811
    ws = small(UNFIT_GRADE, BudgetSpent("enough"))
    with pytest.raises(BudgetSpent):
        one_at_a_time(Individual(), ws, listed(0, 1))
    _, usage, facts = ws.drain()
    assert usage["calls"] == 1 and facts["model"] == "served-1"


def test_repairs_are_the_same_live_and_replayed(small: Callable[..., Workspace], tmp_path: Path) -> None:  # noqa: F811
    written = Reply("Best: [2, 9, 1]", usage=Usage(40, 9, 4, 1), ms=250.0, provider="groq", model="served-1")
    live, again = small(), small()
    live.model = Recorded(Scripted(written, provider="groq", model="asked"), tmp_path / "kept")  # type: ignore[misc]
    first = Batch()(QUERY, listed(0, 1, 2), live)
    again.model = Replay(tmp_path / "kept")  # type: ignore[misc]
    second = Batch()(QUERY, listed(0, 1, 2), again)
    assert first.docs.tolist() == second.docs.tolist() == [1, 0, 2]
    (notes, usage, facts), (notes_again, usage_again, facts_again) = live.drain(), again.drain()
    assert notes == notes_again and facts == facts_again
    assert usage_again == {**usage, "remembered_ms": 250.0}
