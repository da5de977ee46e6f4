"""Loaders: the same documents from every form, and one clear line for everything that is no catalogue."""

from __future__ import annotations

import csv
import gzip
import json
import math
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import registry
from strata.core import load
from strata.core.load.clean import DEEPEST, unescaped
from strata.core.types import Document
from strata.errors import DataError
from tests.conftest import DATASETS

# What UTF-8 can hold, without backslashes (undoing double escapes has tests of its own).
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\\")
TEXTS = st.text(LETTERS, max_size=30)
IDS = st.one_of(st.integers(), st.text(LETTERS, min_size=1, max_size=5).filter(str.strip))
DOCUMENTS = st.lists(st.tuples(IDS, TEXTS, TEXTS), min_size=1, max_size=6, unique_by=lambda row: str(row[0]))


def read(path: Path, loader: str | None = None, notes: list[str] | None = None) -> list[Document]:
    return list(load.load(path, loader or load.detect(path), (notes if notes is not None else []).append))


def refusal(path: Path, loader: str | None = None) -> str:
    """What is said about a file that cannot be read; it names the file and is one line."""
    with pytest.raises(DataError) as caught:
        read(path, loader)
    assert str(path) in caught.value.message and "\n" not in caught.value.message
    assert caught.value.next_step
    return caught.value.message


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def lines(entries: Iterable[Any]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "catalogue.json"


# The same documents, whatever the form


@settings(deadline=None, max_examples=50)
@given(DOCUMENTS)
def test_every_json_form_gives_the_same_documents_plain_and_gzipped(rows: list[tuple[Any, str, str]]) -> None:
    wanted = [Document(*row, {"year": 1990}) for row in rows]
    entries = [{"id": i, "title": title, "description": text, "year": 1990} for i, title, text in rows]
    forms = {
        "lessons": json.dumps({"movies": entries}, ensure_ascii=False),
        "another name": json.dumps({"_about": "x", "tags": ["a"], "books": entries}, indent=1),
        "bare": json.dumps(entries),
        "lines": lines(entries),
        "other names": lines({"_id": i, "name": title, "plot": text, "year": 1990} for i, title, text in rows),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "films"
        for form, content in forms.items():
            for packed in (content.encode(), gzip.compress(content.encode()), b"\xef\xbb\xbf" + content.encode()):
                assert read(write(path, packed)) == wanted, form
        beir = Path(folder) / "beir"
        beir.mkdir()
        write(beir / "corpus.jsonl.gz", gzip.compress(forms["lines"].encode()))
        assert read(beir) == wanted


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), TEXTS, TEXTS), min_size=1, max_size=6, unique_by=lambda row: row[0]),
    st.sampled_from(",;\t|"),
)
def test_csv_gives_back_what_was_written_with_any_delimiter(rows: list[tuple[int, str, str]], delimiter: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "films.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
            writer.writerows([("id", "title", "text"), *rows])
        assert read(path) == [Document(*row) for row in rows]


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\x0b", "\x1c", "\r"])
def test_json_lines_are_split_on_the_line_feed_only(file: Path, separator: str) -> None:
    text = f"one{separator}two"
    content = f'{{"id": 1, "text": {json.dumps(text, ensure_ascii=False)}}}\r\n\r\n{{"id": 2}}'
    if separator > " ":  # the others must be escaped in JSON
        assert separator in content
    assert [document.text for document in read(write(file, content), "jsonl")] == [text, ""]


def test_what_is_not_id_title_or_text_is_kept_as_fields(file: Path) -> None:
    entry = {
        "id": 1,
        "title": None,
        "name": "A",
        "description": "",
        "overview": "B",
        "plot": "C",
        "cast": ["x"],
        "n": None,
    }
    assert read(write(file, lines([entry]))) == [Document(1, "A", "B", {"plot": "C", "cast": ["x"], "n": None})]


def test_a_field_without_a_name_is_a_field_and_no_title(file: Path) -> None:
    assert read(write(file, lines([{"id": 1, "": "x"}, {"id": 2, "": [1]}])))[0] == Document(1, "", "", {"": "x"})


def test_title_and_text_may_be_missing_and_a_title_may_be_a_number(file: Path) -> None:
    found = read(write(file, lines([{"id": "a"}, {"id": 2, "title": 1917, "text": None}])))
    assert found == [Document("a", "", ""), Document(2, "1917", "")]


# Ids


def test_ids_are_kept_as_given(file: Path) -> None:
    ids: list[Any] = ["MED-10", 4, "007", -1, 0, "é", 10**30, "4.0"]
    assert [document.id for document in read(write(file, lines({"id": i} for i in ids)))] == ids


@pytest.mark.parametrize(("bad", "said"), [(None, "null"), (True, "truth"), (1.0, "decimals"), ("", "empty"),
                                           (" ", "empty"), ([1], "list"), ({}, "object")])  # fmt: skip
def test_what_cannot_be_an_id_is_refused_with_its_line(file: Path, bad: Any, said: str) -> None:
    message = refusal(write(file, lines([{"id": 1}, {"id": bad}])), "jsonl")
    assert "line 2" in message and said in message


@pytest.mark.parametrize("twice", [(4, 4), (4, "4"), ("a", "a")])
def test_a_duplicate_id_is_refused_naming_both(file: Path, twice: tuple[Any, Any]) -> None:
    """cases.md 27: 4 and "4" are one id."""
    entries = [{"id": 0}, {"id": twice[0]}, {"id": 1}, {"id": twice[1], "title": "Again"}]
    message = refusal(write(file, json.dumps(entries)))
    assert "entries 2 and 4" in message and f"id {twice[0]}" in message and "Again" in message


def test_a_csv_id_of_digits_is_a_number_and_others_stay_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "ID,Title,Rank\n4,Four,1\n007,Bond,\n٤,Arabic,\n" + "9" * 30 + ",Long,\n\n")
    found = read(path)
    assert [document.id for document in found] == [4, "007", "٤", "9" * 30]
    assert found[0] == Document(4, "Four", "", {"Rank": "1"}) and found[1].fields == {}


# What is put right


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters(min_codepoint=0xA0, exclude_categories=["Cs"])))
def test_letters_escaped_twice_become_the_letters_they_mean(text: str) -> None:
    assert unescaped(json.dumps(text)[1:-1]) == text


LOOKALIKES = [r"C:\users", r"\u20", r"\ud83d alone", r"\ude00\ud83d", r"\u000a", r"\u005cu2019", r"\\u2019"]


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_only_looks_like_an_escape_is_left(text: str) -> None:
    assert unescaped(text) == text


def test_undone_escapes_are_announced_with_their_number(file: Path) -> None:
    notes: list[str] = []
    entries = [
        {"id": 1, "title": r"It\u2019s", "cast": [r"Am\u00e9lie"]},
        {"id": 2, "text": r"\ud83d\ude00"},
        {"id": 3},
    ]
    found = read(write(file, json.dumps(entries)), notes=notes)
    assert (found[0].title, found[0].fields["cast"], found[1].text) == ("It’s", ["Amélie"], "😀")
    assert len(notes) == 1 and "2 documents" in notes[0]


def test_numbers_that_json_does_not_know_become_null(file: Path) -> None:
    found = read(write(file, '[{"id": 1, "a": NaN, "b": [-Infinity, 1e999, 1.5], "c": {"d": Infinity}}]'))
    assert found[0].fields == {"a": None, "b": [None, None, 1.5], "c": {"d": None}}


def test_half_letters_become_the_replacement_sign_but_not_in_an_id(file: Path) -> None:
    found = read(write(file, r'[{"id": 1, "title": "a\ud800", "x": {"k\udfff": ["\ud83d"]}}]'))
    assert found[0] == Document(1, "a\ufffd", "", {"x": {"k\ufffd": ["\ufffd"]}})
    assert "half a letter" in refusal(write(file, r'[{"id": "\ud800"}]'))


def test_a_catalogue_may_have_an_id_and_lists_that_are_empty(file: Path) -> None:
    films = [{"id": 1, "title": "Up"}, {"id": 2, "title": "Her"}]
    for value in ({"id": "cat1", "movies": films}, {"films": films, "errors": []}, {"movies": [], "films": films}):
        assert [one.title for one in read(write(file, json.dumps(value)))] == ["Up", "Her"]


# What is refused


@pytest.mark.parametrize("content", ['{"movies": []}', "[]", '{"movies": [], "note": ["a"]}', "\n\n", "", " "])
def test_an_empty_catalogue_is_refused_by_name(file: Path, content: str) -> None:
    """cases.md 3: no division by zero documents later."""
    message = refusal(write(file, content))
    assert "holds no document" in message or "is empty" in message


def test_empty_lines_csv_and_beir_hold_no_document(tmp_path: Path) -> None:
    """cases.md 3."""
    assert "holds no document" in refusal(write(tmp_path / "a.jsonl", ""))
    assert "holds no document" in refusal(write(tmp_path / "a.csv", "id,title\n"))
    assert "(none)" in refusal(write(tmp_path / "b.csv", ""))
    write(tmp_path / "corpus.jsonl", "\n")
    assert "holds no document" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"id": 1}\n[2]\n', "line 2: expected an object, found a list"),
        ('{"id": 1}\n{"title": "x"}\n', "line 2: no id"),
        ('{"id": 1}\n\n{"id": 2,}\n', "line 3: not JSON"),
        ('{"id": 1, "title": ["x"]}\n', "line 1: title is a list"),
        ('{"movies": [{"id": 1}, "two"]}', "entry 2: expected an object, found a text"),
        ('{"movies": ["one"]}', "entry 1: expected an object"),
        ('{"movies": 3}', "no list of entries"),
        ('{"a": [{"id": 1}], "b": [{"id": 2}]}', "several lists (a, b)"),
        ('{"movies": [\n{"id": 1},\n{"id": 2}', "line 3: not JSON"),
        ("just words", "in no known form"),
    ],
)
def test_a_refusal_says_where_and_what(file: Path, content: str, said: str) -> None:
    assert said in refusal(write(file, content))


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_that_are_not_utf_8_are_named_with_their_line(file: Path, packed: bool) -> None:
    content = b'{"id": 1}\n' * 30_000 + b'{"id": 2, "title": "caf\xe9"}\n'
    content = gzip.compress(content, 1) if packed else content
    with pytest.raises(DataError, match=r"line 30001: not UTF-8 \(byte 0xe9\)"):
        list(registry.load(registry.LOADERS["jsonl"])(write(file, content)))


def test_broken_gzip_is_refused(file: Path) -> None:
    whole = gzip.compress(json.dumps([{"id": i, "text": f"{i * 7919}"} for i in range(5000)]).encode())
    assert "broken gzip" in refusal(write(file, whole[: len(whole) // 2]))
    assert "broken gzip" in refusal(write(file, whole[:-8] + bytes(8)))


@pytest.mark.parametrize(
    "content",
    ["[" * 200_000, '{"a":' * 200_000, '[{"id": 1, "x": ' + "[" * 900 + "]" * 900 + "}]", f'[{{"id": {"9" * 5000}}}]'],
    ids=["lists", "objects", "deep", "digits"],
)
def test_nesting_and_number_bombs_are_refused(file: Path, content: str) -> None:
    assert refusal(write(file, content))


def test_fields_may_be_nested_far_enough(file: Path) -> None:
    deep: Any = 1
    for _ in range(DEEPEST - 1):
        deep = [deep]
    assert read(write(file, json.dumps([{"id": 1, "x": deep}])))[0].fields == {"x": deep}
    assert "nested" in refusal(write(file, json.dumps([{"id": 1, "x": [deep]}])))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,year\na,1\n", "no id among the columns name, year"),
        ("id,a,a\n1,2,3\n", 'two columns are called "a"'),
        ("id,title\n1,a,b\n", "line 2: more cells"),
        ('id,title\n1,"a\n', "line 2: unexpected end"),
        ("id,title\n,a\n", "line 2: no id"),
    ],
)
def test_csv_that_does_not_fit_is_refused_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    assert said in refusal(write(tmp_path / "a.csv", content))


def test_csv_cells_may_be_large_and_hold_line_breaks(tmp_path: Path) -> None:
    text = "a line\n" * 100_000
    assert read(write(tmp_path / "a.tsv", f'\ufeffid\ttitle\ttext\r\n1\tA;B,C\t"{text}"\r\n')) == [
        Document(1, "A;B,C", text)
    ]


@settings(deadline=None, max_examples=50)
@given(st.binary(max_size=200), st.sampled_from(["", ".jsonl", ".csv", ".json.gz"]), st.booleans())
def test_any_bytes_give_documents_or_one_line(content: bytes, ending: str, packed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / f"any{ending}", gzip.compress(content) if packed else content)
        try:
            assert read(path)
        except DataError as error:
            assert error.message and "\n" not in error.message


SCALARS = st.none() | st.booleans() | st.floats() | st.integers() | st.text()
NAMES = st.sampled_from(["id", "title", "text", "movies"]) | st.text()


@settings(deadline=None, max_examples=50)
@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
def test_any_json_gives_documents_that_can_be_written_or_one_line(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for content in (value, [value], {"movies": [{"id": 1, "x": value}]}):
            path = write(Path(folder) / "any.json", json.dumps(content))
            try:
                for document in read(path):
                    json.dumps(document.fields, allow_nan=False, ensure_ascii=False).encode()
                    f"{document.id}{document.title}{document.text}".encode()
            except DataError as error:
                assert "\n" not in error.message


# Which loader


@pytest.mark.parametrize(
    ("name", "content", "loader"),
    [
        ("a.jsonl", "", "jsonl"),
        ("A.NDJSON.GZ", "", "jsonl"),
        ("a.csv", "", "csv"),
        ("a.tsv.gz", "", "csv"),
        ("a.json", '{"id": 1}', "jsonl"),
        ("a.json", '\n{"_id": "1", "genres": ["x"]}\n{"_id": "2"}', "jsonl"),
        ("a.json", '{"title": "no id"}\n{"title": "none"}', "jsonl"),
        ("a.json", '{"films": [{"id": 1}]}', "lessons"),
        ("a.json", '{"id": "cat1", "title": "all", "movies": [{"id": 1}, {"id": 2}]}', "lessons"),
        ("a.json", '{"id": 1, "title": "a director", "movies": ["one", "two"]}', "jsonl"),
        ("a.json", '{"id": 1, "title": "a director", "movies": []}', "jsonl"),
        ("a.json", '{\n "movies": [', "lessons"),
        ("a.txt", "[", "lessons"),
        ("a", "id;title\n1;a", "csv"),
        ("a", '{"movies": [' + '{"id": 1},' * 100_000, "lessons"),
    ],
)
def test_the_loader_is_told_by_name_or_content(tmp_path: Path, name: str, content: str, loader: str) -> None:
    assert load.detect(write(tmp_path / name, content)) == loader


def test_an_unknown_form_names_the_loaders_of_the_registry(file: Path) -> None:
    with pytest.raises(DataError) as caught:
        load.detect(write(file, "once upon a time"))
    assert all(name in caught.value.next_step for name in registry.LOADERS)


def test_a_path_that_is_not_there_or_no_beir_folder_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "none.json")
    assert "without corpus.jsonl" in refusal(tmp_path)


# Real collections, where they are at hand


def dataset(name: str) -> Path:
    path = DATASETS / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


def test_empty_documents_of_a_test_collection_survive() -> None:
    found = {str(document.id): document for document in read(dataset("cranfield"))}
    assert len(found) == 1400
    assert [(found[i].title, found[i].text) for i in ("471", "995")] == [("", ""), ("", "")]


def test_unusual_line_separators_of_a_real_catalogue_survive() -> None:
    found = read(dataset("anime-mal/movies.json.gz"))
    assert len(found) == 3862
    assert any(c in document.text for document in found for c in "\u2028\u0085")
    assert all(math.isfinite(document.fields["score"]) for document in found if document.fields["score"] is not None)


def test_the_courses_own_sample_loses_its_double_escapes() -> None:
    notes: list[str] = []
    found = read(dataset("bootdev-course/movies_sample.json"), notes=notes)
    assert len(found) == 20 and not any("\\u" in document.text for document in found)
    assert "undone in 6 documents" in notes[0]
