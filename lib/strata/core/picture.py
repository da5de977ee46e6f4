"""A picture as everything behind pictures/open.py sees it: upright, plain RGB, of bounded size, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Picture:
    """pixels: width × height × 3 bytes, row by row, red, green, blue; no metadata has come along.

    name: the file's, for messages, without its folder. path: where it was, for the log. format: what the content is, as
    "JPEG". original: width and height of the file, upright. notes: what was done on opening, as "turned upright".
    digest: SHA-256 of size and pixels, by which pictures are told apart.
    """

    name: str
    format: str
    width: int
    height: int
    original: tuple[int, int]
    digest: str
    pixels: bytes = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()
    path: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """What JSON and logs hold of it: never a pixel."""
        width, height = self.original
        return {
            "name": self.name,
            "format": self.format,
            "width": width,
            "height": height,
            "digest": self.digest,
            "notes": list(self.notes),
        }
