"""What refusals mean. The bodies are those that the providers send, as their users reported them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from strata import errors
from strata.llm.faults import Answer, clean, fault, refused_parameter
from strata.llm.waits import asked_wait, spoken

DECOMMISSIONED = {
    "error": {
        "message": "The model `llama-3.3-70b-versatile` has been decommissioned and is no longer supported. Please "
        "refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.",
        "type": "invalid_request_error",
        "code": "model_decommissioned",
    }
}
MISSING = {
    "error": {
        "message": "The model `qwen/qwen3-32b` does not exist or you do not have access to it.",
        "type": "invalid_request_error",
        "code": "model_not_found",
    }
}
DAY = {
    "error": {
        "message": "Rate limit reached for model `openai/gpt-oss-120b` in organization `org_1` service tier "
        "`on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. "
        "Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
        "type": "tokens",
        "code": "rate_limit_exceeded",
    }
}
MINUTE = {
    "error": {
        "message": "Rate limit reached for model `openai/gpt-oss-120b` in organization `org_1` service tier "
        "`on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. "
        "Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
        "type": "tokens",
        "code": "rate_limit_exceeded",
    }
}
TOO_LARGE = {
    "error": {
        "message": "Request too large for model `openai/gpt-oss-120b` in organization `org_1` service tier "
        "`on_demand` on tokens per minute (TPM): Limit 8000, Requested 12328, please reduce your message size and try "
        "again.",
        "type": "tokens",
        "code": "rate_limit_exceeded",
    }
}
CONTEXT = {
    "error": {
        "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 "
        "tokens. Please reduce the length of the messages.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}
LLAMA_CPP = {
    "error": {
        "code": 400,
        "message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 4390,
        "n_ctx": 4096,
    }
}


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def google(code: int, message: str, status: str, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def quota(name: str, delay: str) -> dict[str, Any]:
    return google(
        429, "You exceeded your current quota, please check your plan and billing details.", "RESOURCE_EXHAUSTED",
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
            {"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests", "quotaId": name,
             "quotaDimensions": {"location": "global"}, "quotaValue": "20"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    )  # fmt: skip


PER_DAY = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "36s")
PER_MINUTE = quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "36.4s")
BAD_KEY = google(
    400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT",
    {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"},
)  # fmt: skip
NO_MODEL = google(
    404, "models/gemini-2.0-flash is not found for API version v1beta, or is not supported for generateContent. Call "
    "ListModels to see the list of available models and their supported methods.", "NOT_FOUND",
)  # fmt: skip
LONG = google(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
              "INVALID_ARGUMENT")  # fmt: skip

MEANINGS = [
    ("groq", 400, DECOMMISSIONED, "ModelGone", "https://console.groq.com/docs/deprecations"),
    ("groq", 404, MISSING, "ModelGone", "https://console.groq.com/docs/deprecations"),
    ("gemini", 404, NO_MODEL, "ModelGone", "https://ai.google.dev/gemini-api/docs/deprecations"),
    ("openai", 404, error('model "llama3" not found, try pulling it first'), "ModelGone", "--llm-model"),
    ("openai", 404, error("The model `x` does not exist.", type="NotFoundError"), "ModelGone", "--llm"),
    ("openai", 404, error("File Not Found", code=404), "Unavailable", "/v1"),
    ("openai", 404, "404 page not found", "Unavailable", "/v1"),
    ("groq", 401, error("Invalid API Key", code="invalid_api_key"), "WrongKey", "GROQ_API_KEY"),
    ("gemini", 400, BAD_KEY, "WrongKey", "GEMINI_API_KEY"),
    ("gemini", 403, google(403, "Your key was reported as leaked", "PERMISSION_DENIED"), "WrongKey", "GEMINI"),
    ("openai", 403, "Forbidden", "WrongKey", "STRATA_LLM_API_KEY"),
    ("groq", 403, error("The model `x` is blocked at the project level.", code="model_permission_blocked_project"),
     "ModelGone", "have it allowed there"),
    ("openai", 403, error("Project `p` does not have access to model `x`", code="model_not_found"), "ModelGone",
     "--llm-model"),
    ("openai", 308, {}, "Unavailable", "check the base URL"),
    ("groq", 429, DAY, "QuotaSpent", "10 min"),
    ("gemini", 429, PER_DAY, "QuotaSpent", "another provider"),
    ("openai", 429, error("You exceeded your current quota", code="insufficient_quota"), "QuotaSpent", ""),
    ("openai", 402, error("Insufficient credits"), "QuotaSpent", ""),
    ("groq", 429, MINUTE, "RateLimited", "4.8 s"),
    ("gemini", 429, PER_MINUTE, "RateLimited", "36 s"),
    ("openai", 429, "slow down", "RateLimited", "a minute"),
    ("openai", 429, error("Too many tokens, please wait before trying again."), "RateLimited", "a minute"),
    ("openai", 429, error("Too many tokens per day, please wait before trying again."), "QuotaSpent", ""),
    ("openai", 429, error("Too many tokens: reduce your prompt"), "TooLong", "--limit"),
    ("openai", 400, error("Too many tokens in the prompt"), "TooLong", "--limit"),
    ("groq", 413, TOO_LARGE, "TooLong", "--limit"),
    ("openai", 429, error("Request too large for gpt-4o on tokens per min (TPM): Limit 30000"), "TooLong", ""),
    ("openai", 400, CONTEXT, "TooLong", "--limit"),
    ("openai", 400, LLAMA_CPP, "TooLong", "--limit"),
    ("openai", 500, error("Context size has been exceeded.", code=500), "TooLong", ""),
    ("gemini", 400, LONG, "TooLong", "--limit"),
    ("openai", 413, "<html>Request Entity Too Large</html>", "TooLong", ""),
    ("openai", 400, error("The response was filtered", code="content_filter"), "Refused", ""),
    ("groq", 503, error("Service Unavailable"), "Unavailable", ""),
    ("openai", 503, error("Loading model", code=503, type="unavailable_error"), "Unavailable", ""),
    ("groq", 498, error("Flex tier capacity exceeded"), "Unavailable", ""),
    ("gemini", 503, [google(503, "The model is overloaded.", "UNAVAILABLE")], "Unavailable", ""),
    ("openai", 529, {"message": "overloaded"}, "Unavailable", ""),
    ("gemini", 504, google(504, "The request timed out", "DEADLINE_EXCEEDED"), "TimedOut", "STRATA_LLM_TIMEOUT"),
    ("openai", 422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "ProviderError", "--llm"),
    ("groq", 400, error("model terms must be accepted", code="model_terms_required"), "ProviderError", ""),
    ("openai", 400, {"error": "something"}, "ProviderError", ""),
    ("openai", 418, None, "ProviderError", ""),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "status", "body", "kind", "advice"), MEANINGS)
def test_a_refusal_becomes_one_typed_error_with_a_next_step(
    provider: str, status: int, body: Any, kind: str, advice: str
) -> None:
    found = fault(Answer(provider, "asked-model", status, body))
    assert type(found).__name__ == kind
    assert provider in found.message
    assert found.next_step and advice in found.next_step + found.message


def test_only_what_may_pass_is_worth_asking_again() -> None:
    again = {kind for _, status, body, kind, _ in MEANINGS if fault(Answer("x", "m", status, body)).again}
    assert again == {"RateLimited", "Unavailable", "TimedOut"}
    fatal = {kind for _, status, body, kind, _ in MEANINGS if fault(Answer("x", "m", status, body)).fatal}
    assert fatal == {"ModelGone", "WrongKey", "QuotaSpent"}


def test_a_wrong_address_is_not_asked_again() -> None:
    assert not fault(Answer("openai", "m", 404, "404 page not found")).again


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://else.where/v1/x", "leads to https://else.where/v1/x (status"),
        ("https://me:planted-1@else.where/planted-1?key=planted-2#a", "leads to https://else.where/[key] (status"),
        ("/v1/", "leads to /v1/ (status"), ("\x1b[2J", "leads to"), (None, "it does not say where"),
    ],
)  # fmt: skip
def test_a_redirect_says_where_it_leads(status: int, location: str | None, shown: str) -> None:
    headers = {"Location": location} if location else {}
    found = fault(Answer("openai", "m", status, "<html>Moved</html>", headers, ("planted-1",)))
    assert isinstance(found, errors.Unavailable) and not found.again and shown in found.message
    assert "base URL" in found.next_step and "planted" not in found.message and found.message.isprintable()


def refused(message: str, sent: list[str], status: int = 400, **more: Any) -> str | None:
    found = refused_parameter(Answer("x", "m", status, {"error": {"message": message, **more}}), sent)
    return found.parameter if found else None


USUAL = ["temperature", "seed", "reasoning_effort", "thinking", "json_schema", "max_tokens", "stream_options"]
REFUSALS = [
    ("Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
    ("Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
     "temperature"),
    ("property 'reasoning_effort' is unsupported", "reasoning_effort"),
    ("`reasoning_effort` is not supported with this model", "reasoning_effort"),
    ("This model does not support response format `json_schema`.", "json_schema"),
    ("invalid schema for response format: response_format/json_schema/reply: minItems is not supported", "json_schema"),
    ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "json_schema"),
    ("failed to parse grammar", "json_schema"),
    ("Thinking level is not supported for this model.", "thinking"),
    ("'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high.", "thinking"),
    ("Budget 0 is invalid. This model only works in thinking mode.", "thinking"),
    ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
     "max_tokens"),
    ('Invalid JSON payload received. Unknown name "seed" at generation_config: Cannot find field.', "seed"),
    ("max_tokens must be less than or equal to 40960, the maximum value for this model", None),
    ("The model `x` has been decommissioned and is no longer supported.", None),
    ("messages: at least one message is required", None),
]  # fmt: skip


@pytest.mark.parametrize(("message", "parameter"), REFUSALS)
def test_the_parameter_that_a_refusal_is_about_is_found(message: str, parameter: str | None) -> None:
    assert refused(message, USUAL) == parameter


def test_a_parameter_that_was_not_sent_is_not_dropped() -> None:
    assert refused("Unsupported parameter: 'temperature' is not supported", ["seed"]) is None


def test_a_refusal_may_name_its_parameter_in_a_field() -> None:
    assert refused("Unsupported value", ["seed", "temperature"], param="temperature") == "temperature"
    assert refused("Unsupported value", ["seed", "temperature"], param="messages") is None


def test_fields_that_repeat_the_request_or_the_reply_are_not_read() -> None:
    """A document may hold the words of an error; vLLM's and Groq's refusals repeat what they were sent."""
    body = {"detail": [{"loc": ["body", "messages"], "msg": "bad", "input": "unsupported temperature, tokens per day"}]}
    assert refused_parameter(Answer("x", "m", 422, body), USUAL) is None
    failed = {"message": "Failed to generate JSON.", "code": "x", "failed_generation": "temperature is not supported"}
    assert refused_parameter(Answer("x", "m", 400, {"error": failed}), USUAL) is None


WAITS = [
    ({"Retry-After": "5.3"}, "", 5.3),
    ({"retry-after-ms": "450", "retry-after": "9"}, "", 0.45),
    ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, "", 30.0),
    ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, "", 0.0),
    ({"retry-after": "soon"}, "Please try again in 7.66s. Visit", 7.66),
    ({"retry-after": "-5"}, "", None),
    ({}, "Please try again in 9m38.016s.", 578.016),
    ({}, "Please try again in 450ms.", 0.45),
    ({}, "Please retry in 1h2m3s.", 3723.0),
    ({}, "details: @type: RetryInfo; retryDelay: 36s", 36.0),
    ({}, "try again later", None),
]


@pytest.mark.parametrize(("headers", "text", "seconds"), WAITS)
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], text: str, seconds: float | None) -> None:
    assert asked_wait(headers, text, datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)) == pytest.approx(seconds)


def test_a_wait_is_carried_by_the_error() -> None:
    assert fault(Answer("groq", "m", 429, MINUTE, {"retry-after": "5"})).retry_after == 5
    assert fault(Answer("gemini", "m", 429, PER_MINUTE)).retry_after == pytest.approx(36.4)
    assert fault(Answer("groq", "m", 503, {}, {"retry-after": "2"})).retry_after == 2


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.45, "0.45 s"), (5.3, "5.3 s"), (36, "36 s"), (578, "10 min"), (9e3, "2 h")]
)
def test_waits_are_spoken_shortly(seconds: float, words: str) -> None:
    assert spoken(seconds) == words


def test_the_words_of_a_server_are_made_harmless() -> None:
    text = clean("bad\x1b[2J key sk-secret\r\n\u202eevil " + "x" * 400, ["sk-secret"])
    assert "\x1b" not in text and "\u202e" not in text and "sk-secret" not in text and "[key]" in text
    assert len(text) == 300 and text.isprintable()
    assert clean("sk-\u200bsec\x1b[0mret", ["sk-secret"]) == "[key]", "what is unseen could part a key in two"


def test_every_provider_error_has_a_kind_of_its_own() -> None:
    kinds = [
        cls.kind for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, errors.ProviderError)
    ]
    assert len(kinds) == len(set(kinds)) == 14
