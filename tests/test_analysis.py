"""Text is analysed once, the same way everywhere."""

from __future__ import annotations

import random
import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given
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


@given(st.text())
def test_spans_point_at_the_words_as_written(text: str) -> None:
    assert all(fold(text[start:end]) == folded for start, end, folded in spans(text))


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


ENDINGS = """s es ies sses ss ied eed ed ing at bl iz y ational tional enci anci izer bli alli entli eli ousli ization
ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance
ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize e ll skies dying news howe proceed"""


def of_nltk(words: list[str]) -> list[str]:
    """NLTK's own stems, from a process that imports it the plain way."""
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
    return done.stdout.decode().split("\n")


def test_the_stemmer_equals_nltks_on_every_vocabulary_word(films: Workspace) -> None:
    """Words of every ending, with the shortcut for some."""
    words = [films.index.surfaces[i] for i in range(len(films.index.surfaces))]
    light = Stemmer()
    assert [light(word) for word in words] == of_nltk(words)


def test_the_stemmer_equals_nltks_on_letters_that_are_no_words() -> None:
    """Up to five letters, many of them y or doubled, and up to three of the endings that a rule looks for."""
    rng = random.Random(0)
    made = {
        "".join(rng.choices("aeiouyyybcdlstzwxé", k=rng.randint(0, 5)))
        + "".join(rng.choices(ENDINGS.split(), k=rng.randint(0, 3)))
        for _ in range(60_000)
    }
    words = sorted(made - {""})
    assert [porter.stem(word) for word in words] == of_nltk(words)


def test_a_long_run_of_letters_is_stemmed_at_once() -> None:
    start = time.perf_counter()
    for letters in ("y", "ly", "alli", "s", "ed"):
        porter.stem(letters * 100_000)
    assert time.perf_counter() - start < 5


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


def test_nltk_is_never_needed() -> None:
    """cases.md 22: neither data path nor downloader is touched; nothing of it is imported."""
    program = (
        "import sys; from strata.core.analysis import Stemmer, stopwords; Stemmer()('bears'); stopwords(); "
        "print([m for m in sys.modules if 'nltk' in m])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
