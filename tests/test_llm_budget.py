"""A run's limits of calls and tokens: what a server gets is counted, what was used is never lost."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from strata.errors import BadReply, BudgetSpent, ProviderError, RateLimited, Unavailable, UsageError
from strata.llm.asking import Asking
from strata.llm.budget import LEAST, Budgeted
from strata.llm.kept import Kept
from strata.llm.logged import Logged
from strata.llm.many import ask_all
from strata.llm.opening import Choice, open_model
from strata.llm.recording import Recorded
from strata.llm.replay import Replay
from strata.llm.retry import Patience, Tries
from strata.llm.types import Message, Reply, Request, Usage
from strata.llm.wire import Raw, Unsupported
from strata.settings import Access, Providers, Settings
from tests.llm_server import KEY, Server, completion, reply
from tests.llm_wire import HASTY, ScriptedWire, cut, within

ASK = (Message("user", "x" * 40),)
"""About 10 tokens."""


def fails(model: Any, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        model.complete(ASK, **more)
    return caught.value


def test_so_many_calls_and_no_more() -> None:
    wire = ScriptedWire("x")
    model, _ = within(wire, max_calls=2)
    assert [model.complete(ASK).text for _ in range(2)] == ["x", "x"]
    error = fails(model)
    assert isinstance(error, BudgetSpent) and "2 calls are used up (40 tokens)" in error.message
    assert "--max-calls" in error.next_step and len(wire.asked) == 2
    assert isinstance(fails(within(wire, max_calls=0)[0]), BudgetSpent)


def test_so_many_tokens_and_no_more() -> None:
    model, budget = within(ScriptedWire(Raw("x", "stop", "m", Usage(40, 10, 0, 1))), max_tokens_total=100)
    assert model.complete(ASK).text == model.complete(ASK).text == "x"
    error = fails(model)
    assert isinstance(error, BudgetSpent) and "of the run's 100 tokens 100 are used in 2 calls" in error.message
    assert "--max-tokens-total" in error.next_step and budget.used == Usage(80, 20, 0, 2)


@pytest.mark.parametrize("total", [9, 10 + LEAST - 1])
def test_a_call_that_the_budget_has_no_room_for_is_not_sent(total: int) -> None:
    wire = ScriptedWire("x")
    assert "sends about 10" in fails(within(wire, max_tokens_total=total)[0]).message and wire.asked == []


@pytest.mark.parametrize("limits", [{"max_calls": -1}, {"max_tokens_total": -5}])
def test_a_budget_is_no_less_than_nothing(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="--max-"):
        Budgeted(ScriptedWire("x"), **limits)


# Calls that are made again


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_every_try_is_a_call(calls: int) -> None:
    waits: list[float] = []
    wire = ScriptedWire(*[Unavailable("down", "try later") for _ in range(9)])
    error = fails(within(wire, max_calls=calls, patience=Patience(sleep=waits.append))[0])
    assert len(wire.asked) == calls and isinstance(error, Unavailable) and len(waits) == calls - 1
    assert error.next_step == f"try later; it is not asked again: the run's {calls} calls are used up (0 tokens)"


def test_nobody_waits_to_ask_again_when_nothing_is_left_to_ask_with() -> None:
    waits: list[float] = []
    limited = RateLimited("too many")
    limited.retry_after = 60
    model, _ = within(ScriptedWire(limited), max_calls=1, patience=Patience(sleep=waits.append))
    assert isinstance(fails(model), RateLimited) and waits == []


def test_what_never_came_to_a_server_is_no_call(tmp_path: Path) -> None:
    far = Unavailable("cannot be reached")
    far.reached = False
    wire = ScriptedWire(far, far, "here")
    model, _ = within(wire, max_calls=1)
    assert model.complete(ASK).text == "here" and len(wire.asked) == 3
    assert isinstance(fails(model), BudgetSpent)


def test_a_refused_parameter_takes_a_call_of_its_own() -> None:
    wire = ScriptedWire(Unsupported("seed"), "x")
    assert within(wire, max_calls=2)[0].complete(ASK).text == "x" and len(wire.asked) == 2
    wire = ScriptedWire(Unsupported("seed"), "x")
    assert isinstance(fails(within(wire, max_calls=1)[0]), BudgetSpent) and len(wire.asked) == 1


def test_a_reply_that_was_cut_off_is_not_asked_for_beyond_the_calls() -> None:
    wire = ScriptedWire(cut(10, 700))
    model, budget = within(wire, max_calls=1)
    error = fails(model)
    assert isinstance(error, BudgetSpent) and len(wire.asked) == 1
    assert error.reply and error.reply.usage == budget.used == Usage(10, 700, 0, 1)


def test_nor_beyond_the_tokens() -> None:
    """The second reply gets what is left, and what breaks off there is no reply."""
    wire = ScriptedWire(cut(10, 700), cut(10, 280, "half an ans"))
    model, budget = within(wire, max_tokens_total=1000)
    error = fails(model, max_tokens=700)
    assert [call.max_tokens for call in wire.asked] == [700, 280]
    assert isinstance(error, BudgetSpent) and "cut off at 280 tokens, all that the run's 1000 left" in error.message
    assert error.reply and error.reply.text == "half an ans"
    assert error.reply.usage == budget.used == Usage(20, 980, 0, 2)


@pytest.mark.parametrize("schema", [None, {"type": "object"}])
def test_a_reply_that_the_budget_cut_short_is_neither_kept_nor_recorded(tmp_path: Path, schema: Any) -> None:
    model, _ = within(ScriptedWire(cut(10, 90, '{"half')), max_tokens_total=100)
    error = fails(Recorded(Kept(model, tmp_path / "kept", print), tmp_path / "recorded"), schema=schema)
    assert isinstance(error, BudgetSpent) and list(tmp_path.rglob("*.json")) == []


def test_what_the_first_reply_used_is_counted_whatever_comes_of_the_second(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = []
    for later in (Unavailable("down"), BadReply("a portal", "", "<html>"), RateLimited("slow down")):
        wire = ScriptedWire(cut(10, 700, '{"sco'), later)
        model = Logged(Kept(within(wire)[0], tmp_path, print), records.append)
        error = fails(model, schema={"type": "object"})
        assert type(error) is type(later) and error.reply and error.reply.usage == Usage(10, 700, 0, 1)
        assert records[-1]["usage"] == {"prompt": 10, "completion": 700, "reasoning": 0, "calls": 1}
        assert not isinstance(error, BadReply) or error.text == error.reply.text == ""
    assert list(tmp_path.iterdir()) == []


def test_a_wait_that_is_still_on_costs_nothing_anew() -> None:
    limited = RateLimited("too many")
    limited.retry_after = 600
    wire = ScriptedWire(cut(10, 700), limited)
    model = Asking(wire, print, Tries("scripted", print, HASTY))
    assert fails(model).reply and fails(model).reply is None and len(wire.asked) == 2


def test_after_a_failure_the_second_call_is_made_again_and_not_the_first() -> None:
    wire = ScriptedWire(cut(10, 700), Unavailable("down"), Unavailable("down"), "whole")
    found = within(wire)[0].complete(ASK, max_tokens=700)
    assert found.text == "whole" and found.usage == Usage(20, 710, 0, 2)
    assert [call.max_tokens for call in wire.asked] == [700, 2100, 2100, 2100]


def test_a_try_that_failed_leaves_nothing_in_the_stream_of_the_next() -> None:
    """What looked like the beginning of a key, or of thoughts, was held back when the connection broke."""

    class Breaking(ScriptedWire):
        def send(self, call: Any) -> Raw:
            if not self.asked:
                self.asked.append(call)
                call.stream("<think>half a thought, planted")
                raise Unavailable("broke off")
            return super().send(call)

    pieces: list[str] = []
    model, _ = within(Breaking("The answer.", secrets=("planted-key-1234",)))
    assert model.complete(ASK, stream=pieces.append).text == "".join(pieces) == "The answer."


# Many at once


def test_threads_at_once_never_go_over_and_use_what_others_leave() -> None:
    """Each may write 400 tokens and writes 10: near the limit they wait for one another, and all are asked."""
    wire = ScriptedWire("x", during=lambda: time.sleep(0.005))
    model, budget = within(wire, max_tokens_total=1000)
    found = ask_all(model, [Request(ASK, max_tokens=400)] * 30, limit=8)
    assert all(isinstance(one, Reply) for one in found) and 1 < wire.most <= 2
    assert budget.used.prompt + budget.used.completion == 600
    assert {call.max_tokens for call in wire.asked} == {400}


def test_threads_at_once_stop_at_the_tokens() -> None:
    wire = ScriptedWire(Raw("x", "stop", "m", Usage(10, 90, 0, 1)), during=lambda: time.sleep(0.002))
    model, budget = within(wire, max_tokens_total=1020)
    found = ask_all(model, [Request(ASK, max_tokens=90)] * 30, limit=8)
    assert sum(isinstance(one, Reply) for one in found) == len(wire.asked) == 10 and budget.used.completion == 900


def test_a_thread_waits_for_one_that_may_not_have_reached_the_server() -> None:
    far, gate = Unavailable("cannot be reached"), threading.Event()
    far.reached, far.again = False, False
    wire = ScriptedWire(far, "x", during=lambda: gate.wait(5))
    model, _ = within(wire, max_calls=1)
    threading.Timer(0.05, gate.set).start()
    found = ask_all(model, [Request(ASK)] * 2, limit=2)
    assert sorted(type(one).__name__ for one in found) == ["Reply", "Unavailable"] and len(wire.asked) == 2


# With the real clients


@pytest.mark.parametrize(("provider", "status"), [("openai", 503), ("groq", 503), ("gemini", 503), ("openai", 429)])
def test_one_call_is_one_request_to_the_server(llm_server: Server, tmp_path: Path, provider: str, status: int) -> None:
    pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
    llm_server.gives(reply({"error": {"message": "overloaded", "code": status}}, status))
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(
        **{provider: Access(KEY, llm_server.base(provider), "m")}
    ))  # fmt: skip
    model = open_model(at, Choice(provider, max_calls=1), print, None, HASTY)
    assert "not asked again" in fails(model).next_step and len(llm_server.asked) == 1
    assert isinstance(fails(model), BudgetSpent) and len(llm_server.asked) == 1


@pytest.mark.parametrize("provider", ["openai", "groq", "gemini"])
def test_nobody_at_the_address_costs_no_call(tmp_path: Path, provider: str) -> None:
    pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
    waits: list[float] = []
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(
        **{provider: Access(KEY, "http://127.0.0.1:1", "m")}
    ))  # fmt: skip
    model = open_model(at, Choice(provider, max_calls=1), print, None, Patience(sleep=waits.append))
    assert "cannot be reached" in fails(model).message and len(waits) == 4


def test_a_replay_sends_nothing_and_keeps_to_any_limit(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply(completion("yes")))
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(openai=Access(KEY, llm_server.base("openai"), "m")))
    live = open_model(at, Choice("openai", record=tmp_path), print)
    assert live and live.complete(ASK).text == "yes"
    again = open_model(at, Choice("replay", replay=tmp_path, max_calls=1), print)
    assert isinstance(again, Replay) and [again.complete(ASK).text for _ in range(3)] == ["yes"] * 3
