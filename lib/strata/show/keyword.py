"""Views of the keyword layer: the index, a term's postings, a text's analysis, a score to the term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.core.types import Part, Term
from strata.pipeline.workspace import Workspace
from strata.show.text import Block, Grid, bar, clean, columns_of, cut, line, noun, ordinal, width
from strata.show.words import about_words, drawn


def analysed(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """Each word → dropped, or its term and document frequency."""
    drawn = []
    for row in rows:
        if row["dropped"]:
            drawn.append((clean(row["word"]), "→", "dropped", "stop word"))
        else:
            where = f"df {row['df']}" if row["df"] else "in no document"
            drawn.append((clean(row["word"]), "→", row["term"], where))
    yield Grid(tuple(drawn)) if drawn else "No word in it."


def postings(word: str, term: Term, ws: Workspace, docs: list[int], tfs: list[int], limit: int) -> Iterator[Block]:
    index = ws.index
    count = index.df(term)
    head = (
        f'"{clean(word)}" is the term "{index.terms[term]}": df {count} of {len(ws.corpus):,} {noun(ws.corpus.name)}s'
    )
    yield line((head, "bold"))
    most = max(tfs, default=1)
    rows = [
        (f"({clean(str(ws.corpus.id(doc)))})", cut(clean(ws.corpus.title(doc)), 40), f"tf {tf}",
         bar(tf, full=most, empty=""))
        for doc, tf in zip(docs, tfs, strict=True)
    ]  # fmt: skip
    yield Grid(tuple(rows), align="rlrl")
    if count > limit:
        yield f"… and {count - limit} more (--limit)"


def explained(part: Part, query: str, doc: int, ws: Workspace, rank: int | None, matched: int) -> Iterator[Block]:
    """The score as a sum: each term's tf, df, idf, tf weight, contribution, share; then words that gave nothing."""
    document = ws.corpus.document(doc)
    year = f" ({document.fields['year']})" if document.fields.get("year") else ""
    place = f"stands {ordinal(rank)} of {matched} matched" if rank else "shares no term with the query"
    yield line((f"{clean(document.title)}{year} #{clean(str(document.id))} {place}", "bold"))
    facts = part.facts
    yield (
        f"score {part.value:.3f}    k1 {facts['k1']:g} b {facts['b']:g} · {facts['dl']} terms, "
        f"average {facts['avgdl']:.1f}"
    )
    rows = term_rows(part)
    if rows.rows:
        yield rows
    absent = absent_terms(part, noun(ws.corpus.name))
    if absent:
        yield cut(f"  {absent}", width())
    yield from drawn(about_words(query, ws))


def term_rows(part: Part) -> Grid:
    """A keyword score's terms that the document holds: tf, df, idf × weight, the contribution as a bar, its share."""
    held = [term for term in part.parts if term.facts["tf"]]
    cells = []
    for term in held:
        f = term.facts
        times = f"{f['times']} × " if f["times"] > 1 else ""
        sum_ = f"{times}{f['idf']:.3f} × {f['tf_weight']:.3f} = {term.value:.3f}"
        cells.append((f"tf {f['tf']}", f"df {f['df']}", f"idf {sum_}", f"{100 * f['share']:.0f} %"))
    taken = 2 + sum(2 + max(map(len, column)) for column in zip(*cells, strict=True))
    longest = max((columns_of(clean(term.label)) for term in held), default=0)
    room = max(8, min(20, width() - 2 - taken - longest))  # of the bar; what is left is the word's
    rows = [
        (cut(clean(term.label), max(6, width() - 2 - taken - room)), *left,
         bar(term.value, full=part.value, columns=room), share)
        for term, (*left, share) in zip(held, cells, strict=True)
    ]  # fmt: skip
    return Grid(tuple(rows), align="llllrr", indent=2)


def absent_terms(part: Part, noun: str) -> str:
    """The terms of the query that some document holds and this one does not."""
    absent = [f"{clean(t.label)} (df {t.facts['df']})" for t in part.parts if not t.facts["tf"]]
    return f"not in this {noun}: {', '.join(absent)}" if absent else ""
