"""Which catalogues are known, and which one is in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from strata import paths
from strata.core.catalogue import imported, locate, origin
from strata.core.corpus import open_corpus
from strata.errors import DataError
from strata.files import write_atomically
from strata.paths import as_path
from strata.settings import DEFAULT_DATASET, Settings


def known(settings: Settings, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """name, documents (None where not counted), from, in_use."""
    bundled = open_corpus(replace(settings, dataset=DEFAULT_DATASET), note)
    rows: list[dict[str, Any]] = [
        {"name": DEFAULT_DATASET, "documents": len(bundled), "from": "bundled films, with a golden set"}
    ]
    for name, folder in imported().items():
        try:
            facts = origin(folder)
            rows.append({"name": name, "documents": facts["documents"], "from": f"imported from {facts['from']}"})
        except DataError as error:
            rows.append({"name": name, "documents": None, "from": f"damaged: {error.next_step}"})
    if settings.dataset not in {row["name"] for row in rows}:
        rows.append({"name": settings.dataset, "documents": None, "from": _state(settings.dataset)})
    return [{**row, "in_use": row["name"] == settings.dataset} for row in rows]


def _state(dataset: str) -> str:
    try:
        return f"a path, read as {locate(dataset).loader}"
    except DataError as error:
        return error.message


def use(dataset: str, settings: Settings, note: Callable[[str], None]) -> str:
    """Remember a catalogue for later commands, after opening it. Returns its name, or its absolute path."""
    named = dataset == DEFAULT_DATASET or dataset in imported()
    chosen = dataset if named else str(as_path(dataset))
    open_corpus(replace(settings, dataset=dataset), note)
    write_atomically(paths.choice_file(), json.dumps({"dataset": chosen}).encode())
    return chosen
