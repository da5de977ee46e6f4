"""Gemini, through google-genai. The SDK is imported with the first call, and its own retries are off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from strata.errors import BadReply, ProviderError, Unavailable, WrongKey
from strata.llm.faults import Answer
from strata.llm.http import client, failed, host
from strata.llm.refusals import refusal
from strata.llm.types import Message, Usage
from strata.llm.wire import Call, Raw, Unsupported, wanted
from strata.settings import Access

URL = "https://generativelanguage.googleapis.com"
_BLOCKED = {
    "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "ESCALATION", "MODEL_ARMOR",
    "PUP_LIMITED_DISABLED",
}  # fmt: skip
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_T = TypeVar("_T")


class Gemini:
    """Models from 3 on are given a level of thinking and keep their temperature, as Google advises.

    Older ones are given a budget of tokens for thinking.
    """

    provider = "gemini"
    MODEL = "gemini-3.5-flash-lite"
    SECONDS = 40.0

    def __init__(self, access: Access, model: str | None = None, seconds: float | None = None) -> None:
        if not access.key:
            raise WrongKey("no key for --llm gemini", "set GEMINI_API_KEY (aistudio.google.com), or use --llm none")
        self._key = access.key
        self._base = (access.url or URL).rstrip("/")
        self._seconds = seconds or self.SECONDS
        self.model = (model or access.model or self.MODEL).removeprefix("models/")

    @property
    def parameters(self) -> Mapping[str, Any]:
        version = re.search(r"gemini-(\d+)", self.model)
        if version is None:
            return {"temperature": 0, "seed": 0}
        if int(version[1]) < 3:
            return {"temperature": 0, "seed": 0, "thinking": {"thinking_budget": 512}}
        return {"seed": 0, "thinking": {"thinking_level": "MINIMAL" if "flash-lite" in self.model else "LOW"}}

    @property
    def reserve(self) -> int:
        return 0 if self.parameters.get("thinking") == {"thinking_level": "MINIMAL"} else 1024

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self._key,)

    @cached_property
    def _sdk(self) -> Any:
        import logging
        import warnings

        # The SDK speaks of its own affairs (features on trial, unknown enum values); stderr is the user's.
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        warnings.filterwarnings("ignore", module=r"google\.genai|google\.auth")
        from google import genai

        wait = {"X-Server-Timeout": str(max(10, round(self._seconds)))}  # Google refuses less than ten seconds
        options: Any = {
            "base_url": self._base,
            "timeout": round(self._seconds * 1000),
            "headers": wait,
            "httpx_client": client(self, self._seconds),
        }
        return genai.Client(api_key=self._key, vertexai=False, http_options=options)

    def models(self) -> list[str]:
        models = self._sdk.models
        return self._guarded(None, lambda: [str(row.name).removeprefix("models/") for row in models.list()])

    def send(self, call: Call) -> Raw:
        request, models = self._request(call), self._sdk.models
        answer = _Pieces(self.model)
        if not call.stream:
            return answer.add(self._guarded(call, lambda: models.generate_content(**request))).raw()
        pieces = iter(self._guarded(call, lambda: models.generate_content_stream(**request)))
        while (piece := self._guarded(call, lambda: next(pieces, None))) is not None:
            before = len(answer.texts)
            for text in answer.add(piece).texts[before:]:
                call.stream(text)
        if not answer.finished:
            raise Unavailable(f"{self.provider} ({host(self._base)}) broke off its answer", "try again later")
        return answer.raw()

    def _request(self, call: Call) -> dict[str, Any]:
        messages = call.told()
        config: dict[str, Any] = {
            "max_output_tokens": call.max_tokens,
            "automatic_function_calling": {"disable": True},
            "system_instruction": "\n\n".join(m.text for m in messages if m.role == "system") or None,
        }
        for name, value in self.parameters.items():
            if name not in call.dropped:
                config["thinking_config" if name == "thinking" else name] = value
        if call.form():
            config["response_mime_type"] = "application/json"
        if call.form() == "json_schema" and call.schema is not None:
            config["response_json_schema"] = wanted(call.schema)
        contents = [
            {"role": "model" if m.role == "assistant" else "user", "parts": _parts(m)}
            for m in messages
            if m.role != "system"
        ]
        return {"model": self.model, "contents": contents, "config": config}

    def _guarded(self, call: Call | None, ask: Callable[[], _T]) -> _T:
        """Ask; what the SDK raises becomes a typed error that holds nothing of the request."""
        import httpx
        from google.genai import errors

        problem: ProviderError | Unsupported
        try:
            return ask()
        except errors.APIError as error:
            headers = dict(getattr(error.response, "headers", None) or {})
            answer = Answer(self.provider, self.model, error.code, error.details, headers, self.secrets)
            named = [*self.parameters, call.form()] if call else []
            sent = [name for name in named if name and call and name not in call.dropped]
            problem = refusal(answer, call, sent)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            problem = failed(error, self.provider, host(self._base), self._seconds)
        except (ValueError, TypeError, AttributeError, KeyError):  # the SDK trips over a body that is not Gemini's
            problem = BadReply(f"{host(self._base)} answered with something that is not Gemini's format",
                               "check GEMINI_BASE_URL, or try again")  # fmt: skip
        raise problem


class _Pieces:
    """A reply, or the pieces of a streamed one."""

    def __init__(self, model: str) -> None:
        self.texts: list[str] = []
        self._model = model
        self._finish = ""
        self._refused = ""
        self._usage: Usage | None = None

    @property
    def finished(self) -> bool:
        return bool(self._finish or self._refused)

    def add(self, answer: Any) -> _Pieces:
        self._model = answer.model_version or self._model
        feedback = answer.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            self._refused = f"the prompt, {feedback.block_reason_message or _name(feedback.block_reason)}"
        for candidate in (answer.candidates or [])[:1]:
            reason = _name(candidate.finish_reason) if candidate.finish_reason is not None else ""
            self._finish = _FINISH.get(reason, reason.lower()) or self._finish
            if reason in _BLOCKED:
                self._refused = f"{candidate.finish_message or ''} {reason}".strip()
            parts = candidate.content.parts if candidate.content and candidate.content.parts else []
            self.texts += [part.text for part in parts if part.text and not part.thought]
        if answer.usage_metadata is not None:
            self._usage = _usage(answer.usage_metadata)
        return self

    def raw(self) -> Raw:
        return Raw("".join(self.texts), self._finish or "none", self._model, self._usage, self._refused)


def _parts(message: Message) -> list[dict[str, Any]]:
    """The text, then what is shown; the SDK writes the bytes in base64."""
    shown = [{"inline_data": {"mime_type": image.mime, "data": image.data}} for image in message.images]
    return [{"text": message.text}, *shown]


def _name(value: Any) -> str:
    return str(getattr(value, "value", value))


def _usage(counts: Any) -> Usage:
    """Gemini counts thinking beside the reply; here it is part of what was written."""
    thought = counts.thoughts_token_count or 0
    return Usage(counts.prompt_token_count or 0, (counts.candidates_token_count or 0) + thought, thought, 1)
