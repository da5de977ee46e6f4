"""The citation check: how citations are read from an answer, and whether a source says what a claim says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.citation_check import Pair, pairs, parts
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from strata.answer import blocks, brackets, cite
from strata.answer.brackets import numbers_in
from strata.answer.check import checked, claims
from strata.answer.citable import MOST
from strata.answer.cite import Statement, statements
from strata.answer.quotes import held, quotes, spaced
from strata.answer.report import to_json, verdict
from strata.core.types import Answer, Passage
from strata.errors import UsageError
from strata.pipeline.workspace import Workspace

PAIRS = pairs()


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("1", (1,)), ("1, 2", (1, 2)), ("1,2;3", (1, 2, 3)), ("2 and 1", (2, 1)), ("1 & 3", (1, 3)), ("1-3", (1, 2, 3)),
        ("1–3", (1, 2, 3)), ("3-1", (1, 2, 3)), ("1, 3-5", (1, 3, 4, 5)), ("source 2", (2,)), ("Sources: 1, 2", (1, 2)),
        ("^4", (4,)), ("#4", (4,)), ("１，２", (1, 2)), ("1†source", (1,)), ("0", (0,)), ("007", (7,)), ("9", (9,)),
        ("1 to 3", (1, 2, 3)), ("99999", (99999,)), ("1, 1998", (1,)), ("source 1998", (1998,)), ("1、2", (1, 2)),
        ("Source 1, Source 9", (1, 9)), ("Source 1; Source 9", (1, 9)), ("Doc 1, Doc 2", (1, 2)), ("#1, #2", (1, 2)),
        ("1: The Hobbit", (1,)), ("1: The Hobbit; 2: Shrek", (1, 2)), ("1: Ocean's Eleven, Source 3", (1, 3)),
        ("Source 1 - The Hobbit", (1,)), ("1, p. 3", (1,)), ("1, pp. 3-4; 2, p. 9", (1, 2)), ("4:0†source", (4,)),
        ("1,2,", (1, 2)), ("1\\", (1,)), ("films 1, 2, and 3", (1, 2, 3)), ("source 1998, 2", (1998, 2)),
        ("3:10", ()), ("3:10 to Yuma", ()), ("2001: A Space Odyssey", ()), ("12 Angry Men", ()), ("1, sic", ()),
        ("p. 3", ()), ("source", ()), ("1:", ()),
        ("1998", ()), ("1939-1945", ()), ("sic", ()), ("…", ()), ("1.5", ()), ("-1", ()), ("", ()), ("1a", ()),
        ("see 1", ()), ("9" * 5000, ()), ("1,,2", ()), ("½", ()), ("link", ()), ("1/2", ()), ("PG-13", ()),
    ],
)  # fmt: skip
def test_what_stands_in_a_bracket_is_a_citation_or_not(body: str, numbers: tuple[int, ...]) -> None:
    """cases.md 63."""
    assert numbers_in(body, 5) == numbers


def test_a_year_is_a_citation_where_so_many_sources_were_given() -> None:
    assert numbers_in("1998", 3000) == (1998,)


def test_a_range_without_an_end_is_cut_and_keeps_its_ends() -> None:
    found = numbers_in("1-999999999", 5)
    assert found[0] == 1 and found[-1] == 999_999_999 and len(found) <= brackets.MOST_IN_RANGE + 1


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("A seal rings [1].", [("A seal rings.", (1,))]),
        ("A seal rings. [1]", [("A seal rings.", (1,))]),
        ("A seal rings.[1] It rains [2].", [("A seal rings.", (1,)), ("It rains.", (2,))]),
        ("A seal rings [1][2].", [("A seal rings.", (1, 2))]),
        ("A seal rings [1] , [2].", [("A seal rings.", (1, 2))]),
        ("A seal rings [2][1][2].", [("A seal rings.", (2, 1))]),
        ("A seal rings【1】.", [("A seal rings.", (1,))]),
        ("A seal rings ［１］.", [("A seal rings.", (1,))]),
        ("A seal rings. It rains [2].", [("A seal rings.", ()), ("It rains.", (2,))]),
        ("[1] A seal rings. [2] It rains.", [("A seal rings.", (1,)), ("It rains.", (2,))]),
        ("A seal rings [1]. [2] It rains.", [("A seal rings.", (1,)), ("It rains.", (2,))]),
        ("A seal rings. [1] It rains. [2]", [("A seal rings.", (1,)), ("It rains.", (2,))]),
        ("[1] The Seal: rings.\n[2] The Rain: falls.", [("The Seal: rings.", (1,)), ("The Rain: falls.", (2,))]),
        ("A seal rings [1] and dogs bark [2].", [("A seal rings", (1,)), ("dogs bark.", (2,))]),
        ("According to [1], a seal rings.", [("According to, a seal rings.", (1,))]),
        ("It rains. [2] says that a seal rings.", [("It rains.", ()), ("It says that a seal rings.", (2,))]),
        ("The Seal [1] won two Oscars.", [("The Seal won two Oscars.", (1,))]),
        ("- A seal rings [1]\n- It rains [2]", [("A seal rings", (1,)), ("It rains", (2,))]),
        ("1. A seal rings [1].\n2. It rains.", [("A seal rings.", (1,)), ("It rains.", ())]),
        ("# Films\nHere are two films:\nA seal rings [1].", [("A seal rings.", (1,))]),
        ("**A seal** _rings_ [1].", [("A seal rings.", (1,))]),
        ("A seal\nrings in a\nstorm [1].", [("A seal rings in a storm.", (1,))]),
        ("A seal rings.\n\nIt rains [1].", [("A seal rings.", ()), ("It rains.", (1,))]),
        ("A seal rings in [1998] [1].", [("A seal rings in [1998].", (1,))]),
        ("A seal [sic] rings [1].", [("A seal [sic] rings.", (1,))]),
        ("A seal rings (see [1]).", [("A seal rings", (1,))]),
        ("A seal rings [[1]].", [("A seal rings.", (1,))]),
        ("A seal rings [1](https://x.org/a).", [("A seal rings.", (1,))]),
        ("He says “It rains. It pours.” [2]", [("He says “It rains. It pours.”", (2,))]),
        ('He says "Stop! Now." [2] It rains.', [('He says "Stop! Now."', (2,)), ("It rains.", ())]),
        ("Mr. Seal of the U.S. rings [1].", [("Mr. Seal of the U.S. rings.", (1,))]),
        ("Does it? [1] Yes! [2]", [("Does it?", (1,)), ("Yes!", (2,))]),
        ("A seal rings [1] and [2].", [("A seal rings.", (1, 2))]),
        ("A seal rings [1], and [2]. It rains [3].", [("A seal rings.", (1, 2)), ("It rains.", (3,))]),
        ("A seal rings [1]/[2].", [("A seal rings.", (1, 2))]),
        ("A seal rings [1] & [2], it rains.", [("A seal rings, it rains.", (1, 2))]),
        ("A seal rings [1]–[3].", [("A seal rings.", (1, 2, 3))]),
        ("A seal rings [1] – [3].", [("A seal rings.", (1, 3))]),
        ("A seal rings [1] to [3].", [("A seal rings.", (1, 2, 3))]),
        ("A seal rings [1] (see also [2]).", [("A seal rings", (1, 2))]),
        ("A seal rings [1] and [2] says it rains.", [("A seal rings", (1,)), ("says it rains.", (2,))]),
        ("[1] and [2] say that it rains.", [("say that it rains.", (1, 2))]),
        ("A seal rings \\[1\\].", [("A seal rings.", (1,))]),
        ("\\[1\\] The Seal: rings.\n\\[2\\] It rains.", [("The Seal: rings.", (1,)), ("It rains.", (2,))]),
        ("[1]", [("", (1,))]),
        ("", []),
        ("…\n---\n", []),
        ("A seal rings [1", [("A seal rings [1", ())]),
    ],
)  # fmt: skip
def test_a_citation_belongs_to_its_sentence(text: str, stated: list[tuple[str, tuple[int, ...]]]) -> None:
    shorn = [(s.text, s.numbers) for s in statements(text, 3)]
    assert [(t.rstrip("."), n) for t, n in shorn] == [(t.rstrip("."), n) for t, n in stated]


PIECES = st.sampled_from(
    ["[1]", "[2]", " [3]", "[1, 2]", "[9]", " ", "\n", "\n\n", ". ", "A seal", "it rains", '"', "“", "”", "!", "- ",
     "# ", "He", " says", "1. ", ":", "(", ")", "**", "[1998]", "[sic]", "_", "`", "«", "[", "]", "…", "\u200b",
     " and ", "/", " & ", "[Source 2, Source 3]", "[1: The Seal]"]
)  # fmt: skip


@hypothesis_settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_citation_of_an_answer_is_lost_or_made_up(text: str) -> None:
    wanted = {n for match in cite._MARK.finditer(text) for n in numbers_in(match.group(1), 3)}
    assert {n for statement in statements(text, 3) for n in statement.numbers} == wanted


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for statement in statements(text, 3):
        assert isinstance(statement.text, str)
    for block in blocks.blocks(text):
        spans = blocks.sentences(block)
        assert all(a < b <= len(block) for a, b in spans) and spans == sorted(spans)


SENTENCES = ("Staircases measure rank; so does smell.", "Ocean’s Eleven men meet at the café, and the night is long.")


@pytest.mark.parametrize(
    ("claim", "good"),
    [
        ('It says that "staircases measure rank".', True),
        ("It says that “Staircases  measure rank”.", True),
        ("It says that «staircases measure rank».", True),
        ("It says that „staircases measure rank“.", True),
        ('"ocean\'s eleven men meet at the cafe"', True),
        ('"staircases … smell"', True),
        ('"staircases measure ... smell."', True),
        ('"staircases measure […] smell"', True),
        ('"rank so does smell"', True),
        ("It says ‘staircases measure rank’.", True),
        ('"staircases measure wealth"', False),
        ('"smell … staircases"', False),
        ('"staircases … the night"', False),
        ('"smell ocean"', True),
        ('"staircase measure rank"', False),
        ('"Staircases measure"', True),
        ('"case measure"', False),
        ("It says ‘staircases measure wealth’.", False),
        ("It's the rock 'n' roll of staircases'", True),
    ],
)
def test_quotations_stand_word_for_word(claim: str, good: bool) -> None:
    held_ones = [held(q.text, [spaced(s) for s in SENTENCES], [spaced(" ".join(SENTENCES))]) for q in quotes(claim)]
    assert all(held_ones) is good


def test_the_labelled_set_is_whole(films: Workspace) -> None:
    assert len(PAIRS) >= 120 and len({p.id for p in PAIRS}) == len({p.claim for p in PAIRS}) == len(PAIRS)
    kinds = {
        "true", "paraphrase", "quote", "false", "misattributed", "half_true", "stitched", "replaced", "number", "name",
        "negated",
    }  # fmt: skip
    assert {p.kind for p in PAIRS} == kinds
    supported = {"true", "paraphrase", "quote"}
    assert all((p.label == "supported") == (p.kind in supported) for p in PAIRS)
    assert all(films.corpus.position(p.source) is not None for p in PAIRS)
    assert all((p.true_of is not None) == (p.kind == "misattributed") for p in PAIRS)
    assert {p.id: p.part for p in PAIRS} == parts(PAIRS)
    for kind in kinds:
        mine = [p.part for p in PAIRS if p.kind == kind]
        assert abs(mine.count("calibration") - mine.count("held_out")) <= 1


def test_every_quotation_of_the_labelled_set_is_what_its_label_says(films: Workspace) -> None:
    for pair in PAIRS:
        document = films.corpus.document(films.corpus.position(pair.source) or 0)
        if pair.kind in ("quote", "stitched"):
            text = [spaced(document.text)]
            sentences = [spaced(document.text[a:b]) for a, b in blocks.sentences(document.text)]
            found = [held(quote.text, sentences, text) for quote in quotes(pair.claim)]
            assert found and all(found) is (pair.kind == "quote"), pair


ONE = {p.kind: p for p in PAIRS if p.part == "calibration" and p.kind not in ("paraphrase", "replaced")}


@pytest.mark.parametrize("pair", ONE.values(), ids=lambda pair: pair.kind)
def test_each_kind_of_claim_is_judged(pair: Pair, films: Workspace) -> None:
    """One of a kind; benchmarks/citation_check.py measures them all."""
    doc = films.corpus.position(pair.source)
    assert doc is not None
    (claim,) = claims([Statement(pair.claim, (1,))], [doc], films)
    assert claim.status == pair.label and claim.evidence


def sources(films: Workspace, *ids: int) -> list[Passage]:
    return [Passage(films.corpus.position(id) or 0, "", 0, 0, 0.0) for id in ids]


@pytest.mark.parametrize(
    ("film", "claim", "status"),
    [
        (2, "Eleven men raise their hands for guilty", "supported"),  # the title says 12
        (2, "12 Angry Men begins with eleven hands for guilty", "supported"),
        (2, "Twelve hands go up for guilty", "unsupported"),
        (2, "Three hands go up for guilty", "unsupported"),
        (2, "Number Eight, an architect, is sure of the guilt", "unsupported"),
        (2, "Number Eight, an architect in a pale suit, is not certain", "supported"),
        (322, "He buys a necklace for his wife", "unsupported"),
        (322, "The necklace is not for his wife", "supported"),
        (397, "The Parks fold pizza boxes in a semi-basement", "unsupported"),
        (397, "Mr Park folds pizza boxes in a semi-basement", "unsupported"),
        (397, "The Kim family folds pizza boxes in a semi-basement", "supported"),
        (397, "The wealthy Parks hire the son as a tutor", "supported"),
        (243, "So soft a creature is of any use", "unsupported"),
        (243, "Thorin doubts that so soft a creature is of any use", "supported"),
        (243, "Thorin thinks the soft creature useless", "supported"),
        (368, "The jungle is poisoned", "unsupported"),
        (531, "Tom Robinson is accused by a white farmhand's daughter", "supported"),
    ],
)
def test_what_a_sentence_says_of_one_thing_it_does_not_say_of_another(
    film: int, claim: str, status: str, films: Workspace
) -> None:
    assert checked(f"{claim} [1].", sources(films, film), films).citations[0].status == status


def test_parts_of_a_million_are_counted(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> None:
    ws = workspace(catalogue("The thieves steal 1.5 million dollars from a bank in Lisbon and flee by boat."))
    source = [Passage(0, "", 0, 0, 0.0)]
    for good in ("$1,500,000 dollars", "one and a half million dollars", "1.5 million dollars"):
        assert not checked(f"The thieves steal {good} from a bank [1].", source, ws).failed
    for bad in ("one million dollars", "half a million dollars", "15 million dollars", "፩ million dollars"):
        assert checked(f"The thieves steal {bad} from a bank [1].", source, ws).failed


ERRING = (
    "In You've Got Mail rivals fall in love by e-mail [2]. Bridget Jones's Diary\nwon two Oscars [1]. "
    "Love Actually plays at Christmas [4]."
)


def test_a_fluent_answer_of_which_two_of_three_citations_fail(films: Workspace) -> None:
    """screens.md's example."""
    answer = checked(ERRING, sources(films, 70, 587, 71), films)
    assert [(c.number, c.status) for c in answer.citations] == [(2, "supported"), (1, "unsupported"), (4, "absent")]
    assert answer.citations[1].evidence == "nothing in source 1 says: won two Oscars"
    assert answer.citations[2].evidence == "only 3 sources were given" and answer.citations[2].doc is None
    assert "correspondent" in answer.citations[0].evidence or "e-mails" in answer.citations[0].evidence
    assert verdict(answer) == "1 of 3 citations holds" and len(answer.failed) == 2
    shown = to_json(answer, films.corpus)
    json.dumps(shown, allow_nan=False)
    assert [c["id"] for c in shown["citations"]] == [587, 70, None]
    assert shown["by_rule"] is True and shown["provider"] is None and shown["uncited"] == []


@pytest.mark.parametrize(
    ("text", "statuses", "uncited"),
    [
        ("It is a romantic comedy. Watch it.", [], 2),
        ("Bridget works in London [9]. Mark is a barrister [7].", ["absent", "absent"], 0),
        ("Bridget is a publicity assistant in London [1-3].", ["supported", "unsupported", "unsupported"], 0),
        ("Mark Darcy is a barrister [0].", ["absent"], 0),
        ("[1]", ["unsupported"], 0),
        ("Sources:\n[1] Bridget Jones's Diary\n[2] You've Got Mail", ["supported", "supported"], 0),
        ("Bridget Jones's Diary and You've Got Mail are romantic comedies [1][2].", ["supported", "supported"], 0),
        ("Love Actually [1]", ["unsupported"], 0),
        ('Her mother calls Darcy "a haughty barrister in a reindeer jumper" [1].', ["supported"], 0),
        ('Her mother calls Darcy "a haughty surgeon in a reindeer jumper" [1].', ["unsupported"], 0),
    ],
)
def test_answers_of_every_kind(text: str, statuses: list[str], uncited: int, films: Workspace) -> None:
    answer = checked(text, sources(films, 70, 587, 71), films)
    assert [c.status for c in answer.citations] == statuses and len(answer.uncited) == uncited


def test_sources_may_hold_a_claim_up_together(films: Workspace) -> None:
    text = "Mark Darcy is a haughty barrister, and Joe Fox is the heir of a discount superstore [1][2]."
    answer = checked(text, sources(films, 70, 587), films)
    assert [c.status for c in answer.citations] == ["supported", "supported"]
    assert [c.status for c in checked(text.replace("[2]", ""), sources(films, 70), films).citations] == ["unsupported"]
    assert [c.status for c in checked(text, sources(films, 70, 71), films).failed] == ["unsupported", "unsupported"]


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u200b\u200b", "\x1b[0m", "?!…"])
def test_an_empty_answer_is_no_answer(text: str, films: Workspace) -> None:
    with pytest.raises(UsageError, match="empty"):
        checked(text, sources(films, 70), films)


def test_a_huge_answer_is_cut_and_says_so(films: Workspace) -> None:
    answer = checked("Mark Darcy is a barrister [1]. " * 3000, sources(films, 70), films)
    assert len(answer.text) <= MOST and len(answer.citations) > 100 and not answer.failed
    assert any("left out" in text for text in films.drain()[0])


def test_without_sources_every_citation_is_absent(films: Workspace) -> None:
    answer = checked("Mark Darcy is a barrister [1].", [], films)
    assert answer.citations[0].evidence == "no source was given"
    assert verdict(answer) == "0 of 1 citation holds"


def test_a_long_document_is_judged_as_a_whole(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    """Not only by the passages that an answer was made from; a sentence far down counts."""
    filler = " ".join(f"The ferry number {i} crosses the strait of salt." for i in range(200))
    ws = workspace(catalogue(f"{filler} A red fox guards the vineyard at night. {filler}"))
    source = [Passage(0, "", 0, 0, 0.0)]
    assert not checked("The vineyard is guarded by a red fox [1].", source, ws).failed
    assert checked("The vineyard is sold to a bank in Lisbon [1].", source, ws).failed


def test_the_same_check_twice_is_the_same(films: Workspace) -> None:
    def once() -> Answer:
        return checked(ERRING, sources(films, 70, 587, 71), films)

    assert once() == once()
