"""What a model is called where it is shown, logged and recorded: never by a place on somebody's machine."""

from __future__ import annotations

import re

_PLACE = re.compile(r"[/~.\\]|[A-Za-z]:[/\\]|file:", re.IGNORECASE)
_FILE = re.compile(r"\.(gguf|ggml|bin|safetensors|pth?|onnx|llamafile)$", re.IGNORECASE)


def plain_name(name: str) -> str:
    """A name as it is; of a path its last part. llama.cpp reports the file that it serves, vLLM the folder.

    "openai/gpt-oss-120b" is a name, with whoever made the model before it; "/models/a.gguf", "models/a.gguf",
    "C:\\\\models\\\\a.gguf" and "./a" are paths.
    """
    place = _PLACE.match(name) or "\\" in name or _FILE.search(name)
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or name if place else name
