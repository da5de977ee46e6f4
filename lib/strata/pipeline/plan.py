"""Plans as plain data: what the log, --json and plan files hold. A layer is its name in the registry and its settings.

    {"retrieve": [{"layer": "bm25", "k1": 1.5}, {"layer": "chunks"}], "fuse": {"layer": "rrf"}, "depth": 100}

Settings that are left out have the layer's own defaults. DataError names the place of whatever is not understood.
"""

from __future__ import annotations

import reprlib
import types
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Union, get_args, get_origin, get_type_hints

from strata import registry
from strata.core.types import Plan
from strata.errors import DataError, StrataError, UsageError

SINGLE = ("enhance", "fuse", "rerank", "answer")
NUMBERS = ("depth", "limit")
LARGEST = 2**63
"""Whole numbers are below it, as TOML has them."""
LONGEST = 80
"""Letters of a value in a message."""


def layer_name(layer: object) -> str:
    """The name under which the registry knows a layer's class; the class's own name where it is not in the table."""
    target = f"{type(layer).__module__}:{type(layer).__name__}"
    for table in registry.SLOTS.values():
        for name, row in table.items():
            if row.target == target:
                return name
    return type(layer).__name__


def layer_to_dict(layer: Any) -> dict[str, Any]:
    """Settings that are None (not set) are left out: TOML has no word for them."""
    settings = {f.name: value for f in fields(layer) if (value := getattr(layer, f.name)) is not None}
    return {"layer": layer_name(layer), **settings}


def to_dict(plan: Plan) -> dict[str, Any]:
    """The plan as JSON holds it; empty slots are left out."""
    single = {slot: layer_to_dict(layer) for slot in SINGLE if (layer := getattr(plan, slot)) is not None}
    rest = {"depth": plan.depth, "limit": plan.limit, **({"premises": True} if plan.premises else {})}
    return {**single, "retrieve": [layer_to_dict(r) for r in plan.retrieve], **rest}


def from_dict(data: Mapping[str, Any], where: str = "the plan") -> Plan:
    """The plan that `to_dict` wrote, or a person. where: what a message calls it."""
    if not isinstance(data, Mapping):
        raise DataError(f"{where}: must be a table, not {_said(data)}", 'e.g. retrieve = [{ layer = "bm25" }]')
    slots = ("retrieve", *SINGLE, *NUMBERS, "premises")
    for name in data:
        if name not in slots:
            raise DataError(f"{where}: unknown {_said(name)}", f"a plan has: {', '.join(slots)}")
    retrieve = data.get("retrieve")
    if not isinstance(retrieve, list) or not retrieve:
        raise DataError(f"{where}: retrieve must be a list of layers", 'e.g. retrieve = [{ layer = "bm25" }]')
    lists = tuple(_layer("retrieve", entry, f"{where}, retrieve {i}") for i, entry in enumerate(retrieve, start=1))
    if len(lists) > 1 and "fuse" not in data:
        raise DataError(f"{where}: {len(lists)} lists and nothing to fuse them", 'add fuse = { layer = "rrf" }')
    rest: dict[str, Any] = {slot: _layer(slot, data[slot], f"{where}, {slot}") for slot in SINGLE if slot in data}
    rest |= {name: _count(data[name], f"{where}, {name}") for name in NUMBERS if name in data}
    if "premises" in data:
        if not isinstance(data["premises"], bool):
            raise DataError(f"{where}: premises must be true or false, not {_said(data['premises'])}", "")
        rest["premises"] = data["premises"]
    if "depth" not in rest:
        rest["depth"] = max(Plan.depth, rest.get("limit", Plan.limit))
    return Plan(retrieve=lists, **rest)


def _count(value: Any, where: str) -> int:
    if not _fits(value, int) or value < 1:
        raise DataError(f"{where}: must be a whole number from 1 up, not {_said(value)}", "")
    return int(value)


def _layer(slot: str, data: Any, where: str) -> Any:
    table: dict[str, registry.Row] = registry.SLOTS.get(slot, {})
    name = data.get("layer") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in table:
        usage = f"write {{ layer = NAME }}; one of: {registry.names(table) or 'none yet'}"
        raise DataError(f"{where}: {_said(name)} is no layer of this slot", usage)
    made = registry.load(table[name])
    hints = get_type_hints(made)
    settings = {key: value for key, value in data.items() if key != "layer"}
    known = [field.name for field in fields(made)]
    for key, value in settings.items():
        if key not in known:
            raise DataError(f"{where}: {name} has no setting {_said(key)}", f"it has: {', '.join(known) or 'none'}")
        if not _fits(value, hints[key]):
            raise DataError(f"{where}: {key} cannot be {_said(value)}", f"it is {_words(hints[key])}")
    try:
        return made(**settings)
    except StrataError as error:
        raise DataError(f"{where}: {error.message}", error.next_step) from error


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value of TOML or JSON is of a setting's type; a whole number is also a number."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, list | tuple) and all(_fits(one, get_args(hint)[0]) for one in value)
    if hint is float:
        return type(value) is float or _fits(value, int)
    return type(value) is hint and (hint is not int or -LARGEST <= value < LARGEST)


def _words(hint: Any) -> str:
    names = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_words(one) for one in get_args(hint) if one is not type(None))
    return names.get(hint, str(hint))


def _said(value: Any) -> str:
    """A value as a message names it, cut where it is long."""
    try:
        said = reprlib.repr(value)
        return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"
    except ValueError:  # Python writes no number of thousands of digits
        return "a number of thousands of digits"


def with_settings(plan: Plan, settings: Mapping[str, Any]) -> Plan:
    """The plan with some settings changed: depth and limit are its own, any other goes to every layer that has it.

    UsageError where no layer has it: a setting is never ignored.
    """
    slots = {slot: layer for slot in SINGLE if (layer := getattr(plan, slot)) is not None}
    layers = layers_of(plan)
    for name in settings:
        if name not in NUMBERS and not any(_has(layer, name) for layer in layers):
            there = ", ".join(dict.fromkeys(layer_name(layer) for layer in layers))
            raise UsageError(f"no layer of this plan has the setting {name}", f"its layers: {there}")
    return replace(
        plan,
        **{name: settings[name] for name in NUMBERS if name in settings},
        retrieve=tuple(_changed(layer, settings) for layer in plan.retrieve),
        **{slot: _changed(layer, settings) for slot, layer in slots.items()},
    )


def layers_of(plan: Plan) -> list[Any]:
    """Every layer of a plan, the lists first."""
    return [*plan.retrieve, *(layer for slot in SINGLE if (layer := getattr(plan, slot)) is not None)]


def settings_of(plan: Plan) -> list[str]:
    """The names of the settings that `with_settings` can change: the plan's own, and those of its layers."""
    return list(dict.fromkeys([*NUMBERS, *(field.name for layer in layers_of(plan) for field in fields(layer))]))


CANDIDATES = 5
"""A reranker reads so many times as many candidates as are shown."""


def with_candidates(plan: Plan) -> Plan:
    """The plan with five times as many candidates as are shown, where its reranker has its usual number; never more
    than a slow one allows itself."""
    rerank: Any = plan.rerank
    if rerank is None:
        return plan
    if rerank.candidates != type(rerank)().candidates:  # somebody chose it; but what is shown must have been read
        return replace(plan, rerank=replace(rerank, candidates=max(rerank.candidates, plan.limit)))
    most = getattr(rerank, "most", CANDIDATES * plan.limit)
    return replace(plan, rerank=replace(rerank, candidates=min(most, CANDIDATES * plan.limit)))


def _has(layer: Any, name: str) -> bool:
    return any(field.name == name for field in fields(layer))


def _changed(layer: Any, settings: Mapping[str, Any]) -> Any:
    """All at once: an overlap may only be right with the new size."""
    own = {name: value for name, value in settings.items() if _has(layer, name)}
    return replace(layer, **own) if own else layer


def settled(plan: Plan, *, shorten: bool) -> Plan:
    """Lists at least as deep as what is shown; with `shorten`, one that nothing is made from no deeper."""
    alone = plan.fuse is None and plan.rerank is None and shorten
    return replace(plan, depth=plan.limit if alone else max(plan.depth, plan.limit))
