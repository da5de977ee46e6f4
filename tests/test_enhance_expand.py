"""Expanding by rule: the relevance model against its formula, and what becomes of its words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from strata.core.analysis import stopwords, tokens
from strata.core.types import Plan, Query
from strata.enhance.expand import Expand
from strata.enhance.rm3 import relevance_model
from strata.errors import UsageError
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace


@pytest.fixture
def sea(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Workspace:
    return workspace(
        catalogue(
            "Penguins and a krill hunt: krill, ice and a penguin colony",
            "A penguin swims under the ice and hunts krill",
            "Sharks hunt seals near the coast",
            "A love story in Paris",
            "",
        )
    )


def test_the_model_is_its_formula(sea: Workspace) -> None:
    index, corpus = sea.index, sea.corpus
    terms = index.query_terms("penguin ice")
    docs, scores = BM25().search(index, terms, 2)
    wanted: defaultdict[str, float] = defaultdict(float)
    for doc, score in zip(docs.tolist(), scores.tolist(), strict=True):
        words = [index.stem(w) for w in tokens(corpus.keyword_text(corpus.document(doc))) if w not in stopwords()]
        for word in words:
            wanted[word] += score / scores.sum() / len(words)
    found = {index.terms[one.term]: one.value for one in relevance_model(index, terms, 2)}
    assert found == pytest.approx(dict(wanted))
    assert sum(found.values()) == pytest.approx(1)


def test_words_are_shown_as_the_documents_write_them_most(sea: Workspace) -> None:
    model = relevance_model(sea.index, sea.index.query_terms("penguin ice"), 2)
    words = {sea.index.terms[one.term]: one.word for one in model}
    assert words["krill"] == "krill" and words["hunt"] == "hunt" and words["penguin"] == "penguin"
    assert [(-one.value, one.word) for one in model] == sorted((-one.value, one.word) for one in model)


def test_the_request_stays_and_its_expansion_is_a_variant(sea: Workspace) -> None:
    q = Expand(fb_docs=2, fb_terms=2, most_common=1)(Query("penguin ice"), sea)
    facts = sea.drain()[2]
    assert q.text == "penguin ice" and len(facts["added"]) == 2 and facts["by_rule"] is True
    assert q.variants == (f"penguin ice {' '.join(facts['added'])}",)
    assert facts["added"][0] == "krill"
    assert not set(facts["added"]) & {"penguin", "penguins", "ice"}


def test_both_texts_are_searched_and_fused(sea: Workspace) -> None:
    plan = Plan(retrieve=(BM25(),), fuse=RRF(), enhance=Expand(fb_docs=1, fb_terms=5, most_common=1))
    trace = run(plan, Query("swims"), sea)
    assert [step.label for step in trace.lists] == ["keyword", "keyword (2)"]
    assert len(trace.final.docs) > len(trace.lists[0].output.docs) == 1


def test_the_weight_is_kept_by_repeats(sea: Workspace) -> None:
    said = [
        Expand(2, 4, weight, 1)(Query("penguin ice"), sea).variants[0].count("penguin ice") for weight in (0, 0.5, 0.8)
    ]
    assert said == [0, 2, 8]
    assert Expand(2, 4, 1.0, 1)(Query("penguin ice"), sea).variants == ()


def test_words_of_too_many_documents_are_not_added(sea: Workspace) -> None:
    q = Query("penguin")
    every = set(Expand(most_common=1)(q, sea).variants[0].split())
    rare = set(Expand(most_common=0.25)(q, sea).variants[0].split())
    assert "krill" in every and "krill" not in rare and rare < every


def test_documents_that_are_left_out_do_not_speak(sea: Workspace) -> None:
    q = Expand(fb_docs=1, most_common=1)(Query("penguin", exclude=frozenset({0})), sea)
    assert "swims" in q.variants[0] and "colony" not in q.variants[0] and q.exclude == {0}


@pytest.mark.parametrize("text", ["quokka axolotl", "", "🙂", "the of and", "пингвин"])
def test_nothing_to_expand_by_is_announced(sea: Workspace, text: str) -> None:
    assert Expand()(Query(text), sea) == Query(text)
    notices, _, facts = sea.drain()
    assert "nothing to expand it by" in notices[0] and facts["added"] == []


def test_the_same_every_time_and_bounded(films: Workspace) -> None:
    text = "a long request about wizards and a school " * 200
    one, two = (Expand()(Query(text), films) for _ in range(2))
    assert one == two and len(one.variants[0]) < 2 * len(text)


@pytest.mark.parametrize(
    "wrong",
    [{"fb_docs": 0}, {"fb_terms": 0}, {"fb_terms": 10**6}, {"original_weight": 1.1}, {"original_weight": float("nan")},
     {"most_common": -0.1}],
)  # fmt: skip
def test_settings_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Expand(**wrong)  # type: ignore[arg-type]
