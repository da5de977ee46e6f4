"""Groq, through its SDK. The SDK is imported with the first call, and its own retries are off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from strata.errors import BadReply, ProviderError, Unavailable, WrongKey
from strata.llm import chat
from strata.llm.faults import Answer
from strata.llm.http import client, failed, host
from strata.llm.naming import plain_name
from strata.llm.refusals import refusal
from strata.llm.sight import reads_text_only, text_only
from strata.llm.wire import Call, Raw, Unsupported
from strata.settings import Access

URL = "https://api.groq.com"
_STRICT = re.compile(r"gpt-oss", re.I)


class Groq:
    """gpt-oss models think: little effort, and room for it. They are the ones for which Groq enforces a schema."""

    provider = "groq"
    MODEL = "openai/gpt-oss-120b"
    SECONDS = 40.0

    def __init__(self, access: Access, model: str | None = None, seconds: float | None = None) -> None:
        if not access.key:
            raise WrongKey("no key for --llm groq", "set GROQ_API_KEY (console.groq.com/keys), or use --llm none")
        self._key = access.key
        self._base = (access.url or URL).rstrip("/").removesuffix("/openai/v1")  # the SDK adds that itself
        self._seconds = seconds or self.SECONDS
        self._asked_for = model or access.model or self.MODEL
        self.model = plain_name(self._asked_for)

    @property
    def parameters(self) -> Mapping[str, Any]:
        thinking = {"reasoning_effort": "low"} if "gpt-oss" in self.model else {}
        if "qwen3" in self.model:
            thinking = {"reasoning_effort": "none"}
        return {"temperature": 0, "seed": 0, **thinking}

    @property
    def reserve(self) -> int:
        # Groq counts what may be written against the minute's allowance, so no more than low effort needs.
        return 512 if "gpt-oss" in self.model else 0

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self._key,)

    @cached_property
    def _sdk(self) -> Any:
        import groq

        return groq.Groq(api_key=self._key, base_url=self._base, max_retries=0, http_client=client(self, self._seconds))

    def models(self) -> list[str]:
        return [plain_name(name) for name in chat.listed(_plain(self._guarded(None, self._sdk.models.list)))]

    def send(self, call: Call) -> Raw:
        if call.shown and reads_text_only(self.model):
            raise text_only(self.provider, self.model)
        body = chat.request(call, self._asked_for, self.parameters, "max_completion_tokens",
                            strict=bool(_STRICT.search(self.model)))  # fmt: skip
        if call.stream:
            # The SDK does not name this parameter; Groq's API takes it.
            body["extra_body"] = {"stream_options": body.pop("stream_options")} if "stream_options" in body else None
        ask = self._sdk.chat.completions.create
        answer = self._guarded(call, lambda: ask(**body))
        if isinstance(answer, Raw) or not call.stream:
            return answer if isinstance(answer, Raw) else chat.reply(_plain(answer))
        chunks, pieces = chat.Chunks(call.stream), iter(answer)
        while (piece := self._guarded(call, lambda: next(pieces, None))) is not None:
            chunks.add(_plain(piece))
        if not chunks.finished:
            raise Unavailable(f"{self.provider} ({host(self._base)}) broke off its answer", "try again later")
        return chunks.raw()

    def _guarded(self, call: Call | None, ask: Callable[[], Any]) -> Any:
        """Ask; what the SDK raises becomes a typed error that holds nothing of the request."""
        import groq
        import httpx

        problem: ProviderError | Unsupported
        try:
            return ask()
        except groq.APIConnectionError as error:  # a time-out too; what happened is its cause
            cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
            problem = failed(cause, self.provider, host(self._base), self._seconds)
        except groq.APIResponseValidationError:
            problem = BadReply("what came is no chat completion", "check GROQ_BASE_URL")
        except groq.APIError as error:
            answer = self._answer(error)
            salvaged = chat.salvaged(answer)
            if salvaged and call:
                return salvaged
            problem = refusal(answer, call, chat.sent(call, self.parameters) if call else ())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            problem = failed(error, self.provider, host(self._base), self._seconds)
        except ValueError:  # the SDK leaves the JSON of a 200 to the json module
            problem = BadReply(f"{host(self._base)} answered with something that is not JSON", "check GROQ_BASE_URL")
        raise problem

    def _answer(self, error: Any) -> Answer:
        response = getattr(error, "response", None)
        headers = dict(response.headers) if response is not None else {}
        status = response.status_code if response is not None else 500
        return Answer(self.provider, self.model, status, error.body or error.message, headers, self.secrets)


def _plain(answer: Any) -> Any:
    """An object of the SDK as plain data; a server that sent something else is left to `chat` to name."""
    return answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer
