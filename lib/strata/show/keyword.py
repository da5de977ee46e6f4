"""Views of the keyword layer: the index, a term's postings, a text's analysis, a score to the term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.core.types import Part, Term
from strata.keyword.index import Index
from strata.pipeline.workspace import Workspace
from strata.show.text import Block, Grid, bar, clean, cut, line, noun, ordinal, width
from strata.show.words import about_words


def analysed(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """Each word → dropped, or its term and document frequency."""
    drawn = []
    for row in rows:
        if row["dropped"]:
            drawn.append((clean(row["word"]), "→", "dropped", "stop word"))
        else:
            where = f"df {row['df']}" if row["df"] else "in no document"
            near = f', nearest "{row["nearest"]}"' if row.get("nearest") else ""
            drawn.append((clean(row["word"]), "→", row["term"], where + near))
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
    rows = []
    for term in part.parts:
        f = term.facts
        if f["tf"]:
            times = f"{f['times']} × " if f["times"] > 1 else ""
            sum_ = f"{times}{f['idf']:.3f} × {f['tf_weight']:.3f} = {term.value:.3f}"
            rows.append((clean(term.label), f"tf {f['tf']}", f"df {f['df']}", f"idf {sum_}",
                         bar(term.value, full=part.value), f"{100 * f['share']:.0f} %"))  # fmt: skip
    if rows:
        yield Grid(tuple(rows), align="llllrr", indent=2)
    absent = [f"{clean(t.label)} (df {t.facts['df']})" for t in part.parts if not t.facts["tf"]]
    if absent:
        yield cut(f"  not in this {noun(ws.corpus.name)}: {', '.join(absent)}", width())
    yield from about_words(query, ws)


def analysis_line(query: str, index: Index) -> str:
    found = index.analyse(query)
    terms = " ".join(index.terms[t] for t in found.known) or "(none)"
    return f"text → tokens {' '.join((*found.words, *found.dropped))} → terms {terms}"
