"""Asking again, and within a budget. No test waits: clock, sleep and chance are given."""

from __future__ import annotations

from typing import Any

import pytest

from strata.errors import (
    BadReply,
    BudgetSpent,
    ModelGone,
    ProviderError,
    QuotaSpent,
    RateLimited,
    TimedOut,
    TooLong,
    Unavailable,
    UsageError,
    WrongKey,
)
from strata.llm.asking import Asking
from strata.llm.budget import Budgeted
from strata.llm.opening import open_wire
from strata.llm.retry import Patience, Retried
from strata.llm.scripted import Scripted
from strata.llm.types import Message, Reply, Usage
from strata.settings import Access, Providers
from tests.llm_server import KEY, Server, reply, said

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


def limited(seconds: float | None) -> RateLimited:
    error = RateLimited(f"too many requests; it asks to wait {seconds} s")
    error.retry_after = seconds
    return error


def test_waits_double_and_are_drawn_at_random() -> None:
    at = Time()
    model = Retried(Scripted(Unavailable("a"), TimedOut("b"), Unavailable("c"), "done"), lambda _: None, at.patience())
    assert model.complete(ASK).text == "done"
    assert at.waits == [0.5, 1.0, 2.0]
    at = Time()
    model = Retried(Scripted(Unavailable("a"), "done"), lambda _: None, at.patience(random=lambda: 0.25))
    assert model.complete(ASK).text == "done" and at.waits == [0.125]


def test_the_provider_says_how_long_to_wait() -> None:
    at, notes = Time(), []
    model = Retried(Scripted(limited(5.3), "done"), notes.append, at.patience())
    assert model.complete(ASK).text == "done"
    assert at.waits == [pytest.approx(5.35)]  # never earlier than asked
    assert notes == ["scripted: rate limited; asking again in 5.3 s"]


def test_a_wait_beyond_the_cap_fails_at_once_and_holds_until_then() -> None:
    at, inner = Time(), Scripted(limited(90), "done")
    model = Retried(inner, lambda _: None, at.patience(cap=60))
    for _ in range(2):
        with pytest.raises(RateLimited, match="90"):
            model.complete(ASK)
    assert at.waits == [] and len(inner.asked) == 1  # the second time nobody was asked
    at.now = 91
    assert model.complete(ASK).text == "done"


def test_all_tries_together_stay_within_the_cap() -> None:
    at, inner = Time(), Scripted(limited(20))
    with pytest.raises(RateLimited):
        Retried(inner, lambda _: None, at.patience(cap=50)).complete(ASK)
    assert sum(at.waits) <= 50 and len(inner.asked) == 3


def test_after_so_many_tries_it_fails_and_the_next_request_gets_one() -> None:
    at, inner = Time(), Scripted(*[Unavailable("down")] * 7, "up", Unavailable("a"), "up")
    model = Retried(inner, lambda _: None, at.patience(attempts=5))
    for tries in (5, 6, 7):
        with pytest.raises(Unavailable):
            model.complete(ASK)
        assert len(inner.asked) == tries
    assert model.complete(ASK).text == "up" and model.complete(ASK).text == "up"  # and then five again


@pytest.mark.parametrize("kind", [WrongKey, ModelGone, QuotaSpent, TooLong, BadReply])
def test_what_would_end_the_same_way_is_not_asked_again(kind: type[ProviderError]) -> None:
    at, inner = Time(), Scripted(kind("no"), "done")
    with pytest.raises(kind):
        Retried(inner, lambda _: None, at.patience()).complete(ASK)
    assert len(inner.asked) == 1 and at.waits == []


def test_an_address_that_is_wrong_is_not_asked_again() -> None:
    error = Unavailable("nothing there")
    error.again = False
    inner = Scripted(error, "done")
    with pytest.raises(Unavailable):
        Retried(inner, lambda _: None, Time().patience()).complete(ASK)
    assert len(inner.asked) == 1


class Breaking:
    """Streams a piece, then breaks off."""

    provider = model = "breaking"
    calls = 0

    def complete(self, messages: Any, schema: Any = None, *, max_tokens: int = 1, stream: Any = None) -> Reply:
        self.calls += 1
        stream("The ")
        raise Unavailable("broke off")


def test_what_was_shown_is_not_asked_for_again() -> None:
    inner, pieces = Breaking(), []
    with pytest.raises(Unavailable):
        Retried(inner, lambda _: None, Time().patience()).complete(ASK, stream=pieces.append)
    assert pieces == ["The "] and inner.calls == 1


@pytest.mark.parametrize("provider", ["groq", "gemini", "openai"])
def test_the_real_clients_come_back_after_the_wait(llm_server: Server, provider: str) -> None:
    llm_server.gives(reply({"error": {"message": "slow down"}}, 429, {"retry-after": "2"}),
                     reply({"error": {"message": "oh"}}, 500), reply(said(provider, "done")))  # fmt: skip
    at = Time()
    wire = open_wire(Providers(**{provider: Access(KEY, llm_server.base(provider), "m")}), provider, None, 5)
    assert Retried(Asking(wire, print), lambda _: None, at.patience()).complete(ASK).text == "done"
    assert at.waits == [pytest.approx(2.05), 1.0] and len(llm_server.asked) == 3


# The budget


def spending(tokens: int) -> Reply:
    return Reply("x", usage=Usage(tokens - 10, 10, 0, 1))


def test_so_many_calls_and_no_more() -> None:
    inner = Scripted(spending(50))
    model = Budgeted(inner, max_calls=2)
    assert [model.complete(ASK).text for _ in range(2)] == ["x", "x"]
    with pytest.raises(BudgetSpent, match=r"2 calls are used up \(100 tokens\)") as caught:
        model.complete(ASK)
    assert "--max-calls" in caught.value.next_step and len(inner.asked) == 2
    with pytest.raises(BudgetSpent):
        Budgeted(inner, max_calls=0).complete(ASK)


def test_so_many_tokens_and_no_more() -> None:
    model = Budgeted(Scripted(spending(50)), max_tokens_total=100)
    assert model.complete(ASK).text == model.complete(ASK).text == "x"
    with pytest.raises(BudgetSpent, match="of the run's 100 tokens 100 are used in 2 calls") as caught:
        model.complete(ASK)
    assert "--max-tokens-total" in caught.value.next_step and model.used == Usage(80, 20, 0, 2)


def test_a_prompt_that_is_over_the_budget_is_not_sent() -> None:
    inner = Scripted(spending(50))
    with pytest.raises(BudgetSpent, match="sends about 10"):
        Budgeted(inner, max_tokens_total=9).complete(ASK)
    assert inner.asked == []


def test_calls_that_fail_count_as_calls() -> None:
    model = Budgeted(Scripted(Unavailable("down"), "x"), max_calls=1)
    with pytest.raises(Unavailable):
        model.complete(ASK)
    with pytest.raises(BudgetSpent):
        model.complete(ASK)


@pytest.mark.parametrize("limits", [{"max_calls": -1}, {"max_tokens_total": -5}])
def test_a_budget_is_no_less_than_nothing(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="--max-"):
        Budgeted(Scripted("x"), **limits)
