"""Views of premises: what a catalogue has, and one beside the document that is read with it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from strata.core.premise import Premise
from strata.show.text import Block, clean, cut, line, width

if TYPE_CHECKING:
    from strata.core.corpus import Corpus
    from strata.enrich.survey import Survey
    from strata.enrich.writing import Asked

EXAMPLES = 3


def view(found: Survey, corpus: Corpus, asked: Asked | None, *, listed: bool) -> Iterator[Block]:
    """listed: every premise, else examples."""
    from strata.enrich.thin import FEW

    columns = width()
    name, thin, by_rule = clean(corpus.name), len(found.thin), len(found.premises) - found.by_model
    yield line((f"{name}: {thin:,} of {len(corpus):,} entries hold nothing to find", "bold"))
    yield f"(under {FEW} words of their own, and under half of what is usual here)"
    if found.removed:
        yield "No premises are used: they were removed. Bring them back with: data_cli enrich"
        return
    yield f"{len(found.premises):,} have a premise: {by_rule:,} by rule, {found.by_model:,} by a language model"
    if asked:
        yield f"{len(asked.made):,} written just now, {len(asked.kept):,} before, {len(asked.failed):,} failed"
    yield from _without(found, corpus, columns)
    if found.stale:
        of = ", ".join(clean(str(one.id)) for one in found.stale[:EXAMPLES]) + (", …" if found.stale[EXAMPLES:] else "")
        said = f"{len(found.stale):,} by a model count no more, since the entry or its story was changed: {of}"
        yield from textwrap.wrap(said, columns, subsequent_indent="  ")
    docs = list(found.premises)
    first = [doc for doc in asked.made if doc in found.premises] if asked else []
    for doc in docs if listed else (first or docs)[:EXAMPLES]:
        yield ""
        yield line((cut(clean(corpus.label(doc)), columns), "bold"))
        yield from premise(found.premises[doc], corpus)
    if docs:
        yield ""
        more = "" if listed else "All of them: data_cli enrich --list. "
        yield f"{more}None any more: data_cli enrich --remove"


def _without(found: Survey, corpus: Corpus, columns: int) -> Iterator[str]:
    from strata.enrich.thin import FRANCHISE

    if not found.without:
        return
    why = (
        "no other entry of their franchise has the story"
        if found.franchises
        else f"no entry says what it is a part of (a field {', '.join(FRANCHISE[:-1])} or {FRANCHISE[-1]})"
    )
    yield from textwrap.wrap(f"{len(found.without):,} have none: {why}", columns, subsequent_indent="  ")
    for doc in found.without[:EXAMPLES]:
        yield cut(f"  {clean(corpus.label(doc))}", columns)


def premise(found: Premise, corpus: Corpus) -> Iterator[str]:
    """The premise and where it is from, indented."""
    yield from textwrap.wrap(clean(found.text), width(), initial_indent="  ", subsequent_indent="  ")
    yield source(found, corpus)


def source(found: Premise, corpus: Corpus) -> str:
    """ "by rule, from (273) Jaws (1975)", indented."""
    at = corpus.position(found.story)
    story = clean(corpus.label(at)) if at is not None else f"({clean(str(found.story))})"
    by = f"by {clean(found.model)}" if found.model else "by rule"
    return cut(f"  {by}, from {story}", width())
