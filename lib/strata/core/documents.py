"""The `documents` artefact: a catalogue in the one form that everything reads.

- documents.jsonl: [id, title, text, fields], one a line, in the catalogue's order
- offsets.npy int64[N+1]: where each line begins
- id_hashes.npy, title_hashes.npy uint64[N], sorted, with id_positions.npy, title_positions.npy int32[N]: what to look
  at for an id or a folded title. A hash only points; who looks something up compares it in full.
- titles.txt: the folded titles, one a line, for a search by a part of one
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from strata.core.analysis import fold
from strata.core.types import Document

KIND = "documents"
VERSION = 4
"""A change of what a loader makes of a file, or of these files, must change it."""


def title_key(title: str) -> str:
    """A title as it is compared: folded, with single blanks."""
    return " ".join(fold(title).split())


def hash_of(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def write_documents(documents: Iterable[Document], folder: Path, template: str) -> dict[str, Any]:
    """Write the files of the artefact; returns its facts. fingerprint: SHA-256 of documents.jsonl, 32 hex digits."""
    digest, offsets = hashlib.sha256(), [0]
    ids: list[np.uint64] = []
    titles: list[str] = []
    fields: dict[str, int] = {}
    with (folder / "documents.jsonl").open("wb") as file:
        for document in documents:
            row = [document.id, document.title, document.text, document.fields]
            line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
            file.write(line)
            digest.update(line)
            offsets.append(offsets[-1] + len(line))
            ids.append(hash_of(str(document.id)))
            titles.append(title_key(document.title))
            for name, value in document.fields.items():
                if value not in (None, "", []):
                    fields[name] = fields.get(name, 0) + 1
    np.save(folder / "offsets.npy", np.array(offsets, dtype=np.int64))
    (folder / "titles.txt").write_bytes("\n".join(titles).encode())
    for what, hashes in (("id", ids), ("title", [hash_of(title) for title in titles])):
        array = np.array(hashes, dtype=np.uint64)
        order = np.argsort(array, kind="stable")
        np.save(folder / f"{what}_hashes.npy", array[order])
        np.save(folder / f"{what}_positions.npy", order.astype(np.int32))
    return {
        "fingerprint": digest.hexdigest()[:32],
        "documents": len(offsets) - 1,
        "fields": fields,
        "template": template,
    }
