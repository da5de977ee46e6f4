"""Encoders for the tests that count what they are asked, in the place of the real ones.

A text's vector is drawn from a hash of the encoder's name and the text, so each of two encoders of the same dimensions
can be told from the other by any of its vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from strata import settings
from strata.files import fingerprint
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER

DIMENSIONS = 16


class Counting:
    """asked: (kind, text) of all that was encoded since `drain`."""

    dimensions, max_tokens = DIMENSIONS, 99

    def __init__(self, name: str) -> None:
        self.name, self.fingerprint = name, fingerprint(name)
        self.row = SimpleNamespace(dimensions=DIMENSIONS)
        self.asked: list[tuple[str, str]] = []

    def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        self.asked += [(kind, text) for text in texts]
        return np.array([self.vector(text) for text in texts]).reshape(-1, DIMENSIONS)

    def saved(self, _query: str) -> float:
        """Nothing is remembered."""
        return 0.0

    def vector(self, text: str) -> np.ndarray:
        seed = hashlib.sha256(f"{self.name} {text}".encode("utf-8", "surrogatepass")).digest()
        vector = np.random.default_rng(int.from_bytes(seed[:8], "little")).normal(size=DIMENSIONS)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def drain(self) -> list[tuple[str, str]]:
        asked, self.asked = self.asked, []
        return asked


Encoders = dict[str, Counting]
Opened = Callable[..., Workspace]


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> Encoders:
    """The default encoder and one called "other", both counting; no weights are looked for or read."""
    made = {name: Counting(name) for name in (DEFAULT_ENCODER, "other")}
    monkeypatch.setattr("strata.semantic.vectors.find", lambda name, settings, note: made[name])
    monkeypatch.setattr("strata.semantic.vectors.open_bulk_encoder", lambda name, settings, note, texts: made[name])
    monkeypatch.setattr("strata.encoders.open_encoder", lambda name, settings, note: made[name])
    return made


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """opened(path, notes): a workspace over a catalogue; all of a test's share one cache. notes: what it says."""

    def make(path: Path, notes: list[str] | None = None) -> Workspace:
        made = settings.load(str(path), str(tmp_path / "cache"), str(tmp_path / "logs"))
        return Workspace(made, (notes if notes is not None else []).append)

    return make
