"""What works on this machine: places, weights, runtimes, artefacts, and the way each layer will take."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from strata import paths, registry
from strata.errors import StrataError
from strata.settings import Settings
from strata.storage import artefact_folders, damage


def examine(settings: Settings, note: Callable[[str], None], *, verify: bool) -> dict[str, Any]:
    """Looks, and changes nothing; `verify` computes every artefact's checksums again."""
    encoders = [_encoder(name, settings, note, verify) for name in registry.ENCODERS]
    return {
        "places": _places(settings),
        "encoders": encoders,
        "runtimes": _runtimes(),
        "artefacts": _artefacts(settings.cache_dir, verify),
        "ways": _ways(encoders),
    }


def _places(settings: Settings) -> list[dict[str, str]]:
    where = "a clone" if paths.clone() else "an installed package"
    return [
        {"what": "strata", "found": f"{where}, {paths.PACKAGE}"},
        {"what": "dataset", "found": settings.dataset},
        {"what": "cache", "found": f"{settings.cache_dir} ({_writable(settings.cache_dir)})"},
        {"what": "logs", "found": f"{settings.log_dir} ({_writable(settings.log_dir)})"},
    ]


def _writable(folder: Path) -> str:
    at = folder
    while not at.exists() and at != at.parent:
        at = at.parent
    return "writable" if at.is_dir() and os.access(at, os.W_OK) else "not writable"


def _encoder(name: str, settings: Settings, note: Callable[[str], None], verify: bool) -> dict[str, str]:
    from strata.encoders.weights import find

    try:
        weights = find(name, settings, note, verify=verify, fetch=False)
    except StrataError as error:
        return {"encoder": name, "state": "not usable", "detail": f"{error.message}; {error.next_step}"}
    return {"encoder": name, "state": "ready", "detail": f"{weights.origin}; {weights.folder}"}


def _runtimes() -> list[dict[str, str]]:
    uses = {
        "numpy": "index, vectors, query encoding",
        "tokenizers": "query encoding",
        "sentence_transformers": "bulk encoding (else NumPy, slower)",
        "nltk": "Porter's stemmer",
    }
    how = "missing: pip install 'strata-search[semantic]'"
    return [
        {"package": name, "state": "installed" if find_spec(name) else how, "for": use} for name, use in uses.items()
    ]


def _artefacts(cache: Path, verify: bool) -> list[dict[str, str]]:
    rows = []
    for folder in artefact_folders(cache):
        why = damage(folder, verify=verify)
        size = sum(file.stat().st_size for file in folder.iterdir())
        rows.append({"kind": folder.parent.name, "name": folder.name[:8], "size": f"{size / 1e6:.1f} MB",
                     "state": why or _written(folder / "manifest.json")})  # fmt: skip
    return rows


def _written(manifest: Path) -> str:
    return f"sound, written {json.loads(manifest.read_bytes())['written']}"


def _ways(encoders: list[dict[str, str]]) -> list[dict[str, str]]:
    """The way each layer takes here."""
    ready = encoders[0]["state"] == "ready" and find_spec("tokenizers") is not None
    missing = "cannot run: pip install 'strata-search[semantic]'"
    return [
        {"layer": "keyword", "way": "BM25 and TF-IDF over the hand-built index"},
        {"layer": "semantic", "way": f"{registry.DEFAULT_ENCODER}, NumPy for queries" if ready else missing},
        {"layer": "hybrid", "way": "reciprocal rank fusion of both" if ready else missing},
    ]
