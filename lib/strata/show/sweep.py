"""A sweep drawn: a bar for each value of one setting, a grid of two, the best ten of more; what choosing brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strata.evaluation.grid import Value, label, said
from strata.evaluation.significance import TIE
from strata.evaluation.swept import Point, Sweep
from strata.show.figures import figure, p_value, signed
from strata.show.text import Block, Grid, bar, between, clean, columns_of, cut, line, width, wrapped

BEST = 10
BAR = 24
NAME = 24
LABEL = 46
"""Rows of more than two settings; columns of a bar, of a value that is a name, and of settings in words."""
ENDS: dict[str, tuple[float | None, float | None]] = {
    "alpha": (0, 1), "b": (0, 1), "k": (0, None), "k1": (0, None), "depth": (1, None),
}  # fmt: skip
"""What a setting cannot go beyond, on either side."""


def view(found: Sweep) -> Iterator[Block]:
    names = " and ".join(one.setting for one in found.over)
    count = len(found.base)
    yield line((cut(f"{clean(names)}: {found.measure}, {count} queries, {found.folds.way}", width()), "bold"))
    if len(found.over) == 1:
        yield _bars(found, found.points)
    elif len(found.over) == 2:
        yield from _square(found)
    else:
        yield f"the best {min(BEST, len(found.points))} of {len(found.points)} combinations:"
        yield _bars(found, sorted(found.points, key=lambda point: -point.mean)[:BEST])
    if len(found.over) > 1:
        yield from _chosen(found)
    yield from _verdict(found)


def _name(values: dict[str, Value] | str, columns: int = NAME) -> str:
    return cut(clean(values if isinstance(values, str) else label(values)), columns)


def _marks(found: Sweep, point: Point) -> str:
    marks = [*(["best"] if point == found.best else []), *(["own"] if _is_own(found, point) else [])]
    return ", ".join(marks)


def _is_own(found: Sweep, point: Point) -> bool:
    return dict(point.settings) == dict(found.own)


def _bars(found: Sweep, points: Sequence[Point]) -> Grid:
    """Each bar from 0, and as a part of the best."""
    full = found.best.mean
    alone = len(found.over) == 1
    first = found.over[0].setting
    names = [_name(said(p.settings[first])) if alone else _name(p.label, LABEL) for p in points]
    short = alone or max(map(columns_of, names)) <= LABEL - 14
    rows = tuple(
        (
            name,
            figure(point.mean),
            bar(point.mean, full=full, columns=BAR if alone else BAR // 2) if short else "",
            signed(point.mean - found.base_mean),
            str(point.chosen or ""),
            _marks(found, point),
        )
        for name, point in zip(names, points, strict=True)
    )
    head = (_name(first) if alone else "settings", "mean", "", "to own", "chosen", "")
    return Grid(rows, head, "rrlrrl" if alone else "lrlrrl")


def _square(found: Sweep) -> Iterator[Block]:
    """The first setting down, the second across; in blocks where it is too wide."""
    down, across = found.over
    means = {tuple(point.settings.values()): point for point in found.points}
    corner = f"{_name(down.setting)} ╲ {_name(across.setting)}"
    side = max(columns_of(text) for text in (corner, *(_name(said(value)) for value in down.values)))
    heads = [_name(said(value), 14) for value in across.values]
    cell = max(columns_of(text) for text in (*heads, *(_cell(found, point) for point in found.points))) + 2
    room = max(1, (width() - side) // cell)
    for start in range(0, len(across.values), room):
        part = across.values[start : start + room]
        rows = [(_name(said(value)), *(_cell(found, means[value, other]) for other in part)) for value in down.values]
        yield Grid(tuple(rows), (corner, *heads[start : start + room]), "r" * (1 + len(part)))
    yield line(("* the best, ° the plan's own", "dim"))


def _cell(found: Sweep, point: Point) -> str:
    mark = "*" if point == found.best else "°" if _is_own(found, point) else " "
    return figure(point.mean) + mark


def _chosen(found: Sweep) -> Iterator[Block]:
    often = sorted((point for point in found.points if point.chosen), key=lambda point: -point.chosen)
    said = [f"{_name(point.label, 40)} {point.chosen}×" for point in often[:5]]
    if len(often) > 5:
        said.append(f"{len(often) - 5} more")
    yield from wrapped(between(said, ", "), width(), "chosen: ", "  ")


def _verdict(found: Sweep) -> Iterator[Block]:
    best, base, held = found.best, found.base_mean, found.held_mean
    rows = (
        ("best here", figure(best.mean), signed(best.mean - base), _name(best.label, LABEL)),
        ("held out", figure(held), signed(held - base), "each query by what suits the others"),
        ("the plan's own", figure(base), "", _name(label(found.own), LABEL)),
    )
    yield Grid(rows, align="lrrl")
    for text in [f"{verdict(found)}{_flatters(found)}", *_at_an_end(found), *failures(found)]:
        yield from wrapped(between(text.split(" "), " "), width())


def verdict(found: Sweep) -> str:
    """What follows, by rule."""
    gain, count, luck = found.best.mean - found.base_mean, len(found.points), found.luck
    if gain < TIE:
        return "Nothing that was tried is ahead of the plan's own."
    ahead = f"The best{f' of {count}' if count > 1 else ''} is ahead by {signed(gain)}, p {p_value(luck.p)}"
    if luck.p < 0.05:
        return f"{ahead}: more than luck."
    needed = f"; it would take about {signed(luck.needed)}" if luck.needed else ""
    return f"{ahead}: no more than luck may give{needed}."


def _flatters(found: Sweep) -> str:
    ahead = found.best.mean - found.base_mean >= TIE
    return f" It flatters itself by {figure(found.optimism)}." if ahead and found.optimism >= 0.0005 else ""


def failures(found: Sweep) -> Iterator[str]:
    """That the figures are those of another plan, where a provider failed."""
    if found.failed:
        runs = "run" if found.failed == 1 else "runs"
        yield f"At {found.failed:,} {runs} a provider failed and a step was left out: these figures are not the plan's."


def _at_an_end(found: Sweep) -> Iterator[str]:
    """Said where the best value is the last that was tried and the setting goes further."""
    for one in found.over:
        best = found.best.settings[one.setting]
        numbers = [value for value in one.values if not isinstance(value, str | bool)]
        if len(numbers) < max(2, len(one.values)):
            continue
        for end, limit in zip((min(numbers), max(numbers)), ENDS.get(one.setting, (None, None)), strict=True):
            if best == end and end != limit:
                yield f"{one.setting}={said(best)} is the last value tried on its side: the best may lie beyond."
