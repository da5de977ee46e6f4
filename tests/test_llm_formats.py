"""The real SDKs (groq, google-genai) and our own client in their vendors' formats: what is sent, what comes back."""

from __future__ import annotations

from typing import Any

import pytest

from strata import errors
from strata.llm.asking import Asking
from strata.llm.opening import open_wire
from strata.llm.prompting import schema
from strata.llm.types import Usage
from strata.settings import Access, Providers
from tests.llm_client import ALL, ASK, CHAT, SCORE, Client, Make
from tests.llm_server import KEY, Server, candidate, chunks, completion, events, reply, said


@pytest.mark.parametrize("provider", ALL)
def test_a_reply_comes_with_its_tokens_and_who_answered(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, "hello")))
    ask = client(provider)
    found = ask()
    assert (found.text, found.parsed, found.finish_reason) == ("hello", None, "stop")
    assert found.usage == Usage(prompt=40, completion=9, reasoning=4, calls=1)
    assert (found.provider, found.model) == (provider, "served-model") and found.ms > 0
    assert ask.notes == []


def test_groq_is_asked_in_its_format(llm_server: Server, client: Make) -> None:
    llm_server.gives(reply(completion('{"score": 3}')))
    assert client("groq")(schema=SCORE, max_tokens=100).parsed == {"score": 3}
    asked = llm_server.asked[0]
    assert asked.path == "/openai/v1/chat/completions" and asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body["reasoning_effort"] == "low" and asked.body["max_completion_tokens"] == 100 + 512
    assert (asked.body["temperature"], asked.body["seed"]) == (0, 0)
    assert asked.body["messages"][0] == {"role": "system", "content": "Reply with a JSON object."}
    form = asked.body["response_format"]["json_schema"]
    assert form["strict"] is True and form["schema"] == {
        "type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"],
        "additionalProperties": False,
    }  # fmt: skip


def test_groq_models_that_do_not_think_get_no_effort(llm_server: Server, client: Make) -> None:
    llm_server.gives(reply(completion("x")))
    client("groq", model="llama-4-maverick")(max_tokens=100)
    assert (
        "reasoning_effort" not in llm_server.asked[0].body and llm_server.asked[0].body["max_completion_tokens"] == 100
    )


@pytest.mark.parametrize("provider", ALL)
def test_a_server_is_told_the_first_of_several_types(llm_server: Server, client: Make, provider: str) -> None:
    """What may come back as 3 or as "3" is asked for as a number: not every server knows unions."""
    form = schema("rerank_batch")
    llm_server.gives(reply(said(provider, '{"ranking": [{"id": "3", "why": "x"}, {"id": "b", "why": "y"}]}')))
    found = client(provider)(schema=form).parsed
    assert [entry["id"] for entry in found["ranking"]] == ["3", "b"]
    body = llm_server.asked[0].body
    sent = (
        body.get("response_format", {}).get("json_schema", {}).get("schema")
        or body["generationConfig"]["responseJsonSchema"]
    )
    assert sent["properties"]["ranking"]["items"]["properties"]["id"] == {"type": "integer"}


def test_groqs_address_may_be_given_with_its_path(llm_server: Server) -> None:
    llm_server.gives(reply(completion("x")))
    Client("groq", f"{llm_server.url}/openai/v1/")()
    assert llm_server.asked[0].path == "/openai/v1/chat/completions"


def test_gemini_is_asked_in_its_format(llm_server: Server, client: Make) -> None:
    llm_server.gives(reply(candidate('{"score": 3}')))
    ask = client("gemini")
    assert ask(schema=SCORE, max_tokens=100).parsed == {"score": 3}
    asked = llm_server.asked[0]
    assert asked.path.endswith("/models/gemini-3.5-flash-lite:generateContent")
    assert asked.headers["x-goog-api-key"] == KEY and KEY not in asked.path
    config = asked.body["generationConfig"]
    assert config["thinkingConfig"] == {"thinking_level": "MINIMAL"} and config["maxOutputTokens"] == 100
    assert config["responseMimeType"] == "application/json" and config["responseJsonSchema"] == SCORE
    assert "temperature" not in config  # Google advises to leave it alone from Gemini 3 on
    assert asked.body["systemInstruction"]["parts"] == [{"text": "Reply with a JSON object."}]
    assert asked.body["contents"] == [{"role": "user", "parts": [{"text": "hi"}]}]


@pytest.mark.parametrize(
    ("model", "thinking", "reserve"),
    [
        ("gemini-3.7-flash", {"thinking_level": "LOW"}, 1024),
        ("models/gemini-3.1-flash-lite", {"thinking_level": "MINIMAL"}, 0),
        ("gemini-2.5-flash", {"thinking_budget": 512}, 1024),
        ("gemma-4-27b-it", None, 1024),
    ],
)
def test_each_gemini_is_given_the_thinking_that_it_takes(
    llm_server: Server, client: Make, model: str, thinking: Any, reserve: int
) -> None:  # fmt: skip
    llm_server.gives(reply(candidate("x")))
    client("gemini", model=model)(max_tokens=100)
    config = llm_server.asked[0].body["generationConfig"]
    assert config.get("thinkingConfig") == thinking and config["maxOutputTokens"] == 100 + reserve


def test_a_server_like_openais_is_asked_in_its_format(llm_server: Server, client: Make) -> None:
    llm_server.gives(reply(completion("x")))
    client("openai")(max_tokens=100)
    asked = llm_server.asked[0]
    assert asked.path == "/v1/chat/completions" and asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body["max_tokens"] == 100 and "response_format" not in asked.body


def test_a_local_server_needs_no_key_and_names_its_model(llm_server: Server) -> None:
    listed = {"data": [{"id": "nomic-embed-text"}, {"id": "smollm2"}, {"id": "other"}]}
    llm_server.gives(reply(listed), reply(completion("x")))
    wire = open_wire(Providers(openai=Access(None, llm_server.url)), "openai", None, 5)
    model = Asking(wire, lambda _: None)
    assert model.model == "smollm2" and model.complete(ASK).text == "x"
    assert [asked.path for asked in llm_server.asked] == ["/models", "/chat/completions"]
    assert "Authorization" not in llm_server.asked[1].headers


def test_a_server_without_a_model_says_so(llm_server: Server) -> None:
    llm_server.gives(reply({"data": []}))
    wire = open_wire(Providers(openai=Access(None, llm_server.url)), "openai", None, 5)
    with pytest.raises(errors.ModelGone, match="lists no model"):
        Asking(wire, lambda _: None).complete(ASK)


@pytest.mark.parametrize("provider", CHAT)
def test_a_stream_is_passed_on_piece_by_piece(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(events(chunks("<think>hm", "m</think>\n", "The ", "answer.")))
    pieces: list[str] = []
    found = client(provider)(stream=pieces.append)
    assert pieces == ["The ", "answer."] and found.text == "The answer."
    assert found.usage == Usage(40, 9, 0, 1) and llm_server.asked[0].body["stream"] is True
    assert llm_server.asked[0].body["stream_options"] == {"include_usage": True}


def test_a_stream_of_geminis_is_passed_on_piece_by_piece(llm_server: Server, client: Make) -> None:
    thought = candidate("hm", None)
    thought["candidates"][0]["content"]["parts"][0]["thought"] = True
    llm_server.gives(events([thought, candidate("The ", None), candidate("answer.")], done=False))
    pieces: list[str] = []
    found = client("gemini")(stream=pieces.append)
    assert pieces == ["The ", "answer."] and found.text == "The answer."
    assert "streamGenerateContent" in llm_server.asked[0].path and "alt=sse" in llm_server.asked[0].path


def test_a_server_that_does_not_stream_is_taken_as_it_is(llm_server: Server, client: Make) -> None:
    llm_server.gives(reply(completion("whole")))
    pieces: list[str] = []
    assert client("openai")(stream=pieces.append).text == "whole" and pieces == ["whole"]


@pytest.mark.parametrize("ends", [True, False], ids=["ended early", "broken off"])
@pytest.mark.parametrize("provider", ALL)
def test_a_stream_that_does_not_end_is_no_answer(llm_server: Server, client: Make, provider: str, ends: bool) -> None:
    pieces = [candidate("The ", None)] if provider == "gemini" else chunks("The ", finish=None)[:1]
    llm_server.gives(events(pieces, done=False, ends=ends))
    got: list[str] = []
    error = client(provider).fails(stream=got.append)
    assert isinstance(error, errors.Unavailable) and "broke off" in error.message and got == ["The "]


@pytest.mark.parametrize("provider", ALL)
def test_an_error_inside_a_stream_is_an_error(llm_server: Server, client: Make, provider: str) -> None:
    failure = {"error": {"code": 503, "message": f"over capacity {KEY}", "status": "UNAVAILABLE"}}
    begun = [candidate("The ", None)] if provider == "gemini" else chunks("The ", finish=None)[:1]
    llm_server.gives(events([*begun, failure]))
    error = client(provider).fails(stream=lambda _: None)
    assert isinstance(error, errors.Unavailable) and "over capacity [key]" in error.message


def test_a_schema_and_a_stream_exclude_each_other(client: Make) -> None:
    with pytest.raises(ValueError):
        client("openai")(schema=SCORE, stream=print)


@pytest.mark.parametrize("provider", ALL)
def test_models_are_listed(llm_server: Server, client: Make, provider: str) -> None:
    row = {"id": "one", "object": "model", "created": 1, "owned_by": "x"}
    llm_server.gives(
        reply({"models": [{"name": "models/one"}]} if provider == "gemini" else {"object": "list", "data": [row]})
    )
    assert client(provider).wire.models() == ["one"]
    for body in (b"<html>", b"{}", b"[]", b'{"data": [1]}'):
        llm_server.gives(reply(body))
        try:
            assert client(provider).wire.models() == []
        except errors.BadReply:
            assert body in (b"<html>", b"[]")
    llm_server.gives(reply({"error": {"message": "Invalid API Key"}}, 401))
    with pytest.raises(errors.WrongKey):
        client(provider).wire.models()
