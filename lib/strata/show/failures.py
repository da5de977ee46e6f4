"""Failures drawn: causes with their share and what mending each could gain, examples, a verdict; or one query whole."""

from __future__ import annotations

from collections.abc import Iterator

from strata.evaluation.causes import LABELS
from strata.evaluation.misses import Failures, Sought
from strata.evaluation.outcome import Outcome
from strata.evaluation.reasons import reason, verdict
from strata.rerank.order import CANDIDATES
from strata.show.beside import side_by_side
from strata.show.figures import figure
from strata.show.text import Block, Grid, bar, clean, columns_of, cut, line, noun, pad, width, wrapped

BAR = 22
"""Columns of a bar at most, with the gap beside it; it takes what the other columns leave."""
EXAMPLES = 2


def view(found: Failures, examples: int = EXAMPLES) -> Iterator[Block]:
    """examples: how many misses of each cause are shown."""
    columns = width()
    yield from _head(found, columns)
    if found.missed:
        yield from _table(found, columns)
        yield from _notes(found, columns)
    for cause, count in found.counts.items() if examples else ():
        yield ""
        yield line((f"{LABELS[cause]} ({count})", "bold"))
        for miss in found.examples(cause, examples):
            yield cut(f"  {clean(miss.query.id)} {clean(miss.query.text)}", columns)
            yield from _miss(miss, columns, "    ")
    yield ""
    yield from _folded(verdict(found), columns)


def query_view(found: Failures, outcome: Outcome) -> Iterator[Block]:
    """One query: each of its relevant documents with its rank in every layer, then why the missed ones were missed."""
    columns = width()
    query = found.queries[0]
    trace = outcome.traces[query.id]
    right = f"{len(found.found)} of {len(found.found) + len(found.missed)} found at limit {found.limit}"
    left = cut(f"{clean(query.id)} {clean(query.text)}", columns - columns_of(right) - 2)
    yield line((left, "bold"), pad("", columns - columns_of(left) - columns_of(right)), right)
    rows = []
    for judged in (*found.found, *found.missed):
        if judged.stands:
            ranks = [str(stand.rank or "–") for stand in judged.stands]
            rows.append((f"{'✗' if judged.facts else '✓'} {clean(judged.label)}", ranks))
    yield from side_by_side(rows, trace.rankings, trace, columns)
    for miss in found.missed:
        yield from _miss(miss, columns, "", cause=True)


def _head(found: Failures, columns: int) -> Iterator[Block]:
    total = len(found.missed) + len(found.found)
    what = f"{noun(found.dataset)}{'' if total == 1 else 's'}"
    missed = f"{len(found.missed):,} of {total:,} relevant {what} missed"
    of = f"{len(found.queries):,} {'query' if len(found.queries) == 1 else 'queries'}"
    yield line((cut(f"{clean(found.label)}, limit {found.limit}: {missed} by {of}", columns), "bold"))
    if found.unavoidable:
        yield from _folded(f"{found.unavoidable:,} of these by any ranking, for want of {found.limit} places", columns)


def _table(found: Failures, columns: int) -> Iterator[Block]:
    """Bars are parts of all misses; gains are what a measure can rise at most by mending one cause alone."""
    total = len(found.missed)
    rows = [["cause", "misses", ""]]
    rows += [[LABELS[cause], f"{count:,}", f"{100 * count / total:.0f} %"] for cause, count in found.counts.items()]
    rows.append(["all of them", f"{total:,}", ""])
    room = columns - sum(_widths(rows))
    shown = 0
    for measure in found.measures:
        gains = [found.gains[cause][measure.label] for cause in found.counts]
        rises = [_rise(gain) for gain in (*gains, found.together[measure.label])]
        column = [f"{clean(measure.name)} {figure(found.now[measure.label])}", *rises]
        room -= max(map(columns_of, column)) + 2
        if room < 0:
            break
        rows = [[*row, cell] for row, cell in zip(rows, column, strict=True)]
        shown += 1
    room = min(BAR, room) if room >= 6 else 0
    bars = [bar(count, full=total, columns=max(room - 2, 0)) for count in found.counts.values()]
    if room:
        rows = [[*row[:3], drawn, *row[3:]] for row, drawn in zip(rows, ["", *bars, ""], strict=True)]
    head, *body = map(tuple, rows)
    yield Grid(tuple(body), head, "lrr" + "l" * bool(room) + "r" * shown)
    if shown < len(found.measures):
        yield f"  and {len(found.measures) - shown} more measures, for which there is no room here (--json has them)"


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(map(columns_of, cells)) + 2 for cells in zip(*rows, strict=True)]


def _notes(found: Failures, columns: int) -> Iterator[Block]:
    yield from _folded("+ is the most that a measure can rise when the misses of one cause are mended.", columns)
    if found.within_reach:
        cut_off = found.counts["cut"]
        said = f"{found.within_reach:,} of the {cut_off:,} lost by the cut stand within the first {CANDIDATES}"
        yield from _folded(f"{said}, where a reranker would read them.", columns)
    titles = sum(not miss.id for miss in found.missed)
    if titles:
        said = f"{titles:,} of the golden set's titles {'is' if titles == 1 else 'are'} in no document"
        yield from _folded(f"{said}: no measure counts them.", columns)


def _rise(value: float) -> str:
    return "=" if value < 0.0005 else f"+{figure(value)}"


def _miss(miss: Sought, columns: int, indent: str, *, cause: bool = False) -> Iterator[Block]:
    grade = f", grade {miss.grade}" if miss.id else ""
    yield cut(f"{indent}{clean(miss.label)}{grade}", columns)
    said = f"{LABELS[miss.cause]}: {reason(miss)}" if cause else reason(miss)
    yield from _folded(clean(said), columns, indent + "  ")


def _folded(text: str, columns: int, indent: str = "") -> Iterator[Block]:
    words = text.split(" ")
    yield from wrapped([f"{word} " for word in words], columns, indent, indent)
