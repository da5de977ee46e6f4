"""Text is analysed once, the same way everywhere."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata.core import analysis, porter
from strata.core.analysis import Stemmer, fold, fold_whole, spans, stopwords, tokens
from strata.pipeline.workspace import Workspace


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Amélie", "amelie"),
        ("AMELIE", "amelie"),
        ("Ame\u0301lie", "amelie"),  # decomposed
        ("caffè", "caffe"),
        ("résumé", "resume"),
        ("Død Snø", "dod sno"),
        ("Łódź", "lodz"),
        ("Đorđe", "dorde"),
        ("Æon Œuvre", "aeon oeuvre"),
        ("Þór Guðmundur", "thor gudmundur"),
        ("straße", "strasse"),
        ("Ocean’s Eleven", "ocean's eleven"),
        ("oceanʼs", "ocean's"),
        ("ﬁlm", "film"),
        ("進撃の巨人", "進撃の巨人"),
        ("が", "が"),  # a voiced kana keeps its mark: it is another letter, not an accent
    ],
)
def test_one_spelling_for_all_ways_to_write_it(written: str, folded: str) -> None:
    """cases.md 16 and 18."""
    assert fold(written) == unicodedata.normalize("NFC", folded)


@given(st.text())
def test_the_fast_fold_equals_its_definition(text: str) -> None:
    assert fold(text) == fold_whole(text)


@given(st.text())
def test_folding_twice_changes_no_token(text: str) -> None:
    assert tokens(fold(text)) == tokens(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_fast_split_of_ascii_equals_the_pattern(text: str) -> None:
    import re

    assert tokens(text) == re.findall(r"[^\W_]+", text.lower())


@given(st.text() | st.text("aeo½㎏ﬁ’ \u0301\u0327각\u1100\u1161\u11a8न\u093cßİ_"))
@example(unicodedata.normalize("NFD", "Pokémon détective"))
@example("½ ㎏")
def test_spans_are_the_tokens_where_they_are_written(text: str) -> None:
    """Decomposed, an accent parted a word in two, and its half was put right as if it were misspelt."""
    assert [token for _, _, token in spans(text)] == tokens(text)
    assert all(token in tokens(text[start:end]) for start, end, token in spans(text))
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(spans(text)))


def test_the_stop_list_is_within_its_size_and_folded() -> None:
    words = stopwords()
    assert 120 <= len(words) <= 200
    assert words == {word for text in words for word in tokens(text)}
    assert {"s", "t", "d", "ll", "m", "re", "ve", "don", "didn", "isn"} <= words


@pytest.mark.parametrize("word", ["because", "was", "the", "don", "BECAUSE"])
def test_a_stop_word_never_reaches_the_stemmer(word: str, films: Workspace) -> None:
    """cases.md 13 and 14: stemmed first, because would become becaus, was wa, and slip through."""
    analysed = films.index.analyse(word)
    assert analysed.words == () and analysed.dropped == (word.lower(),)


def test_a_word_whose_stem_is_a_stop_word_survives() -> None:
    """cases.md 2 and 14: `others` stems to `other`; the stop list looks at the word, not at the stem."""
    assert Stemmer()("willing") == "will" and "will" in stopwords()
    assert "willing" not in stopwords()


def test_the_light_stemmer_equals_nltks_own_on_every_vocabulary_word(films: Workspace) -> None:
    """Compared in a process that imports nltk the plain way; words of every ending, with the shortcut for some."""
    words = [films.index.surfaces[i] for i in range(len(films.index.surfaces))]
    light = Stemmer()
    program = (
        "import sys, nltk.stem.porter as p; s = p.PorterStemmer(); "
        "sys.stdout.buffer.write('\\n'.join(s.stem(w) for w in sys.stdin.buffer.read().decode().split('\\n')).encode())"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        input="\n".join(words).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split("\n") == [light(word) for word in words]


quick = porter.load()


@cache
def nltk_porter() -> Any:
    return porter._class()()


SUFFIXES = [suffix for endings in porter.ENDINGS.values() for suffix in endings]


@given(st.text("aeiouybclrstwxz9é", max_size=8), st.lists(st.sampled_from([*SUFFIXES, "e", "eed", "ied"]), max_size=3))
@settings(max_examples=1000)
def test_a_step_is_skipped_only_where_it_does_nothing(start: str, suffixes: list[str]) -> None:
    """Beside NLTK's own class, over words that are made of what its steps look at."""
    word = start + "".join(suffixes)
    assert quick(word) == nltk_porter().stem(word, to_lowercase=False)


def test_a_run_of_letters_that_is_no_word_is_left_as_it_is() -> None:
    """NLTK's stemmer calls itself for each y of a run (RecursionError from about a thousand on)."""
    for letters in ("y", "ly", "alli", "s", "ed"):
        assert Stemmer()(letters * 100_000) == letters * 100_000
    assert Stemmer()("y" * 100), "as long as a word may be"


def test_loading_the_stemmer_leaves_nltk_importable() -> None:
    program = (
        "import sys; from strata.core import porter; stem = porter.load(); "
        "assert not [m for m in sys.modules if m.split('.')[0] == 'nltk'], 'left over'; "
        "import nltk; nltk.FreqDist; print(stem('horses'), nltk.stem.PorterStemmer().stem('horses'))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["hors", "hors"]


def test_every_vocabulary_word_finds_the_documents_that_hold_it(films: Workspace) -> None:
    """cases.md 1, analyse once: a word of the catalogue is never stemmed into a term that no document has."""
    index = films.index
    for i in range(len(index.surfaces)):
        word = index.surfaces[i]
        term = index.term_of(word)
        assert term is not None and index.df(term) > 0, word
        assert index.analyse(word).known == (term,), word


def test_a_term_is_found_though_its_stem_stems_further(films: Workspace) -> None:
    """cases.md 1: `hors` is a term; its own stem, `hor`, is none."""
    index = films.index
    term = index.term("horse")
    assert term is not None and index.terms[term] == "hors"
    assert index.df(term) == 25


def test_the_analysers_name_is_stored_with_an_index(films: Workspace) -> None:
    """cases.md 9 and 11."""
    import json

    made_from = json.loads((films.index.path / "manifest.json").read_text(encoding="utf-8"))["made_from"]
    assert made_from["analyser"] == analysis.NAME


def test_no_nltk_download_is_ever_needed() -> None:
    """cases.md 22: neither data path nor downloader is touched."""
    program = (
        "import sys; from strata.core.analysis import Stemmer, stopwords; Stemmer()('bears'); stopwords(); "
        "print([m for m in sys.modules if 'nltk' in m])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
