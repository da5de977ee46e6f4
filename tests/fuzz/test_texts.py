"""Any text through the analysis and through everything that reads a request: layers, filters, titles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import registry
from strata import settings as settings_module
from strata.core import analysis, filters
from strata.core.documents import hash_of, title_key
from strata.core.language import foreign_words, in_latin, is_english
from strata.core.types import Plan, Query
from strata.enhance.filler import tidy, without_filler
from strata.errors import StrataError
from strata.flags import words
from strata.pipeline.explanation import explanation
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.runlog import entry
from strata.semantic.sentences import sentence_spans
from strata.show.text import clean, columns_of, cut
from strata.show.words import about_words
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import texts

CONDITIONS = st.tuples(
    st.sampled_from(("year", "genres", "title", "text", "director", "nothing", "ye ar", "")),
    st.sampled_from(("=", "!=", ">=", "<=", ">", "<", "~", "!~", "==", " ", "=~")),
    texts(2) | st.sampled_from(("1990", "-1", "nan", "1e999", "inf", "١٩٩٠", "1_990", "0x10", "Comedy")),
).map("".join)


@pytest.fixture(scope="module")
def films(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    logs = tmp_path_factory.mktemp("logs")
    return Workspace(settings_module.load("movies", str(shared_cache), str(logs)), lambda _: None)


@fuzz(300)
@given(texts(12))
def test_a_text_is_analysed_once(text: str) -> None:
    folded = analysis.fold(text)
    assert analysis.fold(folded) == folded
    found = analysis.tokens(text)
    assert found == analysis.tokens(folded) == [word for token in found for word in analysis.tokens(token)]
    assert all(word and not word.isspace() for word in found)
    stem, stop = analysis.Stemmer(), analysis.stopwords()
    terms = [stem(word) for word in found if word not in stop]
    assert all(term and not any(c.isspace() for c in term) for term in terms)


@fuzz(300)
@given(texts(12))
def test_places_point_into_the_text(text: str) -> None:
    before, end = 0, 0
    for start, after, word in analysis.spans(text):
        assert before <= start < after <= len(text) and after >= end  # of a sign that is several words (½), the same
        assert word in analysis.tokens(text[start:after])
        before, end = start, after
    assert [word for _, _, word in analysis.spans(text)] == analysis.tokens(text)
    kept, end = "", 0
    for start, after in sentence_spans(text):
        assert end <= start < after <= len(text)
        assert text[start:after].strip() == text[start:after]
        kept += text[start:after]
        end = after
    assert "".join(kept.split()) == "".join(text.split())


@fuzz(200)
@given(texts(12), st.integers(1, 40))
def test_what_is_drawn_stays_on_its_line(text: str, columns: int) -> None:
    drawn = clean(text)
    assert clean(drawn) == drawn
    assert drawn.isprintable() or not any(c in drawn for c in "\x1b\x9b\r\n\x85\u2028\u202e")
    assert columns_of(cut(drawn, columns)) <= columns
    assert title_key(title_key(text)) == title_key(text)
    hash_of(text)
    assert in_latin(text) in (True, False)
    assert is_english(text) is (foreign_words(text) == ()) or not foreign_words(text)
    without, dropped = without_filler(text)
    assert tidy(tidy(without)) == tidy(without) and all(dropped)


def plans(enhance: str | None) -> st.SearchStrategy[Plan]:
    """Keyword layers alone: vectors of any text are in test_vectors.py."""
    made = {name: registry.load(registry.RETRIEVE[name])() for name in ("bm25", "tfidf")}
    first = registry.load(registry.ENHANCE[enhance])() if enhance else None
    fuse = registry.load(registry.FUSE["rrf"])()
    return st.sampled_from([Plan((layer,), enhance=first, fuse=fuse) for layer in made.values()])


ENHANCE = [None, *(name for name, row in registry.ENHANCE.items() if not row.needs)]


@fuzz(120)
@given(st.data(), texts(), st.lists(CONDITIONS, max_size=2))
def test_any_request_is_answered_or_refused(films: Workspace, data: st.DataObject, text: str, where: list[str]) -> None:
    plan = data.draw(plans(data.draw(st.sampled_from(ENHANCE))))

    def asked() -> Any:
        trace = run(plan, Query(words(text), where=tuple(where)), films)
        doc = int(trace.final.docs[0]) if trace.final.docs.size else 0
        explanation(trace, doc, films)
        list(about_words(text, films))
        return entry(trace, films, "fuzz", "lessons")

    log = held(asked)
    if log is not None:
        json.dumps(log, allow_nan=False)
        assert len(log["results"]) <= plan.limit


@fuzz(200)
@given(CONDITIONS | texts(4))
def test_conditions_are_understood_or_refused(films: Workspace, text: str) -> None:
    condition = held(filters.parse, text)
    if condition is not None:
        assert condition.field and condition.operator and condition.value
        again = filters.parse(f"{condition.field}{condition.operator}{condition.value}")
        assert again.field == condition.field
        held(filters.allowed, [films.corpus.document(0)], [condition], {"title", "text"})


@fuzz(150)
@given(texts(3) | st.integers(-10, 10**25).map(str))
def test_documents_are_found_by_any_words_or_not(films: Workspace, text: str) -> None:
    found = held(films.corpus.find, text)
    assert found is None or 0 <= found < len(films.corpus)
    films.corpus.titled(text)
    try:
        films.index.term(text)
    except StrataError as error:
        assert error.next_step
