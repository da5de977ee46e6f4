"""Replies that are not what they should be: wrapped, cut off, empty, malformed, blocked."""

from __future__ import annotations

from typing import Any

import pytest

from strata import errors
from strata.llm.types import Usage
from tests.llm_client import ALL, CHAT, SCORE, Make
from tests.llm_server import Server, candidate, completion, events, reply, said


@pytest.mark.parametrize("provider", ALL)
def test_json_in_prose_and_fences_is_taken(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, 'Sure!\n```json\n{"score": "7"}\n```')))
    assert client(provider)(schema=SCORE).parsed == {"score": 7}


@pytest.mark.parametrize("text", ["None is relevant.", '{"score": 1} {"score": 2}', '{"score": 11}', '{"other": 1}'])
@pytest.mark.parametrize("provider", ALL)
def test_what_does_not_fit_the_schema_is_a_bad_reply(
    llm_server: Server, client: Make, provider: str, text: str
) -> None:
    llm_server.gives(reply(said(provider, text)))
    error = client(provider).fails(schema=SCORE)
    assert isinstance(error, errors.BadReply) and error.text == text and len(llm_server.asked) == 1


@pytest.mark.parametrize("provider", ALL)
def test_an_empty_reply_for_want_of_tokens_is_asked_for_once_more(
    llm_server: Server, client: Make, provider: str
) -> None:
    llm_server.gives(reply(said(provider, None, "length")), reply(said(provider, "now")))
    ask = client(provider)
    found = ask(max_tokens=100)
    assert found.text == "now" and found.usage == Usage(80, 18, 8, 2)
    first, second = (_limit(asked.body) for asked in llm_server.asked)
    assert second == 3 * first and ask.notes == [
        f"{provider}: the reply was cut off at {first} tokens; asking once more"
    ]


@pytest.mark.parametrize("provider", ALL)
def test_half_a_json_value_is_asked_for_once_more(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, '{"sco', "length")), reply(said(provider, '{"score": 4}')))
    assert client(provider)(schema=SCORE).parsed == {"score": 4}


@pytest.mark.parametrize("provider", ALL)
def test_a_reply_that_stays_empty_says_what_it_used_up(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, None, "length")))
    error = client(provider).fails(max_tokens=100)
    assert isinstance(error, errors.BadReply) and len(llm_server.asked) == 2
    assert f"used up {_limit(llm_server.asked[1].body)} tokens" in error.message


@pytest.mark.parametrize("provider", ALL)
def test_a_long_text_that_was_cut_is_given_and_says_so(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, "half an ans", "length")))
    assert client(provider)().finish_reason == "length" and len(llm_server.asked) == 1


def _limit(body: Any) -> int:
    found = body.get("max_tokens") or body.get("max_completion_tokens") or body["generationConfig"]["maxOutputTokens"]
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("provider", ALL)
def test_an_empty_reply_is_a_bad_reply(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(said(provider, "  ")))
    error = client(provider).fails()
    assert isinstance(error, errors.BadReply) and "empty" in error.message and "stop" in error.message


NOT_A_REPLY = [b"<html>a portal</html>", b'{"choices": [', b"[1, 2]", b'"text"', b"{}", b"null", b'{"choices": [{}]}']


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize("body", NOT_A_REPLY)
@pytest.mark.parametrize("provider", ALL)
def test_a_body_that_is_no_reply_is_a_bad_reply(
    llm_server: Server, client: Make, provider: str, body: bytes, kind: str
) -> None:  # fmt: skip
    llm_server.gives(reply(body, headers={"Content-Type": kind}))
    assert isinstance(client(provider).fails(), errors.BadReply)


@pytest.mark.parametrize("provider", CHAT)
def test_a_piece_of_a_stream_that_is_not_json_is_a_bad_reply(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(events(["{half"]))
    assert isinstance(client(provider).fails(stream=lambda _: None), errors.BadReply)


@pytest.mark.parametrize(
    ("written", "finish", "parsed"),
    [('{"score": 5}', 1, 5), ("", 2, 6), ('{"score', 2, 6)],
    ids=["whole", "none", "half"],
)
def test_what_groq_refuses_as_unfit_json_is_looked_at(
    llm_server: Server, client: Make, written: str, finish: int, parsed: int
) -> None:  # fmt: skip
    message = "Failed to generate JSON." if finish == 1 else "max completion tokens reached before a valid document"
    refusal = {"message": message, "code": "json_validate_failed", "failed_generation": written}
    llm_server.gives(reply({"error": refusal}, 400), reply(completion('{"score": 6}')))
    assert client("groq")(schema=SCORE).parsed == {"score": parsed} and len(llm_server.asked) == finish


# Blocked


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION"])
def test_a_blocked_candidate_is_refused_with_its_reason(llm_server: Server, client: Make, reason: str) -> None:
    llm_server.gives(reply(candidate(None, reason)))
    error = client("gemini").fails()
    assert isinstance(error, errors.Refused) and reason in error.message


def test_a_blocked_prompt_is_refused_with_its_reason(llm_server: Server, client: Make) -> None:
    llm_server.gives(
        reply({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 4}})
    )
    error = client("gemini").fails()
    assert isinstance(error, errors.Refused) and "the prompt, PROHIBITED_CONTENT" in error.message


def test_a_reason_that_the_sdk_does_not_know_makes_no_noise(
    llm_server: Server, client: Make, capfd: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    llm_server.gives(reply(candidate("x", "SOME_NEW_REASON")))
    assert client("gemini")().finish_reason == "some_new_reason"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("provider", CHAT)
def test_a_filtered_reply_is_refused(llm_server: Server, client: Make, provider: str) -> None:
    llm_server.gives(reply(completion("The fil", "content_filter")))
    assert "content_filter" in client(provider).fails().message
    llm_server.gives(reply(completion(None, "stop", refusal="I cannot help with that")))
    error = client("openai").fails()
    assert isinstance(error, errors.Refused) and "I cannot help" in error.message
