"""Conditions on fields: what they mean, and what is refused before a search begins."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.filters import Condition, allowed, parse
from strata.core.types import Document
from strata.errors import UsageError

AMELIE = Document(1, "Amélie", "", {"year": 2001, "genres": ["Comedy", "Romance"], "language": "French", "score": 8.3,
                                    "seen": None, "votes": 10**400})  # fmt: skip
OTHER = Document(2, "Up", "", {"year": "2009"})
EMPTY = Document(3, "", "")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("year>=1990", Condition("year", ">=", "1990")),
        (" year <  1990 ", Condition("year", "<", "1990")),
        ("genres=Science Fiction", Condition("genres", "=", "Science Fiction")),
        ("title!=a=b", Condition("title", "!=", "a=b")),
        ("box.office-us>-1e3", Condition("box.office-us", ">", "-1e3")),
        ("größe<=1.5", Condition("größe", "<=", "1.5")),
    ],
)
def test_a_condition_is_read_as_written(text: str, wanted: Condition) -> None:
    assert parse(text) == wanted


@pytest.mark.parametrize("text", ["", "year", "year=", "=1990", "year>=new", "year>nan", "year<inf", "two words=1",
                                  "year>=1 and more", ">=", "year≈1990", "text=bear", "text!=b", "text<3"])  # fmt: skip
def test_what_is_no_condition_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.exit_status == 2 and caught.value.next_step and "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("year>=2001", True),
        ("year>2001", False),
        ("year<=2001", True),
        ("year<2001", False),
        ("year=2001", True),
        ("year!=2001", False),
        ("score>8", True),
        ("genres=comedy", True),
        ("genres=Com", False),
        ("genres!=Romance", False),
        ("genres!=Horror", True),
        ("title=amelie", True),
        ("title=AMÉLIE", True),
        ("title~amelie", True),
        ("title!~amelie", False),
        ("title~up", False),
        ("genres~romance", True),
        ("genres!~horror", True),
        ("seen~x", False),
        ("seen!~x", True),
        ("score=8.30", True),
        ("score!=8.3", False),
        ("year=2001.0", True),
        ("language>5", False),
        ("seen=None", False),
        ("seen!=x", True),
        ("votes>=1", True),
        ("votes<1", False),
    ],
)
def test_what_a_condition_means_for_a_film(text: str, holds: bool) -> None:
    assert parse(text).holds(AMELIE) is holds


def test_a_number_in_a_text_is_compared_as_a_number() -> None:
    assert parse("year>2001").holds(OTHER) and not parse("year>=2010").holds(OTHER)


@pytest.mark.parametrize("operator", ["=", ">", ">=", "<", "<="])
def test_a_document_without_the_field_meets_not_equal_only(operator: str) -> None:
    assert not Condition("year", operator, "1").holds(EMPTY)
    assert Condition("year", "!=", "1").holds(EMPTY)


VALUES = st.none() | st.integers(-3, 3) | st.floats(-3, 3) | st.lists(st.integers(-3, 3), max_size=3)


@given(VALUES, st.integers(-3, 3))
def test_each_comparison_is_the_other_ones_complement_for_single_numbers(value: Any, bound: int) -> None:
    def holds(operator: str) -> bool:
        return Condition("x", operator, str(bound)).holds(Document(1, "", "", {"x": value}))

    assert holds("=") != holds("!=")
    if isinstance(value, int | float):
        assert holds(">=") != holds("<") and holds("<=") != holds(">")
        assert holds(">=") == (value >= bound) and holds("<=") == (value <= bound)
    elif isinstance(value, list):
        assert holds(">") == any(item > bound for item in value)
    else:
        assert not any(map(holds, ("=", ">", ">=", "<", "<=")))


def test_all_conditions_must_hold_and_places_are_kept() -> None:
    documents = [AMELIE, OTHER, EMPTY]
    assert allowed(documents, [], set()).tolist() == [True, True, True]
    assert allowed(documents, [parse("year>=2001")], set()).tolist() == [True, True, False]
    both = [parse("year>=2001"), parse("language!=french")]
    found = allowed(documents, both, set())
    assert found.tolist() == [False, True, False] and found.dtype == bool


def test_a_field_that_no_document_has_is_refused_naming_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        allowed([AMELIE, OTHER], [parse("yaer>=2001")], {"title"})
    assert '"yaer"' in caught.value.message
    assert "genres, language, score, seen, title, votes, year" in caught.value.next_step
