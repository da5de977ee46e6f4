"""A Hugging Face hub on loopback: as much of its HTTP interface as huggingface_hub needs to fetch a snapshot; and a
folder laid out as the hub's cache lays it out."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

SHA = "0123456789abcdef0123456789abcdef01234567"


def into_cache(cache: Path, repository: str, source: Path) -> Path:
    """Copies a folder to where the hub's cache would have it; gives the snapshot."""
    home = cache / f"models--{repository.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(SHA)
    snapshot = home / "snapshots" / SHA
    for file in (file for file in source.rglob("*") if file.is_file()):
        blob = home / "blobs" / hashlib.sha256(file.read_bytes()).hexdigest()
        blob.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, blob)
        link = snapshot / file.relative_to(source)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    return snapshot


class Hub:
    """models: repository → folder. asked: "METHOD path" of every request."""

    def __init__(self, models: dict[str, Path]) -> None:
        self.models = models
        self.asked: list[str] = []
        self.address = ""


@contextmanager
def serving(models: dict[str, Path]) -> Iterator[Hub]:
    hub = Hub(models)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def reply(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self) -> None:
            hub.asked.append(f"{self.command} {self.path}")
            path = unquote(urlsplit(self.path).path)
            for name, folder in hub.models.items():
                if path.startswith(f"/api/models/{name}/"):
                    files = sorted(file for file in folder.rglob("*") if file.is_file())
                    names = [file.relative_to(folder).as_posix() for file in files]
                    listed = [{"rfilename": name} for name in names]
                    tree = [
                        {"type": "file", "path": name, "size": file.stat().st_size, "oid": "0" * 40}
                        for name, file in zip(names, files, strict=True)
                    ]
                    info = {"id": name, "modelId": name, "sha": SHA, "private": False, "siblings": listed}
                    answer = tree if "/tree/" in path else info
                    return self.reply(200, json.dumps(answer).encode(), Content_Type="application/json")
                start = f"/{name}/resolve/{SHA}/"
                if path.startswith(start) and (folder / path.removeprefix(start)).is_file():
                    data = (folder / path.removeprefix(start)).read_bytes()
                    tag = f'"{hashlib.sha256(data).hexdigest()}"'
                    return self.reply(200, data, ETag=tag, X_Repo_Commit=SHA)
            return self.reply(404, b"{}", X_Error_Code="RepoNotFound", X_Error_Message="Repository not found")

        do_HEAD = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
