"""Which catalogues are known, and which one is in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from strata import paths
from strata.core.catalogue import ORIGIN, imported
from strata.core.corpus import open_corpus
from strata.files import write_atomically
from strata.settings import DEFAULT_DATASET, Settings


def known(settings: Settings, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """name, documents (None where not counted), from, in_use."""
    bundled = open_corpus(replace(settings, dataset=DEFAULT_DATASET), note)
    rows: list[dict[str, Any]] = [
        {"name": DEFAULT_DATASET, "documents": len(bundled), "from": "bundled films, with a golden set"}
    ]
    for name, folder in imported().items():
        origin = json.loads((folder / ORIGIN).read_text(encoding="utf-8"))
        rows.append({"name": name, "documents": origin["documents"], "from": f"imported from {origin['from']}"})
    names = {row["name"] for row in rows}
    if settings.dataset not in names:
        rows.append({"name": settings.dataset, "documents": None, "from": "a path"})
    return [{**row, "in_use": row["name"] == settings.dataset} for row in rows]


def use(dataset: str, settings: Settings, note: Callable[[str], None]) -> str:
    """Remember a catalogue for later commands, after opening it. Returns its name, or its absolute path."""
    named = dataset == DEFAULT_DATASET or dataset in imported()
    chosen = dataset if named else str(Path(dataset).expanduser().resolve())
    open_corpus(replace(settings, dataset=dataset), note)
    write_atomically(paths.choice_file(), json.dumps({"dataset": chosen}).encode())
    return chosen
