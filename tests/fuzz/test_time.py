"""A hundred thousand characters made to keep a pattern busy: whatever reads texts does so in a second or two.

Each of the texts is one piece again and again. A pattern that begins anew at each of them, and reads to the end each
time, takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import registry
from strata import settings as settings_module
from strata.answer import cite, clauses, names, numerals, quotes, suspicious
from strata.answer.citable import MOST
from strata.core import analysis, filters, language
from strata.core.load.clean import unescaped
from strata.core.types import Query
from strata.enhance.asking import checked_query
from strata.enhance.filler import without_filler
from strata.llm import parsing
from strata.llm.hiding import without_data
from strata.llm.sight import sees_none
from strata.llm.waits import asked_wait
from strata.pipeline.workspace import Workspace
from strata.printable import one_line, plain
from strata.semantic.sentences import sentence_spans
from strata.show.text import clean, cut
from strata.show.words import about_words
from tests.fuzz.common import TIMES, held

LONG = 100_000
SECONDS = 4
"""Of processor time; most take a twentieth of one."""
PIECES = (
    " ", "a", "A", "1", ".", "-", "中", "a ", "a. ", "[1]", "„", "the ", "[a ", "\x90", "x= ", "[1-50]", "é",
    "not without ", "a'",
)  # fmt: skip
"""Those that found something, or stand for a kind."""
MORE = (
    ",", "_", "'", "’", "\n", "\t", "(", ")", "[", "]", '"', "“", "”", "«", "»", "‘", "\x1b", "\x9b", "\\", "。", "!",
    "*", "#", "<", "{", "A. ", "a, ", "A, ", "a' ", "a-", "1,", "1.", "1 ", "a [1]. ", "[1,", '{"a":', "no ", "not ",
    "without ", "like ", "something like ", "i ", "i am ", "very ", "film ", "and ", "but not a ", "set in ", "by A ",
    "by A, ", "from the 80s ", "between 1980 and ", "“a ", "„a", "»a", "‘a’b", "```", "<think>", "\x1b]", "\x1b[",
    "AAAA ", "Abc Def ", "who and then ", " — ", "a—", "\u0301", "e\u0301", "ﷺ", "\u200d", "\ud800", "😀", "\\u", "=",
    "what the a ", "excluding ", "(but not ", "/", "//:@", "try again in 1", "data:", "AAAA+",
)  # fmt: skip
"""Tried by `make fuzz` as well."""


def texts() -> list[tuple[str, str]]:
    """(name, text): each piece again and again, alone and after what a pattern may begin with."""
    pieces = PIECES if TIMES == 1 else (*PIECES, *MORE)
    found = [(repr(piece), (piece * (LONG // len(piece) + 1))[:LONG]) for piece in pieces]
    if TIMES > 1:
        found += [(f"'a= x' and {name}", f"a= x{text}x") for name, text in found]
        found += [(f"'é ' and {name}", f"é {text}é!") for name, text in found]
    words = " ".join(f"zq{i:x}" for i in range(LONG // 7))
    ranges = "".join(f"[{i * 50 + 1}-{i * 50 + 50}]" for i in range(LONG // 10))
    nested = "[0," * 900 + "1," * (LONG // 2) + "x, and so on"
    return [*found, ("é aaaa…", "é " + "a" * LONG), ("words", words), ("ranges", ranges), ("nested", nested)]


@pytest.fixture(scope="module")
def films(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    logs = tmp_path_factory.mktemp("logs")
    workspace = Workspace(settings_module.load("movies", str(shared_cache), str(logs)), lambda _: None)
    assert workspace.index.documents
    return workspace


def layer(slot: str, name: str) -> Callable[[str, Workspace], Any]:
    made = registry.load(registry.SLOTS[slot][name])()
    return lambda text, ws: made(Query(text), ws, 100) if slot == "retrieve" else made(Query(text), ws)


READERS: dict[str, Callable[[str, Workspace], Any]] = {
    "tokens": lambda text, _: analysis.tokens(text),
    "spans": lambda text, _: analysis.spans(text),
    "foreign words": lambda text, _: language.foreign_words(text),
    "a condition": lambda text, _: filters.parse(text),
    "a title": lambda text, ws: ws.corpus.find(text),
    "sentences": lambda text, _: sentence_spans(text),
    "escapes": lambda text, _: unescaped(text),
    "filler": lambda text, _: without_filler(text),
    **{name: layer("enhance", name) for name, row in registry.ENHANCE.items() if not row.needs},
    **{name: layer("retrieve", name) for name in ("bm25", "tfidf")},
    "about words": lambda text, ws: list(about_words(text, ws)),
    "a cell": lambda text, _: cut(clean(text), 80),
    "a model's request": lambda text, _: checked_query(text, text),
    "JSON": lambda text, _: parsing.json_value(text),
    "a line": lambda text, _: one_line(text),
    "an answer": lambda text, _: cite.statements(plain(text)[:MOST], 5),
    "signs": lambda text, _: suspicious.findings(text),
    "quotations": lambda text, _: clauses.clauses(" ".join(text[:MOST].split())) and quotes.quotes(text[:MOST]),
    "names": lambda text, _: names.names(text[:MOST], names.cased(text)),
    "numbers": lambda text, ws: numerals.numbers(text[:MOST], ws.index.stem),
    "a server's text": lambda text, _: asked_wait({}, text[:8000]) or without_data(text, [b"abc" * 30]),
    "no picture": lambda text, _: sees_none(text),
}
"""What reads a request, a model's reply, an answer or an entry."""


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_is_read_in_no_time(reader: str, films: Workspace) -> None:
    for name, text in texts():
        try:
            held(READERS[reader], text, films, cpu=SECONDS)
        except BaseException as error:
            error.add_note(f"the text: {name}")
            raise
