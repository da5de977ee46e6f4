"""A picture beside a message: as it is sent, counted and shown, and as it is written down: without its bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from strata.llm.types import Image, Message

TOKENS = 300
"""What a picture counts where tokens are estimated: vendors cut it into tiles and count each the same, whatever its
file weighs (Gemini 258 a tile; OpenAI 85, and 170 a tile). Its base64 at four characters a token would be a hundred
thousand, and stop a run that can afford it."""


def address(image: Image) -> str:
    """The whole file as a data URL."""
    return f"data:{image.mime};base64,{base64.b64encode(image.data).decode()}"


def prompt_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens messages are: four characters each, and TOKENS a picture."""
    shown = sum(len(message.images) for message in messages)
    return sum(len(message.text) for message in messages) // 4 + TOKENS * shown


def message_json(message: Message, text: str | None = None) -> dict[str, Any]:
    """A message as logs and recordings hold it. text: what stands for its own."""
    written = [image_json(image) for image in message.images]
    return {
        "role": message.role,
        "text": message.text if text is None else text,
        **({"images": written} if written else {}),
    }


def image_json(image: Image) -> dict[str, Any]:
    return {"mime": image.mime, "width": image.width, "height": image.height, "digest": image.digest}


def image_from(data: Mapping[str, Any]) -> Image:
    """What `image_json` wrote, without the bytes; KeyError or TypeError for anything else."""
    mime, digest, size = data["mime"], data["digest"], (data["width"], data["height"])
    if not isinstance(mime, str) or not isinstance(digest, str) or any(type(n) is not int or n < 0 for n in size):
        raise TypeError("an image is none")
    return Image("", mime, *size, digest, b"")


def shown_json(image: Image) -> dict[str, Any]:
    """An image as --show-prompt has it."""
    return {"name": image.name, **image_json(image), "bytes": len(image.data)}


def in_words(image: Image) -> str:
    """The same as one line."""
    return f"[picture {image.name}: {image.mime}, {image.width} × {image.height}, {kilobytes(len(image.data))}]"


def kilobytes(count: int) -> str:
    """A number of bytes for people: "41 kB"."""
    return f"{max(1, round(count / 1000)):,} kB"
