"""Evaluations drawn: one plan query by query, and the table of layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strata.core.corpus import Corpus
from strata.core.golden import GoldenSet
from strata.evaluation.outcome import LeftOut
from strata.evaluation.plain import Evaluation, Judged
from strata.evaluation.table import Row, Table
from strata.show.figures import counted, figure
from strata.show.text import Block, Grid, bar, between, clean, cut, line, width, wrapped

HEADS = {
    "precision": "P", "recall": "R", "f1": "F1", "hit": "hit", "mrr": "MRR", "map": "MAP", "ndcg": "nDCG",
    "r_precision": "Rprec", "judged": "judged", "recall@100": "R@100",
}  # fmt: skip
SIDE = ("precision", "recall", "f1", "hit", "mrr", "map", "recall@100", "judged")
"""Measures of the second grid."""
LABEL = 26
"""Columns for a row's name."""
CERTAIN = 0.001


def signed(value: float) -> str:
    """A difference, with its sign: +.03, −.08."""
    text = figure(abs(value), 2)
    return f"{'+' if value >= 0 else '−'}{text}"


def p_text(p: float) -> str:
    return f"<{figure(CERTAIN)}" if p < CERTAIN else figure(p) if p < 0.1 else figure(p, 2)


def head(name: str, limit: int) -> str:
    """What a measure is called over its column."""
    return HEADS.get(name, name) if "@" in name else f"{HEADS.get(name, name)}@{limit}"


def plain(done: Evaluation, corpus: Corpus) -> Iterator[Block]:
    """Every query with its figures, what was retrieved and what is relevant; then the means."""
    for one in done.queries:
        yield from _query(one, corpus)
    yield from means(done)


def _query(one: Judged, corpus: Corpus) -> Iterator[Block]:
    kind = f" ({clean(one.query.kind)})" if one.query.kind else ""
    yield line((cut(f"{clean(one.query.id)} {clean(one.query.text)}{kind}", width()), "bold"))
    values, most = one.values, one.ceiling
    figures = "  ".join(f"{HEADS[name]} {figure(value, 2)}{_best(most.get(name))}" for name, value in values.items())
    yield f"   {figures}"
    right = set(one.relevant)
    got = [f"{clean(_title(id, corpus))}{' ✓' if id in right else ''}" for id in one.retrieved]
    yield from wrapped(between(got or ["nothing"], ", "), width(), "   retrieved: ", "     ")
    missing = [clean(_title(id, corpus)) for id in one.relevant if id not in set(one.retrieved)]
    named = f"{len(one.relevant) - len(missing)} of {len(one.relevant)} found"
    yield from wrapped(between([named, *missing], ", "), width(), "   relevant:  ", "     ")


def _best(most: float | None) -> str:
    return "" if most is None or most >= 1 else f" (best {figure(most, 2)})"


def _title(id: str, corpus: Corpus) -> str:
    at = corpus.position(id)
    return f"({id}, not in the catalogue)" if at is None else corpus.title(at) or f"({id})"


def means(done: Evaluation) -> Iterator[Block]:
    """The means, how many queries they are over, and what is in no mean."""
    golden = done.golden
    count = len(done.queries)
    yield line(
        (f"mean of {count} {'query' if count == 1 else 'queries'} at {done.limit}, {clean(golden.name)}", "bold")
    )
    said = [f"{HEADS.get(m, m)} {figure(value, 2)}{_best(done.ceiling.get(m))}" for m, value in done.means.items()]
    yield from wrapped(between(said, "  "), width(), "   ", "   ")
    yield "P divides by the limit; R is the share of the relevant documents that are found."
    yield from footer(golden.problems, len(golden.unjudged))
    if done.unanswerable:
        left, answered = done.unanswerable.abstained, done.unanswerable.answered
        wrong = f", a false answer to {', '.join(map(clean, answered))}" if answered else ""
        yield from wrapped(
            between([f"{len(left) + len(answered)} unanswerable:", f"rightly no answer to {len(left)}{wrong}"], " "),
            width(),
        )


def footer(problems: Sequence[str], unjudged: int) -> Iterator[Block]:
    if unjudged:
        yield f"{unjudged} without a relevant document: in no mean."
    if problems:
        yield f"{counted(len(problems), 'problem')} in the golden set; see: evaluation_cli check"


def layers(table: Table, golden: GoldenSet, kinds: bool = False, left_out: Sequence[LeftOut] = ()) -> Iterator[Block]:
    """The main measure with its interval and difference, then the other measures; by kind where asked for; what is in
    no figure."""
    yield from _main(table)
    yield ""
    yield from _others(table)
    if kinds and table.kinds:
        yield ""
        yield from _by_kind(table)
    yield ""
    yield from wrapped(between([f"{_judged(table, golden)}.", table.verdict], " "), width())
    yield from wrapped(
        between([f"diff.: to {clean(table.against)};", "p: paired sign-flip test, Holm over the rows;",
                 "95 %: bootstrap over the queries"], " "), width(),
    )  # fmt: skip
    if premises := [clean(row.label) for row in table.rows if row.premises]:
        yield from wrapped(between(premises, ", "), width(), "with premises before thin entries: ", "  ")
    for one in left_out:
        why = clean(f"{one.label} ({one.error.message})").split(" ")
        yield from wrapped(between(why, " "), width(), "left out: ", "  ")
    yield from footer(golden.problems, 0)


def _judged(table: Table, golden: GoldenSet) -> str:
    """Titles that the catalogue lacks are no lack of an answer."""
    none, unjudged = len(golden.unanswerable), len(golden.unjudged)
    said = [f"{counted(table.queries, 'query', 'queries')} judged"]
    said += [f"{none} unanswerable"] if none else []
    said += [f"{unjudged - none} whose titles are not in the catalogue"] if unjudged > none else []
    return ", ".join(said)


def _main(table: Table) -> Iterator[Block]:
    name = table.main
    top = max(row.means[name] for row in table.rows)
    rows = []
    for i, row in enumerate(table.rows, start=1):
        low, high = row.ci95[name]
        drawn = bar(row.means[name], full=max(top, 1e-9), columns=8)
        other = row.against
        held = ("", "") if other is None else (signed(other.difference[name]), f"p {p_text(other.adjusted[name])}")
        note = "best" if row is table.best else ""
        rows.append((
            f"{i}", cut(clean(row.label), LABEL), figure(row.means[name], 2), drawn,
            f"{figure(low, 2)}–{figure(high, 2)}", *held, note,
        ))  # fmt: skip
    yield Grid(tuple(rows), ("", "layer", head(name, table.limit), "", "95 %", "diff.", "", ""), "rlrllrll")


def _others(table: Table) -> Iterator[Block]:
    names = [name for name in SIDE if name != table.main]
    model = any(row.tokens for row in table.rows)
    failed = any(row.failed for row in table.rows)
    asked = next((row.unanswerable for row in table.rows if row.unanswerable), None)
    extra = ["a query", *(["tokens"] if model else []), *(["false"] if asked else []), *(["failed"] if failed else [])]
    rows = []
    for i, row in enumerate(table.rows, start=1):
        cells = [figure(row.means[name], 2) for name in names]
        cells.append(_time(row.ms))
        cells += [f"{row.tokens or 0:.0f}"] if model else []
        cells += [_false(row)] if asked else []
        cells += [str(row.failed)] if failed else []
        rows.append((f"{i}", *cells))
    yield Grid(
        tuple(rows), ("", *(HEADS.get(name, name) for name in names), *extra), "r" * (1 + len(names) + len(extra))
    )
    if asked:
        yield "false: answers given to unanswerable queries"


def _time(ms: float | None) -> str:
    """Always as wide, so that a table's columns stand where they stood."""
    text = "" if ms is None else f"{ms / 1000:.1f} s" if ms >= 1000 else f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"
    return text.rjust(7)


def _false(row: Row) -> str:
    one = row.unanswerable
    return "" if one is None else f"{len(one.answered)}/{len(one.answered) + len(one.abstained)}"


def _by_kind(table: Table) -> Iterator[Block]:
    """A row a kind, a column a layer, by the numbers of the first grid."""
    numbers = [str(i) for i in range(1, len(table.rows) + 1)]
    rows = [
        (clean(kind), str(count), *(figure(row.by_kind[kind][table.main], 2) for row in table.rows))
        for kind, count in table.kinds.items()
    ]
    yield Grid(tuple(rows), (f"{head(table.main, table.limit)} by kind", "n", *numbers), "l" + "r" * (len(numbers) + 1))
