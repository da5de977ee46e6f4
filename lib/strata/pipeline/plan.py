"""Plans as plain data: what the log, --json and later plan files hold. A layer is its name and its settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from strata import registry
from strata.core.types import Plan


def layer_name(layer: object) -> str:
    """The name under which the registry knows a layer's class; the class's own name where it is not in the table."""
    target = f"{type(layer).__module__}:{type(layer).__name__}"
    for table in registry.SLOTS.values():
        for name, row in table.items():
            if row.target == target:
                return name
    return type(layer).__name__


def layer_to_dict(layer: Any) -> dict[str, Any]:
    return {"layer": layer_name(layer), **{f.name: getattr(layer, f.name) for f in fields(layer)}}


def to_dict(plan: Plan) -> dict[str, Any]:
    """The plan as JSON holds it; empty slots are left out."""
    single = {
        slot: layer_to_dict(layer)
        for slot in ("enhance", "fuse", "rerank", "answer")
        if (layer := getattr(plan, slot)) is not None
    }
    return {**single, "retrieve": [layer_to_dict(r) for r in plan.retrieve], "depth": plan.depth, "limit": plan.limit}
