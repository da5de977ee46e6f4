"""A small catalogue with thin entries: a sequel whose story stands in the first film, and some without a story."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from strata import paths
from strata.pipeline.workspace import Workspace

STORY = (
    "A swimmer vanishes off a holiday island, and the new harbour constable finds tooth marks on a broken buoy. "
    "Merchants dread an empty summer, so their mayor forbids warnings until a second bather dies. "
    "Reluctantly a grizzled fisherman, a marine biologist and that constable sail out with harpoons, barrels and rope. "
    "Far from land their boat starts sinking while something huge keeps circling beneath splintered planks."
)
FIRST = STORY[: STORY.index(" Reluctantly")]
OTHER = (
    "An orphaned clockmaker hides inside a railway station, repairing its neglected dials while gathering cogwheels "
    "for a broken automaton his father left. A stern toyseller catches him stealing springs and confiscates the "
    "notebook. With help from a bookish girl he learns how silent cinema, magic lanterns and an old grudge belong "
    "together."
)
DEEP: dict[str, Any] = {"id": 1, "title": "Deep Tide", "year": 1975, "franchise": "Deep Tide", "description": STORY}
DEEP_2: dict[str, Any] = {
    "id": "t2", "title": "Deep Tide 2", "year": 1978, "franchise": "Deep Tide",
    "description": "  The first sequel, made three years after the original. The leads return.",
}  # fmt: skip
ALONE: dict[str, Any] = {"id": 3, "title": "Left Alone", "year": 1990, "description": "A sequel to an earlier film."}
PAIR = [
    {"id": n, "title": f"Hollow {n}", "year": 1960 + n, "franchise": "Hollow", "description": "A part of a series."}
    for n in (4, 5)
]
REST = [{"id": 6 + n, "title": f"Clockwork {n}", "year": 2000 + n, "description": OTHER} for n in range(6)]
FILMS: list[dict[str, Any]] = [DEEP, DEEP_2, ALONE, *PAIR, *REST]
PREMISE = f"Follows Deep Tide (1975): {FIRST}"


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where premises are kept, never the clone's own folder."""
    monkeypatch.setattr(paths, "premises_dir", lambda: tmp_path / "premises")
    return tmp_path / "premises"


def enriched(ws: Workspace) -> Workspace:
    """The same, with premises."""
    return Workspace(ws.settings, ws.note, enriched=True)


def edited(entries: list[dict[str, Any]], id: object, **changes: Any) -> list[dict[str, Any]]:
    return [{**entry, **changes} if entry["id"] == id else entry for entry in entries]
