"""A logged plan in words, and as settings by name: "fuse.k" → 60."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SLOTS = ("enhance", "fuse", "rerank", "answer")
"""Of one layer each; a plan has any number of retrievers."""
WHOLE = ("depth", "limit", "premises")
"""Settings of the whole plan."""
ABSENT = "–"
"""What stands for a setting that a plan has not."""
_LONGEST = 60


def plan_words(plan: Mapping[str, Any]) -> str:
    """ "spell → bm25 + chunks → rrf k=60 → cross_encoder": the layers in the order in which a query passes them."""
    fuse = plan.get("fuse")
    settings = [f"{name}={said(value)}" for name, value in (fuse or {}).items() if name != "layer"]
    steps = {slot: plan[slot]["layer"] for slot in SLOTS if slot in plan}
    if fuse:
        steps["fuse"] = " ".join([fuse["layer"], *settings])
    lists = " + ".join(layer["layer"] for layer in plan.get("retrieve", ()))
    return " → ".join(filter(None, (steps.get("enhance"), lists, *(steps.get(slot) for slot in SLOTS[1:]))))


def settings(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting under a name of its own: "fuse" for the layer, "fuse.k" for what it is set to; a retriever's under
    the layer's name, "bm25.k1", the second of a name under "bm25 (2).k1"."""
    found = _of_slot("enhance", plan)
    counts: dict[str, int] = {}
    names = []
    for layer in plan.get("retrieve", ()):
        name = layer["layer"]
        counts[name] = counts.get(name, 0) + 1
        names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    found["retrieve"] = " + ".join(names)
    for name, layer in zip(names, plan.get("retrieve", ()), strict=True):
        found |= {f"{name}.{key}": value for key, value in layer.items() if key != "layer"}
    for slot in SLOTS[1:]:
        found |= _of_slot(slot, plan)
    return found | {name: plan[name] for name in WHOLE if name in plan}


def _of_slot(slot: str, plan: Mapping[str, Any]) -> dict[str, Any]:
    layer = plan.get(slot)
    if not layer:
        return {}
    own = {f"{slot}.{key}": value for key, value in layer.items() if key != "layer"}
    return {slot: layer["layer"], **own}


def said(value: Any) -> str:
    """A setting's value as it is shown."""
    if value is None:
        return ABSENT
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value)) or "none"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
