"""Chunks: sizes, overlap, what is refused, and that no chunk repeats another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.types import Document
from strata.errors import UsageError
from strata.semantic.chunking import Chunking, chunk_spans, chunk_text, document_chunks
from strata.semantic.sentences import sentence_spans


def chunks(count: int, chunking: Chunking) -> list[str]:
    text = " ".join(f"S{i}." for i in range(count))
    return [text[start:end] for start, end in chunk_spans(text, chunking)]


def test_chunks_of_four_sentences_share_one() -> None:
    assert chunks(8, Chunking()) == ["S0. S1. S2. S3.", "S3. S4. S5. S6.", "S6. S7."]


def test_no_chunk_lies_within_the_one_before() -> None:
    assert chunks(4, Chunking()) == ["S0. S1. S2. S3."]
    assert chunks(7, Chunking()) == ["S0. S1. S2. S3.", "S3. S4. S5. S6."]


def test_without_overlap_every_sentence_is_in_one_chunk() -> None:
    assert chunks(3, Chunking(2, 0)) == ["S0. S1.", "S2."]


@pytest.mark.parametrize(("sentences", "overlap"), [(4, 4), (4, 5), (1, 1), (4, -1), (0, 0), (-3, 0)])
def test_an_overlap_that_would_never_advance_is_refused(sentences: int, overlap: int) -> None:
    """Case 36: overlap >= size hung for ever."""
    with pytest.raises(UsageError) as caught:
        Chunking(sentences, overlap)
    assert str(sentences if sentences < 1 else overlap) in caught.value.message


def test_a_document_without_text_has_one_chunk_its_title() -> None:
    document = Document(1, "Alien", " \n")
    assert document_chunks(document, Chunking()) == [(0, 0)]
    assert chunk_text(document, 0, 0) == "Alien"


def test_a_document_without_text_and_title_has_none() -> None:
    assert document_chunks(Document(1, " ", ""), Chunking()) == []


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Alien", "It hunts.", "Alien. It hunts."),
        ("Mother!", "It hunts.", "Mother! It hunts."),
        ("Monsters, Inc.", "It scares.", "Monsters, Inc. It scares."),
        ("", "It hunts.", "It hunts."),
    ],
)
def test_the_encoder_reads_the_title_then_the_sentences(title: str, text: str, expected: str) -> None:
    assert chunk_text(Document(1, title, text), 0, len(text)) == expected


sizes = st.integers(1, 6).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@given(st.text(alphabet="aB.!? \n漢。", max_size=120), sizes)
def test_chunks_cover_the_sentences_in_order_and_none_holds_another(text: str, size: tuple[int, int]) -> None:
    chunking, sentences = Chunking(*size), sentence_spans(text)
    spans = chunk_spans(text, chunking)
    held = [[i for i, (a, b) in enumerate(sentences) if start <= a and b <= end] for start, end in spans]
    assert sorted({i for chunk in held for i in chunk}) == list(range(len(sentences)))
    assert all(1 <= len(chunk) <= chunking.sentences for chunk in held)
    for before, after in pairwise(held):
        assert len(set(before) & set(after)) == chunking.overlap
        assert after[-1] > before[-1] and after[0] > before[0]
