"""A server on this machine that speaks Groq's, OpenAI's and Gemini's wire formats and answers what it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "planted-key-a1b2c3d4e5"
Answer = Callable[[BaseHTTPRequestHandler], None]


def reply(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """An answer: bytes as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    return answer


def events(pieces: Sequence[Any], *, ends: bool = True, done: bool = True) -> Answer:
    """Server-sent events, one a piece. ends: the body is whole. done: it ends with OpenAI's [DONE]."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        lines = [f"data: {piece if isinstance(piece, str) else json.dumps(piece)}\n\n" for piece in pieces]
        for line in [*lines, *(["data: [DONE]\n\n"] if done else [])]:
            data = line.encode()
            request.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            request.wfile.flush()
        if ends:
            request.wfile.write(b"0\r\n\r\n")
        request.close_connection = True

    return answer


def completion(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion, as Groq, OpenAI, llama.cpp and the others send it."""
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served-model",
        "choices": [{"index": 0, "finish_reason": finish, "logprobs": None,
                     "message": {"role": "assistant", "content": text, **message}}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49,
                  "completion_tokens_details": {"reasoning_tokens": 4}},
    }  # fmt: skip


def chunks(*texts: str, finish: str | None = "stop") -> list[dict[str, Any]]:
    """The same, streamed."""
    shell = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "served-model"}
    pieces = [{**shell, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]} for text in texts]
    if finish:
        pieces.append({**shell, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    usage = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}
    return [*pieces, {**shell, "choices": [], "usage": usage, "x_groq": {"id": "r", "usage": usage}}]


def candidate(text: str | None, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    """A reply of Gemini's, or a piece of one."""
    content = {"role": "model", **({"parts": [{"text": text}]} if text is not None else {})}
    return {
        "candidates": [{"index": 0, "content": content, **({"finishReason": finish} if finish else {})}],
        "usageMetadata": {"promptTokenCount": 40, "candidatesTokenCount": 5, "thoughtsTokenCount": 4,
                          "totalTokenCount": 49},
        "modelVersion": "served-model", **more,
    }  # fmt: skip


def said(provider: str, text: str | None, finish: str = "stop") -> Any:
    """A whole reply in a provider's format."""
    if provider == "gemini":
        return candidate(text, {"stop": "STOP", "length": "MAX_TOKENS"}.get(finish, finish))
    return completion(text, finish)


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Server:
    """answers: what each request in turn gets; the last one stays. asked: the requests."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [reply({"error": {"message": "nothing was planned"}}, 418)]
        self.asked: list[Asked] = []
        self.over = threading.Event()
        lock, server = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                with lock:
                    server.asked.append(Asked(self.command, self.path, dict(self.headers), body))
                    answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
                try:
                    answer(self)
                except OSError:  # the other side had enough
                    self.close_connection = True

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def gives(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def base(self, provider: str) -> str:
        return f"{self.url}/v1" if provider == "openai" else self.url

    def silent(self, request: BaseHTTPRequestHandler) -> None:
        """Takes the request and says nothing until the test is over."""
        self.over.wait(30)

    def stalled(self, request: BaseHTTPRequestHandler) -> None:
        """Begins a body and never ends it."""
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b'{"choices": [')
        request.wfile.flush()
        self.over.wait(30)

    def dribbling(self, request: BaseHTTPRequestHandler) -> None:
        """Sends a byte now and then: never silent for long, never done."""
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", "100000")
        request.end_headers()
        while not self.over.wait(0.02):
            request.wfile.write(b" ")
            request.wfile.flush()

    def broken(self, request: BaseHTTPRequestHandler) -> None:
        """Ends the connection in the middle of its answer."""
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b'{"choices"')
        request.close_connection = True

    def close(self) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def llm_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server; proxies that this machine may have are out of the way."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    running = Server()
    yield running
    running.close()
