"""What a reranker reads of a document, and late interaction against a sum by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from strata.core.types import Query, Ranking
from strata.errors import UsageError
from strata.pipeline.workspace import Workspace
from strata.rerank import reading
from strata.rerank.late_interaction import LateInteraction
from strata.rerank.maxsim import MaxSim, best_cosines
from strata.rerank.order import reranked
from strata.semantic.chunking import Chunking
from strata.semantic.units import Cut
from tests.counting import Encoders, Opened
from tests.tiny_bert import tiny_bert

ENCODER = "all-MiniLM-L6-v2"
LONG = " ".join(f"Sentence number {i} tells of thing {i}." for i in range(120))


def count(text: str) -> int:
    """Tokens as a tokenizer of words and marks would count them."""
    return len(text.replace(".", " . ").replace(",", " , ").split())


def listed(*docs: int) -> Ranking:
    return Ranking("rrf", np.array(docs, dtype=np.int32), np.linspace(1, 0.1, len(docs)), matched=len(docs))


def best_chunk(ws: Workspace, query: str, doc: int) -> str:
    store = ws.vectors(ENCODER, Cut(Chunking()))
    rows = np.flatnonzero(store.docs == doc)
    best = rows[int(np.argmax(store.vectors[rows] @ ws.encoder(ENCODER).encode([query], "query")[0]))]
    return ws.corpus.document(doc).text[int(store.starts[best]) : int(store.ends[best])]


def test_what_fits_is_read_whole_without_a_vector(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]
) -> None:
    ws = opened(catalogue({"id": 1, "title": "Bear", "description": "A bear.", "genres": ["Drama", "War"]}))
    assert reading.texts_of(Query("q"), [0], ws, 50, count, ENCODER) == ["Bear. Drama War. A bear."]
    assert not encoders[ENCODER].drain()


@pytest.mark.parametrize("room", [20, 60, 200])
@pytest.mark.parametrize("query", ["bear", "thing 100", "quite something else"])
def test_of_a_long_text_the_best_passages_are_read_under_its_title(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], room: int, query: str
) -> None:
    """Never its beginning because it is the beginning."""
    ws = opened(catalogue("other", {"id": 2, "title": "Numbers", "description": LONG}))
    _, text = reading.texts_of(Query(query), [0, 1], ws, room, count, ENCODER)
    assert text.startswith("Numbers. ") and count(text) <= room
    best = best_chunk(ws, query, 1)
    start = text.removeprefix("Numbers. ")
    assert best in text if count(best) + 5 < room else best.startswith(start.split(reading.BETWEEN)[0])
    for passage in start.split(reading.BETWEEN):
        assert passage in LONG


def test_where_tokens_are_short_less_is_read_so_that_the_best_passages_still_fit(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]
) -> None:
    """A Chinese or Japanese letter is a token each; four characters a token would be four times too much."""
    text = "".join(f"熊{i}が来た。" for i in range(400))
    ws = opened(catalogue({"id": 1, "title": "熊", "description": text}))
    (read,) = reading.texts_of(Query("熊7"), [0], ws, 200, len, ENCODER)
    assert 100 < len(read) <= 200 and best_chunk(ws, "熊7", 0) in read


def test_a_text_far_too_long_is_not_even_counted(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]
) -> None:
    ws = opened(catalogue({"id": 1, "title": "", "description": "x" * 100_000}))
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return len(text) // 5

    (read,) = reading.texts_of(Query("q"), [0], ws, 100, counting, ENCODER)
    assert max(counted) <= 400 and len(read) <= 400


def test_documents_without_text_or_title(encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]) -> None:
    ws = opened(catalogue({"id": 1, "title": "", "description": ""}, {"id": 2, "title": "Only", "description": " "}))
    assert reading.texts_of(Query("q"), [0, 1], ws, 50, count, ENCODER) == ["", "Only"]
    assert reading.shown(Query("q"), [0], ws, 50, ENCODER) == [{"title": "", "text": ""}]


def test_a_title_without_end_is_left_for_the_tokenizer(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path]
) -> None:
    ws = opened(catalogue({"id": 1, "title": "long " * 400, "description": LONG}))
    (read,) = reading.texts_of(Query("q"), [0], ws, 100, count, ENCODER)
    assert read.startswith("long long") and len(read) < 3000
    (shown,) = reading.shown(Query("q"), [0], ws, 200, ENCODER)
    assert len(str(shown["title"])) == reading.LONGEST_TITLE and len(str(shown["text"])) <= 200 + len(reading.BETWEEN)


# The order of new scores


def test_the_order_is_by_score_and_equal_scores_keep_theirs() -> None:
    ranking = reranked("x", [7, 3, 5, 1], [1.0, 2.0, 1.0, 2.0])
    assert ranking.docs.tolist() == [3, 1, 7, 5] and ranking.scores.tolist() == [2, 2, 1, 1]
    assert (ranking.docs.dtype, ranking.scores.dtype, ranking.matched) == (np.int32, np.float64, 4)


def test_many_equal_scores_keep_their_order_too() -> None:
    docs = [(7 * i) % 101 for i in range(100)]
    ranking = reranked("x", docs, [float(doc % 2) for doc in docs])
    assert ranking.docs.tolist() == [d for d in docs if d % 2] + [d for d in docs if not d % 2]


# Late interaction


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")
    pytest.importorskip("safetensors", reason="the extra `semantic` is not installed (safetensors)")
    return str(tiny_bert(tmp_path / "tiny"))


def test_the_score_is_the_sum_of_the_best_cosines_of_the_querys_tokens(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    """Against loops over the hidden states, [CLS] and [SEP] left out."""
    from strata.encoders.bert_numpy import Bert
    from strata.encoders.tokens import Tokens
    from strata.encoders.weights import find

    ws = opened(catalogue("a b c", "d e", "a a a", {"id": 4, "title": "", "description": ""}))
    layer = LateInteraction(token_encoder=tiny)
    ranking = layer(Query("a e"), listed(0, 1, 2, 3), ws)
    found = find(tiny, ws.settings, pytest.fail)
    bert, tokens = Bert(found.folder), Tokens(found).tokenizer

    def vectors(text: str) -> np.ndarray:
        ids = np.array([tokens.encode(text).ids])
        inner = bert.hidden(ids, np.ones(ids.shape, dtype=bool))[0][1:-1].astype(np.float64)
        return inner / np.linalg.norm(inner, axis=1, keepdims=True)

    for doc, score in zip(ranking.docs.tolist(), ranking.scores.tolist(), strict=True):
        there = vectors(ws.corpus.vector_text(ws.corpus.document(doc)))
        expected = sum(max((float(one @ other) for other in there), default=-1.0) for one in vectors("a e"))
        assert score == pytest.approx(expected, abs=1e-5)
        part = layer.explain(Query("a e"), doc, ws)
        assert part.value == pytest.approx(score, abs=1e-9) and len(part.parts) == 2
        assert sum(one.value for one in part.parts) == pytest.approx(part.value, rel=1e-9)
    assert ranking.docs.tolist()[-1] == 3 and ranking.scores[-1] == -2, "a document without tokens comes last"
    assert ranking.name == "late_interaction"
    assert ws.drain()[2] == {"label": "sum of cosines", "token_encoder": tiny}


def test_a_document_alone_and_among_others_has_the_same_score(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    path = catalogue("a b c", "d e f g h", "a", LONG)
    together = LateInteraction(token_encoder=tiny)(Query("a d"), listed(3, 1, 0, 2), opened(path))
    for doc, score in zip(together.docs.tolist(), together.scores.tolist(), strict=True):
        assert LateInteraction(token_encoder=tiny)(Query("a d"), listed(doc), opened(path)).scores.tolist() == [score]


def test_late_interaction_of_nothing(opened: Opened, catalogue: Callable[..., Path], tiny: str) -> None:
    assert not len(LateInteraction(token_encoder=tiny)(Query("a"), listed(), opened(catalogue("a"))).docs)
    asked, there = np.ones((2, 3), dtype=np.float32), np.empty((0, 3), dtype=np.float32)
    assert best_cosines(asked, there)[0].tolist() == [-1, -1]
    assert best_cosines(there, asked)[0].sum() == 0
    with pytest.raises(UsageError):
        LateInteraction(candidates=0)


def test_an_encoder_that_numpy_does_not_run_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")
    from strata.encoders.weights import find
    from strata.settings import Settings

    given = Settings("movies", tmp_path / "cache", tmp_path / "log")
    with pytest.raises(UsageError, match="token vectors"):
        MaxSim(find(str(tiny_bert(tmp_path / "dense", dense=True)), given, pytest.fail))
