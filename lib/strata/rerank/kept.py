"""Scores of pairs kept on disk, so that a bench that asks the same again scores nothing.

One small JSON file for each query and model, cache/pair_scores/HASH.json:

    {"format": 1, "model", "query", "scores": {hash of the pair: [score, milliseconds]}, "sha256"}

The checksum is over everything else. A score is read as the very number that was computed: JSON holds all digits of a
float. FORMAT is raised whenever the way to a score changes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from strata.errors import ArtefactError
from strata.files import fingerprint, locked, parsed, write_atomically
from strata.telling import Note

FORMAT = 1
FOLDER = "pair_scores"
Scores = dict[str, tuple[float, float]]
"""Hash of a pair → its score and the milliseconds that it took."""


class KeptScores:
    """What one model gave, by query. model: whatever moves a score, in words."""

    def __init__(self, cache: Path, model: str, note: Note) -> None:
        self._folder = cache / FOLDER
        self._model = model
        self._note = note
        self._writes = True

    def read(self, query: str) -> Scores:
        """What is kept of a query; a file that is damaged counts as none, which is said."""
        path = self._path(query)
        try:
            return _checked(parsed(path.read_bytes()), self._head(query))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            self._note(f"kept scores {path.name[:8]} cannot be used ({error}): they are computed again")
            return {}

    def add(self, query: str, scores: Mapping[str, tuple[float, float]]) -> None:
        """Keep these as well. Where the cache cannot be written that is said once, and nothing is kept."""
        if not self._writes:
            return
        try:
            with locked(self._folder / "lock"):  # or one of two processes would lose what the other adds
                body = {**self._head(query), "scores": {**self.read(query), **scores}}
                write_atomically(self._path(query), json.dumps({**body, "sha256": _digest(body)}).encode())
        except ArtefactError as error:
            self._writes = False
            self._note(f"scores are not kept: {error.message}")

    def _head(self, query: str) -> dict[str, Any]:
        return {"format": FORMAT, "model": self._model, "query": query}

    def _path(self, query: str) -> Path:
        known = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{fingerprint([FORMAT, self._model, known])}.json"


def _digest(body: Mapping[str, Any]) -> str:
    """Of the values, however the file is laid out. In ASCII, since a query may hold what UTF-8 cannot."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _checked(data: Any, head: Mapping[str, Any]) -> Scores:
    body = {name: value for name, value in data.items() if name != "sha256"}
    if data["sha256"] != _digest(body) or {name: body[name] for name in head} != head:
        raise ValueError("altered content")
    scores = {key: (float(score), float(ms)) for key, (score, ms) in body["scores"].items()}
    if not all(math.isfinite(score) for score, _ in scores.values()):
        raise ValueError("a score is no number")
    return scores
