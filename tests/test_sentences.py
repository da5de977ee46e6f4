"""Where sentences end: a table of what films' plots hold, and what must be true of every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.semantic.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Strange meets Mr. and Mrs. Smith.", "They fight."],
        ["He joins the U.S. Army.", "It is 1944."],
        ["J. R. R. Tolkien wrote it.", "Peter J. Hogan did not."],
        ["John Doe is in Se7en.", "So is Somerset."],
        ["Mambo No. 5 plays.", "Nobody dances."],
        ["See p. 7 and vol. 2 of it.", "Then stop."],
        ["The answer is no.", "He leaves."],
        ["The bear weighs 3.5 tons.", "It costs $1.50."],
        ["It ends in 1999.", "In 2003 it begins again."],
        ["It was I.", "She knew."],
        ["Monsters, Inc. is a firm.", "Sulley works there."],
        ["Meet at 8 p.m. sharp, e.g. Friday vs. Saturday."],
        ["St. Patrick and Gen. Patton, both Ph.D. students, ate figs etc. and left."],
        ['"Run!"', "She ran.", "“Why?”", "(Nobody knew.)", "‘Because.’", "He fell."],
        ["What?!", "No way!!", "Yes…", "Well…", "Fine."],
        ["“Who is it?” she asks.", "“Me!” he cries."],
        ["Wait... what is this?", "Nothing..."],
        ["Is it over?", "— No.", "[Laughter.]", "¿Qué?", "«Oui.»", "Fin"],
        ["No stop at the end"],
        ["Visit example.com or strata.py today.", "Bye."],
        ["Ünal came.", "Élodie went.", "Ωmega stayed."],
        ["3 men enter.", "2 leave."],
        ["熊が来た。", "彼は言った「逃げろ！」", "誰も逃げなかった？", "終わり"],
        ["A title line", "The text after a blank line", "and one more."],
    ],
    ids=lambda sentences: sentences[0][:24],
)
def test_known_sentences_are_found_whatever_white_space_is_between(sentences: list[str]) -> None:
    blank_lines = sentences[0] == "A title line"
    for between in ("\n\n", "\r\n\r\n", " \n \t\n ") if blank_lines else (" ", "\n", "  ", "\u00a0", "\n\n"):
        assert split(between.join(sentences)) == sentences
        assert split(f" {between}{between.join(sentences)}{between}\n") == sentences


def test_cjk_stops_need_no_white_space() -> None:
    assert split("熊が来た。彼は言った「逃げろ！」誰も逃げなかった？終わり") == [
        "熊が来た。", "彼は言った「逃げろ！」", "誰も逃げなかった？", "終わり"]  # fmt: skip


def test_a_single_line_break_ends_no_sentence() -> None:
    assert split("The bear\nand the\r\nwolf. They\nmeet.") == ["The bear\nand the\r\nwolf.", "They\nmeet."]


def test_a_stop_before_lower_case_ends_no_sentence_where_the_text_knows_capitals() -> None:
    assert split("Wait... what. They meet.") == ["Wait... what.", "They meet."]
    assert split("He runs.\n\nshe walks.") == ["He runs.", "she walks."]


def test_a_text_without_capitals_has_sentences_too() -> None:
    """Cranfield and npl are lower case throughout: one endless sentence would be cut at the encoder's 256 tokens."""
    assert split("he runs . she walks! dr. no waits. they meet") == [
        "he runs .",
        "she walks!",
        "dr. no waits.",
        "they meet",
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t\u2028 \u3000"])
def test_white_space_holds_no_sentence(text: str) -> None:
    assert sentence_spans(text) == []


@pytest.mark.parametrize("text", [".", "...", "?!", "…", "。", '."', "a", "A.", "Dr.", "U.S.", "é", "🐻.", "\ufeff"])
def test_a_text_of_one_mark_or_word_is_one_sentence(text: str) -> None:
    assert split(text) == [text]


@given(st.text(st.sampled_from("aB.!?…\"'”)( \n\t\r\u2028\u30005é。」Dr")) | st.text())
def test_spans_are_ordered_disjoint_stripped_and_lose_nothing(text: str) -> None:
    spans = sentence_spans(text)
    before = 0
    for start, end in spans:
        assert before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[before:start].strip()
        before = end
    assert not text[before:].strip()


@given(st.lists(st.sampled_from(["The bear came.", "Who?", "“No!”", "He left…", "It cost 5.", "Yes!!"]), min_size=1))
def test_whole_sentences_come_back_one_by_one(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize("text", ["." * 100_000 + "a", '."' * 50_000 + "a", "\n " * 50_000, "A. " * 100_000,
                                  "." + " " * 100_000 + "b", "Ab." + ")" * 100_000 + "x"])  # fmt: skip
def test_long_runs_take_time_in_proportion(text: str) -> None:
    """Quadratic ones would take minutes here: dots of a table of contents, lists of letters."""
    assert sum(end - start for start, end in sentence_spans(text)) <= len(text)
