"""What became of a query's words: those in no document with the nearest that is, those the stop list dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from strata.core.analysis import spans, tokens
from strata.core.language import is_english
from strata.keyword.index import Index
from strata.pipeline.workspace import Workspace
from strata.show.text import Block, clean, cut, noun, width

_CONTRACTION = re.compile(r"(?<![^\W_])[^\W_]++(?:['’ʼ‘][^\W_]++)+")
SHOWN = 20
"""So many unknown words of a text are named, and looked for near words; the others are counted."""


def nearest_word(word: str, index: Index) -> str | None:
    """The catalogue's word that looks most like this one (same first letter, length within one), or None."""
    import difflib

    near = [w for w in index.surfaces_from(word[0]) if abs(len(w) - len(word)) <= 1]
    found = difflib.get_close_matches(word, near, n=1, cutoff=0.75)
    return found[0] if found else None


def word_facts(text: str, ws: Workspace) -> dict[str, Any]:
    """unknown: [{word, nearest}], and more: how many there are beside them; dropped: stop words as written; titled:
    documents whose exact title they are."""
    analysed = ws.index.analyse(text)
    unknown = [{"word": word, "nearest": nearest_word(word, ws.index)} for word in analysed.unknown[:SHOWN]]
    titled = ws.corpus.titled(text) if analysed.dropped and not analysed.words else []
    for word in analysed.dropped:
        if not analysed.words and not titled:
            titled = ws.corpus.titled(word)
    more = max(0, len(analysed.unknown) - SHOWN)
    return {"unknown": unknown, "more": more, "dropped": _as_written(text, set(analysed.dropped)), "titled": titled}


def _as_written(text: str, dropped: set[str]) -> list[str]:
    """Dropped words the way the user wrote them: don't, not don and t."""
    whole = [m.group() for m in _CONTRACTION.finditer(text) if set(tokens(m.group())) <= dropped]
    inside = {token for word in whole for token in tokens(word)}
    single = [text[a:b] for a, b, folded in spans(text) if folded in dropped and folded not in inside]
    return list(dict.fromkeys([*whole, *single]))


def about_words(text: str, ws: Workspace, *, keyword: bool = True) -> Iterator[str]:
    """One line a finding, whole; views cut them to their width. keyword: whether a keyword list looked for the words,
    for only it drops any."""
    facts = word_facts(text, ws)
    if facts["unknown"] and not is_english(text):
        listed = ", ".join(f'"{clean(entry["word"])}"' for entry in facts["unknown"])
        yield f"In no document, and the query does not look English: {listed}"
        facts["unknown"] = []
    for entry in facts["unknown"]:
        near = f'; the nearest word that is: "{clean(entry["nearest"])}"' if entry["nearest"] else ""
        yield f'"{clean(entry["word"])}" is in no document{near}.'
    if facts["more"]:
        yield f"{facts['more']:,} more words are in no document."
    if facts["dropped"] and keyword:
        listed = ", ".join(f'"{clean(word)}"' for word in facts["dropped"])
        yield f"Not looked for by keyword (stop list): {listed}"
    for doc in facts["titled"]:
        yield f"A {noun(ws.corpus.name)} with exactly that title: {clean(ws.corpus.label(doc))}"


def drawn(lines: Iterable[str]) -> Iterator[Block]:
    """What there is to say of the words, each on one line."""
    columns = width()
    for text in lines:
        yield cut(text, columns)
