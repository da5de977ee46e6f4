"""What the programs work on: two small catalogues, a golden set, an update, and the rest of a world's own files.

The texts are drawn from a list of words, the same every time. Two entries are thin, so that they have premises.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from typing import Any

WORDS = """
harbour baker sailor winter bread night train letter orchard violin river bridge lantern miner teacher storm island
garden clock soldier widow painter forest market fever ship engine doctor mountain village fisherman dancer wolf castle
thief candle desert camel radio singer horse brother factory strike election piano summer lighthouse
""".split()  # noqa: SIM905 - fifty quoted words are no list to read
CHOSEN = "mine"
"""The name of the imported catalogue, which `data_cli use` chooses."""


def _sentences(rng: random.Random, count: int) -> str:
    return " ".join(" ".join(["The", *rng.sample(WORDS, 9)]) + "." for _ in range(count))


def films(seed: int, count: int = 12) -> list[dict[str, Any]]:
    """`count` films with texts of two chunks, and two sequels that say nothing of their story."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = [
        {"id": n, "title": f"The {rng.choice(WORDS).title()} {seed}-{n}", "year": 1950 + n, "franchise": f"Saga {n}",
         "description": _sentences(rng, 6)}
        for n in range(1, count + 1)
    ]  # fmt: skip
    for n in (1, 2):
        found.append({"id": f"s{n}", "title": f"{found[n]['title']} Again", "year": 2000 + n,
                      "franchise": found[n]["franchise"], "description": "A sequel. The leads return."})  # fmt: skip
    return found


def edited() -> list[dict[str, Any]]:
    """The first catalogue with one text changed and one film more: what a build finds after an edit."""
    found = films(1)
    found[4] = {**found[4], "description": found[4]["description"] + " A comet falls on the orchard."}
    return [*found, {"id": 99, "title": "Comet", "year": 2020, "description": _sentences(random.Random(9), 5)}]


def golden() -> dict[str, Any]:
    """Five queries over the first catalogue, one of them without an answer."""
    there, rng = films(1), random.Random(4)
    cases = []
    for n in range(4):
        words = there[n]["description"].rstrip(".").split()
        cases.append({"id": f"q{n}", "query": " ".join(rng.sample(words[1:9], 3)), "kind": ("words", "mood")[n % 2],
                      "relevant": [{"id": there[n + m]["id"], "title": there[n + m]["title"], "grade": grade}
                                   for m, grade in ((0, 2), (4, 1))]})  # fmt: skip
    return {"test_cases": [*cases, {"id": "q4", "query": "submarine opera", "kind": "none", "relevant": []}]}


def graded() -> list[dict[str, Any]]:
    """Lines of a pool that somebody graded, to be merged into the golden set."""
    there = films(1)
    return [{"query_id": f"q{n}", "id": there[n + 6]["id"], "grade": n % 3} for n in range(4)]


def lesson(entries: list[dict[str, Any]]) -> bytes:
    return json.dumps({"movies": entries}, indent=1).encode()


def lines(entries: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def picture() -> bytes:
    """A PNG of 8 × 8 pixels, red and blue."""
    rows = b"".join(b"\x00" + (b"\xc8\x1e\x3c" * 4 + b"\x1e\x3c\xc8" * 4) for _ in range(8))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def plan(encoder: str) -> bytes:
    """A plan whose entries are read with their premises."""
    return (
        f'premises = true\ndepth = 100\nlimit = 5\nretrieve = [{{ layer = "bm25" }}, '
        f'{{ layer = "document", encoder = "{encoder}" }}]\n[fuse]\nlayer = "rrf"\nk = 60\n'
    ).encode()


def inputs(encoder: str) -> dict[str, bytes]:
    """The files that a user brings, by name."""
    second = films(2)
    second[2] = {**second[2], "title": "Renamed", "description": "The orchard burns. " + second[2]["description"]}
    return {
        "picture.png": picture(),
        "films.json": lesson(films(1)),
        "edited.json": lesson(edited()),
        "second.json": lesson(films(2)),
        "changes.json": lesson([second[2], {"id": 77, "title": "New", "description": "A comet over the harbour."}]),
        "golden.json": json.dumps(golden(), indent=1).encode(),
        "graded.jsonl": lines(graded()),
        "plan.toml": plan(encoder),
    }
