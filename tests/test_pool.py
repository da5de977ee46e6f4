"""Pools to grade, and grades merged into golden sets of every form: nothing is lost, nothing is taken silently."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata import paths
from strata.core.golden import GoldenQuery, GoldenSet, load_golden
from strata.core.types import Plan
from strata.errors import DataError
from strata.evaluation import merge as merging
from strata.evaluation.measure import measure
from strata.evaluation.merge import Merged, merge
from strata.evaluation.outcome import Contender, Outcome, evaluate
from strata.evaluation.pool import Pool, pool
from strata.evaluation.poolfile import Written, write_pool
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.workspace import Workspace
from strata.show import golden as views
from strata.show.text import plain

BUNDLED = paths.data_dir() / "golden_dataset.json"
Grade = Callable[..., Path]


@pytest.fixture
def grade(tmp_path: Path) -> Grade:
    """grade((query, id, grade), …): a pool's file with these lines; more facts of a line as a fourth item."""

    def write(*rows: Any) -> Path:
        path = tmp_path / "pool.jsonl"
        lines = [{"query_id": q, "id": id, "grade": g, **(more[0] if more else {})} for q, id, g, *more in rows]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    """A copy of the bundled golden set."""
    return Path(shutil.copy(BUNDLED, tmp_path / "golden.json"))


@pytest.fixture
def small(films: Workspace) -> tuple[list[Outcome], GoldenSet]:
    golden = GoldenSet("g", (GoldenQuery("q1", "one", {"1": 2}), GoldenQuery("q2", "two", {"2": 0})))
    one = Outcome("one", {"q1": ("1", "9", "5", "7"), "q2": ("2",)})
    two = Outcome("two", {"q1": ("5", "9", "8", "1"), "q2": ("none", "3")})
    return [one, two], golden


def relevant(path: Path, films: Workspace) -> dict[str, dict[str, int]]:
    return {query.id: query.relevant for query in load_golden(path, films.corpus).queries}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def drawn(view: Callable[[Any], Any], done: Written | Merged) -> list[str]:
    shown = [text for block in view(done) for text in plain(block)]
    json.dumps(done.to_json(), allow_nan=False)
    return shown


# The pool


def test_a_pool_is_what_any_outcome_found_and_nobody_judged(
    small: tuple[list[Outcome], GoldenSet], films: Workspace
) -> None:
    made = pool(*small, films.corpus, 3)
    named = [(line.query.id, films.corpus.id(line.doc), line.found_by) for line in made.lines]
    assert named == [
        ("q1", 5, {"one": 3, "two": 1}),  # by best rank, then by how many found it, then in the catalogue's order
        ("q1", 9, {"one": 2, "two": 2}),
        ("q1", 8, {"two": 3}),
        ("q2", 3, {"two": 2}),
    ]
    assert (made.judged, made.places, made.unknown, made.queries) == (2, 7, 1, 2)
    assert [films.corpus.id(line.doc) for line in pool(*small, films.corpus, 4).lines] == [5, 9, 8, 7, 3]
    assert pool([], small[1], films.corpus, 3) == Pool(3, (), 0, 0, 0)


def test_a_line_holds_what_is_needed_to_grade_it(
    small: tuple[list[Outcome], GoldenSet], films: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "a" / "pool.jsonl"
    done = write_pool(pool(*small, films.corpus, 3), films.corpus, path)
    first = rows(path)[0]
    document = films.corpus.document(films.corpus.find("5"))
    assert list(first) == ["query_id", "query", "id", "title", "year", "text", "found_by", "grade"]
    assert (first["query_id"], first["query"], first["id"], first["grade"]) == ("q1", "one", 5, None)
    assert (first["title"], first["year"]) == (document.title, document.fields["year"])
    assert document.text.startswith(first["text"].removesuffix(" …")) and len(first["text"]) <= 602
    assert (done.lines, done.graded, done.kept) == (4, 0, 0)
    before = path.read_bytes()
    write_pool(pool(*small, films.corpus, 3), films.corpus, path)
    assert path.read_bytes() == before
    assert "4 lines to grade for 2 queries" in drawn(views.pooled, done)


def test_grades_in_the_file_outlast_a_pool_that_is_made_again(
    small: tuple[list[Outcome], GoldenSet], films: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "pool.jsonl"
    write_pool(pool(*small, films.corpus, 4), films.corpus, path)
    lines = rows(path)
    lines[1] |= {"grade": 2, "by": "me"}  # id 9
    lines[3] |= {"grade": 0}  # id 7, which is below the first three
    path.write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)), encoding="utf-8")
    done = write_pool(pool(*small, films.corpus, 3), films.corpus, path)
    found = rows(path)
    assert [(row["id"], row["grade"]) for row in found] == [(5, None), (9, 2), (8, None), (3, None), (7, 0)]
    assert found[1]["by"] == "me" and (done.lines, done.graded, done.kept) == (5, 2, 1)
    assert "2 grades kept that stood in the file, 1 of them no longer in the pool" in drawn(views.pooled, done)


@pytest.mark.parametrize("change", [{"title": "Another Film"}, {"query": "another question"}])
def test_a_file_of_another_catalogue_or_set_is_not_taken_over(
    small: tuple[list[Outcome], GoldenSet], films: Workspace, tmp_path: Path, change: dict[str, Any]
) -> None:
    path = tmp_path / "pool.jsonl"
    write_pool(pool(*small, films.corpus, 3), films.corpus, path)
    lines = rows(path)
    lines[2] |= {"grade": 1, **change}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"line 3: .*(Another Film|another question)") as caught:
        write_pool(pool(*small, films.corpus, 3), films.corpus, path)
    assert "another file" in caught.value.next_step and path.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("3", "no query_id"),
        ('{"id": 5, "grade": 1}', "no query_id"),
        ('{"query_id": "q1", "grade": 1}', "no query_id or id"),
        ('{"query_id": "q1", "id": true, "grade": 1}', "no query_id or id"),
        ('{"query_id": "q1", "id": 5, "grade": "2"}', "the grade '2'"),
        ('{"query_id": "q1", "id": 5, "grade": 1.5}', "the grade 1.5"),
        ('{"query_id": "q1", "id": 5, "grade": true}', "the grade True"),
        ('{"query_id": "q1", "id": "6", "grade": 1}', "line 1 is about the same"),
        ('{"query_id": "q1", "id": 5', "not JSON"),
    ],
)
def test_a_line_that_is_none_of_a_pool_is_named_and_nothing_is_written(
    small: tuple[list[Outcome], GoldenSet], films: Workspace, tmp_path: Path, bundled: Path, line: str, said: str
) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(f'{{"query_id": "q1", "id": 6, "grade": 0}}\n\n{line}\n', encoding="utf-8")
    before = path.read_bytes(), bundled.read_bytes()
    for work in (
        lambda: write_pool(pool(*small, films.corpus, 3), films.corpus, path),
        lambda: merge(path, bundled, films.corpus),
    ):
        with pytest.raises(DataError, match="line 3") as caught:
            work()
        assert said in caught.value.message
    assert (path.read_bytes(), bundled.read_bytes()) == before


# Merging into test cases


def test_after_a_pool_is_graded_and_merged_every_top_is_judged(films: Workspace, tmp_path: Path, bundled: Path) -> None:
    golden = load_golden(bundled, films.corpus)
    contenders = [Contender("tf-idf", Plan(retrieve=(TfIdf(),))), Contender("bm25", Plan(retrieve=(BM25(),)))]
    outcomes = evaluate(contenders, golden, films).outcomes
    judged = measure("judged", 10)
    assert all(outcome.mean(golden.judged, judged) < 0.3 for outcome in outcomes)
    path = tmp_path / "pool.jsonl"
    write_pool(pool(outcomes, golden, films.corpus, 10), films.corpus, path)
    graded = [{**row, "grade": i % 3} for i, row in enumerate(rows(path))]
    path.write_text("".join(json.dumps(row) + "\n" for row in graded), encoding="utf-8")
    done = merge(path, bundled, films.corpus)
    assert sum(done.added.values()) == len(graded) > 500 and done.passes and done.written
    after = load_golden(bundled, films.corpus)
    assert all(outcome.mean(after.judged, judged) == 1.0 for outcome in outcomes)
    assert pool(outcomes, after, films.corpus, 10).lines == () and after.problems == ()
    for before, now in zip(golden.queries, after.queries, strict=True):
        assert before.relevant.items() <= now.relevant.items()
        assert (now.id, now.text, now.kind, now.note) == (before.id, before.text, before.kind, before.note)
    again = merge(path, bundled, films.corpus)
    assert (again.added, again.same, again.written) == ({}, len(graded), False)


def test_only_the_lines_of_the_cases_that_gain_a_grade_change(films: Workspace, bundled: Path, grade: Grade) -> None:
    before = bundled.read_text(encoding="utf-8").split("\n")
    done = merge(grade(("q01", 47, 0), ("q64", "5", 1), ("q02", 5, None)), bundled, films.corpus)
    after = bundled.read_text(encoding="utf-8").split("\n")
    assert [old[:12] for old, new in zip(before, after, strict=True) if old != new] == ['{"id": "q01"', '{"id": "q64"']
    assert (done.added, done.same, done.ungraded, done.conflicts) == ({1: 1, 0: 1}, 0, 1, ())
    case = json.loads("\n".join(after))["test_cases"][0]
    assert case["relevant"][-1] == {"id": 47, "title": "The Bear", "year": 1988, "grade": 0}
    assert "2 judgements added (1 × 1, 0 × 1)" in drawn(views.merged, done)


def test_a_grade_in_conflict_is_reported_and_taken_only_by_force(films: Workspace, bundled: Path, grade: Grade) -> None:
    lines = grade(("q01", 393, 0), ("q01", 394, 2), ("q01", 47, 1))
    done = merge(lines, bundled, films.corpus)
    (conflict,) = done.conflicts
    assert (conflict.line, conflict.query, conflict.standing, conflict.given) == (1, "q01", 2, 0)
    assert not done.passes and (done.same, done.added) == (1, {1: 1})
    assert relevant(bundled, films)["q01"] == {"393": 2, "394": 2, "47": 1}
    shown = drawn(views.merged, done)
    assert "1 grade in conflict, left as they were; --force takes those given:" in shown
    assert "  line 1, q01: (393) Paddington (2014) has 2, given 0" in shown
    done = merge(lines, bundled, films.corpus, force=True)
    assert done.passes and done.replaced and relevant(bundled, films)["q01"] == {"393": 0, "394": 2, "47": 1}
    assert len(load_golden(bundled).repeated) == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("q99", 47, 1), "has no query q99"),
        (("q01", "none", 1), "id none is not in movies"),
        (("q01", 47, 1, {"query": "another question"}), 'asks "another question" here'),
        (("q01", 47, 1, {"title": "Jaws"}), 'is called "Jaws" here and "The Bear" in movies'),
    ],
)
def test_a_line_that_does_not_fit_is_named_and_nothing_is_merged(
    films: Workspace, bundled: Path, grade: Grade, row: tuple[Any, ...], said: str
) -> None:
    before = bundled.read_bytes()
    with pytest.raises(DataError, match="line 2") as caught:
        merge(grade(("q01", 48, 1), row), bundled, films.corpus)
    assert said in caught.value.message and bundled.read_bytes() == before
    ungraded = (row[0], row[1], None, *row[3:])  # nobody graded it: nothing is asked of it
    assert merge(grade(("q01", 48, 1), ungraded), bundled, films.corpus).ungraded == 1


LESSONS = {
    "_about": ["mine"],
    "test_cases": [
        {"query": "marmalade", "relevant_docs": ["Paddington", "No Such Film", "Cape Fear"], "note": "kept", "x": [1]},
        {
            "id": "fear",
            "query": "fear",
            "relevant_docs": ["Cape Fear (1991)", {"title": "Ted", "grade": 2, "why": "y"}],
        },
        {"query": "nothing", "relevant_docs": []},
    ],
}


def test_the_lessons_form_becomes_ours_with_ids(films: Workspace, tmp_path: Path, grade: Grade) -> None:
    path = tmp_path / "lessons.json"
    path.write_text(json.dumps(LESSONS, indent=2), encoding="utf-8")
    before = relevant(path, films)
    problems = load_golden(path, films.corpus).problems
    merge(grade(("q01", 47, 2), ("q03", 5, 1)), path, films.corpus)
    after = relevant(path, films)
    assert after == {"q01": {**before["q01"], "47": 2}, "fear": before["fear"], "q03": {"5": 1}}
    assert load_golden(path, films.corpus).problems == problems  # what no one title names stays to be mended
    value = json.loads(path.read_text(encoding="utf-8"))
    first, second, third = value["test_cases"]
    assert value["_about"] == ["mine"] and "relevant_docs" not in path.read_text(encoding="utf-8")
    assert list(first) == ["id", "query", "relevant", "note", "x"] and first["id"] == "q01"
    assert first["relevant"] == [
        {"id": 393, "title": "Paddington", "year": 2014, "grade": 1},
        {"title": "No Such Film"},
        {"title": "Cape Fear"},
        {"id": 47, "title": "The Bear", "year": 1988, "grade": 2},
    ]
    assert second["relevant"][1] == {"id": 520, "title": "Ted", "year": 2012, "grade": 2, "why": "y"}
    assert third["id"] == "q03"
    assert path.read_text(encoding="utf-8") == json.dumps(value, indent=2)  # laid out as it was


def test_force_on_a_title_of_two_films_gives_each_its_own_grade(films: Workspace, tmp_path: Path, grade: Grade) -> None:
    path = tmp_path / "lessons.json"
    path.write_text(json.dumps(LESSONS), encoding="utf-8")
    done = merge(grade(("q01", 77, 0)), path, films.corpus, force=True)
    assert len(done.conflicts) == 1 and relevant(path, films)["q01"] == {"393": 1, "77": 0, "78": 1}


@pytest.mark.parametrize("layout", [{}, {"indent": 4}, {"indent": "\t"}, {"ensure_ascii": False, "indent": 1}])
def test_a_file_keeps_its_layout(films: Workspace, tmp_path: Path, grade: Grade, layout: dict[str, Any]) -> None:
    path = tmp_path / "mine.json"
    value = {"test_cases": [{"query": "Amélie", "relevant": [{"id": 1}]}], "after": "é"}
    path.write_text(json.dumps(value, **layout), encoding="utf-8")
    merge(grade(("q01", 47, 1)), path, films.corpus)
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), **layout) and relevant(path, films)["q01"] == {"1": 1, "47": 1}


def test_a_file_of_no_layout_gets_a_line_for_each_case(films: Workspace, tmp_path: Path, grade: Grade) -> None:
    path = tmp_path / "mine.json.gz"
    text = '{"note": "\\ud800",\n\n"test_cases":[{"query":"x", "relevant":[]},{"query": "Amélie", "relevant": []}]}'
    path.write_bytes(gzip.compress(text.encode()))
    merge(grade(("q01", 47, 1)), path, films.corpus)
    assert gzip.decompress(path.read_bytes()).decode() == (
        '{"note": "\\ud800", "test_cases": [\n'
        '{"query": "x", "relevant": [{"id": 47, "title": "The Bear", "year": 1988, "grade": 1}]},\n'
        '{"query": "Amélie", "relevant": []}\n]}\n'
    )


def test_a_set_that_is_changed_while_it_is_merged_is_not_overwritten(
    films: Workspace, bundled: Path, grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*given: Any) -> GoldenSet:
        found = load_golden(*given)
        bundled.write_text("somebody else's", encoding="utf-8")
        return found

    monkeypatch.setattr(merging, "load_golden", meanwhile)
    with pytest.raises(DataError, match="was changed while it was read"):
        merge(grade(("q01", 47, 1)), bundled, films.corpus)
    assert bundled.read_text(encoding="utf-8") == "somebody else's"


ENTRIES = st.one_of(
    st.sampled_from(["Paddington", "Cape Fear", "Cape Fear (1991)", "Ted", "No Such Film"]),
    st.builds(
        lambda id, grade: {"id": id, "grade": grade}, st.sampled_from([77, "78", 393, 520, 1]), st.integers(-1, 2)
    ),
    st.builds(lambda year: {"title": "Cape Fear", "year": year, "k": 1}, st.sampled_from([1962, 1991, 1900])),
)
GIVEN = st.dictionaries(
    st.tuples(st.sampled_from(["q01", "q02"]), st.sampled_from([77, 78, 393, 520, 2])), st.integers(-1, 2), max_size=6
)


@bounds(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ENTRIES, max_size=5), st.lists(ENTRIES, max_size=5), st.booleans(), GIVEN, st.booleans())
def test_whatever_stands_in_a_set_outlasts_whatever_is_merged(
    films: Workspace, tmp_path: Path, grade: Grade, one: Any, two: Any, ours: bool, given_: Any, force: bool
) -> None:
    path = tmp_path / "any.json"
    key = "relevant" if ours else "relevant_docs"
    cases = [{"query": "one", key: one}, {"query": "two", key: two, "note": "n"}]
    path.write_text(json.dumps({"test_cases": cases, "more": 1}), encoding="utf-8")
    before, problems = relevant(path, films), load_golden(path, films.corpus).unresolved
    done = merge(grade(*((query, id, value) for (query, id), value in given_.items())), path, films.corpus, force=force)
    wanted = {query: dict(grades) for query, grades in before.items()}
    for (query, id), value in given_.items():
        if force or str(id) not in before[query]:
            wanted[query][str(id)] = value
    assert relevant(path, films) == wanted
    after = load_golden(path, films.corpus)
    assert set(after.unresolved) <= set(problems) and (force or after.unresolved == problems)
    assert after.queries[1].note == "n" and json.loads(path.read_text(encoding="utf-8"))["more"] == 1
    assert sum(done.added.values()) + done.same + len(done.conflicts) == len(given_)


# Merging into judgements


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    (made / "qrels").mkdir(parents=True)
    corpus = [{"_id": id, "title": f"T {id}", "text": "words"} for id in ("d1", "d 2", "d3")]
    (made / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus), encoding="utf-8")
    (made / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n', encoding="utf-8"
    )
    return made


@pytest.mark.parametrize(
    ("before", "after", "forced"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\t2\n", "q2\td 2\t1\n", ("q1\td1\t2", "q1\td1\t0")),
        ("q1\td1\t2", "\nq2\td 2\t1\n", ("q1\td1\t2", "q1\td1\t0")),
        ("h\tq\tr\r\nq1\td1\t2 \r\n", "q2\td 2\t1\r\n", ("d1\t2 ", "d1\t0 ")),
        ("q1\t0\td1\t2.0\n", "q2\t0\td 2\t1\n", ("d1\t2.0", "d1\t0")),
        (
            "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\n",
            "q2\td 2\t1\n",
            ("d1\t1\nq1\td1\t2", "d1\t0\nq1\td1\t0"),
        ),
    ],
    ids=["header", "no last line end", "windows", "TREC", "twice"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_rows_are_added_to_a_folder_and_the_others_stay_to_the_byte(
    folder: Path, grade: Grade, opened: Callable[[Path], Workspace], before: str, after: str, forced: Any, packed: bool
) -> None:
    path = folder / "qrels" / ("test.tsv.gz" if packed else "test.tsv")
    path.write_bytes(gzip.compress(before.encode()) if packed else before.encode())
    corpus = opened(folder).corpus
    lines = grade(("q2", "d 2", 1), ("q1", "d1", 0), ("q1", "d3", None))

    def text() -> str:
        return (gzip.decompress(path.read_bytes()) if packed else path.read_bytes()).decode()

    done = merge(lines, folder, corpus)
    assert text() == before + after and len(done.conflicts) == 1 and done.path == path
    assert [query.relevant for query in load_golden(folder, corpus).queries] == [{"d1": 2}, {"d 2": 1}]
    merge(lines, folder, corpus, force=True)
    assert text() == (before + after).replace(*forced)
    assert [query.relevant for query in load_golden(folder, corpus).queries] == [{"d1": 0}, {"d 2": 1}]


def test_another_split_and_an_empty_one_are_added_to(
    folder: Path, grade: Grade, opened: Callable[[Path], Workspace]
) -> None:
    path = folder / "qrels" / "mine.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    merge(grade(("q1", "d 2", 1)), folder, opened(folder).corpus, split="mine")
    assert path.read_text(encoding="utf-8") == "query-id\tcorpus-id\tscore\nq1\td 2\t1\n"


def test_trec_judgements_are_added_to_and_refuse_an_id_with_a_blank(
    folder: Path, tmp_path: Path, grade: Grade, opened: Callable[[Path], Workspace]
) -> None:
    path = tmp_path / "robust.qrels"
    path.write_text("q1 0 d1 2\n", encoding="utf-8")
    corpus, queries = opened(folder).corpus, folder / "queries.jsonl"
    merge(grade(("q2", "d3", 1)), path, corpus, queries=queries)
    assert path.read_text(encoding="utf-8") == "q1 0 d1 2\nq2 0 d3 1\n"
    with pytest.raises(DataError, match='"d 2" holds a blank'):
        merge(grade(("q2", "d 2", 1)), path, corpus, queries=queries)
    assert path.read_text(encoding="utf-8") == "q1 0 d1 2\nq2 0 d3 1\n"
