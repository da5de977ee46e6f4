"""The other side on loopback, in a process of its own: a public set to fetch, and a language model of few words."""

from __future__ import annotations

import json
import os
import signal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from faults.films import films, lesson

SET = "lessons-movies"


def serve() -> tuple[str, int]:
    """Start it; its address, and the number of its process, which is to be ended."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            server.serve_forever(poll_interval=60)
        finally:
            os._exit(0)
    port = server.server_address[1]
    server.socket.close()
    return f"http://127.0.0.1:{port}", pid


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/set/"):
            self.answer(lesson(films(3, 60)))
        else:
            self.answer(json.dumps({"data": [{"id": "scripted"}]}).encode())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": json.dumps(replied(asked))}
        self.answer(json.dumps({
            "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
        }).encode())  # fmt: skip

    def answer(self, data: bytes) -> None:
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:  # whoever asked was killed
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


def replied(asked: dict[str, Any]) -> dict[str, Any]:
    """The same for the same request: a premise in the story's own words, or words to expand a query by."""
    told, user = asked["messages"][0]["content"], asked["messages"][-1]["content"]
    if '"premise"' in told:
        entries = [json.loads(line) for line in user.splitlines() if line.startswith("{")]
        return {"premise": " ".join(entries[-1]["text"].split()[:9]).rstrip(".") + "."}
    letters = sum(map(ord, user))
    return {"terms": [("lighthouse", "comet", "railway")[letters % 3], ("anchor", "orchard", "piano")[letters % 7 % 3]]}
