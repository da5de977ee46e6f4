"""Vectors that are already known, by key: from published artefacts and from what interrupted builds left.

A key is a hash of encoder and text, so an edited document costs its own chunks and nothing else. Parts are pairs of
small files, each written whole; a damaged part is announced and costs its own vectors again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np

from strata.files import file_digest, parsed, write_atomically
from strata.storage import artefact_folders, damage, recipe
from strata.telling import Note

KEY_BYTES = 16


def keys_of(encoder: str, texts: Iterable[str]) -> np.ndarray:
    """uint8[n, 16]: BLAKE2b of each text under an encoder's fingerprint."""
    seed = encoder.encode()
    joined = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES, key=seed).digest()
        for text in texts
    )
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, KEY_BYTES)


class Parts:
    """What a build has encoded so far, on disk, for one encoder."""

    def __init__(self, cache: Path, kind: str, encoder: str) -> None:
        self.encoder = encoder
        self.folder = cache / f"{kind}_parts" / encoder
        self._held: dict[Path, np.ndarray | None] = {}  # each file seen or written, with its keys where it is whole

    def add(self, keys: np.ndarray, vectors: np.ndarray) -> None:
        """Keep some vectors; after this returns, a kill does not lose them."""
        import io

        buffer = io.BytesIO()
        np.save(buffer, keys, allow_pickle=False)
        np.save(buffer, vectors, allow_pickle=False)
        data = buffer.getvalue()
        name = uuid4().hex[:12]
        mark, file = self.folder / f"{name}.json", self.folder / f"{name}.npys"
        self._held[file] = self._held[mark] = keys
        write_atomically(file, data)
        digest = {"sha256": hashlib.sha256(data).hexdigest()}
        write_atomically(mark, json.dumps(digest).encode())

    def known(self, note: Note) -> list[tuple[np.ndarray, np.ndarray]]:
        """(keys, vectors) of every part that is whole. The lock is held, so whoever wrote them has ended."""
        found = []
        self._held |= dict.fromkeys(sorted(self.folder.glob("*")))
        for mark in [file for file in self._held if file.suffix == ".json"]:
            file = mark.with_suffix(".npys")
            try:
                if file_digest(file) != parsed(mark.read_bytes())["sha256"]:
                    raise ValueError("altered")
                with file.open("rb") as stream:
                    found.append((np.load(stream, allow_pickle=False), np.load(stream, allow_pickle=False)))
                self._held[file] = self._held[mark] = found[-1][0]
            except (OSError, ValueError, KeyError, TypeError) as error:
                note(f"a part of an interrupted build is unusable ({type(error).__name__}): it is encoded again")
        return found

    def clear(self, published: np.ndarray | None = None) -> None:
        """Remove what `known` found and `add` wrote, called once it is published; not the next builder's parts.

        published: the keys that are safe now. A part with any other key stays: it is what an interrupted build of
        another catalogue has done so far. None: all go.
        """
        safe = None if published is None else {key.tobytes() for key in published}
        for file, held in self._held.items():
            if safe is None or held is None or all(key.tobytes() in safe for key in held):
                file.unlink(missing_ok=True)


def published(cache: Path, kind: str, encoder: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """(keys, vectors) of every sound published artefact of this encoder; vectors are memory-mapped."""
    found = []
    for folder in artefact_folders(cache, kind):
        if recipe(folder).get("encoder") == encoder and not damage(folder, verify=False):
            with suppress(FileNotFoundError):  # removed by another process just now
                keys = np.load(folder / "keys.npy", allow_pickle=False)
                if keys.size:
                    found.append((keys, np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)))
    return found


class Known:
    """Look-up over several (keys, vectors): `fill` copies what is known and says what is not."""

    def __init__(self, sources: list[tuple[np.ndarray, np.ndarray]]) -> None:
        self._sources = sources
        self._where: dict[bytes, tuple[int, int]] = {}
        for number, (keys, _) in enumerate(sources):
            for row, key in enumerate(keys):
                self._where.setdefault(key.tobytes(), (number, row))

    def fill(self, keys: np.ndarray, out: np.ndarray) -> list[int]:
        """Write known vectors into out (float32[n, d]); returns the rows that remain."""
        missing = []
        for row, key in enumerate(keys):
            place = self._where.get(key.tobytes())
            if place is None:
                missing.append(row)
            else:
                out[row] = self._sources[place[0]][1][place[1]]
        return missing
