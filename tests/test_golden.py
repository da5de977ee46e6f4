"""Golden sets: three forms, what does not fit the catalogue, and queries without an answer."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata import paths, settings
from strata.core.corpus import Corpus, open_corpus
from strata.core.golden import GoldenQuery, Repeated, Unresolved, load_golden, read_qrels
from strata.core.qrels import read_queries
from strata.errors import DataError
from tests.conftest import DATASETS

DATA = paths.data_dir()


@pytest.fixture
def films(shared_cache: Path) -> Corpus:
    return open_corpus(settings.load("movies", str(shared_cache)), lambda _: None)


@pytest.fixture
def golden(tmp_path: Path) -> Callable[..., Path]:
    """golden(case, …): a file with these cases; a string is a query without answers."""

    def make(*cases: Any) -> Path:
        path = tmp_path / "golden.json"
        full = [{"query": case, "relevant_docs": []} if isinstance(case, str) else case for case in cases]
        path.write_text(json.dumps({"test_cases": full}), encoding="utf-8")
        return path

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "x"}\n{"_id": "d 2", "text": "y"}', encoding="utf-8")
    queries = '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two\u2028"}\n{"_id": 3, "text": "three"}\n'
    (tmp_path / "queries.jsonl").write_text(queries, encoding="utf-8")
    return tmp_path


# The sets that come with Strata


def test_the_bundled_set_fits_the_bundled_films(films: Corpus) -> None:
    found = load_golden(DATA / "golden_dataset.json", films)
    assert (found.name, found.problems) == ("movies-golden", ())
    assert (len(found.queries), len(found.judged)) == (66, 63)
    assert all(query.kind for query in found.queries)
    assert {query.kind for query in found.unjudged} == {"unanswerable"}
    assert sum(len(query.relevant) for query in found.queries) == 262
    assert {grade for query in found.queries for grade in query.relevant.values()} == {1, 2}


def test_the_example_is_in_the_lessons_form_and_fits_the_bundled_films(films: Corpus) -> None:
    path = DATA / "golden_dataset.example.json"
    found = load_golden(path, films)
    assert found.problems == () and len(found.queries) == 4
    assert all("relevant_docs" in case for case in json.loads(path.read_text(encoding="utf-8"))["test_cases"])
    titles = [{films.label(films.find(key)) for key in query.relevant} for query in found.queries]
    assert titles[0] == {"(333) March of the Penguins (2005)"}
    assert titles[1] == {"(125) Dawn of the Dead (1978)", "(126) Dawn of the Dead (2004)"}
    assert set(found.queries[2].relevant.values()) == {2}
    assert [query.id for query in found.unjudged] == ["nothing"]


# Titles and ids


def test_titles_are_resolved_however_they_are_written(golden: Callable[..., Path], films: Corpus) -> None:
    path = golden({"query": "x", "relevant_docs": ["PADDINGTON", "amelie"]}, {"query": "y", "relevant_docs": ["Ted"]})
    found = load_golden(path, films)
    assert [query.id for query in found.queries] == ["q01", "q02"]
    assert found.queries[0].relevant["393"] == 1 and found.queries[1].relevant == {"520": 1}


def test_a_title_that_is_missing_or_ambiguous_is_reported_and_the_rest_stands(
    golden: Callable[..., Path], films: Corpus
) -> None:
    path = golden({"query": "x", "relevant_docs": ["No Such Film", "Cape Fear", "Ted"]}, "y")
    found = load_golden(path, films)
    assert found.queries[0].relevant == {"77": 1, "78": 1, "520": 1}
    missing, ambiguous = found.problems
    assert "No Such Film" in missing and "case 1" in missing
    assert "Cape Fear (1962)" in ambiguous and "Cape Fear (1991)" in ambiguous


def test_a_year_tells_two_films_of_one_title_apart(golden: Callable[..., Path], films: Corpus) -> None:
    found = load_golden(golden({"query": "x", "relevant_docs": ["Cape Fear (1991)"]}), films)
    assert (found.queries[0].relevant, found.problems) == ({"78": 1}, ())


def test_ids_of_another_catalogue_show_as_problems(golden: Callable[..., Path], films: Corpus) -> None:
    """Whole numbers fit any catalogue: the title beside an id tells whose it is."""
    path = golden({"query": "x", "relevant": [{"id": 393, "title": "paddington"}, {"id": 393, "title": "Jaws"},
                                              {"id": "none"}]})  # fmt: skip
    found = load_golden(path, films)
    assert len(found.problems) == 2
    assert '"Jaws" here and "Paddington"' in found.problems[0] and "none is not in movies" in found.problems[1]
    assert found.queries[0].relevant == {"393": 1, "none": 1}


def test_ids_are_strings_and_the_best_grade_of_a_document_counts(golden: Callable[..., Path], films: Corpus) -> None:
    """cases.md 27."""
    rows = [{"id": 393, "grade": 1}, {"id": "393", "grade": 2}, {"title": "Paddington", "grade": -1}]
    assert load_golden(golden({"query": "x", "relevant": rows}), films).queries[0].relevant == {"393": 2}


def test_without_a_catalogue_ids_stand_and_titles_are_reported(golden: Callable[..., Path]) -> None:
    found = load_golden(golden({"query": "x", "relevant_docs": ["Ted", {"id": 4}]}))
    assert found.queries[0].relevant == {"4": 1} and len(found.problems) == 1


@pytest.mark.parametrize("entry", [{"title": "Cape Fear", "year": 1991}, {"title": "cape fear", "year": "1991"},
                                   {"title": "Cape Fear (1991)", "year": 1991}])  # fmt: skip
def test_a_year_beside_a_title_tells_them_apart_too(
    golden: Callable[..., Path], films: Corpus, entry: dict[str, Any]
) -> None:
    found = load_golden(golden({"query": "x", "relevant": [{**entry, "grade": 2}]}), films)
    assert (found.queries[0].relevant, found.problems, found.unresolved) == ({"78": 2}, (), ())


def test_a_year_that_no_film_of_the_title_has_is_reported_with_those_there_are(
    golden: Callable[..., Path], films: Corpus
) -> None:
    rows = [{"title": "Cape Fear", "year": 1980}, {"id": 77, "title": "Cape Fear", "year": 1991}]
    found = load_golden(golden({"query": "x", "relevant": rows}), films)
    assert found.queries[0].relevant == {"77": 1}
    assert '"Cape Fear (1980)" is not in movies; there is (77) Cape Fear (1962)' in found.problems[0]
    assert "id 77 is of 1991 here and of 1962 in movies" in found.problems[1]


def test_titles_that_name_no_one_film_are_listed_with_what_they_fit(golden: Callable[..., Path], films: Corpus) -> None:
    found = load_golden(golden({"id": "a", "query": "x", "relevant_docs": ["No Such Film", "Cape Fear", "Ted"]}), films)
    assert found.unresolved == (Unresolved("a", "No Such Film"), Unresolved("a", "Cape Fear", ("77", "78")))


def test_a_document_listed_twice_is_told(golden: Callable[..., Path], films: Corpus, folder: Path) -> None:
    found = load_golden(golden({"query": "x", "relevant": [{"id": 393, "grade": 2}, {"title": "Paddington"}]}), films)
    assert found.repeated == (Repeated("q01", "393", (2, 1)),) and found.queries[0].relevant == {"393": 2}
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t2\nq1\td 2\t1\nq1\td1\t0\n", encoding="utf-8")
    found = load_golden(folder)
    assert found.repeated == (Repeated("q1", "d1", (2, 0)),) and found.queries[0].relevant == {"d1": 0, "d 2": 1}


# Queries without an answer


def test_a_query_without_answers_is_listed_as_unjudged(golden: Callable[..., Path]) -> None:
    """cases.md 71."""
    bad = [{"id": 1, "grade": 0}, {"id": 2, "grade": -1}]
    cases = ("nobody knows", {"query": "one", "relevant": [{"id": 1}]}, {"query": "only bad", "relevant": bad})
    found = load_golden(golden(*cases))
    assert [query.text for query in found.judged] == ["one"]
    assert [query.text for query in found.unjudged] == ["nobody knows", "only bad"]
    assert found.queries[2].relevant == {"1": 0, "2": -1}


def test_judgements_without_a_query_are_reported(folder: Path) -> None:
    """cases.md 71, the reverse."""
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t1\nq9\td1\t1\n", encoding="utf-8")
    found = load_golden(folder)
    assert [query.id for query in found.queries] == ["q1", "q2", "3"]
    assert [query.id for query in found.unjudged] == ["q2", "3"]
    assert "query q9" in found.problems[0]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (3, "no query"),
        ({"query": " "}, "no query"),
        ({"query": "x"}, "no list of relevant documents"),
        ({"query": "x", "relevant_docs": "Ted"}, "no list"),
        ({"query": "x", "relevant_docs": [3]}, "neither a title nor has an id"),
        ({"query": "x", "relevant": [{"id": 1, "grade": "high"}]}, "grade 'high'"),
        ({"query": "x", "relevant": [{"id": 1, "grade": True}]}, "grade True"),
        ({"query": "x", "relevant": [{"id": 1, "grade": 10**400}]}, "is not a whole number"),
    ],
)
def test_a_case_that_cannot_be_read_is_named(golden: Callable[..., Path], case: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        load_golden(golden("fine", case))
    assert said in caught.value.message and "case 2" in caught.value.message


def test_two_queries_may_not_have_one_id(golden: Callable[..., Path], folder: Path) -> None:
    with pytest.raises(DataError, match='two queries have the id "a"'):
        load_golden(golden({"id": "a", "query": "x", "relevant": []}, {"id": "a", "query": "y", "relevant": []}))
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t1\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": 1, "text": "a"}\n{"_id": "1", "text": "b"}\n', encoding="utf-8")
    with pytest.raises(DataError, match='two queries have the id "1"'):
        load_golden(folder)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"test_cases": 1}', "{"])
def test_a_file_that_is_no_golden_set_is_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.json"):
        load_golden(path)


# BEIR and TREC


@pytest.mark.parametrize(
    "content",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td 2\t-1\nq2\td1\t0\n",
        "q1\td1\t2\nq1\td 2\t-1\nq2\td1\t0",
        "qid\tdocno\trel\r\nq1\td1\t2\r\nq1\td 2\t-1\r\n\r\nq2\td1\t0\r\n",
        "q1\t0\td1\t2\nq1\t0\td 2\t-1\nq2\tQ0\td1\t0.0\n",
    ],
    ids=["header", "none", "another header", "TREC"],
)
def test_judgements_are_read_with_and_without_header_and_as_trec_writes_them(folder: Path, content: str) -> None:
    (folder / "qrels" / "test.tsv.gz").write_bytes(gzip.compress(content.encode()))
    found = load_golden(folder, open_corpus(settings.load(str(folder), str(folder / "cache")), lambda _: None))
    assert found.problems == () and found.name == f"{folder.name}/test"
    assert found.queries == (
        GoldenQuery("q1", "one", {"d1": 2, "d 2": -1}),
        GoldenQuery("q2", "two\u2028", {"d1": 0}),
        GoldenQuery("3", "three", {}),
    )


def test_trec_files_may_be_set_apart_by_blanks(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("301 0 FR940202-2-00150 1\n301  0  X  0\n", encoding="utf-8")
    assert read_qrels(path) == {"301": {"FR940202-2-00150": 1, "X": 0}}


QUERIES = {
    "queries.tsv": "qid\ttext\n301\tred wine\n302\twhite\twine\n",
    "topics.tsv": "301\tred wine\r\n\n302\twhite\twine",
    "queries.jsonl": '{"_id": "301", "text": "red wine"}\n{"_id": 302, "text": "white\\twine"}\n',
    "topics.jsonl": '{"qid": "301", "query": "red wine"}\n{"qid": "302", "query": "white\\twine"}\n',
}
TREC = (GoldenQuery("301", "red wine", {"d1": 2, "d2": 0}), GoldenQuery("302", "white\twine", {}))


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("place", ["beside", "above", "named", "packed"])
def test_trec_judgements_are_read_with_their_queries(tmp_path: Path, name: str, place: str) -> None:
    path = tmp_path / "qrels" / "robust.qrels.txt"
    path.parent.mkdir()
    path.write_text("301 0 d1 2\n301 0 d2 0\n", encoding="utf-8")
    where = {"beside": path.parent / name, "above": tmp_path / name, "packed": tmp_path / f"{name}.gz"}
    queries = where.get(place, tmp_path / "mine.txt")
    text = QUERIES[name].encode()
    queries.write_bytes(gzip.compress(text) if place == "packed" else text)
    found = load_golden(path, queries=queries if place == "named" else None)
    assert (found.name, found.queries, found.problems) == ("robust.qrels", TREC, ())


def test_judgements_without_the_texts_of_their_queries_say_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "qrels.txt"
    path.parent.mkdir(parents=True)
    path.write_text("301 0 d1 2\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_golden(path)
    assert "texts of its queries" in caught.value.message and "queries.tsv" in caught.value.next_step


@pytest.mark.parametrize("row", ["302", "302\t", "\twine", "302 wine"])
def test_a_line_that_is_no_query_is_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "topics.tsv"
    path.write_text(f"301\tred\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_queries(path)


def test_a_split_of_a_folder_may_be_named_by_its_file(folder: Path) -> None:
    (folder / "qrels" / "mine.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    assert load_golden(folder / "qrels" / "mine.tsv").queries == load_golden(folder, split="mine").queries


def test_a_missing_split_names_those_that_are_there(folder: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_golden(folder)
    assert "qrels/test.tsv" in caught.value.message
    for name in ("dev.tsv", "train.tsv.gz"):
        (folder / "qrels" / name).write_text("q1\td1\t1\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_golden(folder)
    assert "dev, train" in caught.value.next_step
    assert load_golden(folder, split="dev").queries[0].relevant == {"d1": 1}


def test_a_first_row_that_is_no_header_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    for row in ("q1\td1\t1.5", "q1\td1\tnan", "q1\td1"):
        path.write_text(f"{row}\nq1\td1\t1\n", encoding="utf-8")
        with pytest.raises(DataError, match="line 1"):
            read_qrels(path)


@pytest.mark.parametrize(
    "row",
    ["q1\td1", "q1\td1\tgood", "q1\td1\t1.5", "q1\td1\tnan", "a\tb\tc\td\te", "q1\t\t1", "q1\td1\t1e99", "q1\td1\tinf"],
)
def test_a_row_that_is_no_judgement_is_named_by_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "test.tsv"
    path.write_text(f"q1\td1\t1\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_qrels(path)


def test_judged_documents_that_the_catalogue_lacks_are_counted(folder: Path, films: Corpus) -> None:
    (folder / "qrels" / "test.tsv").write_text("".join(f"q1\tx{i}\t1\n" for i in range(5)), encoding="utf-8")
    (problem,) = load_golden(folder, films).problems
    assert problem.startswith("5 of 5 judged documents are not in movies: x0, x1, x2, …")


@bounds(deadline=None, max_examples=50)
@given(st.binary(max_size=100), st.booleans())
def test_any_bytes_give_judgements_or_one_line(content: bytes, as_json: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "any"
        path.write_bytes(content)
        try:
            load_golden(path) if as_json else read_qrels(path)
        except DataError as error:
            assert "\n" not in error.message


@pytest.mark.parametrize(("name", "queries", "judged", "rows"), [("cisi", 112, 76, 3114), ("adi", 35, 35, 170)])
def test_real_collections_are_read_as_their_list_says(name: str, queries: int, judged: int, rows: int) -> None:
    if not (DATASETS / name).is_dir():
        pytest.skip(f"{DATASETS / name} is not here")
    found = load_golden(DATASETS / name)
    assert (len(found.queries), len(found.judged), found.problems) == (queries, judged, ())
    assert sum(len(query.relevant) for query in found.queries) == rows
