"""What published indexes know of a catalogue's documents, so that only those that changed are analysed.

A document is known by the key of its text: whatever catalogue it was in and wherever it stood there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strata.errors import ArtefactError
from strata.keyword.forward import Forward, opened
from strata.keyword.words import Words
from strata.storage import Artefact, artefact_folders, damage, recipe


class Shared(NamedTuple):
    """What one former index knows. at: the documents' positions in the new catalogue, ascending; forward: their rows,
    in that order; words: the sorted words of these rows, which their numbers refer to; stems: of all its words."""

    at: np.ndarray
    forward: Forward
    words: list[str]
    stems: dict[str, str]


def published(cache: Path, kind: str, how: Mapping[str, Any]) -> list[Path]:
    """The indexes made in this way from any catalogue and text template, whether sound or not."""
    free = dict.fromkeys(("corpus", "text"))
    return [f for f in artefact_folders(cache, kind) if {**recipe(f), **free} == {**how, **free}]


def shared(keys: np.ndarray, folders: list[Path]) -> list[Shared]:
    """What these indexes know of the documents with these keys (uint8[N, 16]); a document is in one of them at most.

    Those that share most come first, so that few have to be read. A damaged index is passed over: whoever opens it
    says so, and the documents are analysed again.
    """
    share = {folder: np.count_nonzero(_places(keys, _keys(folder)) >= 0) for folder in folders}
    found = []
    left = np.arange(len(keys))
    for folder in sorted(filter(share.__getitem__, folders), key=share.__getitem__, reverse=True):
        if left.size and _sound(folder):
            places = _places(keys[left], _keys(folder))
            hit = places >= 0
            try:
                found += [_taken(Artefact(folder, {}), left[hit], places[hit])] if hit.any() else []
            except (ArtefactError, OSError, ValueError):
                continue  # removed by another process just now
            left = left[~hit]
    return found


def _keys(folder: Path) -> np.ndarray:
    try:
        return Artefact(folder, {}).array("keys")
    except (ArtefactError, OSError, ValueError):
        return np.empty((0, 16), dtype=np.uint8)


def _sound(folder: Path) -> bool:
    try:
        return not damage(folder, verify=False)
    except ArtefactError:  # not readable for us
        return False


def _places(keys: np.ndarray, among: np.ndarray) -> np.ndarray:
    """int64[n]: where each key stands among others, −1 where it does not. The first 8 bytes lead to one candidate;
    in the odd case that two keys share these, a known document may count as unknown, never as another."""
    if not len(among) or among.ndim != 2 or among.shape[1:] != keys.shape[1:]:
        return np.full(len(keys), -1)
    heads = np.ascontiguousarray(among[:, :8]).view(np.uint64).ravel()
    order = np.argsort(heads, kind="stable")
    wanted = np.ascontiguousarray(keys[:, :8]).view(np.uint64).ravel()
    places = order[np.minimum(np.searchsorted(heads, wanted, sorter=order), len(order) - 1)]
    return np.where((among[places] == keys).all(axis=1), places, -1)


def _taken(index: Artefact, at: np.ndarray, rows: np.ndarray) -> Shared:
    forward = opened(index).rows(rows)
    surfaces, terms = list(Words(index, "surfaces")), list(Words(index, "terms"))
    used = np.zeros(len(surfaces), dtype=bool)
    used[forward.surfaces] = True
    words = [surfaces[i] for i in np.flatnonzero(used).tolist()]
    stems = dict(zip(surfaces, (terms[i] for i in index.array("surface_terms").tolist()), strict=True))
    return Shared(at, forward.renumbered(np.cumsum(used, dtype=np.int32) - 1), words, stems)
