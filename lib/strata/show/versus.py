"""The view of two outcomes side by side: wins, losses, and the queries that differ most with what came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strata.core.corpus import Corpus
from strata.evaluation.versus import Moved, Pair, Versus
from strata.show.text import Block, Grid, clean, cut, line, width

MOVED = 3
"""At most this many documents that came or went are named for a query."""


def versus(found: Versus, corpus: Corpus | None, count: int = 10) -> Iterator[Block]:
    """count: how many of the queries that differ are shown. corpus: for titles."""
    columns = width()
    before, after = found.means
    yield cut(f"before: {clean(found.before)}", columns)
    yield cut(f"after:  {clean(found.after)}", columns)
    if not found.pairs:
        yield "No query of the set has an answer: nothing can be compared."
        return
    yield line((f"mean {found.measure.name}: {before:.3f} → {after:.3f} ({_signed(after - before)})", "bold"))
    one = len(found.pairs) == 1
    yield (
        f"{len(found.pairs)} judged {'query' if one else 'queries'}: {found.wins} better, {found.losses} worse, "
        f"{found.ties} equal"
    )
    yield f"{found.changed} with another top {found.measure.k}; {found.unjudged} without an answer are not counted"
    shown = found.furthest(count)
    for pair in shown:
        yield ""
        yield from _pair(pair, corpus, columns)
    left = len(found.furthest()) - len(shown)
    if left > 0:
        yield f"and {left} more that differ: --json lists them all"


def _pair(pair: Pair, corpus: Corpus | None, columns: int) -> Iterator[Block]:
    figures = f"{pair.before:.3f} → {pair.after:.3f} ({_signed(pair.difference)})"
    yield line((cut(f"{figures}  {clean(pair.query.id)}: {clean(pair.query.text)}", columns), "bold"))
    rows = [*_moves("entered", pair.entered, corpus, columns), *_moves("left", pair.left, corpus, columns)]
    if rows:
        yield Grid(tuple(rows), align="llll", indent=2)
    else:
        yield "  the same documents in another order"


def _moves(what: str, moves: Sequence[Moved], corpus: Corpus | None, columns: int) -> Iterator[tuple[str, ...]]:
    """Those with a grade first, the best grade before the others: they are what the difference comes from."""
    ordered = sorted(moves, key=lambda moved: -1 if moved.grade is None else moved.grade, reverse=True)
    for i, moved in enumerate(ordered[:MOVED]):
        grade = "not judged" if moved.grade is None else f"grade {moved.grade}"
        way = f"{_rank(moved.before)} → {_rank(moved.after)}"
        yield ("" if i else what, cut(_name(moved.id, corpus), columns - 40), grade, way)
    if len(moves) > MOVED:
        yield ("", f"and {len(moves) - MOVED} more", "", "")


def _name(id: str, corpus: Corpus | None) -> str:
    at = corpus.position(id) if corpus else None
    return clean(corpus.label(at)) if corpus and at is not None else f"({clean(id)})"


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
