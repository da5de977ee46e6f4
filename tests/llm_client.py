"""A provider's real client on the loopback server, asked for one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from strata import errors
from strata.llm.asking import Asking
from strata.llm.opening import open_wire
from strata.llm.types import Message, Reply
from strata.settings import Access, Providers
from tests.llm_server import KEY, Server

ALL = ["groq", "gemini", "openai"]
CHAT = ["groq", "openai"]
ASK = (Message("system", "Reply with a JSON object."), Message("user", "hi"))
SCORE = {"type": "object", "properties": {"score": {"type": "integer", "maximum": 10}}, "required": ["score"]}


class Client:
    """A provider on the server, and what it noted."""

    def __init__(self, provider: str, url: str, model: str | None = None, seconds: float = 5) -> None:
        named = model or {"groq": "openai/gpt-oss-120b", "gemini": "gemini-3.5-flash-lite"}.get(provider, "local")
        self.notes: list[str] = []
        self.wire = open_wire(Providers(**{provider: Access(KEY, url, named)}), provider, None, seconds)
        self.model = Asking(self.wire, self.notes.append)

    def __call__(self, **more: Any) -> Reply:
        return self.model.complete(ASK, **more)

    def fails(self, **more: Any) -> errors.ProviderError:
        with pytest.raises(errors.ProviderError) as caught:
            self(**more)
        assert KEY not in f"{caught.value!r} {caught.value.next_step}"
        assert caught.value.__cause__ is None  # an SDK's exception would carry the request with its key
        return caught.value


Make = Callable[..., Client]


@pytest.fixture
def client(llm_server: Server) -> Make:
    """client(provider, model=…, seconds=…); nothing is retried."""

    def make(provider: str, **more: Any) -> Client:
        pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
        return Client(provider, llm_server.base(provider), **more)

    return make
