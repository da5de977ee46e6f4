"""Why documents are missed: each cause by a small catalogue made for it, and the bound of what mending gains."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import paths, registry
from strata.core.golden import GoldenQuery, GoldenSet, load_golden
from strata.core.types import Plan, Query, Ranking
from strata.enhance.spell import Spell
from strata.enrich.thin import Entries
from strata.errors import UsageError
from strata.evaluation.causes import CAUSES, LABELS
from strata.evaluation.failures import failures, to_json
from strata.evaluation.gains import gain, reachable
from strata.evaluation.measure import measure, measures
from strata.evaluation.misses import Failures, Sought
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.reasons import reason, verdict
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.pipeline.planfile import preset
from strata.pipeline.run import Memo
from strata.pipeline.workspace import Workspace
from strata.show import failures as show
from strata.show.text import Block, plain

Made = Callable[..., Workspace]


@dataclass(frozen=True)
class Order:
    """A semantic list that is always the same: ids, best first."""

    ids: tuple[str, ...]
    name: str = "meaning"
    family: ClassVar[str] = "semantic"

    def __call__(self, q: Query, ws: Workspace, depth: int) -> Ranking:
        docs = np.array([ws.corpus.position(id) for id in self.ids[:depth]], dtype=np.int32)
        return Ranking(self.name, docs, 1.0 / np.arange(1, len(docs) + 1), matched=len(self.ids))


@dataclass(frozen=True)
class Backwards:
    """A reranker that turns round its first candidates, and does not read the others."""

    candidates: int = 25
    name: str = "backwards"

    def __call__(self, q: Query, found: Ranking, ws: Workspace) -> Ranking:
        docs = found.docs[: self.candidates][::-1]
        return Ranking(self.name, docs, np.arange(len(docs), 0, -1, dtype=float))


@dataclass(frozen=True)
class Only:
    """An enhancement that reads a condition into every query."""

    where: tuple[str, ...] = ()
    exclude: frozenset[int] = frozenset()
    name: str = "only"

    def __call__(self, q: Query, ws: Workspace) -> Query:
        return replace(q, where=self.where, exclude=self.exclude)


@pytest.fixture
def made(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Made:
    """made("text", …): a workspace over texts with the ids 1, 2, …"""
    return lambda *entries: workspace(catalogue(*entries))


def looked_at(ws: Workspace, plan: Plan, text: str, relevant: dict[str, int], limit: int = 1, **more: Any) -> Failures:
    golden = GoldenSet("g", (GoldenQuery("q1", text, relevant),))
    (outcome,) = evaluate([Contender("plan", plan)], golden, ws).outcomes
    return failures(outcome, golden, ws, limit, **more)


def the_miss(found: Failures, cause: str) -> Sought:
    """The only miss, which has this cause."""
    (miss,) = found.missed
    assert miss.cause == cause and found.counts == {cause: 1} and LABELS[cause]
    return miss


KEYWORD = Plan(retrieve=(BM25(),))
BEARS = ("bear bear bear", "bear and fox", "a fox", "a stoat", "a hare")


def both(*ids: str, **more: Any) -> Plan:
    """Keyword and a semantic list of these ids, fused."""
    return Plan(retrieve=(BM25(), Order(ids)), fuse=RRF(), **more)


# One small catalogue a cause


def test_an_id_that_the_catalogue_lacks(made: Made) -> None:
    found = looked_at(made(*BEARS), KEYWORD, "bear", {"1": 2, "99": 2})
    miss = the_miss(found, "absent")
    assert reason(miss) == "no document has the id 99" and miss.label == "(99)" and miss.also == ()
    assert [judged.id for judged in found.found] == ["1"]


def test_a_title_that_no_document_bears_is_missed_and_counted_by_no_measure(made: Made, tmp_path: Path) -> None:
    ws = made(*BEARS)
    file = tmp_path / "golden.json"
    file.write_text(json.dumps({"test_cases": [{"query": "bear", "relevant_docs": ["T1", "Yogi"]}]}), encoding="utf-8")
    golden = load_golden(file, ws.corpus)
    (outcome,) = evaluate([Contender("plan", KEYWORD)], golden, ws).outcomes
    found = failures(outcome, golden, ws, 1)
    assert reason(the_miss(found, "absent")) == 'no document has the title "Yogi"'
    assert found.now == {"hit": 1.0, "ndcg": 1.0} and found.gains == {"absent": {"hit": 0.0, "ndcg": 0.0}}
    assert "1 of the golden set's titles is in no document: no measure counts them." in drawn(show.view(found))


def test_no_room_where_all_before_it_are_as_relevant(made: Made) -> None:
    ws = made(*BEARS)
    miss = the_miss(looked_at(ws, KEYWORD, "bear", {"1": 1, "2": 1}), "full")
    assert reason(miss) == "the first 1 are all relevant, none of a lower grade than 1; rank 2 in keyword"
    assert looked_at(ws, KEYWORD, "bear", {"1": 1, "2": 1}).unavoidable == 1
    the_miss(looked_at(ws, KEYWORD, "bear", {"1": 1, "2": 2}), "cut")  # one of a lower grade took its place


@pytest.mark.parametrize(
    ("condition", "said"),
    [(Only(where=("year>=2000",)), "year>=2000"), (Only(exclude=frozenset({0})), "left out by name")],
)
def test_ruled_out_by_a_condition_that_the_query_was_given(made: Made, condition: Only, said: str) -> None:
    ws = made({"id": 1, "title": "A", "description": "bear bear", "year": 1990},
              {"id": 2, "title": "B", "description": "bear", "year": 2010})  # fmt: skip
    found = looked_at(ws, replace(KEYWORD, enhance=condition), "bear", {"1": 2})
    assert reason(the_miss(found, "ruled_out")) == f"the search was limited: {said}"


def test_lost_by_the_reranker(made: Made) -> None:
    ws = made(*BEARS)
    plan = both("1", "2", "3", rerank=Backwards())
    miss = the_miss(looked_at(ws, plan, "bear", {"1": 2}), "reranker")
    assert reason(miss) == "rank 1 in rrf, rank 3 in backwards"
    alone = Plan(retrieve=(Order(("1", "2")),), rerank=Backwards())
    assert reason(the_miss(looked_at(ws, alone, "bear", {"1": 2}), "reranker")).startswith("rank 1 in meaning, rank 2")


def test_what_a_reranker_does_not_read_keeps_its_place_and_is_found_there(made: Made) -> None:
    plan = Plan(retrieve=(Order(("1", "2", "3", "4")),), rerank=Backwards(candidates=2))
    found = looked_at(made(*BEARS), plan, "bear", {"3": 2, "4": 2}, limit=3)
    (there,) = found.found
    assert there.id == "3" and there.stands[-1].rank == 3
    assert reason(the_miss(found, "cut")) == "at best rank 4 in meaning, and backwards reads the first 2 only"


@pytest.mark.parametrize("fuse", [RRF(), Weighted()])
def test_lost_by_fusion(made: Made, fuse: Any) -> None:
    # What keyword lacks and meaning has first falls behind what both have.
    plan = Plan(retrieve=(BM25(), Order(("4", "2", "1"))), fuse=fuse)
    miss = the_miss(looked_at(made(*BEARS), plan, "bear", {"4": 2}), "fusion")
    assert miss.facts and miss.facts.passed == 1
    ((name, share),) = miss.facts.helped
    assert name == "keyword" and 0 < share <= 1
    assert reason(miss).startswith(
        f"rank 1 in meaning, not in keyword, so rank {miss.stands[-1].rank} in {fuse.name}; "
    )
    assert f"1 of the first 1 passed it, {100 * share:.0f} % of its score from keyword" in reason(miss)


def test_how_much_the_other_list_helped_is_its_part_of_the_fused_scores(made: Made) -> None:
    plan = both("4", "5", "2", "1")
    miss = the_miss(looked_at(made(*BEARS), plan, "bear", {"4": 2}, limit=2), "fusion")
    # Keyword has 1, 2; meaning 4, 5, 2, 1. So 2 (2nd and 3rd) and 1 (1st and 4th) pass 4.
    keyword, meaning = 1 / 61 + 1 / 62, 1 / 63 + 1 / 64
    assert miss.facts and miss.facts.passed == 2
    assert miss.facts.helped == (("keyword", pytest.approx(keyword / (keyword + meaning))),)


def test_a_loss_by_fusion_says_what_the_reranker_made_of_it(made: Made) -> None:
    plan = both("4", "2", "1", rerank=Backwards(candidates=2))
    miss = the_miss(looked_at(made(*BEARS), plan, "bear", {"4": 2}), "fusion")
    assert "so rank 3 in rrf, and backwards reads the first 2 only;" in reason(miss)


STORIES = (
    "A singer hides in a convent because she saw who did it, and the nuns learn to sing with her.",
    "Two brothers who have one pair of shoes between them run to school in turns.",
    "A farmer and his sons build a boat in the middle of the desert.",
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("una cantante se esconde en un convento", ("una", "se", "en", "un")),
        ("修道院に隠れる歌手", ("修道院に隠れる歌手",)),
    ],
)
def test_a_query_in_another_language(made: Made, text: str, shown: tuple[str, ...]) -> None:
    plan = both("3", "2", "1")
    miss = the_miss(looked_at(made(*STORIES), plan, text, {"1": 2}), "language")
    assert miss.facts and miss.facts.foreign == shown
    assert f"not in English ({', '.join(shown)}), as the catalogue is; rank 3 in rrf" in reason(miss)


def test_a_query_in_the_catalogues_own_language_is_not_foreign(made: Made) -> None:
    ws = made("Una cantante se esconde en un convento de monjas.", "Dos hermanos que comparten los zapatos de la casa.")
    the_miss(looked_at(ws, both("2", "1"), "dos hermanos con los zapatos de una mujer", {"1": 2}), "cut")


SHIRE = (
    "Dwarfs and a hobbit want the treasure that a dragon took.",
    "A dragon sleeps under a mountain and dwarfs sing of it.",
    "A boy trains a dragon and they fly.",
)


def test_a_misspelt_query(made: Made) -> None:
    ws = made(*SHIRE)
    plan = both("3", "2", "1")
    miss = the_miss(looked_at(ws, plan, "hobit tresure", {"1": 2}), "misspelt")
    assert miss.facts and miss.facts.corrected == (("hobit", "hobbit"), ("tresure", "treasure"))
    assert reason(miss).startswith('"hobit" is in no document, "hobbit" in this one, "tresure"')
    # A document that holds none of the words as corrected was not missed for the spelling.
    the_miss(looked_at(ws, plan, "hobit tresure", {"2": 2}), "cut")
    # What was searched counts: once the plan corrects the query, its spelling is no cause any more.
    corrected = looked_at(ws, replace(plan, enhance=Spell()), "hobit tresure", {"1": 2, "2": 2})
    assert "misspelt" not in corrected.counts


MONSTERS: tuple[dict[str, Any], ...] = (
    {"id": 1, "title": "Dracula", "year": 1931, "franchise": "Monsters",
     "description": "A count from the mountains sleeps in a coffin by day, drinks blood by night and sails to London "
     "with boxes of earth, where a professor with a mirror and a stake waits for him at the asylum."},
    {"id": 2, "title": "Frankenstein", "year": 1932, "franchise": "Monsters",
     "description": "A young scientist robs graves, sews limbs together and raises the body to a stormy roof, until "
     "lightning wakes what villagers with torches will chase into a windmill and burn."},
    {"id": 3, "title": "Bride of Frankenstein", "year": 1935, "franchise": "Monsters",
     "description": "The follow-up to the film of 1932, with the same director."},
    {"id": 4, "title": "Dracula's Daughter", "year": 1936, "franchise": "Monsters",
     "description": "A sequel made without its star."},
    {"id": 5, "title": "The Mill", "year": 1950,
     "description": "A miller grinds corn through a hard winter, hides a deserter beneath sacks and teaches his niece "
     "how wind, stone, timber and patience make bread for hungry neighbours."},
)  # fmt: skip


def test_a_thin_entry_names_the_entry_in_which_the_story_stands(made: Made) -> None:
    ws = made(*MONSTERS)
    plan = both("5", "2", "1", "3")
    miss = the_miss(looked_at(ws, plan, "scientist builds a mate", {"3": 2}), "thin")
    assert miss.facts and miss.facts.thin
    thin = miss.facts.thin
    assert (thin.words, thin.sequel, miss.story) == (4, "follow-up", "(2) Frankenstein (1932)")
    assert thin.usual > 2 * thin.words
    assert f"4 words of its own where {thin.usual} are usual; it speaks of" in reason(miss)
    assert "the story stands in (2) Frankenstein (1932)" in reason(miss)


def test_the_earliest_entry_has_the_story_where_no_title_tells(made: Made) -> None:
    daughter = {**MONSTERS[3], "title": "The Countess"}
    ws = made(*MONSTERS[:3], daughter, MONSTERS[4])
    thin = Entries(ws.corpus).thin(3)
    assert thin and thin.story == 0 and thin.sequel == "sequel"
    alone = made(*MONSTERS[:3], {**daughter, "franchise": "Countess"}, MONSTERS[4])
    own = Entries(alone.corpus).thin(3)
    assert own and own.story is None


def test_entries_are_not_thin_in_a_catalogue_of_short_texts(made: Made) -> None:
    entries = Entries(made(*BEARS).corpus)
    assert [entries.thin(doc) for doc in range(5)] == [None] * 5


def test_the_thin_films_are_those_whose_text_is_short(films: Workspace) -> None:
    entries = Entries(films.corpus)
    words = [len(document.text.split()) for document in films.corpus.documents()]
    thin = [doc for doc in range(len(words)) if entries.thin(doc)]
    assert thin == [doc for doc, count in enumerate(words) if count < 40] and len(thin) == 49
    told = {doc: one for doc in thin if (one := entries.thin(doc))}
    assert all(one.story is not None and one.story not in thin for one in told.values())
    assert sum(bool(one.sequel) for one in told.values()) == 48  # Legally Blonde 2 is "the second film"
    named = {films.corpus.label(doc): films.corpus.label(one.story or 0) for doc, one in told.items()}
    assert (
        named["(67) Bride of Frankenstein (1935)"] == "(180) Frankenstein (1931)"
    )  # not Dracula of the same franchise
    assert named["(384) Ocean's Twelve (2004)"] == "(383) Ocean's Eleven (2001)"  # not the one of 1960
    assert named["(422) Psycho II (1983)"] == "(420) Psycho (1960)"


def test_no_term_in_common(made: Made) -> None:
    ws = made(*BEARS)
    miss = the_miss(looked_at(ws, KEYWORD, "bear fox", {"4": 2}), "no_term")
    assert reason(miss) == "it holds none of: bear, fox; in none of the lists: keyword (3)"
    unknown = the_miss(looked_at(ws, both("1", "2"), "zebu", {"4": 2}), "no_term")
    assert reason(unknown) == "no document holds a word of the query; in none of the lists: keyword (0), meaning (2)"
    # Where no list goes by words, sharing none is no reason.
    by_meaning = Plan(retrieve=(Order(("1", "2")),))
    assert reason(the_miss(looked_at(ws, by_meaning, "bear fox", {"4": 2}), "depth")).endswith("meaning (2)")


def test_lost_by_the_cut(made: Made) -> None:
    ws = made(*BEARS)
    found = looked_at(ws, KEYWORD, "bear", {"2": 2})
    assert reason(the_miss(found, "cut")) == "at best rank 2 in keyword" and found.within_reach == 1
    fused = the_miss(looked_at(ws, both("5", "1", "4"), "bear", {"4": 2}), "cut")
    assert reason(fused) == "at best rank 3 in meaning, rank 4 in rrf"
    read = looked_at(ws, both("5", "1", "4", rerank=Backwards(candidates=2)), "bear", {"4": 2})
    assert reason(the_miss(read, "cut")).endswith("rank 4 in rrf, and backwards reads the first 2 only")
    assert read.within_reach == 0


def test_below_every_lists_depth(made: Made) -> None:
    miss = the_miss(looked_at(made(*BEARS), both("3", "4", depth=1), "bear", {"2": 2}), "depth")
    assert reason(miss) == "it shares bear; in none of the lists: keyword (1), meaning (1)"


def test_other_causes_that_hold_are_named_beside_the_first(made: Made) -> None:
    plan = both("3", "4")
    miss = the_miss(
        looked_at(made(*MONSTERS), plan, "una hija que se esconde en el molino dracula", {"3": 2}), "fusion"
    )
    assert miss.also == ("language", "thin")
    assert reason(miss).endswith("; also: query in another language, thin entry")


# What mending a cause can gain at most

BEST = [measure(name, k) for name in registry.METRICS for k in (1, 3, 10)]


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[str], list[str], dict[str, int]]:
    """(found, missed, grades): up to four others and up to three missed ones, of which found may hold some."""
    others = [f"o{i}" for i in range(draw(st.integers(0, 4)))]
    missed = [f"m{i}" for i in range(draw(st.integers(1, 3)))]
    grades = {id: draw(st.integers(-1, 3)) for id in others} | {id: draw(st.integers(1, 3)) for id in missed}
    unfound = {f"u{i}": 1 for i in range(draw(st.integers(0, 2)))}
    held = draw(st.permutations([*others, *draw(st.sets(st.sampled_from(missed)))]))
    return held, missed, grades | unfound


@given(rankings())
def test_a_gain_is_the_best_that_any_placing_of_the_missed_can_reach(
    case: tuple[list[str], list[str], dict[str, int]],
) -> None:
    found, missed, grades = case
    others = [id for id in found if id not in missed]
    mended = [list(order) for order in orders(others, missed)]
    for one in BEST:
        most = reachable(one, found, missed, grades)
        assert most == pytest.approx(max(one(order, grades) for order in mended)), one
        assert most >= one(found, grades) - 1e-12 and 0 <= most <= 1 + 1e-12


def orders(others: Sequence[str], missed: Sequence[str]) -> list[tuple[str, ...]]:
    """Every way in which the missed can come in while the others keep their order."""
    everything = [*others, *missed]
    kept = [order for order in itertools.permutations(everything) if [id for id in order if id in others] == others]
    assert len(kept) >= 1
    return kept


def test_a_document_of_a_low_grade_does_not_push_down_those_of_a_higher() -> None:
    grades = {"a": 2, "b": 2, "m": 1}
    assert reachable(measure("ndcg", 3), ["a", "b"], ["m"], grades) == 1.0
    assert reachable(measure("ndcg", 1), ["a"], ["m"], grades) == 1.0


def test_gains_are_means_over_all_queries() -> None:
    hit = measure("hit", 1)
    grades = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
    found: dict[str, list[str]] = {"q1": ["x"], "q2": ["b"], "q3": [], "q4": ["x", "d"]}
    assert gain(hit, found, {"q1": ["a"]}, grades) == 0.25
    assert gain(hit, found, {"q1": ["a"], "q3": ["c"], "q4": ["d"]}, grades) == 0.75
    assert gain(hit, found, {}, grades) == 0.0 and gain(hit, {}, {}, {}) == 0.0


# The bundled golden set


@pytest.fixture(scope="module")
def memo() -> Memo:
    """Each query is searched once for all of these tests."""
    return {}


@pytest.fixture
def bundled(films: Workspace, memo: Memo) -> tuple[Outcome, GoldenSet, Workspace]:
    golden = load_golden(paths.data_dir() / "golden_dataset.json", films.corpus)
    (outcome,) = evaluate([Contender("rrf", preset("lessons", "rrf"))], golden, films, memo).outcomes
    return outcome, golden, films


def drawn(blocks: Any) -> list[str]:
    lines = [text for block in blocks for text in plain(block)]
    assert all(len(text) <= 80 for text in lines), max(lines, key=len)
    return lines


def test_every_relevant_film_is_found_or_has_one_cause(bundled: tuple[Outcome, GoldenSet, Workspace]) -> None:
    outcome, golden, ws = bundled
    for limit in (5, 10):
        found = failures(outcome, golden, ws, limit, measures(limit))
        relevant = {(q.id, id) for q in golden.judged for id, grade in q.relevant.items() if grade > 0}
        held = [(one.query.id, one.id) for one in (*found.found, *found.missed)]
        assert set(held) == relevant and len(held) == len(relevant)
        assert sum(found.counts.values()) == len(found.missed) >= found.unavoidable
        assert all(id in outcome.found[q][:limit] for q, id in [(one.query.id, one.id) for one in found.found])
        assert {"fusion", "cut", "thin", "misspelt", "language", "no_term"} <= set(found.counts)
        for one in found.measures:
            assert found.now[one.label] == pytest.approx(outcome.mean(golden.judged, one))
            gains = [found.gains[cause][one.label] for cause in found.counts]
            assert min(gains) >= 0 and max(gains) <= found.together[one.label] + 1e-12
            assert found.now[one.label] + found.together[one.label] <= 1 + 1e-9
        written = json.loads(json.dumps(to_json(found), allow_nan=False))
        assert sum(row["misses"] for row in written["causes"]) == written["missed"] == len(written["misses"])
        assert all(miss["reason"] for miss in written["misses"])


def test_the_queries_made_for_a_fault_show_it(bundled: tuple[Outcome, GoldenSet, Workspace]) -> None:
    outcome, golden, ws = bundled
    spanish = failures(outcome, golden, ws, 5, kind="spanish")
    assert all("language" in (miss.cause, *miss.also) for miss in spanish.missed)
    assert {query.kind for query in spanish.queries} == {"spanish"}
    typos = failures(outcome, golden, ws, 5, kind="typo").counts
    assert typos["misspelt"] >= 3
    everything = failures(outcome, golden, ws, 5)
    assert "spanish" not in {m.query.kind for m in everything.missed if "language" not in (m.cause, *m.also)}


def test_the_view_has_counts_gains_examples_and_a_sentence(bundled: tuple[Outcome, GoldenSet, Workspace]) -> None:
    outcome, golden, ws = bundled
    found = failures(outcome, golden, ws, 5)
    lines = drawn(show.view(found, examples=1))
    assert lines[0].startswith(f"rrf, limit 5: {len(found.missed)} of ")
    for cause, count in found.counts.items():
        assert f"{LABELS[cause]} ({count})" in lines
        (example,) = found.examples(cause, 1)
        assert f"  {example.query.id} {example.query.text}"[:60] in {line[:60] for line in lines}
    said = verdict(found)
    assert said.startswith(f"hit@5 is {found.hit:.2f}; ".replace("0.", ".")) and said in " ".join(lines)
    assert f"{found.counts['fusion']} were found by a layer and lost by fusion" in said
    assert drawn(show.view(found, examples=0))[-1] in said
    wide = failures(outcome, golden, ws, 5, measures(5, ("precision", "recall", "f1", "recall@100")))
    drawn(show.view(wide, examples=0))


def test_one_query_shows_every_relevant_document_with_its_rank_in_every_layer(
    bundled: tuple[Outcome, GoldenSet, Workspace],
) -> None:
    outcome, golden, ws = bundled
    found = failures(outcome, golden, ws, 5, query="q45")
    lines = drawn(show.query_view(found, outcome))
    trace = outcome.traces["q45"]
    for judged in (*found.found, *found.missed):
        ranks = [str(rank or "–") for rank in trace.path(ws.corpus.position(judged.id) or 0)]
        assert any(line.replace("│", "").split()[-3:] == ranks for line in lines), judged.label
    assert sum(line.startswith("  ✗") for line in lines) == len(found.missed) == 2
    assert any('query misspelt: "hobit" is in no document' in line for line in lines)


def test_what_cannot_be_looked_at_is_refused(bundled: tuple[Outcome, GoldenSet, Workspace]) -> None:
    outcome, golden, ws = bundled
    for more, said in (
        ({"query": "q999"}, 'has the id "q999"'),
        ({"kind": "opera"}, 'of the kind "opera"'),
        ({"query": "q64"}, "none of these queries has a relevant document"),
        ({"kind": "unanswerable"}, "none of these queries has a relevant document"),
    ):
        with pytest.raises(UsageError, match=said):
            failures(outcome, golden, ws, 5, **more)
    with pytest.raises(UsageError, match="has no traces"):
        failures(replace(outcome, traces={}), golden, ws, 5)


def test_where_nothing_is_missed_it_says_so(made: Made) -> None:
    found = looked_at(made(*BEARS), KEYWORD, "bear", {"1": 2})
    assert verdict(found) == "hit@1 is 1.00; nothing is missed." and not found.missed
    assert drawn(show.view(found))[-1] == "hit@1 is 1.00; nothing is missed."


def test_control_characters_of_a_catalogue_are_not_drawn(made: Made) -> None:
    ws = made({"id": 1, "title": "A\x1b[31mB", "description": "bear"}, {"id": 2, "title": "C", "description": "bear"})
    found = looked_at(ws, Plan(retrieve=(Order(("2", "1")),)), "bear\x1b[2J", {"1": 2})
    blocks: list[Block] = list(show.view(found))
    assert "\x1b" not in "".join(drawn(blocks))


def test_every_cause_has_a_word_for_everything() -> None:
    names = [cause.name for cause in CAUSES]
    assert len(set(names)) == len(names) and all(len(cause.label) <= 26 for cause in CAUSES)
