"""Chunks of sentences: every sentence in one, neighbours share `overlap` of them, and no chunk is idle."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import paths
from strata.core.types import Document
from strata.errors import UsageError
from strata.semantic.chunking import Chunking, chunk_spans, chunk_text, document_chunks
from strata.semantic.sentences import sentence_spans

CHUNKINGS = st.integers(1, 7).flatmap(lambda size: st.builds(Chunking, st.just(size), st.integers(0, size - 1)))


def numbered(count: int) -> str:
    """A text of so many sentences."""
    return " ".join(f"Sentence {i} ends." for i in range(count))


def members(text: str, chunking: Chunking) -> list[list[int]]:
    """For each chunk the numbers of the sentences that it holds."""
    sentences = sentence_spans(text)
    return [
        [i for i, (a, b) in enumerate(sentences) if start <= a and b <= end]
        for start, end in chunk_spans(text, chunking)
    ]


@pytest.mark.parametrize(("size", "overlap"), [(5, 5), (1, 1), (4, 5), (4, -1), (0, 0), (-1, 0), (0, -1)])
def test_an_overlap_that_never_advances_is_refused(size: int, overlap: int) -> None:
    """cases.md 36: overlap ≥ size hung forever."""
    with pytest.raises(UsageError) as caught:
        Chunking(size, overlap)
    assert caught.value.exit_status == 2 and caught.value.next_step


@pytest.mark.parametrize(
    ("sentences", "size", "overlap", "wanted"),
    [
        (0, 4, 1, []),
        (1, 4, 1, [[0]]),
        (4, 4, 1, [[0, 1, 2, 3]]),
        (5, 4, 1, [[0, 1, 2, 3], [3, 4]]),
        (7, 4, 1, [[0, 1, 2, 3], [3, 4, 5, 6]]),
        (4, 2, 0, [[0, 1], [2, 3]]),
        (3, 1, 0, [[0], [1], [2]]),
        (5, 3, 2, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
    ],
)
def test_chunks_hold_these_sentences(sentences: int, size: int, overlap: int, wanted: list[list[int]]) -> None:
    assert members(numbered(sentences), Chunking(size, overlap)) == wanted


@given(st.integers(0, 30), CHUNKINGS)
def test_no_chunk_only_repeats_and_no_sentence_is_lost(count: int, chunking: Chunking) -> None:
    held = members(numbered(count), chunking)
    assert sorted({i for chunk in held for i in chunk}) == list(range(count))
    for chunk, following in pairwise(held):
        assert chunk[-chunking.overlap :] == following[: chunking.overlap] if chunking.overlap else True
        assert len(set(chunk) & set(following)) == chunking.overlap
        assert following[-1] > chunk[-1]
    for chunk in held:
        assert chunk == list(range(chunk[0], chunk[-1] + 1))
        assert len(chunk) == chunking.sentences or (chunk is held[-1] and len(chunk) < chunking.sentences)


@given(st.text(st.sampled_from("aB.!? \n\t5é。”")) | st.text(), CHUNKINGS)
def test_chunks_of_any_text_lose_nothing_but_white_space(text: str, chunking: Chunking) -> None:
    spans = chunk_spans(text, chunking)
    covered = {i for start, end in spans for i in range(start, end)}
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    assert [start for start, _ in spans] == sorted({start for start, _ in spans})
    assert [end for _, end in spans] == sorted({end for _, end in spans})
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)


@pytest.mark.parametrize(
    ("title", "text", "wanted"),
    [
        ("Up", "", ["Up"]),
        (" Up ", " \n", ["Up"]),
        ("", "A house flies.", ["A house flies."]),
        ("  ", "A house flies.", ["A house flies."]),
        ("", "", []),
        (" ", "\n", []),
        ("Up", "A house flies.", ["Up. A house flies."]),
        ("Airplane!", "A plane flies.", ["Airplane! A plane flies."]),
        ("Monsters, Inc.", "A door.", ["Monsters, Inc. A door."]),
        ("Up", "One. Two. Three. Four. Five.", ["Up. One. Two. Three. Four.", "Up. Four. Five."]),
    ],
)
def test_the_encoder_reads_the_title_and_then_the_sentences(title: str, text: str, wanted: list[str]) -> None:
    document = Document(1, title, text)
    assert [chunk_text(document, *span) for span in document_chunks(document, Chunking())] == wanted


def test_every_bundled_film_has_a_chunk_and_nearly_all_have_few_words_more_than_an_encoder_reads() -> None:
    films = json.loads((paths.data_dir() / "movies.json").read_text(encoding="utf-8"))["movies"]
    lengths = []
    for film in films:
        document = Document(film["id"], film["title"], film["description"])
        chunks = document_chunks(document, Chunking())
        assert chunks
        lengths += [len(chunk_text(document, *span).split()) for span in chunks]
    # 256 tokens are about 190 English words.
    assert sum(length > 190 for length in lengths) < 0.02 * len(lengths)
