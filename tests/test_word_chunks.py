"""Chunks of words, the lessons' first way: every word in one, neighbours share `overlap` of them, none is idle."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.errors import UsageError
from strata.semantic.chunking import word_chunks
from tests.conftest import Run

SIZES = st.integers(1, 9).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@pytest.mark.parametrize(
    ("words", "size", "overlap", "wanted"),
    [
        ("", 3, 0, []),
        (" \n\t ", 3, 2, []),
        ("a", 3, 0, ["a"]),
        ("a", 3, 2, ["a"]),
        ("a b c", 3, 0, ["a b c"]),
        ("a b c", 3, 2, ["a b c"]),
        ("a b c d", 3, 0, ["a b c", "d"]),
        ("a b c d", 3, 1, ["a b c", "c d"]),
        ("a b c d e", 3, 1, ["a b c", "c d e"]),
        ("a b c d e", 3, 2, ["a b c", "b c d", "c d e"]),
        ("a b c d e f", 3, 1, ["a b c", "c d e", "e f"]),
        ("a b c", 1, 0, ["a", "b", "c"]),
        ("a  b\nc\u00a0d\u2003e", 2, 0, ["a b", "c d", "e"]),
    ],
)
def test_chunks_hold_these_words(words: str, size: int, overlap: int, wanted: list[str]) -> None:
    assert word_chunks(words, size, overlap) == wanted


@given(st.integers(0, 40), SIZES)
def test_every_word_is_held_in_order_and_no_chunk_only_repeats(count: int, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    held = [[int(word) for word in chunk.split()] for chunk in word_chunks(" ".join(map(str, range(count))), *sizes)]
    for chunk in held:
        assert chunk == list(range(chunk[0], chunk[-1] + 1))
        assert len(chunk) == size or (chunk is held[-1] and len(chunk) < size)
    for chunk, following in pairwise(held):
        assert following[0] == chunk[-1] + 1 - overlap
        assert following[-1] > chunk[-1]
    assert sorted({word for chunk in held for word in chunk}) == list(range(count))


@given(st.text(st.sampled_from("aé🐻 \n\t\u00a0\u200b中\ud800")) | st.text(), SIZES)
def test_any_text_loses_nothing_but_white_space(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    chunks = word_chunks(text, size, overlap)
    first = [chunk.split() for chunk in chunks]
    assert [word for place, chunk in enumerate(first) for word in chunk[overlap if place else 0 :]] == text.split()


@given(st.integers(-9, 9), st.integers(-9, 9))
def test_a_size_or_overlap_that_never_advances_is_refused_and_any_other_ends(size: int, overlap: int) -> None:
    """cases.md 36: overlap ≥ size hung forever."""
    if size >= 1 and 0 <= overlap < size:
        assert word_chunks("a b c d e f g h", size, overlap)
        return
    for text in ("a b c d e f g h", ""):
        with pytest.raises(UsageError) as caught:
            word_chunks(text, size, overlap)
        assert caught.value.exit_status == 2 and caught.value.next_step


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--chunk-size", "5", "--overlap", "5"), "chunks of 5 words cannot overlap by 5; the overlap may be 0 to 4"),
        (("--chunk-size", "1", "--overlap", "1"), "chunks of 1 word cannot overlap by 1; the overlap may be 0;"),
        (("--overlap", "200"), "chunks of 200 words cannot overlap by 200"),
        (("--chunk-size", "5", "--overlap", "-1"), "cannot overlap by -1"),
        (("--chunk-size", "0"), "at least 1 word, not 0"),
        (("--chunk-size", "-3"), "at least 1 word, not -3"),
        (("--chunk-size", "many"), "not a valid int"),
    ],
)
def test_the_command_refuses_in_one_line(cli: Run, options: tuple[str, ...], said: str) -> None:
    done = cli("semantic_search_cli", "chunk", "some words to cut", *options)
    assert (done.status, done.out) == (2, "") and said in done.err and len(done.err.splitlines()) == 1
    in_json = cli("semantic_search_cli", "chunk", "some words to cut", *options, "--json")
    assert in_json.status == 2 and in_json.out == "" and in_json.err.startswith('{"error": {"kind": "usage"')


def test_the_lessons_refusal_ends_at_once_in_a_process_of_its_own(process: Run) -> None:
    done = process("semantic_search_cli", "chunk", "a b c d e f", "--chunk-size", "5", "--overlap", "5", timeout=60)
    assert (done.status, done.out) == (2, "")


def test_the_command_gives_the_chunks_as_text_and_as_json(cli: Run) -> None:
    done = cli("semantic_search_cli", "chunk", "a b c d e", "--chunk-size", "3", "--overlap", "1")
    assert done.out.splitlines() == ["2 chunks of 5 words", "1. a b c", "2. c d e"]
    found = cli("semantic_search_cli", "chunk", "a b c d e", "--chunk-size", "3", "--overlap", "1", "--json").json
    assert found == {"chunks": ["a b c", "c d e"]}
    assert cli("semantic_search_cli", "chunk", "").out == "0 chunks of 0 words\n"
    assert cli("semantic_search_cli", "chunk", "", "--json").json == {"chunks": []}
    assert cli("semantic_search_cli", "chunk", "one").out == "1 chunk of 1 word\n1. one\n"


def test_two_hundred_words_are_a_chunk_where_nothing_else_is_said(cli: Run) -> None:
    text = " ".join(f"w{i}" for i in range(450))
    chunks = cli("semantic_search_cli", "chunk", text, "--json").json["chunks"]
    assert [len(chunk.split()) for chunk in chunks] == [200, 200, 50]
