"""Asking again. No test waits: clock, sleep and chance are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from strata.errors import (
    BadReply,
    ModelGone,
    ProviderError,
    QuotaSpent,
    RateLimited,
    TimedOut,
    TooLong,
    Unavailable,
    WrongKey,
)
from strata.llm.asking import Asking
from strata.llm.opening import open_wire
from strata.llm.retry import Patience, Tries
from strata.llm.types import Message
from strata.llm.wire import Call, Raw, Wire
from strata.settings import Access, Providers
from tests.llm_server import KEY, Server, reply, said
from tests.llm_wire import ScriptedWire

ASK = (Message("user", "x" * 40),)


class Time:
    """A clock that only sleep moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def patience(self, **more: Any) -> Patience:
        return Patience(**{"clock": lambda: self.now, "sleep": self.sleep, "random": lambda: 1.0, **more})


def tried(wire: Wire, patience: Patience, note: Callable[[str], None] = lambda _: None) -> Asking:
    return Asking(wire, print, Tries(wire.provider, note, patience))


def limited(seconds: float | None) -> RateLimited:
    error = RateLimited(f"too many requests; it asks to wait {seconds} s")
    error.retry_after = seconds
    return error


def test_waits_double_and_are_drawn_at_random() -> None:
    at = Time()
    model = tried(
        ScriptedWire(Unavailable("a"), TimedOut("b"), Unavailable("c"), "done"), at.patience(), lambda _: None
    )
    assert model.complete(ASK).text == "done"
    assert at.waits == [0.5, 1.0, 2.0]
    at = Time()
    model = tried(ScriptedWire(Unavailable("a"), "done"), at.patience(random=lambda: 0.25), lambda _: None)
    assert model.complete(ASK).text == "done" and at.waits == [0.125]


def test_the_provider_says_how_long_to_wait() -> None:
    at, notes = Time(), []
    model = tried(ScriptedWire(limited(5.3), "done"), at.patience(), notes.append)
    assert model.complete(ASK).text == "done"
    assert at.waits == [pytest.approx(5.35)]  # never earlier than asked
    assert notes == ["scripted: rate limited; asking again in 5.3 s"]


def test_a_wait_beyond_the_cap_fails_at_once_and_holds_until_then() -> None:
    at, inner = Time(), ScriptedWire(limited(90), "done")
    model = tried(inner, at.patience(cap=60))
    for _ in range(2):
        with pytest.raises(RateLimited, match="90"):
            model.complete(ASK)
    assert at.waits == [] and len(inner.asked) == 1  # the second time nobody was asked
    at.now = 91
    assert model.complete(ASK).text == "done"


def test_all_tries_together_stay_within_the_cap() -> None:
    at, inner = Time(), ScriptedWire(limited(20))
    with pytest.raises(RateLimited):
        tried(inner, at.patience(cap=50)).complete(ASK)
    assert sum(at.waits) <= 50 and len(inner.asked) == 3


def test_after_so_many_tries_it_fails_and_the_next_request_gets_one() -> None:
    at, inner = Time(), ScriptedWire(*[Unavailable("down")] * 7, "up", Unavailable("a"), "up")
    model = tried(inner, at.patience(attempts=5))
    for tries in (5, 6, 7):
        with pytest.raises(Unavailable):
            model.complete(ASK)
        assert len(inner.asked) == tries
    assert model.complete(ASK).text == "up" and model.complete(ASK).text == "up"  # and then five again


@pytest.mark.parametrize("kind", [WrongKey, ModelGone, QuotaSpent, TooLong, BadReply])
def test_what_would_end_the_same_way_is_not_asked_again(kind: type[ProviderError]) -> None:
    at, inner = Time(), ScriptedWire(kind("no"), "done")
    with pytest.raises(kind):
        tried(inner, at.patience()).complete(ASK)
    assert len(inner.asked) == 1 and at.waits == []


def test_an_address_that_is_wrong_is_not_asked_again() -> None:
    error = Unavailable("nothing there")
    error.again = False
    inner = ScriptedWire(error, "done")
    with pytest.raises(Unavailable):
        tried(inner, Time().patience()).complete(ASK)
    assert len(inner.asked) == 1


class Breaking(ScriptedWire):
    """Streams a piece, then breaks off."""

    def send(self, call: Call) -> Raw:
        self.asked.append(call)
        assert call.stream
        call.stream("The ")
        raise Unavailable("broke off")


def test_what_was_shown_is_not_asked_for_again() -> None:
    inner, pieces = Breaking(), list[str]()
    with pytest.raises(Unavailable):
        tried(inner, Time().patience()).complete(ASK, stream=pieces.append)
    assert pieces == ["The "] and len(inner.asked) == 1


@pytest.mark.parametrize("provider", ["groq", "gemini", "openai"])
def test_the_real_clients_come_back_after_the_wait(llm_server: Server, provider: str) -> None:
    llm_server.gives(reply({"error": {"message": "slow down"}}, 429, {"retry-after": "2"}),
                     reply({"error": {"message": "oh"}}, 500), reply(said(provider, "done")))  # fmt: skip
    at = Time()
    wire = open_wire(Providers(**{provider: Access(KEY, llm_server.base(provider), "m")}), provider, None, 5)
    assert tried(wire, at.patience()).complete(ASK).text == "done"
    assert at.waits == [pytest.approx(2.05), 1.0] and len(llm_server.asked) == 3
