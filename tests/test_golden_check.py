"""The audit of a golden set: what it counts, what it calls a problem, what it suggests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import paths
from strata.core.golden import GoldenQuery, GoldenSet, load_golden
from strata.evaluation.golden_check import Checked, Kind, check_golden
from strata.evaluation.near_titles import Near
from strata.pipeline.workspace import Workspace
from strata.show.golden import checked as drawn
from strata.show.text import plain
from tests.conftest import DATASETS

Check = Callable[..., Checked]


@pytest.fixture
def check(tmp_path: Path, films: Workspace) -> Check:
    """check(case, …, limit=5): the audit of a file with these cases over the bundled films."""

    def run(*cases: Any, limit: int = 5) -> Checked:
        path = tmp_path / "mine.json"
        path.write_text(json.dumps({"test_cases": cases}), encoding="utf-8")
        return check_golden(load_golden(path, films.corpus), films.corpus, limit)

    return run


def lines(found: Checked) -> list[str]:
    shown = [text for block in drawn(found) for text in plain(block)]
    assert all(len(text) <= 80 for text in shown)
    return shown


def test_the_bundled_set_passes_and_is_counted_by_kind_and_grade(films: Workspace) -> None:
    golden = load_golden(paths.data_dir() / "golden_dataset.json", films.corpus)
    found = check_golden(golden, films.corpus, 5)
    assert found.passes and found.problems == ()
    assert found.kinds["unanswerable"] == Kind(3, 0, 0) and found.kinds["keyword"] == Kind(12, 12, 98)
    assert sum(kind.queries for kind in found.kinds.values()) == 66
    assert sum(found.grades.values()) == 262 and list(found.grades) == [2, 1]
    assert found.same_text == () and found.titles == () and found.never_relevant == 0
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert (data["queries"], data["judged_queries"], data["unjudged_queries"]) == (66, 63, 3)
    assert [row["id"] for row in data["without_answer"]] == ["q64", "q65", "q66"]
    shown = lines(found)
    assert shown[0] == "movies-golden: 66 queries, 63 with an answer" and shown[-1] == "No problems."
    assert "3 without an answer: q64, q65, q66" in shown


def test_the_ceiling_of_a_limit_is_told(check: Check) -> None:
    many = {"query": "many", "relevant": [{"id": i} for i in range(1, 11)]}
    found = check(many, {"query": "one", "relevant": [{"id": 11}]}, limit=5)
    assert found.passes and found.over == (("q01", 10),)
    # q01: recall 5/10, P 1, F1 2/3; q02: recall 1, P 1/5, F1 1/3
    assert found.ceiling == (pytest.approx(0.75), pytest.approx(0.5))
    assert "1 query has more than 5 answers: at 5 results" in lines(found)
    assert "  mean recall can be .75 at most, mean F1 .50" in lines(found)
    assert check(many, limit=10).over == () and check(many, limit=10).ceiling == (1.0, 1.0)


def test_a_title_that_is_missing_is_a_problem_with_the_nearest_ones(check: Check) -> None:
    found = check({"query": "x", "relevant_docs": ["Padington", "Matrix, The", "Zzyzx Qwv", "Ted"]})
    assert not found.passes and len(found.problems) == 3
    near = {title.title: title.near for title in found.titles}
    assert near["Padington"][0] == "(393) Paddington (2014)"
    assert near["Matrix, The"][0].endswith("The Matrix (1999)")
    assert near["Zzyzx Qwv"] == ()
    assert '  q01 "Padington": (393) Paddington (2014); (394) Paddington 2 (2017);' in "\n".join(lines(found))


def test_a_title_of_another_year_suggests_the_years_there_are(check: Check) -> None:
    (title,) = check({"query": "x", "relevant_docs": ["Cape Fear (1980)"]}).titles
    assert title.near == ("(77) Cape Fear (1962)", "(78) Cape Fear (1991)") and title.fits == ()


def test_a_title_of_two_films_is_a_problem_that_names_both(check: Check) -> None:
    found = check({"id": "fear", "query": "x", "relevant_docs": ["Cape Fear"]})
    assert not found.passes
    (title,) = found.titles
    assert (title.query, title.fits, title.near) == ("fear", ("(77) Cape Fear (1962)", "(78) Cape Fear (1991)"), ())


def test_ids_that_the_catalogue_lacks_or_calls_otherwise_are_problems(check: Check) -> None:
    found = check({"query": "x", "relevant": [{"id": "none"}, {"id": 393, "title": "Jaws"}]})
    assert len(found.problems) == 2 and not found.passes and found.titles == ()


def test_a_document_listed_twice_is_a_problem_where_its_grades_differ(check: Check) -> None:
    same = check({"query": "x", "relevant": [{"id": 1}, {"id": "1"}]})
    assert same.passes and len(same.golden.repeated) == 1
    assert "1 document listed more than once by a query" in lines(same)
    found = check({"query": "x", "relevant": [{"id": 1, "grade": 2}, {"id": 1, "grade": 1}]})
    assert found.problems == ("query q01: document 1 is listed with the grades 1 and 2",)
    assert found.to_json()["repeated"] == [{"query": "q01", "id": "1", "grades": [2, 1]}]


def test_a_query_asked_twice_counts_twice_where_both_are_judged(check: Check) -> None:
    one, other = {"query": "Amélie  in Paris", "relevant": [{"id": 1}]}, {"query": "amelie in paris", "relevant": []}
    found = check(one, other)
    assert found.passes and found.same_text == (("q01", "q02"),)
    found = check(one, {**other, "relevant": [{"id": 2}]})
    assert found.problems == ("queries q01, q02 ask the same, which counts each time",)
    assert "1 text asked more than once: q01 = q02" in lines(found)


def test_documents_that_were_only_ever_judged_not_relevant_are_counted(check: Check) -> None:
    rows = [{"id": 1, "grade": 0}, {"id": 2, "grade": -1}, {"id": 3, "grade": 1}]
    found = check({"query": "x", "relevant": rows}, {"query": "y", "relevant": [{"id": 1, "grade": 1}]})
    assert found.never_relevant == 1 and found.grades == {1: 2, 0: 1, -1: 1}


def test_a_set_that_answers_nothing_is_a_problem(check: Check) -> None:
    for found in (check(), check({"query": "x", "relevant": [{"id": 1, "grade": 0}]})):
        assert found.problems == ("no query has an answer: nothing can be averaged",)
        assert found.ceiling == (0.0, 0.0)
        json.dumps(found.to_json(), allow_nan=False)
        assert lines(found)


def test_a_query_without_text_is_a_problem() -> None:
    golden = GoldenSet("g", (GoldenQuery("1", " ", {"a": 1}), GoldenQuery("2", "", {"a": 1})))
    assert check_golden(golden, None, 5).problems == ("query 1 has no text", "query 2 has no text")


def test_many_problems_are_cut_in_the_view_and_whole_in_json(check: Check) -> None:
    found = check({"query": "x", "relevant_docs": [f"Zzyzx {i}" for i in range(30)]})
    assert len(found.to_json()["problems"]) == 31  # and that nothing is answered
    assert "  and 11 more: --json lists them all" in lines(found)


def test_what_a_set_says_cannot_forge_lines(check: Check) -> None:
    found = check(
        {"id": "a\x1b[31m\nb", "query": "x", "kind": "k\r\nNo problems.", "relevant_docs": ["Pad\x1b]0;ington"]}
    )
    shown = "\n".join(lines(found))
    assert "\x1b" not in shown and "\r" not in shown and shown.count("\nNo problems.") == 0


def test_the_lessons_own_set_over_the_bundled_films(films: Workspace) -> None:
    path = DATASETS / "bootdev-course" / "golden_dataset.json"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    found = check_golden(load_golden(path, films.corpus), films.corpus, 5)
    assert not found.passes and len(found.golden.queries) == 10
    near = {title.title: title.near for title in found.titles}
    assert near["Harry Potter and the Sorcerer's Stone"][0] == "(235) Harry Potter and the Philosopher's Stone (2001)"


@pytest.mark.parametrize("name", ["beir-nfcorpus", "cranfield", "adi"])
def test_public_sets_are_looked_through_without_a_catalogue(name: str) -> None:
    if not (DATASETS / name).is_dir():
        pytest.skip(f"{DATASETS / name} is not here")
    found = check_golden(load_golden(DATASETS / name), None, 10)
    assert found.passes, found.problems
    assert lines(found)


def test_near_titles_are_few_and_the_nearest_first(films: Workspace) -> None:
    near = Near(films.corpus)
    assert near.labels("Star Wars Episode IV")[0].endswith("Star Wars (1977)")
    assert len(near.labels("The", 2)) <= 2 and near.labels("") == near.labels("???") == ()
