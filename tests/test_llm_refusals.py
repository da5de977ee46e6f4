"""Refused requests, parameters that a model does not take, and no answer at all, through the real clients."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from strata import errors
from tests.llm_client import ALL, CHAT, SCORE, Client, Make
from tests.llm_server import KEY, Server, candidate, completion, reply
from tests.test_llm_faults import DAY, DECOMMISSIONED, LLAMA_CPP, MINUTE, NO_MODEL, PER_DAY, PER_MINUTE, TOO_LARGE

REFUSALS = [
    ("groq", 400, DECOMMISSIONED, errors.ModelGone), ("gemini", 404, NO_MODEL, errors.ModelGone),
    ("groq", 401, {"error": {"message": f"Invalid API Key {KEY}"}}, errors.WrongKey),
    ("gemini", 403, {"error": {"code": 403, "message": KEY, "status": "PERMISSION_DENIED"}}, errors.WrongKey),
    ("openai", 401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}, errors.WrongKey),
    ("groq", 413, TOO_LARGE, errors.TooLong), ("openai", 400, LLAMA_CPP, errors.TooLong),
    ("groq", 429, DAY, errors.QuotaSpent), ("gemini", 429, PER_DAY, errors.QuotaSpent),
    ("groq", 429, MINUTE, errors.RateLimited), ("gemini", 429, PER_MINUTE, errors.RateLimited),
    ("groq", 500, {"error": {"message": "Internal Server Error"}}, errors.Unavailable),
    ("gemini", 503, {"error": {"code": 503, "message": "overloaded"}}, errors.Unavailable),
    ("openai", 502, b"<html>bad gateway</html>", errors.Unavailable),
    ("gemini", 502, b"<html>bad gateway</html>", errors.Unavailable),
    ("groq", 502, b"<html>bad gateway</html>", errors.Unavailable),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "status", "body", "kind"), REFUSALS)
def test_a_refusal_is_its_typed_error_and_is_asked_once(
    llm_server: Server, client: Make, provider: str, status: int, body: Any, kind: type
) -> None:  # fmt: skip
    llm_server.gives(reply(body, status))
    assert type(client(provider).fails()) is kind
    assert len(llm_server.asked) == 1  # the SDKs' own retries are off


@pytest.mark.parametrize("provider", ALL)
def test_the_wait_in_a_header_is_read(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply({"error": {"message": "slow down"}}, 429, {"retry-after": "5.3"}))
    error = client(provider).fails()
    assert error.retry_after == 5.3 and "5.3 s" in error.message


@pytest.mark.parametrize("provider", ALL)
def test_a_redirect_is_not_followed_and_says_where_it_leads(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(b"", 308, {"Location": "https://else.where/v1/x"}))
    error = client(provider).fails()
    assert isinstance(error, errors.Unavailable) and not error.again and len(llm_server.asked) == 1
    assert "https://else.where/v1/x" in error.message and "base URL" in error.next_step


# Parameters that a model does not take


def refusal(parameter: str) -> Any:
    message = f"Unsupported parameter: '{parameter}' is not supported with this model."
    return reply({"error": {"message": message, "type": "invalid_request_error", "param": parameter}}, 400)


@pytest.mark.parametrize("provider", CHAT)
def test_a_parameter_is_left_out_announced_and_remembered(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(refusal("temperature"), reply(completion("a")))
    ask = client(provider)
    assert ask().text == "a" and ask().text == "a"
    assert [("temperature" in asked.body) for asked in llm_server.asked] == [True, False, False]
    assert len(ask.notes) == 1 and "does not take temperature" in ask.notes[0]


@pytest.mark.parametrize("provider", CHAT)
def test_a_schema_that_is_refused_goes_into_the_prompt(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(refusal("response_format"), refusal("response_format"), reply(completion('{"score": 1}')))
    ask = client(provider)
    assert ask(schema=SCORE).parsed == {"score": 1} and ask(schema=SCORE).parsed == {"score": 1}
    forms = [asked.body.get("response_format", {}).get("type") for asked in llm_server.asked]
    assert forms == ["json_schema", "json_object", None, None]
    system = llm_server.asked[-1].body["messages"][0]["content"]
    assert system.startswith("Reply with a JSON object.") and '"score"' in system and len(ask.notes) == 2


def test_openais_newer_models_get_the_limit_by_its_newer_name(llm_server: Server, client: Make) -> None:
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    llm_server.gives(reply({"error": {"message": message, "param": "max_tokens"}}, 400), reply(completion("a")))
    client("openai", model="gpt-5-mini")(max_tokens=100)
    assert llm_server.asked[1].body["max_completion_tokens"] == 1124 and "max_tokens" not in llm_server.asked[1].body


def test_gemini_without_thinking_or_schema_still_answers(llm_server: Server, client: Make) -> None:
    def no(message: str) -> Any:
        return reply({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}, 400)

    llm_server.gives(no("Thinking level is not supported for this model."),
                 no("Invalid JSON payload received. Unknown name \"responseJsonSchema\""),
                 no("JSON mode is not enabled: response_mime_type is not supported"),
                 reply(candidate('{"score": 2}')))  # fmt: skip
    ask = client("gemini")
    assert ask(schema=SCORE).parsed == {"score": 2} and len(ask.notes) == 3
    config = llm_server.asked[-1].body["generationConfig"]
    assert set(config) == {"seed", "maxOutputTokens"}
    assert '"score"' in llm_server.asked[-1].body["systemInstruction"]["parts"][0]["text"]


def test_a_refusal_that_goes_on_is_an_error(llm_server: Server, client: Make) -> None:
    llm_server.gives(refusal("temperature"))
    assert "temperature" in client("openai").fails().message and len(llm_server.asked) == 2


# No answer at all


@pytest.mark.parametrize("how", ["silent", "stalled", "dribbling"])
@pytest.mark.parametrize("provider", ALL)
def test_a_reply_has_so_much_time_from_first_to_last_byte(
    llm_server: Server, client: Make, provider: str, how: str
) -> None:
    llm_server.gives(getattr(llm_server, how))
    ask = client(provider, seconds=0.3)
    begun = time.monotonic()
    error = ask.fails()
    assert isinstance(error, errors.TimedOut) and "0.3 s" in error.message and "STRATA_LLM_TIMEOUT" in error.next_step
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("provider", ALL)
def test_a_connection_that_breaks_is_unavailable(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(llm_server.broken)
    error = client(provider).fails()
    assert isinstance(error, errors.Unavailable) and "broke off" in error.message


@pytest.mark.parametrize("provider", ALL)
def test_nobody_at_the_address_is_unavailable(provider: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused at once
        error = Client(provider, f"http://user:{KEY}@127.0.0.1:{taken.getsockname()[1]}").fails()
    assert isinstance(error, errors.Unavailable) and "cannot be reached at 127.0.0.1" in error.message


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://127.0.0.1/v1", "http://", "http://[::1"])
def test_what_is_no_address_is_said(url: str) -> None:
    error = Client("openai", url).fails()
    assert isinstance(error, errors.Unavailable) and not error.again and "base URL" in error.next_step
