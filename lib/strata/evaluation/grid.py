"""What a sweep tries: settings with their values, as a user writes them, and the plans that come of them.

    alpha               the setting's usual values
    k=1,10,60           these
    alpha=0..1:0.1      from 0 to 1 by tenths, both ends in
    k=1..5,10,60        whole numbers without a step go by one; parts may be mixed

Any setting that a layer of the plan has may be tried, a text such as encoder too. Everything is checked, and every plan
made, before anything is run.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, get_args, get_type_hints

from strata.core.types import Plan
from strata.errors import UsageError
from strata.pipeline.plan import layers_of, with_settings

Value = int | float | str | bool

LARGEST = 400
"""Combinations."""
USUAL = {
    "alpha": "0..1:0.1",
    "k": "0,1,2,5,10,20,40,60,100,200",
    "depth": "5,10,20,50,100,200",
    "k1": "0.3..3:0.3",
    "b": "0..0.9:0.15,1",
}
"""Tried where a setting is only named; the lessons' own values are among them."""
NUMBER = r"-?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?::({NUMBER}))?", re.ASCII)
EXAMPLE = "as k=1,10,60 or alpha=0..1:0.1"


@dataclass(frozen=True)
class Axis:
    """A setting and the values to try, each once, in the order given."""

    setting: str
    values: tuple[Value, ...]


def axes(texts: Iterable[str], plan: Plan) -> tuple[Axis, ...]:
    """The axes of --over, one a text. UsageError for nonsense, and for more than LARGEST combinations."""
    found = [axis(text, plan) for text in texts]
    if not found:
        raise UsageError("nothing to sweep over", f"name a setting, {EXAMPLE}; known: {', '.join(USUAL)}")
    names = [one.setting for one in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{twice} is given twice", f"put its values together, as {twice}=VALUE,VALUE")
    _within(math.prod(len(one.values) for one in found), "combinations")
    return tuple(found)


def axis(text: str, plan: Plan) -> Axis:
    """One setting of the plan with its values."""
    name, equals, listed = text.partition("=")
    name = name.strip().replace("-", "_")
    kinds = _kinds(plan, name)
    if not equals:
        if name not in USUAL:
            raise UsageError(f"which values of {name} shall be tried?", f"as {name}=VALUE,VALUE")
        listed = USUAL[name]
    values: dict[Value, None] = {}
    for part in listed.split(","):
        values |= dict.fromkeys(_values(name, part.strip(), kinds))
        _within(len(values), f"values of {name}")
    if name == "depth" and any(isinstance(value, int) and value < 1 for value in values):
        raise UsageError("a depth must be from 1 up", "as depth=10,50,100")
    return Axis(name, tuple(values))


def _within(count: int, what: str) -> None:
    if count > LARGEST:
        raise UsageError(f"{count:,} {what}: at most {LARGEST} are tried", "fewer values, or a larger step")


def own(plan: Plan, setting: str) -> Any:
    """The plan's value; where several layers have the setting, the first one's."""
    if setting == "depth":
        return plan.depth
    return getattr(_holder(plan, setting), setting)


def _holder(plan: Plan, setting: str) -> Any:
    """The first layer that has a setting; None where none has it."""
    return next((one for one in layers_of(plan) if any(field.name == setting for field in fields(one))), None)


def _kinds(plan: Plan, name: str) -> tuple[type, ...]:
    """What a setting's values may be. UsageError for a setting that cannot be swept, or that no layer has."""
    if name == "limit":
        raise UsageError("the limit changes no ranking", "it is where a metric is measured: --limit, or ndcg@10")
    if name == "depth":
        if plan.fuse is None:
            raise UsageError("depth is how far lists go into a fusion, and this plan has none", "sweep over another")
        return (int,)
    holder = _holder(plan, name)
    if holder is None:
        with_settings(plan, {name: None})  # refuses it, in the words that an option is refused with
    hint = get_type_hints(type(holder)).get(name)
    kinds = tuple(one for one in (get_args(hint) or (hint,)) if one in (int, float, str, bool))
    if not kinds:
        raise UsageError(f"{name} is no setting that can be swept", f"known: {', '.join(USUAL)}")
    return kinds


def _values(name: str, part: str, kinds: tuple[type, ...]) -> list[Value]:
    between = RANGE.fullmatch(part)
    if between and str not in kinds:
        return [_value(name, f"{value:f}", kinds) for value in _range(part, *between.groups())]
    return [_value(name, part, kinds)]


def _range(part: str, first: str, last: str, step: str | None) -> list[Decimal]:
    """Both ends in, where the steps meet the last."""
    start, end = Decimal(first), Decimal(last)
    if step is None and (start % 1 or end % 1):
        raise UsageError(f"{part}: by what step?", f"as {part}:0.1")
    by = Decimal(step or 1)
    if by <= 0 or end < start:
        raise UsageError(f"{part} is no range", "from the smaller to the larger by a step above 0, as 0..1:0.1")
    count = int((end - start) / by) + 1
    _within(count, f"values in {part}")
    return [start + i * by for i in range(count)]


def _value(name: str, text: str, kinds: tuple[type, ...]) -> Value:
    """One value. A whole number stays one, so that k=60 is shown as it was written."""
    if re.fullmatch(NUMBER, text, re.ASCII) and (float in kinds or int in kinds):
        number = float(text)
        if number.is_integer():
            return int(number)
        if float in kinds:
            return number
    if bool in kinds and text in ("true", "false"):
        return text == "true"
    if str in kinds and text:
        return text
    wanted = "a number" if float in kinds else "a whole number" if int in kinds else "true or false"
    raise UsageError(f'{name} cannot be "{text}"', f"it is {'a text' if str in kinds else wanted}; {EXAMPLE}")


def combinations(plan: Plan, over: Sequence[Axis]) -> list[tuple[dict[str, Value], Plan]]:
    """Every combination of values with its plan, the last axis turning fastest. A layer's own UsageError for a value
    that it does not take."""
    names = [one.setting for one in over]
    made = (dict(zip(names, values, strict=True)) for values in itertools.product(*(one.values for one in over)))
    return [(settings, with_settings(plan, settings)) for settings in made]


def label(settings: Mapping[str, Any]) -> str:
    """As a user writes them: "k1=1.2 b=0.75"."""
    return " ".join(f"{name}={said(value)}" for name, value in settings.items())


def said(value: Any) -> str:
    """A value as a user writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, int | float) else "none" if value is None else str(value)


def nearness(over: Sequence[Axis], current: Mapping[str, Any], settings: Mapping[str, Value]) -> float:
    """How far settings are from the plan's own: for each number its distance as a part of the axis's whole span, for
    anything else 1 where it is another."""
    total = 0.0
    for one in over:
        value, mine = settings[one.setting], current[one.setting]
        if _number(mine) and all(map(_number, one.values)):
            tried = [float(v) for v in (*one.values, mine)]
            total += abs(float(value) - mine) / ((max(tried) - min(tried)) or 1.0)
        else:
            total += float(value != mine)
    return total


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
