"""Any server that speaks OpenAI's chat completions (Ollama, llama.cpp, vLLM, OpenAI itself), by plain httpx."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from strata.errors import BadReply, ModelGone, ProviderError, Unavailable, WrongKey
from strata.llm import chat
from strata.llm.faults import Answer, fault
from strata.llm.hiding import without
from strata.llm.http import client, failed, host
from strata.llm.naming import plain_name
from strata.llm.refusals import refusal
from strata.llm.wire import Call, Raw, Unsupported
from strata.settings import Access

if TYPE_CHECKING:
    import httpx

_EFFORT = re.compile(r"(^|/)(gpt-5|gpt-oss|o[134]\b)", re.I)
_THINKS = re.compile(r"gpt-5|gpt-oss|(^|/)o[134]\b|\br1\b|qwen3|think|reason|magistral|nemotron", re.I)
_T = TypeVar("_T")


class OpenAI:
    """Without a model's name, the first that the server lists and that is no embedding model.

    A server may know its model by a path: it is asked by that path, and `model` is the path's last part.
    """

    provider = "openai"
    SECONDS = 300.0  # a model on somebody's own machine may take minutes

    def __init__(self, access: Access, model: str | None = None, seconds: float | None = None) -> None:
        if not access.url:
            raise WrongKey(
                "no server is named for --llm openai", "set STRATA_LLM_BASE_URL, as http://localhost:11434/v1"
            )
        self._base = access.url.rstrip("/")
        self._key = access.key
        self._seconds = seconds or self.SECONDS
        self._named = model or access.model
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return self._shown(self._asked_for)

    @property
    def _asked_for(self) -> str:
        """The model's name as the server has it."""
        with self._lock:
            if self._named is None:
                listed = self._listed()
                if not listed:
                    raise ModelGone(
                        f"{host(self._base)} lists no model", "load one there, or name one with --llm-model"
                    )
                self._named = next((name for name in listed if "embed" not in name.lower()), listed[0])
            return self._named

    @property
    def parameters(self) -> Mapping[str, Any]:
        effort = {"reasoning_effort": "low"} if _EFFORT.search(self.model) else {}
        return {"temperature": 0, "seed": 0, **effort}

    @property
    def reserve(self) -> int:
        return 1024 if _THINKS.search(self.model) else 0

    @property
    def secrets(self) -> tuple[str, ...]:
        both = re.search(r"//([^/@]*:([^/@]+))@", self._base)
        written = (both[1], both[2]) if both else ()
        known = [self._key, *written, *map(unquote, written)]  # name:password goes out in base64
        return tuple(secret for secret in dict.fromkeys(known) if secret)

    def models(self) -> list[str]:
        return [self._shown(name) for name in self._listed()]

    def _shown(self, name: str) -> str:
        return plain_name(without(name, self.secrets))

    def _listed(self) -> list[str]:
        ask = self._client.get
        return chat.listed(self._guarded(lambda: self._whole(ask(f"{self._base}/models", headers=self._headers), "")))

    def send(self, call: Call) -> Raw:
        limit = "max_completion_tokens" if "max_tokens" in call.dropped else "max_tokens"
        body = chat.request(call, self._asked_for, self.parameters, limit, strict=True)
        return self._guarded(lambda: self._streamed(call, body) if call.stream else self._asked(call, body))

    @cached_property
    def _client(self) -> httpx.Client:
        return client(self, self._seconds)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    @property
    def _url(self) -> str:
        return f"{self._base}/chat/completions"

    def _asked(self, call: Call, body: dict[str, Any]) -> Raw:
        response = self._client.post(self._url, json=body, headers=self._headers)
        return chat.reply(self._whole(response, self.model, call))

    def _streamed(self, call: Call, body: dict[str, Any]) -> Raw:
        assert call.stream
        with self._client.stream("POST", self._url, json=body, headers=self._headers) as response:
            if response.status_code != 200 or "json" in response.headers.get("content-type", ""):
                response.read()
                raw = chat.reply(self._whole(response, self.model, call))
                call.stream(raw.text)
                return raw
            chunks, done = chat.Chunks(call.stream), False
            for line in response.iter_lines():
                data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if data == "[DONE]":
                    done = True
                    break
                if data:
                    chunks.add(self._piece(data))
            if not (done or chunks.finished):
                raise Unavailable(f"{self.provider} ({host(self._base)}) broke off its answer", "try again later")
            return chunks.raw()

    def _piece(self, data: str) -> Any:
        try:
            piece = json.loads(data)
        except ValueError:
            raise BadReply("a piece of the streamed reply is not JSON", "try again, or another model", data) from None
        if isinstance(piece, Mapping) and piece.get("error"):
            raise fault(self._answer(self.model, _status(piece["error"]), piece, {}))
        return piece

    def _whole(self, response: httpx.Response, model: str, call: Call | None = None) -> Any:
        """The JSON of an answer; a refusal is raised as what it means."""
        try:
            body: Any = response.json()
        except ValueError:
            body = response.text
        if response.status_code == 200 and not isinstance(body, str):
            return body
        if response.status_code == 200:
            raise BadReply(f"{host(self._base)} answered with something that is not JSON", "check the base URL", body)
        answer = self._answer(model, response.status_code, body, response.headers)
        raise refusal(answer, call, chat.sent(call, self.parameters) if call else ())

    def _answer(self, model: str, status: int, body: Any, headers: Mapping[str, str]) -> Answer:
        return Answer(self.provider, model, status, body, headers, self.secrets)

    def _guarded(self, ask: Callable[[], _T]) -> _T:
        """Ask; what httpx raises becomes a typed error that holds nothing of the request."""
        import httpx

        problem: ProviderError | Unsupported
        try:
            return ask()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            problem = failed(error, self.provider, host(self._base), self._seconds)
        raise problem


def _status(error: Any) -> int:
    """The HTTP status that an error in the middle of a stream stands for."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500
