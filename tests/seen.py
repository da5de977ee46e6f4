"""Pictures with planted secrets in their metadata, and what of them arrived at the loopback server."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from strata.core.picture import Picture
from strata.llm import retry
from strata.pictures.open import open_picture
from tests.llm_server import KEY, Asked, Server

if TYPE_CHECKING:
    from PIL import Image

    from tests.conftest import Done, Run

PLANTED = "PLANTED-IN-METADATA"
SHOWS = "A rocket stands on a launch pad in the evening light."
WRITTEN = "a space mission goes wrong after a rocket launch"
REPLY = json.dumps({"shows": SHOWS, "query": WRITTEN})
WORDS = "and it goes wrong"
SEEING = {"groq": "meta-llama/llama-4-scout-17b-16e-instruct", "gemini": "gemini-3.5-flash-lite", "openai": "qwen3-vl"}
"""A model that sees, of each provider."""


def photograph(size: tuple[int, int] = (96, 64)) -> Image.Image:
    """An image of many colours, which no format packs into a few bytes."""
    from PIL import Image

    wide, high = size
    pixels = bytes(
        (x * 7 + y * 13 * channel + x * y) % 256 for y in range(high) for x in range(wide) for channel in (1, 2, 3)
    )
    return Image.frombytes("RGB", size, pixels)


def jpeg(path: Path, size: tuple[int, int] = (96, 64)) -> Path:
    """With a camera's name, a place, a thumbnail's worth of EXIF, a comment and XMP, all of them planted."""
    from PIL import Image

    exif = Image.Exif()
    exif[0x0110] = exif[0x010E] = exif[0x8298] = PLANTED
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0), 29: PLANTED})
    photograph(size).save(
        path, "JPEG", quality=92, exif=exif, comment=PLANTED.encode(), xmp=f"<x>{PLANTED}</x>".encode()
    )
    return path


def png(path: Path) -> Path:
    """With planted texts, and EXIF of its own."""
    from PIL import Image, PngImagePlugin

    told = PngImagePlugin.PngInfo()
    told.add_text("Comment", PLANTED)
    told.add_itxt("Author", PLANTED)
    exif = Image.Exif()
    exif[0x010E] = PLANTED
    photograph().save(path, "PNG", pnginfo=told, exif=exif)
    return path


def seen(path: Path) -> Picture:
    return open_picture(str(path))


def parts(asked: Asked) -> list[dict[str, Any]]:
    """The parts of the last message, in either format."""
    if "contents" in asked.body:
        return list(asked.body["contents"][-1]["parts"])
    return list(asked.body["messages"][-1]["content"])


def arrived(asked: Asked) -> tuple[str, bytes]:
    """MIME and bytes of the one picture in a request, as the server has them."""
    (part,) = [one for one in parts(asked) if "text" not in one]
    if "inlineData" in part:
        coded = part["inlineData"]
        mime = coded.get("mimeType") or coded["mime_type"]  # Google reads both
        return mime, base64.b64decode(coded["data"].translate(str.maketrans("-_", "+/")), validate=True)
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(data, validate=True)


def kind_of(data: bytes) -> str:
    """MIME by the first bytes."""
    return (
        "image/png" if data.startswith(b"\x89PNG\r\n\x1a\n") else "image/jpeg" if data[:3] == b"\xff\xd8\xff" else "?"
    )


def pieces_of(data: bytes, text: str) -> list[str]:
    """Stretches of a text that are a part of the data in base64: 24 characters are never the same by chance."""
    whole = [
        encode(bytes(shift) + data).decode()
        for shift in range(3)
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    ]
    runs = re.findall(r"[A-Za-z0-9+/_-]{24,}", text)
    stretches = (run[at : at + 24] for run in runs for at in range(0, len(run) - 23, 8))
    return [one for one in stretches if any(one in form for form in whole)]


Describe = Callable[..., Any]
"""It returns a Done."""


@pytest.fixture
def describe(
    llm_server: Server,
    cli: Run,
    catalogue: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    harbour_cache: Path,
) -> Describe:
    """describe(provider, answers, args …): describe_image_cli with a model on the server that sees. image: its file;
    cache: one that is looked into afterwards."""
    hasty = retry.Patience(attempts=2, sleep=lambda _: None)
    monkeypatch.setattr(retry, "Patience", lambda: hasty)
    films = catalogue(
        {"id": 1, "title": "Apollo 13", "description": "A space mission goes wrong after the launch of a rocket."},
        {"id": 2, "title": "Paddington", "description": "A small bear finds a home in London."},
        {"id": 3, "title": "Shallow", "description": "It goes wrong at a wedding, and again at another."},
    )

    def run(
        provider: str,
        answers: Any,
        *args: str,
        image: Path | None = None,
        named: bool = True,
        model: str | None = None,
        cache: Path | None = None,
    ) -> Done:
        pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
        name = {"openai": "STRATA_LLM"}.get(provider, provider.upper())
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", llm_server.base(provider))
        monkeypatch.setenv(f"{name}_MODEL", SEEING[provider] if model is None else model)
        llm_server.gives(*(answers if isinstance(answers, list) else [answers]))
        file = image or jpeg(tmp_path / "rocket.jpg")
        asked = ("--llm", provider) if named else ()
        done = cli("describe_image_cli", "--image", str(file), *asked, *args, "--dataset", str(films),
                   cache=cache or harbour_cache, logs=tmp_path / "logs")  # fmt: skip
        assert "Traceback" not in done.err
        return done

    return run
