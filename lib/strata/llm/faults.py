"""What a refused request means: from a vendor's status and body to one typed error with its next step. Pure.

The bodies are those that Groq, Gemini, OpenAI, llama.cpp, vLLM and Ollama send; tests/test_llm_faults.py has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from strata.errors import (
    ModelGone,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Refused,
    TimedOut,
    TooLong,
    Unavailable,
    WrongKey,
)
from strata.llm.hiding import without_any
from strata.llm.waits import asked_wait, spoken
from strata.llm.wire import Unsupported
from strata.printable import one_line

PAGES = {
    "groq": "https://console.groq.com/docs/deprecations",
    "gemini": "https://ai.google.dev/gemini-api/docs/deprecations",
}
"""Where a vendor says which models are gone and what follows them."""
VARIABLES = {"groq": "GROQ_API_KEY", "gemini": "GEMINI_API_KEY", "openai": "STRATA_LLM_API_KEY"}

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|maximum context|"
    r"request too large|input token count|reduce (?:your (?:message size|prompt|input)|the (?:length|size|prompt))|"
    r"prompt is too long|input is too long|string_above_max_length|request entity too large",
    re.I,
)
_MANY = re.compile(r"too many tokens", re.I)
"""Too long a prompt, but in a 429 too many of them a minute."""
_GONE = re.compile(
    r"model_decommissioned|model_not_found|decommissioned|model .{0,120}(?:does not exist|not found|not exist)|"
    r"models/\S+ is not found|no longer (?:available|supported)|not a valid model|invalid model|model is not available",
    re.I,
)
_KEY = re.compile(
    r"api_key_invalid|invalid_api_key|api[ _]key (?:not (?:valid|found)|expired)|(?:invalid|incorrect) api key", re.I
)
_DAY = re.compile(r"per ?day|per ?month|daily|\((?:tpd|rpd)\)|insufficient_quota|billing_hard_limit|credit", re.I)
_BLOCKED = re.compile(
    r"content_filter|content management policy|content_policy|safety|prohibited_content|jailbreak", re.I
)
_REFUSAL = re.compile(
    r"unsupported|not (?:a )?support|n't support|unknown|unrecognized|not permitted|invalid|only the default|"
    r"not allowed|deprecated|unexpected|extra inputs|failed to (?:parse|initialize)|not implemented|out of range|"
    r"must be",
    re.I,
)
_WORDS = {
    "json_schema": r"response[ _]?format|json[ _]?schema|response[ _]?schema|grammar|structured",
    "json_object": r"response[ _]?format|json_object|json mode|response[ _]?mime|grammar|structured",
    "thinking": r"thinking",
    "reasoning_effort": r"reasoning_?effort|reasoning",
    "max_tokens": r"max_completion_tokens['`\"]? instead|use ['`\"]?max_completion_tokens",
}
"""How refusals speak of a parameter, where that is not its name."""
_ECHOES = {"failed_generation", "input", "ctx"}


@dataclass(frozen=True)
class Answer:
    """A refusal as it came. body: parsed JSON, or text. secrets: what must never be repeated of it."""

    provider: str
    model: str
    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def error(self) -> Mapping[str, Any]:
        """The object that says what is wrong, whatever it is wrapped in."""
        body = self.body[0] if isinstance(self.body, list) and self.body else self.body
        inner = body.get("error", body) if isinstance(body, Mapping) else {"message": body}
        return inner if isinstance(inner, Mapping) else {"message": inner}

    def said(self) -> str:
        """The server's own words: one printable line without secrets, at most 300 characters."""
        error = self.error()
        text = error.get("message") or error.get("detail") or error.get("error") or ""
        return clean(str(text), self.secrets)

    def whole(self) -> str:
        """Everything that the server says, to find words in. Not what it repeats of the request or of the reply."""
        return _flat(self.error())[:8000]


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_flat(inner)}" for key, inner in value.items() if key not in _ECHOES)
    return "; ".join(map(_flat, value)) if isinstance(value, list) else str(value)


def clean(text: str, secrets: Collection[str] = ()) -> str:
    """Text from outside for one line of ours: printable, without secrets, at most 300 characters."""
    return one_line(without_any(one_line(text), secrets), 300)  # a key with something unseen in it is a key afterwards


def refused_parameter(answer: Answer, sent: Collection[str]) -> Unsupported | None:
    """The parameter of ours that a refusal is about, if it is about one."""
    if answer.status not in (400, 422, 500, 501):
        return None
    error, text = answer.error(), answer.whole()
    named = str(error.get("param") or "")
    for name in sent:
        if named == name and name != "max_tokens" and _REFUSAL.search(text):
            return Unsupported(name)
    for name in sent:
        if re.search(_WORDS.get(name, rf"\b{name}\b"), text, re.I) and _REFUSAL.search(text):
            return Unsupported(name)
    return None


def fault(answer: Answer) -> ProviderError:
    """The typed error of a refusal."""
    who, model, status = answer.provider, answer.model, answer.status
    text, said = answer.whole(), answer.said() or f"HTTP status {status}"
    other = "name another with --llm-model"
    many = status in (400, 422, 500) and _MANY.search(text)
    if status == 413 or many or (status in (400, 422, 429, 500) and _TOO_LONG.search(text)):
        return TooLong(f"the request is too long for {model} on {who}: {said}", "ask with a smaller --limit, " + other)
    if status == 403 and str(answer.error().get("code")).startswith("model_"):
        return ModelGone(
            f"{who} does not give this key the model {model}: {said}", f"{other}, or have it allowed there"
        )
    if status in (401, 403) or (status == 400 and _KEY.search(text)):
        return WrongKey(f"{who} refuses the key: {said}", f"check {VARIABLES.get(who, 'the key')}")
    if status in (400, 404, 410) and (_GONE.search(text) or (who == "gemini" and status == 404)):
        page = f"; what follows it: {PAGES[who]}" if who in PAGES else ""
        return ModelGone(f"{who} has no model {model} (any more): {said}", other + page)
    if status == 402 or (status == 429 and _DAY.search(text)):
        return _quota(answer, said)
    if status == 429:
        return _limited(answer, said)
    if status in (408, 504):
        return TimedOut(f"{who} did not answer in time: {said}", "try again later, or set STRATA_LLM_TIMEOUT")
    if status in (400, 422) and _BLOCKED.search(text):
        return Refused(f"{who} blocked the request: {said}", "ask in other words, or leave out what may be the cause")
    if 300 <= status < 400:
        return _elsewhere(answer)
    if status in (404, 405):
        problem = Unavailable(f"{who} has nothing at this address: {said}", "check the base URL; many end in /v1")
        problem.again = False
        return problem
    if status in (409, 425, 498) or status >= 500:
        problem = Unavailable(
            f"{who} cannot answer now (status {status}): {said}", "try again later, or use --llm none"
        )
        problem.retry_after = asked_wait(answer.headers, answer.whole())
        return problem
    return ProviderError(f"{who} refused the request (status {status}): {said}", f"{other}, or use --llm none")


def _elsewhere(answer: Answer) -> Unavailable:
    """A redirect is not followed: it would take the key to another address."""
    low = {name.lower(): value for name, value in answer.headers.items()}
    place = re.sub(r"(?<=//)[^/?#]*@|[?#].*", "", low.get("location", "").strip())
    leads = f"to {clean(place, answer.secrets)}" if place else "elsewhere, it does not say where"
    problem = Unavailable(f"{answer.provider} is not at this address, which leads {leads} (status {answer.status})",
                          "check the base URL: it must be the beginning of where this leads")  # fmt: skip
    problem.again = False
    return problem


def _quota(answer: Answer, said: str) -> QuotaSpent:
    wait = asked_wait(answer.headers, answer.whole())
    when = f"it says to come back in {spoken(wait)}" if wait else "come back when it is renewed"
    problem = QuotaSpent(f"the allowance at {answer.provider} is used up: {said}",
                         f"{when}, or use another provider with --llm; what is done is kept")  # fmt: skip
    problem.retry_after = wait
    return problem


def _limited(answer: Answer, said: str) -> RateLimited:
    wait = asked_wait(answer.headers, answer.whole())
    asks = f"; it asks to wait {spoken(wait)}" if wait is not None else ""
    problem = RateLimited(f"{answer.provider} has had too many requests{asks}: {said}",
                          f"wait {spoken(wait) if wait else 'a minute'}, or use --llm none")  # fmt: skip
    problem.retry_after = wait
    return problem
