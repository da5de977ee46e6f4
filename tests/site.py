"""A server on this machine that does what it is told, and a fetch() with little patience to ask it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from strata import paths
from strata.core.fetch import Brought, fetch
from strata.core.fetch.download import Patience
from strata.errors import StrataError

SET = "lessons-movies"
FILE = "/set/course-rag-movies.json"
FILMS = {"movies": [{"id": 1, "title": "Bear", "description": "a bear"}, {"id": 2, "title": "Fox", "description": "x"}]}
BODY = json.dumps(FILMS).encode()
Answer = Callable[[BaseHTTPRequestHandler], None]


def reply(
    body: bytes = BODY, status: int = 200, headers: dict[str, str] | None = None, length: int | None = None
) -> Answer:
    """An answer; length: what Content-Length says (−1: nothing), if not the truth."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        if length != -1:
            request.send_header("Content-Length", str(len(body) if length is None else length))
        request.end_headers()
        request.wfile.write(body)

    return answer


class Site:
    """A server on this machine. answers[path]: what each request in turn gets; the last one stays."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        self.over = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                answers = site.answers.get(self.path, [reply(b"no", 404)])
                try:
                    (answers.pop(0) if len(answers) > 1 else answers[0])(self)
                except OSError:  # the other side had enough
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.base = f"{self.host}/set"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def gives(self, *answers: Answer, path: str = FILE) -> None:
        self.answers[path] = list(answers)

    def stalled(self, sent: bytes) -> Answer:
        """Sends so much, then nothing more until the test is over."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(200)
            request.send_header("Content-Length", str(len(sent) + 1000))
            request.end_headers()
            request.wfile.write(sent)
            request.wfile.flush()
            self.over.wait(30)

        return answer

    def close(self) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the catalogues, for this test alone; proxies that this machine may have are out of the way."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    monkeypatch.setattr(paths, "choice_file", lambda: tmp_path / "choice.json")
    return tmp_path / "imported"


class Asked:
    """fetch() with little patience: what it noted, and how long it would have waited."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.notes: list[str] = []
        self.waits: list[float] = []

    def __call__(self, name: str = SET, **more: Any) -> Brought:
        patience = Patience(connect=5, read=0.2, sleep=self.waits.append)
        return fetch(name, self.notes.append, **{"base_url": self.site.base, "patience": patience, **more})

    def fails(self, **more: Any) -> StrataError:
        with pytest.raises(StrataError) as caught:
            self(**more)
        assert [path for path in paths.imported_dir().iterdir() if path.suffix != ".lock"] == []
        return caught.value


@pytest.fixture
def asked(site: Site, catalogues: Path) -> Asked:
    return Asked(site)
