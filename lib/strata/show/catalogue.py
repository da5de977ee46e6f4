"""Views of catalogues: which there are, one document, an audit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from strata.core.templates import as_text
from strata.core.types import Document
from strata.show.premises import premise
from strata.show.text import Block, Grid, clean, line, width

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


def datasets(rows: list[dict[str, Any]]) -> Iterator[Block]:
    yield Grid(
        tuple(
            (
                "*" if row["in_use"] else "",
                row["name"],
                "" if row["documents"] is None else f"{row['documents']:,}",
                clean(row["from"]),
            )
            for row in rows
        ),
        head=("", "name", "documents", "from"),
        align="llrl",
    )
    yield "* is searched where no --dataset is given; choose with: data_cli use NAME"


def fetchable(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """The public sets that can be fetched."""
    for row in rows:
        size = f"  {row['documents']:,} documents, about {row['megabytes']} MB{', fetched' if row['here'] else ''}"
        yield line((row["name"], "bold"), size)
        for said in (row["help"], f"from {row['source']}", f"licence: {row['licence']}"):
            yield from textwrap.wrap(said, width(), initial_indent="  ", subsequent_indent="    ")
    yield "fetch one with: data_cli fetch NAME"


def fetched(done: dict[str, Any]) -> Iterator[Block]:
    yield f"{done['documents']:,} documents are now the catalogue {done['name']}. Search it: --dataset {done['name']}"
    for what in ("source", "licence", "credit"):
        yield from textwrap.wrap(f"{what}: {done[what]}", width(), subsequent_indent="  ")


def updated(done: dict[str, Any]) -> Iterator[Block]:
    counts = [f"{done[what]:,} {what}" for what in ("added", "changed", "removed", "unchanged")]
    yield f"{done['name']}: {', '.join(counts)}; {done['documents']:,} documents"
    if done["documents"] == done["unchanged"] and not done["removed"]:
        yield "Nothing differs, so nothing was written."
    else:
        yield "The next search analyses and encodes only what is new."


def document(found: Document, corpus: Corpus) -> Iterator[Block]:
    yield line((f"({clean(str(found.id))}) {clean(found.title)}", "bold"))
    yield Grid(tuple((clean(name), clean(as_text(value))) for name, value in found.fields.items() if as_text(value)))
    yield ""
    yield from textwrap.wrap(clean(found.text), width()) or ["(no text)"]
    if found.premise:
        yield ""
        yield "Premise, no part of the text: searches with premises read it before the text"
        yield from premise(found.premise, corpus)


def audited(found: dict[str, Any]) -> Iterator[Block]:
    words = found["words"]
    yield line((f"{clean(found['dataset'])}: {found['documents']:,} documents", "bold"))
    yield f"words a text: {words['least']} to {words['most']}, mean {words['mean']}"
    fields = ", ".join(f"{clean(name)} {count:,}" for name, count in found["fields"].items()) or "none"
    yield from textwrap.wrap(f"fields: {fields}", width(), subsequent_indent="  ")
    for name, said in (
        ("without_title", "without a title"),
        ("without_text", "without a text"),
        ("thin", "with under 40 words: little to find"),
        ("repeated_titles", "titles that occur more than once"),
        ("repeated_texts", "texts that occur more than once"),
    ):
        finding = found[name]
        yield f"{finding['count']:,} {said}"
        for example in finding["examples"]:
            yield from textwrap.wrap(clean(example), width(), initial_indent="  ", subsequent_indent="    ")
