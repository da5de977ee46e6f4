"""Several requests at once: order, errors in place, what stops the rest, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from strata.errors import BadReply, BudgetSpent, ModelGone, ProviderError, QuotaSpent, TooLong, WrongKey
from strata.llm.asking import Asking
from strata.llm.many import ask_all
from strata.llm.opening import open_wire
from strata.llm.types import Message, Reply, Request
from strata.settings import Access, Providers
from tests.llm_server import KEY, Server, completion, reply
from tests.llm_wire import ScriptedWire, cut, within


class Counting:
    """Answers with the request's own text; an error where one stands for it. most: how many were under way at once."""

    provider = model = "counting"

    def __init__(self, errors: dict[str, ProviderError] | None = None, takes: float = 0.002) -> None:
        self.errors = errors or {}
        self.takes = takes
        self.most = self.under_way = self.calls = 0
        self.lock = threading.Lock()

    def complete(
        self, messages: Sequence[Message], schema: Any = None, *, max_tokens: int = 1, stream: Any = None
    ) -> Reply:
        with self.lock:
            self.calls += 1
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        time.sleep(self.takes)
        with self.lock:
            self.under_way -= 1
        if messages[0].text in self.errors:
            raise self.errors[messages[0].text]
        return Reply(messages[0].text)


def requests(count: int) -> list[Request]:
    return [Request((Message("user", str(i)),)) for i in range(count)]


def outcome(found: Sequence[Reply | ProviderError]) -> list[str]:
    return [one.text if isinstance(one, Reply) else one.kind for one in found]


def test_replies_come_in_the_order_of_the_requests_a_few_at_a_time() -> None:
    model = Counting()
    assert outcome(ask_all(model, requests(25), limit=4)) == [str(i) for i in range(25)]
    assert 1 < model.most <= 4
    assert ask_all(model, []) == [] and outcome(ask_all(model, requests(2), limit=0)) == ["0", "1"]


def test_an_error_stands_in_the_place_of_its_request() -> None:
    model = Counting({"1": BadReply("odd"), "3": TooLong("long")})
    assert outcome(ask_all(model, requests(5))) == ["0", "bad_reply", "2", "too_long", "4"]


@pytest.mark.parametrize("kind", [WrongKey, ModelGone, QuotaSpent, BudgetSpent])
def test_a_fatal_error_stops_what_is_waiting_and_keeps_what_came(kind: type[ProviderError]) -> None:
    model = Counting({"6": kind("over")})
    found = outcome(ask_all(model, requests(100), limit=2))
    assert found[:5] == [str(i) for i in range(5)] and found[6] == kind.kind
    assert all(place in (str(i), kind.kind) for i, place in enumerate(found))
    assert model.calls < 20 and found.count(kind.kind) > 80  # what was under way may still come


def test_a_bug_is_not_hidden() -> None:
    class Buggy(Counting):
        def complete(self, *_: Any, **__: Any) -> Reply:
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        ask_all(Buggy(), requests(3))


INTERRUPTED = r"""
import signal, sys, threading, time, json
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
from strata.llm.many import ask_all
from strata.llm.recording import Recorded
from strata.llm.types import Message, Reply, Request
class Slow:
    provider = model = "slow"
    def complete(self, messages, schema=None, *, max_tokens=1, stream=None):
        number = int(messages[0].text)
        if number >= 4:
            sys.stdout.write("under way\n")
            sys.stdout.flush()
            time.sleep(60)
        return Reply(str(number), provider="slow", model="slow")
requests = [Request((Message("user", str(i)),)) for i in range(30)]
try:
    ask_all(Recorded(Slow(), sys.argv[1]), requests, limit=4)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise SystemExit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_ends_at_once_and_keeps_whole_recordings(tmp_path: Any) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert [process.stdout.readline() for _ in range(4)] == ["under way\n"] * 4
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and out.endswith("interrupted\n") and err == ""
    assert time.monotonic() - begun < 10  # not the minute that those under way would take
    files = list(tmp_path.iterdir())
    assert len(files) == 4 and all(json.loads(file.read_bytes())["reply"]["text"] in "0123" for file in files)


def test_many_requests_go_through_one_real_client(llm_server: Server) -> None:
    llm_server.gives(reply(completion("same")))
    wire = open_wire(Providers(openai=Access(KEY, llm_server.base("openai"), "m")), "openai", None, 5)
    found = ask_all(Asking(wire, print), requests(12), limit=4)
    assert outcome(found) == ["same"] * 12
    sent = sorted(int(asked.body["messages"][0]["content"]) for asked in llm_server.asked)
    assert sent == list(range(12))


def test_threads_share_one_budget() -> None:
    wire = ScriptedWire("x")
    model, _ = within(wire, max_calls=7)
    found = ask_all(model, [Request((Message("user", "x"),))] * 20, limit=8)
    assert sum(isinstance(one, Reply) for one in found) == len(wire.asked) == 7
    assert all(isinstance(one, Reply | BudgetSpent) for one in found)


def test_what_a_fatal_error_holds_of_a_reply_is_with_one_request_alone() -> None:
    """It was paid for once: the first reply was cut off, and the budget was out before it was asked for again."""
    model, budget = within(ScriptedWire(cut(10, 700)), max_calls=1)
    found = ask_all(model, requests(30), limit=1)
    assert [type(one) for one in found] == [BudgetSpent] * 30
    assert [one.reply.usage for one in found if isinstance(one, ProviderError) and one.reply] == [budget.used]
