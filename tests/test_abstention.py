"""Queries without an answer: that they have none, how a threshold is chosen on half of them, what becomes of them."""

from __future__ import annotations

import importlib
import re
import tomllib
from types import ModuleType

import pytest

from strata import paths
from strata.answer.evidence import ENOUGH
from strata.core.analysis import stopwords, tokens
from strata.core.golden import GoldenSet, load_golden
from strata.evaluation.outcome import Contender, evaluate
from strata.evaluation.unanswerable import unanswerable
from strata.pipeline import planfile
from strata.pipeline.workspace import Workspace
from tests.conftest import ROOT, Run

FILE = paths.data_dir() / "unanswerable.json"
KINDS = ("near", "missing", "combination", "question", "elsewhere")
GONE = (
    "caesar", "napoleon", "torero", "bullfighter", "leprechaun", "mandela", "cleopatra", "everest", "kennedy",
    "pompeii", "vesuvius", "volleyball", "watergate", "nottingham", "cinematographer", "costumes lawrence",
)  # fmt: skip
"""What some of the queries hang on; two words: no entry has both."""


@pytest.fixture
def queries(films: Workspace) -> GoldenSet:
    return load_golden(FILE, films.corpus)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("abstention")


def told(text: str) -> frozenset[str]:
    return frozenset(tokens(text)) - stopwords()


def test_the_file_is_sound(queries: GoldenSet) -> None:
    assert queries.name == "movies-unanswerable" and not queries.problems and len(queries.queries) >= 30
    assert not queries.judged and {query.kind for query in queries.queries} == {"unanswerable"}
    for query in queries.queries:
        kind, colon, why = query.note.partition(": ")
        assert re.fullmatch(r"u\d\d", query.id) and kind in KINDS and colon and len(why.split()) >= 4, query


def test_no_query_stands_twice_nor_had_a_part_in_choosing_enough(queries: GoldenSet, bench: ModuleType) -> None:
    golden = load_golden(paths.data_dir() / "golden_dataset.json").queries
    chosen_on = importlib.import_module("evidence")
    texts = [*(query.text for query in golden), *chosen_on.SHORT, *chosen_on.MISSING, *chosen_on.ELSEWHERE]
    assert {query.id for query in golden}.isdisjoint(query.id for query in queries.queries)
    asked = [told(query.text) for query in queries.queries]
    assert len(set(asked)) == len(asked) and all(asked)
    for one in asked:
        for other in map(told, texts):
            assert len(one & other) < 0.8 * len(one | other), (one, other)


def test_both_halves_have_as_much_of_each_kind(queries: GoldenSet) -> None:
    kinds = [(query.note.partition(":")[0], int(query.id[1:]) % 2) for query in queries.queries]
    for kind in KINDS:
        assert kinds.count((kind, 0)) == kinds.count((kind, 1)) >= 3


def test_what_is_said_to_be_missing_is(queries: GoldenSet, films: Workspace) -> None:
    """A film that is added to the catalogue may answer a query: then this fails."""
    titles = {told(films.corpus.title(doc)) for doc in range(len(films.corpus))}
    named = [re.match(r"missing: (.+?)(?: \(.+\))? is not in the catalogue", query.note) for query in queries.queries]
    missing = [match[1] for match in named if match]
    assert len(missing) == sum(query.note.startswith("missing") for query in queries.queries) == 18
    assert not [title for title in missing if told(title) in titles]
    texts = [frozenset(tokens(f"{one.title} {one.text}")) for one in films.corpus.documents()]
    for words in GONE:
        assert not any(set(words.split()) <= text for text in texts), words


def test_films_that_the_notes_compare_with_are_there(queries: GoldenSet, films: Workspace) -> None:
    titles = {films.corpus.title(doc) for doc in range(len(films.corpus))}
    notes = " ".join(query.note for query in queries.queries)
    assert len({title for title in titles if len(title) > 6 and title in notes}) >= 40


def test_an_installed_wheel_has_the_file() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert built["targets"]["wheel"]["force-include"]["data/unanswerable.json"] == "strata/_data/unanswerable.json"


def rows(bench: ModuleType, *figures: tuple[str, float]) -> list[object]:
    """Of (group, evidence), with ids from 1."""
    return [bench.Row(f"u{i:02}", "", group, "near", at, 0.0, 0.0) for i, (group, at) in enumerate(figures, start=1)]


def test_a_threshold_is_where_both_errors_are_least_and_of_equals_the_lower(bench: ModuleType) -> None:
    way = bench.WAYS[1]
    apart = rows(bench, ("answerable", 0.50), ("answerable", 0.45), ("unanswerable", 0.40), ("name", 0.31))
    assert way.chosen(apart) == (0.41,)
    crossed = rows(bench, ("answerable", 0.40), ("unanswerable", 0.50))  # all thresholds are wrong once or twice
    assert way.chosen(crossed) == (0.30,)


def test_each_half_is_judged_by_what_the_other_half_chooses(bench: ModuleType) -> None:
    there, gone = "answerable", "unanswerable"
    given = rows(bench, (there, 0.50), (there, 0.40), (gone, 0.44), (gone, 0.34), ("name", 0.42))
    found = bench.judged(bench.WAYS[1], given)
    assert found.at == {bench.ODD: (0.45,), bench.EVEN: (0.35,)}
    assert found.gets == {"u01": True, "u02": False, "u03": True, "u04": False, "u05": True}
    assert found.refused("answerable") == [False, True] and found.answered() == [True, False] and found.errors == 1.0
    assert found.answered(bench.ODD) == [True] and found.answered(kind="far") == []
    present = bench.judged(bench.WAYS[0], given)
    assert set(present.at.values()) == {(ENOUGH,)} and present.refused("answerable", bench.EVEN) == [True]
    assert "| evidence ≥ a | both | 1/2 = 0.50 (0.01–0.99) |" in "\n".join(bench.tables([found]))


def test_intervals_are_exact(bench: ModuleType) -> None:
    assert bench.counted([False] * 10) == "0/10 = 0.00 (0.00–0.31)"  # 1 − (0.05 / 2) ** (1 / 10)
    assert bench.counted([True, *[False] * 9]) == "1/10 = 0.10 (0.00–0.45)"
    assert bench.counted([]) == "0/0"


def test_area_under_the_curve(bench: ModuleType) -> None:
    given = rows(bench, ("answerable", 0.5), ("answerable", 0.3), ("unanswerable", 0.3), ("unanswerable", 0.2))
    assert bench.area(given, lambda row: row.evidence) == 0.875


def test_topics_that_no_film_has_get_no_answer_and_details_of_a_film_do(queries: GoldenSet, films: Workspace) -> None:
    """What answer/evidence.py says of itself, on some of them."""
    asked = [query for query in queries.queries if query.id in ("u01", "u11", "u16", "u17", "u53", "u59")]
    some = GoldenSet("some", tuple(asked))
    (outcome,) = evaluate([Contender("rrf", planfile.preset("lessons", "rrf"))], some, films).outcomes
    (found,) = unanswerable([outcome], [query.id for query in asked], 5, films)
    assert found is not None
    assert (found.abstained, found.answered) == (("u01", "u11", "u16", "u17"), ("u53", "u59"))


def test_json_says_what_was_there_and_what_was_asked_for(cli: Run) -> None:
    found = cli("augmented_generation_cli", "question", "Cleopatra and Mark Antony", "--json").json["answer"]
    assert found["abstained"] and found["min_evidence"] == ENOUGH > found["evidence"] and found["citations"] == []
    set_low = cli(
        "augmented_generation_cli", "question", "Cleopatra and Mark Antony", "--json", "--min-evidence", "0.1"
    )
    assert not set_low.json["answer"]["abstained"] and set_low.json["answer"]["min_evidence"] == 0.1
