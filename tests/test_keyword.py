"""The keyword layer against oracles: a brute-force scorer, bm25s, and its own explanations."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.core.types import Query
from strata.errors import UsageError
from strata.keyword import build as building
from strata.keyword import formulas, many, postings, topk
from strata.keyword.bm25 import BM25
from strata.keyword.build import build
from strata.keyword.forward import counted, order_by, spread
from strata.keyword.index import Index
from strata.keyword.tfidf import TfIdf
from strata.keyword.topk import best, totals
from strata.pipeline.workspace import Workspace
from strata.storage import Artefact

WORDS = ["bear", "bears", "horse", "marmalade", "london", "the", "amélie", "日本", "x", "running"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=40)


@pytest.fixture(scope="module", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Folders that examples make go where pytest clears up."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("indexes")))
        yield


def index_of(texts: list[str], folder: Path | None = None) -> Index:
    folder = folder or Path(tempfile.mkdtemp(prefix="strata-test-"))
    return Index(Artefact(folder, build(texts, folder)))


def brute_force(index: Index, texts: list[str], query: str, k1: float, b: float) -> list[tuple[int, float]]:
    """BM25 as the formula reads, over lists of terms: best first, ties by position, only what shares a term."""
    documents = [[t for t in index.analyse(text).terms if t is not None] for text in texts]
    n, avgdl = len(texts), sum(map(len, documents)) / len(texts)
    scores = []
    for i, terms in enumerate(documents):
        score, shares = 0.0, False
        for term in index.analyse(query).terms:
            tf = terms.count(term) if term is not None else 0
            if tf:
                shares = True
                df = sum(term in other for other in documents)
                idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
                score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(terms) / avgdl))
        if shares:
            scores.append((i, score))
    return sorted(scores, key=lambda pair: (-pair[1], pair[0]))


@settings(deadline=None, max_examples=60)
@given(
    TEXTS,
    st.lists(st.sampled_from([*WORDS, "zebra"]), min_size=1, max_size=6).map(" ".join),
    st.sampled_from([(1.5, 0.75), (0.0, 0.75), (1.2, 0.0), (2.0, 1.0)]),
    st.integers(1, 50),
)
def test_bm25_equals_brute_force(texts: list[str], query: str, setting: tuple[float, float], k: int) -> None:
    """cases.md 5, 7, 10, 19, 20, 21: idf above 0, k above N, pairs kept together, 0 honoured, repeats counted."""
    index = index_of(texts)
    docs, scores = BM25(*setting).search(index, index.query_terms(query), k)
    expected = brute_force(index, texts, query, *setting)
    assert len(docs) == min(k, len(expected))
    assert scores.tolist() == pytest.approx([score for _, score in expected[:k]], rel=1e-12)
    exact = dict(expected)
    assert [exact[doc] for doc in docs.tolist()] == pytest.approx(scores.tolist(), rel=1e-12)
    pairs = list(zip(scores.tolist(), docs.tolist(), strict=True))
    assert pairs == sorted(pairs, key=lambda pair: (-pair[0], pair[1])), "ties stand in the catalogue's order"


def test_bm25_equals_bm25s_given_our_terms(films: Workspace) -> None:
    """bm25s's `lucene` leaves out the factor k1 + 1 = 2.5. Same top 10 up to ties, for every golden query."""
    import bm25s

    from strata.core.golden import load_golden
    from strata.paths import data_dir

    index = films.index
    texts = [films.corpus.keyword_text(document) for document in films.corpus.documents()]
    terms = [[str(t) for t in index.query_terms(text)] for text in texts]
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    theirs.index(terms, show_progress=False)
    for query in load_golden(data_dir() / "golden_dataset.json").queries:
        known = index.query_terms(query.text)
        if not known:
            continue
        docs, scores = BM25().search(index, known, 10)
        all_theirs = theirs.get_scores([str(t) for t in known]) * 2.5
        assert scores.tolist() == pytest.approx(np.sort(all_theirs)[::-1][: len(scores)].tolist(), rel=1e-5), query.text
        assert all_theirs[docs].tolist() == pytest.approx(scores.tolist(), rel=1e-5)


def test_stored_and_computed_contributions_are_the_same_numbers(films: Workspace) -> None:
    """Any k1 and b take the same path: the usual ones, computed anew, equal what the index holds bit for bit."""
    index = films.index
    for i in range(0, len(index.terms), 97):
        row = index.row(i)  # type: ignore[arg-type]
        assert np.array_equal(row.impacts, BM25()._impacts(index, row))


@settings(deadline=None, max_examples=40)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join))
def test_a_score_is_the_sum_of_its_explanation(texts: list[str], query: str) -> None:
    class Small:
        index = index_of(texts)

    for layer in (BM25(), BM25(0.7, 0.3), TfIdf()):
        ranking = layer(Query(query), Small, len(texts))  # type: ignore[arg-type]
        for doc, score in zip(ranking.docs.tolist(), ranking.scores.tolist(), strict=True):
            part = layer.explain(Query(query), doc, Small)  # type: ignore[arg-type]
            assert part.value == pytest.approx(score, rel=1e-9, abs=1e-12)
            assert sum(p.value for p in part.parts) == pytest.approx(part.value, rel=1e-9, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    TEXTS, st.lists(st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=6).map(" ".join), max_size=7),
    st.integers(1, 50), st.sampled_from([1, 50, 1 << 18]), st.sampled_from([BM25(), BM25(0.7, 0.3)]),
)  # fmt: skip
def test_many_queries_find_what_each_finds_alone(
    texts: list[str], queries: list[str], k: int, cells: int, layer: BM25
) -> None:
    """Bit for bit, however many are worked on at once."""
    index = index_of(texts)
    terms = [index.query_terms(query) for query in queries]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(many, "CELLS", cells)
        found = [(docs.tolist(), scores.tolist()) for docs, scores in layer.search_many(index, terms, k)]
    alone = [layer.search(index, one, k) for one in terms]
    assert found == [(docs.tolist(), scores.tolist()) for docs, scores in alone]


@given(st.lists(st.floats(0, 100) | st.just(0.0), max_size=300), st.integers(1, 20))
def test_the_best_equal_a_full_sort(values: list[float], k: int) -> None:
    sums = np.array(values + [0.0] * (-len(values) % 32))
    docs, scores = best(sums, k)
    expected = sorted(((-v, i) for i, v in enumerate(values) if v > 0))[:k]
    assert list(zip((-scores).tolist(), docs.tolist(), strict=True)) == expected


@given(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20).map(sorted), min_size=1, max_size=5))
def test_few_postings_and_many_give_the_same_sums(rows: list[list[int]]) -> None:
    """Bit for bit, though they are added in two ways."""
    docs = [np.array(row, dtype=np.int32) for row in rows]
    weights = [np.random.default_rng(i).random(len(row)) for i, row in enumerate(rows)]
    joined = totals(docs, weights, 31)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(topk, "MANY", 0)
        assert totals(docs, weights, 31).tolist() == joined.tolist()


@settings(deadline=None, max_examples=30)
@given(TEXTS, st.integers(1, 9))
def test_an_index_does_not_depend_on_how_much_is_worked_on_at_once(texts: list[str], slice_: int) -> None:
    whole, parts = (Path(tempfile.mkdtemp(prefix="strata-test-")) for _ in range(2))
    facts = build(texts, whole)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(building, "SLICE", slice_)
        patched.setattr(postings, "SLICE", slice_)
        assert build(texts, parts) == facts
    assert {f.name: f.read_bytes() for f in parts.iterdir()} == {f.name: f.read_bytes() for f in whole.iterdir()}


def test_idf_is_above_zero_for_a_term_in_half_or_all_documents() -> None:
    """cases.md 5."""
    assert formulas.bm25_idf(2, 4) > 0
    assert formulas.bm25_idf(4, 4) > 0
    assert formulas.idf(4, 4) == 0.0
    assert formulas.idf(0, 593) == math.log(594)


def test_a_longer_document_scores_lower_and_b_0_does_not_care() -> None:
    """cases.md 19."""
    short, long = formulas.bm25_tf(1, 10, 50.0), formulas.bm25_tf(1, 100, 50.0)
    assert long < short
    assert formulas.bm25_tf(1, 10, 50.0, b=0.0) == formulas.bm25_tf(1, 100, 50.0, b=0.0)


def test_k1_0_leaves_idf_alone() -> None:
    """cases.md 20."""
    index = index_of(["bear bear bear", "bear", "fox"])
    _, scores = BM25(k1=0).search(index, index.query_terms("bear"), 5)
    assert scores.tolist() == [formulas.bm25_idf(2, 3)] * 2


@pytest.mark.parametrize(
    ("k1", "b"), [(-1, 0.5), (math.nan, 0.5), (math.inf, 0.5), (1.5, -0.1), (1.5, 1.1), (1.5, math.nan)]
)
def test_settings_without_meaning_are_refused(k1: float, b: float) -> None:
    """cases.md 20."""
    with pytest.raises(UsageError):
        BM25(k1, b)


def test_a_repeated_query_word_counts_each_time() -> None:
    """cases.md 21."""
    index = index_of(["bear", "fox"])
    once = BM25().search(index, index.query_terms("bear"), 1)[1]
    twice = BM25().search(index, index.query_terms("bear bear"), 1)[1]
    assert twice.tolist() == pytest.approx((2 * once).tolist())


def test_documents_without_a_term_count_in_n_and_the_average_length() -> None:
    index = index_of(["bear fox", "", "the of"])
    assert (index.documents, index.avgdl, index.facts["empty"]) == (3, pytest.approx(2 / 3), 2)


def test_a_catalogue_of_tokenless_documents_answers_with_nothing() -> None:
    """cases.md 4."""
    index = index_of(["", "the of and", "!!!"])
    assert index.avgdl == 0.0
    assert index.query_terms("bear") == []
    assert BM25().search(index, [], 5)[0].size == 0


@given(st.lists(st.integers(0, 2**34) | st.integers(0, 3), max_size=60))
def test_numbers_of_any_size_are_ordered_stably(numbers: list[int]) -> None:
    given = np.array(numbers, dtype=np.int64)
    assert order_by(given).tolist() == np.argsort(given, kind="stable").tolist()


@given(st.lists(st.lists(st.integers(0, 70_000) | st.integers(0, 3), max_size=9), max_size=6))
def test_a_forward_list_counts_each_documents_words(documents: list[list[int]]) -> None:
    words = np.array([word for document in documents for word in document], dtype=np.int32)
    docs = np.repeat(np.arange(len(documents), dtype=np.int32), [len(document) for document in documents])
    found = counted(words, docs, len(documents))
    rows = [slice(*found.indptr[i : i + 2]) for i in range(len(documents))]
    pairs = [list(zip(found.surfaces[row].tolist(), found.tfs[row].tolist(), strict=True)) for row in rows]
    assert pairs == [sorted(Counter(document).items()) for document in documents]
    assert spread(np.array([5, 0, 9]), np.array([2, 3, 0])).tolist() == [5, 6, 0, 1, 2]


def test_an_index_is_small_arrays_and_words_and_no_pickle(films: Workspace) -> None:
    files = {file.suffix for file in films.index.path.iterdir()}
    assert files == {".npy", ".txt", ".json"}
    manifest = json.loads((films.index.path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["facts"]["documents"] == 593
