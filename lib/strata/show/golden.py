"""Views of golden sets: the audit, a pool that was written, grades that were merged."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from strata.evaluation.golden_check import Checked, Title
from strata.evaluation.merge import Merged
from strata.evaluation.poolfile import Written
from strata.show.figures import counted, figure
from strata.show.text import Block, Grid, between, clean, cut, line, width, wrapped

SHOWN = 20
"""At most this many lines of one sort; the JSON has all."""


def checked(found: Checked) -> Iterator[Block]:
    """What is in a golden set, what figures over it cannot show, what is wrong with it."""
    golden = found.golden
    judged = f"{counted(len(golden.queries), 'query', 'queries')}, {len(golden.judged)} with an answer"
    yield line((f"{clean(golden.name)}: {judged}", "bold"))
    if set(found.kinds) - {""}:
        rows = ((clean(k) or "(none)", f"{n.queries}", f"{n.judged}", f"{n.relevant}") for k, n in found.kinds.items())
        yield Grid(tuple(rows), head=("kind", "queries", "judged", "answers"), align="lrrr", indent=2)
    yield from _listed("grades: ", [f"{grade} × {count:,}" for grade, count in found.grades.items()])
    if found.never_relevant:
        yield f"{counted(found.never_relevant, 'document')} judged and never found relevant"
    yield from _ceiling(found)
    if golden.unjudged:
        yield from _listed(f"{len(golden.unjudged):,} without an answer: ", [query.id for query in golden.unjudged])
    if found.same_text:
        same = [" = ".join(ids) for ids in found.same_text]
        yield from _listed(f"{counted(len(same), 'text')} asked more than once: ", same)
    if golden.repeated:
        yield f"{counted(len(golden.repeated), 'document')} listed more than once by a query"
    if found.passes:
        yield "No problems."
        return
    yield line((f"{counted(len(found.problems), 'problem')}:", "bold"))
    yield from _bullets(found.problems)
    yield from _nearest([title for title in found.titles if title.near])


def _ceiling(found: Checked) -> Iterator[Block]:
    """The best that any ranking could reach, where that is not everything."""
    recall, f1 = found.ceiling
    if not found.over:
        return
    one = len(found.over) == 1
    yield (
        f"{counted(len(found.over), 'query', 'queries')} {'has' if one else 'have'} more than {found.limit} answers: "
        f"at {found.limit} results"
    )
    yield f"  mean recall can be {figure(recall, 2)} at most, mean F1 {figure(f1, 2)}"


def _nearest(titles: Sequence[Title]) -> Iterator[Block]:
    if titles:
        yield "nearly called so:"
    for title in titles[:SHOWN]:
        near = "; ".join(map(clean, title.near))
        yield from _wrapped(f'{clean(title.query)} "{clean(title.title)}": {near}')
    yield from _more(titles)


def pooled(done: Written, golden: str | None = None) -> Iterator[Block]:
    """What there is to grade, and how. golden: the set's file, where one was named."""
    pool = done.pool
    share = f"{pool.judged:,} of {pool.places:,} documents in the first {pool.depth} places have a grade"
    queries = counted(pool.queries, "query", "queries")
    yield line((f"{counted(done.lines - done.graded, 'line')} to grade for {queries}", "bold"))
    yield f"in {clean(str(done.path))}; {share}"
    if done.graded:
        kept = f", {done.kept} of them no longer in the pool" if done.kept else ""
        yield f"{counted(done.graded, 'grade')} kept that stood in the file{kept}"
    if pool.unknown:
        yield f"{counted(pool.unknown, 'document')} left out that the catalogue lacks"
    if done.lines > done.graded:
        yield "Write 2 (exactly right), 1 (reasonable) or 0 in the place of null, then:"
        into = quote(clean(golden)) if golden else "FILE"
        yield f"  evaluation_cli check --golden {into} --merge {quote(clean(str(done.path)))}"


def merged(done: Merged) -> Iterator[Block]:
    """What was added, and what was not."""
    grades = ", ".join(f"{grade} × {count}" for grade, count in done.added.items())
    count = sum(done.added.values())
    yield line((f"{counted(count, 'judgement')} added{f' ({grades})' if count else ''}", "bold"))
    if done.written:
        yield f"to {clean(str(done.path))}"
    yield f"{counted(done.same, 'line')} said what stood there; {done.ungraded} not graded yet"
    if done.conflicts:
        what = "replaced what stood there" if done.replaced else "left as they were; --force takes those given"
        yield line((f"{counted(len(done.conflicts), 'grade')} in conflict, {what}:", "bold"))
        yield from _bullets(
            f"line {one.line}, {one.query}: {one.label} has {one.standing}, given {one.given}" for one in done.conflicts
        )


def _listed(head: str, names: Sequence[str]) -> Iterator[Block]:
    """Names in a row: as many as SHOWN, and how many more."""
    more = [f"and {len(names) - SHOWN:,} more"] if len(names) > SHOWN else []
    yield from wrapped([head, *between([*map(clean, names[:SHOWN]), *more], ", ")], width(), then="  ")


def _bullets(texts: Iterable[str]) -> Iterator[Block]:
    every = list(texts)
    for text in every[:SHOWN]:
        yield from _wrapped(clean(text))
    yield from _more(every)


def _more(every: Sequence[object]) -> Iterator[Block]:
    if len(every) > SHOWN:
        yield f"  and {len(every) - SHOWN:,} more: --json lists them all"


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, width(), initial_indent="  ", subsequent_indent="    ")
    return [cut(one, width()) for one in lines]
