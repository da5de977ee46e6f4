"""The small rules of the citation check, each by a table: numbers, names, denials, clauses, one noun for another."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.answer import suspicious
from strata.answer.citable import CLOSING, OPENING, Cleaned, uncitable
from strata.answer.clauses import clauses
from strata.answer.material import Material, parts
from strata.answer.names import cased, families, masked, missing, names
from strata.answer.numerals import implied, numbers
from strata.answer.polarity import denies, scopes
from strata.answer.substitution import substituted
from strata.core.analysis import Stemmer, tokens
from strata.core.types import Document
from strata.printable import one_line, plain

STEM = Stemmer()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("three bullets", ["3"]), ("3 bullets", ["3"]), ("forty-four cases", ["44"]), ("forty four", ["44"]),
        ("44th", ["44"]), ("the seventeenth", ["17"]), ("twenty-first", ["21"]), ("a dozen wounds", ["12"]),
        ("half a dozen passports", ["6"]), ("two dozen", ["24"]), ("five dozen eggs", ["60"]), ("a hundred", ["100"]),
        ("four hundred thousand dollars", ["400000"]), ("400,000 dollars", ["400000"]), ("802,701", ["802701"]),
        ("one hundred and twenty", ["120"]), ("2 million", ["2000000"]), ("two thousand and one", ["2001"]),
        ("nineteen eighty-four", ["1984"]), ("nineteen fifteen", ["1915"]), ("1984", ["1984"]), ("3.50", ["3.5"]),
        ("3.0", ["3"]), ("007", ["7"]), ("ten-year-old", ["10"]), ("six, seven", ["6", "7"]), ("one of them", []),
        ("the first film", []), ("a second chance", []), ("the 1990s", []), ("138-storey", ["138"]), ("zero", ["0"]),
        ("twenty, thirty or forty", ["20", "30", "40"]), ("", []), ("no", []), ("1" * 4000, []), ("１２", ["12"]),
        ("1.5 million dollars", ["1500000"]), ("$1,500,000", ["1500000"]), ("half a million", ["500000"]),
        ("a half million", ["500000"]), ("one and a half million", ["1500000"]), ("a million and a half", ["1500000"]),
        ("2½ hours", ["2.5"]), ("two and a half hours", ["2.5"]), ("½ million", ["500000"]), ("half an hour", []),
        ("a quarter of a million", ["250000"]), ("3 hundred thousand", ["300000"]), ("½", ["0.5"]), ("a quarter", []),
        ("9" * 18 + " billion", ["9" * 18 + "0" * 9]), ("some ፩ million", ["1000000"]), ("٣ men", ["3"]), ("፩", []),
        ("three and four", ["3", "4"]), ("a hundred and two of", ["102"]), ("nine months and ten days", ["9", "10"]),
    ],
)  # fmt: skip
def test_numbers_in_digits_and_words(text: str, values: list[str]) -> None:
    assert [number.value for number in numbers(text, STEM)] == values


def test_a_number_knows_what_it_counts() -> None:
    (years, daughters, dated) = numbers("After fifteen long years five daughters left in 1963 two", STEM)[:3]
    assert years.counted == {STEM("long"), STEM("years")}
    assert STEM("daughters") in daughters.counted
    assert dated.value == "1963" and dated.counted == frozenset()


@pytest.mark.parametrize(
    ("text", "said"), [("both of them", {"2"}), ("a trilogy", {"3"}), ("a pair", {"2"}), ("all", set())]
)
def test_numbers_said_without_a_numeral(text: str, said: set[str]) -> None:
    assert implied(text) == said


SOURCE = "Scottie Ferguson leaves the San Francisco police. Redwood rings. Bartlett digs. A fisherman from Texas sings."


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("He leaves the Chicago police.", ["Chicago"]),
        ("In San Francisco he falls.", ["San Francisco"]),
        ("Scottie follows Madeleine's car.", ["Scottie", "Madeleine's"]),
        ("Fisherman sing.", []),
        ("Redwood grows.", ["Redwood"]),
        ("Nobody sings.", []),
        ("Rain falls.", []),
        ("David Webb is his name.", ["David Webb"]),
        ("Captain Miller sings.", ["Miller"]),
        ("A French doctor sings.", []),
        ("I'm told that I sing.", []),
        ('He says "Stop it" to Bartlett.', ["Bartlett"]),
        ("A Jury Of Men In New York Decides", []),
        ("it was in new york", []),
        ("", []),
    ],
)
def test_names_are_found(claim: str, found: list[str]) -> None:
    assert [name.text for name in names(claim, cased(SOURCE))] == found


@pytest.mark.parametrize(
    ("claim", "absent"),
    [("the Chicago police", ["Chicago"]), ("with Ferguson", []), ("a Texan in town", []), ("both Fergusons here", []),
     ("the Redwoods and a Bartlett", []), ("with John Ferguson", ["John Ferguson"]), ("the Tex in town", ["Tex"])],
)  # fmt: skip
def test_names_are_missed_where_the_source_has_them_not(claim: str, absent: list[str]) -> None:
    assert [n.text for n in missing(names(claim, cased(SOURCE)), frozenset(tokens(SOURCE)))] == absent


@pytest.mark.parametrize(
    ("text", "found"),
    [("The Kims fold boxes for the wealthy Parks.", {"kim", "park"}), ("the Kim family", {"kim"}), ("Kims fold", set()),
     ("The Bride wakes beside the Texan James Bond.", set()), ("the loud Borra brothers", {"borra"}), ("", set())],
)  # fmt: skip
def test_families_are_names_in_the_plural(text: str, found: set[str]) -> None:
    assert families(text) == found


def test_names_are_masked_by_someone() -> None:
    text = "In San Francisco he meets Madeleine's friend."
    assert masked(text, names(text, cased(SOURCE))) == "In someone he meets someone's friend."


@pytest.mark.parametrize(
    ("text", "no"),
    [
        ("He sings.", False), ("He does not sing.", True), ("He doesn't sing.", True), ("He doesn’t sing.", True),
        ("He never sings.", True), ("Nobody sings.", True), ("without a rope", True), ("He refuses to sing.", True),
        ("His hand will not stop trembling.", False), ("He cannot resist her.", False), ("He fails to sing.", True),
        ("Not only does he sing.", False), ("He does not refuse.", False), ("no longer sings", True),
        ("He denies the murder.", True), ("He doubts that she sings.", True), ("No doubt that she sings.", False),
        ("His doubts grow.", False), ("He forgot to sing.", True), ("He forgot a song.", False),
        ("Nobody orders anything but steak.", False), ("She walks rather than sings.", True),
        ("He cannot live without her.", False), ("A can't-miss teenager sings.", False), ("No-one sings.", True),
        ("He knows nothing.", True), ("no sooner had he sung", False), ("", False), ("notably nothing-like", True),
    ],
)  # fmt: skip
def test_denials(text: str, no: bool) -> None:
    assert denies(text) is no


def test_the_scope_of_a_denial_ends_at_conjunctions() -> None:
    found = scopes("They rent rooms above a restaurant that never opens, and sing until nobody listens")
    assert [denies(piece) for piece in found] == [False, True, False, True]


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("The room has a broken fan and a view of the bridge.", ["The room has a broken fan", "a view of the bridge."]),
        ("He drinks and smokes.", ["He drinks and smokes."]),
        ("Heath sings and Jake.", ["Heath sings and Jake."]),
        ("Two men sing loudly; three women dance slowly.", ["Two men sing loudly", "three women dance slowly."]),
        ("He says “red fox and white goose” to people.", ["He says “red fox and white goose” to people."]),
        (
            "Three thieves steal one and a half million dollars.",
            ["Three thieves steal one and a half million dollars."],
        ),
        (
            "Tall riders cross one hundred and twenty wide rivers.",
            ["Tall riders cross one hundred and twenty wide rivers."],
        ),
        ("The old captain, who fires cannon balls.", ["The old captain", "fires cannon balls."]),
        ("", [""]),
    ],
)
def test_a_claim_is_cut_where_both_sides_mean_something(claim: str, found: list[str]) -> None:
    assert clauses(claim) == found


def test_names_alone_are_no_clause() -> None:
    claim = "The film stars Lily James and Cate Blanchett."
    assert clauses(claim, {"lily", "james", "cate", "blanchett"}) == [claim]
    assert len(clauses(claim)) == 2


JURY = Material(
    Document(
        2, "The Jury", "Number Eight, an architect in a pale suit, is not sure. The fan is broken.", {"year": 1957}
    ),
    STEM,
)


@pytest.mark.parametrize(
    ("clause", "foreign"),
    [
        ("Number Eight is a dentist in a pale suit", "dentist"),
        ("Number Eight is an architect in a pale suit", ""),
        ("Number Eight, a man in a pale suit", ""),  # too common a word
        ("Number Eight carries pale suits dentistwards", ""),  # not where a noun stands
        ("a dentist sings", ""),  # the document says nothing of the rest
        ("Number Eight is an architectural student in a pale suit", ""),  # of one family
        ("", ""),
    ],
)
def test_one_noun_for_another(clause: str, foreign: str) -> None:
    weights = {STEM(word): 1.0 for word in tokens(clause) if word not in ("is", "an", "a", "in")}
    found = substituted(clause, weights, JURY, STEM, lambda word: word == "dentist")
    assert (found[0] if found else "") == foreign
    assert found is None or found[1].startswith("Number Eight")


def test_a_document_as_the_check_reads_it() -> None:
    assert JURY.sentences[0] == "The Jury (1957)." and len(JURY.sentences) == 3
    assert JURY.values >= {"8", "1957"} and "architect" in JURY.words
    assert JURY.holds("an architect in a PALE suit") and not JURY.holds("an architect in a suit")
    assert not JURY.holds("is not") and not JURY.holds("")
    doubted = Material(Document(4, "Eye", "He doubts, it is a fox. One doubts that so soft a fox is of use.", {}), STEM)
    assert not doubted.holds("so soft a fox") and doubted.holds("One doubts that so soft a fox")
    assert not doubted.holds("it is a fox") and doubted.holds("it is a fox. One doubts") is False
    assert parts("One two three, four five six: seven") == ["One two three", "four five six"]
    assert parts("No comma in this one") == []
    empty = Material(Document(3, "", "", {}), STEM)
    assert empty.sentences == ["document 3."] and not empty.holds("a b c d")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("\x1b[31mred\x1b[0m", "red"), ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"), ("a\r\nb\rc", "a\nb\nc"),
        ("a\u2028b\u2029c", "a\nb\nc"), ("a\tb\u00a0c", "a b c"), ("\u202eabc\u202c", "abc"), ("z\u200bw", "zw"),
        ("bell\x07", "bell"), ("\x9b31mred", "red"), ("nul\x00", "nul"), ("é ñ 漢 😀", "é ñ 漢 😀"), ("", ""),
    ],
)  # fmt: skip
def test_plain_text(text: str, drawn: str) -> None:
    assert plain(text) == drawn


@given(st.text())
def test_plain_text_is_plain_whatever_comes(text: str) -> None:
    for drawn in (plain(text), one_line(text), uncitable(text)):
        assert all(c == "\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn"} for c in drawn)
    assert "\n" not in one_line(text) and plain(plain(text)) == plain(text)
    assert not set(uncitable(text)) & set(OPENING + CLOSING)


def test_a_stream_is_cleaned_piece_by_piece() -> None:
    heard: list[str] = []
    hear = Cleaned(heard.append)
    for piece in ("In ", "\x1b[31m", "\u200b", "Jaws [1].", "\x1b", "[2J"):
        hear(piece)
    assert heard == ["In ", "Jaws [1].", "[2J"]


@pytest.mark.parametrize(
    "text",
    ["The king ignores the rules of war.", "He forgets his mother's instructions to the cook, and answers the door.",
     "You are now leaving Berlin, says the sign.", "The system: a maze of pipes.", "Users of the drug see ghosts.",
     "The end of the world is near; he says the word.", "A model must walk 20 miles.", "J’ai dit “Émile” à Zoë.",
     "Αλέξης sings in Москва.", "a < b and b > c", "He rates wine from 0 to 10.", "“[sic]”, she writes.",
     "Mission: Impossible"],
)  # fmt: skip
def test_ordinary_sentences_are_not_suspicious(text: str) -> None:
    assert suspicious.findings(text) == []
