"""The corpus: what was loaded comes back by position, id and title; templates; names and paths of catalogues."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from strata import files, paths, settings
from strata.core import corpus as corpus_module
from strata.core import documents as documents_module
from strata.core import importing, listing, load
from strata.core.analysis import fold
from strata.core.catalogue import locate
from strata.core.corpus import Corpus, open_corpus
from strata.core.load.entry import IDS, TEXTS, TITLES
from strata.core.templates import FILMS, PLAIN, TEMPLATES, template_for
from strata.core.types import Document
from strata.errors import ArtefactError, DataError, UsageError

BUNDLED = json.loads((paths.data_dir() / "movies.json").read_text(encoding="utf-8"))["movies"]
Open = Callable[..., Corpus]


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def opened(tmp_path: Path, notes: list[str]) -> Open:
    """opened(path): a corpus with a cache of its own."""

    def make(dataset: str | Path) -> Corpus:
        return open_corpus(settings.load(str(dataset), str(tmp_path / "cache")), notes.append)

    return make


@pytest.fixture
def films(shared_cache: Path) -> Corpus:
    return open_corpus(settings.load("movies", str(shared_cache)), lambda _: None)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    monkeypatch.setattr(paths, "choice_file", lambda: tmp_path / "choice.json")


def film(id: Any, title: str, year: int | None = None) -> dict[str, Any]:
    return {"id": id, "title": title, "description": "", "year": year}


# What was loaded comes back


def test_every_bundled_film_comes_back_by_position_by_id_and_in_order(films: Corpus) -> None:
    assert len(films) == len(BUNDLED)
    for position, (entry, document) in enumerate(zip(BUNDLED, films.documents(), strict=True)):
        assert document == films.document(position)
        assert (document.id, document.title, document.text) == (entry["id"], entry["title"], entry["description"])
        rest = {name: value for name, value in entry.items() if name not in ("id", "title", "description")}
        assert document.fields == rest
        assert films.position(entry["id"]) == films.position(str(entry["id"])) == position
        assert position in films.titled(entry["title"].upper())


def test_a_position_outside_the_catalogue_is_an_error(films: Corpus) -> None:
    for position in (-1, len(films)):
        with pytest.raises(IndexError):
            films.document(position)


SPELLINGS = st.text(st.sampled_from("abAÅé (19\n\t71)ß"), max_size=8)


@bounds(deadline=None, max_examples=25)
@given(st.lists(SPELLINGS, min_size=1, max_size=8), SPELLINGS)
def test_lookups_agree_with_a_scan_of_the_catalogue(titles: list[str], wanted: str) -> None:
    def key(text: str) -> str:
        return " ".join(fold(text).split())

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_text(json.dumps([film(f"id{i}", title) for i, title in enumerate(titles)]), encoding="utf-8")
        corpus = open_corpus(settings.load(str(path), folder), lambda _: None)
        same = [i for i, title in enumerate(titles) if key(title) and key(title) == key(wanted)]
        parts = [i for i, title in enumerate(titles) if key(wanted) and key(wanted) in key(title)]
        assert corpus.titled(wanted) == same
        expected = same or parts
        if len(expected) == 1:
            assert corpus.find(wanted) == expected[0]
        else:
            with pytest.raises(UsageError):
                corpus.find(wanted)
        corpus.close()


def test_a_hash_only_points(catalogue: Callable[..., Path], opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """All hashes equal: every lookup is still right, since what a hash finds is compared in full."""
    for module in (documents_module, corpus_module):
        monkeypatch.setattr(module, "hash_of", lambda text: np.uint64(7))
    corpus = opened(catalogue(film(1, "One"), film("1a", "one"), film(3, "Three")))
    assert [corpus.position(i) for i in (1, "1", "1a", 3, 4, "one")] == [0, 0, 1, 2, None, None]
    assert (corpus.titled("ONE"), corpus.titled("three"), corpus.titled("four")) == ([0, 1], [2], [])


# find


def test_an_id_wins_over_a_title_and_a_title_over_a_part(catalogue: Callable[..., Path], opened: Open) -> None:
    corpus = opened(catalogue(film(300, "Alien"), film(1, "300"), film(2, "Alien Nation"), film("x", "Amélie")))
    assert corpus.find("300") == 0
    assert corpus.find(" alien ") == 0
    assert corpus.find("nation") == 2
    assert corpus.find("AMELIE") == corpus.find("méli") == corpus.find("x") == 3


def test_several_titles_are_listed_with_years_and_a_year_tells_them_apart(films: Corpus) -> None:
    with pytest.raises(UsageError) as caught:
        films.find("cape fear")
    assert "Cape Fear (1962)" in caught.value.message and "Cape Fear (1991)" in caught.value.message
    assert caught.value.exit_status == 2
    assert films.document(films.find("Cape Fear (1991)")).fields["year"] == 1991


def test_a_long_list_of_titles_is_cut_and_counted(catalogue: Callable[..., Path], opened: Open) -> None:
    corpus = opened(catalogue(*(film(i, f"Rocky {i}", 1900 + i) for i in range(20))))
    with pytest.raises(UsageError) as caught:
        corpus.find("rocky")
    assert "fits 20 titles" in caught.value.message and "and 12 more" in caught.value.message
    assert caught.value.message.count("Rocky") == 8


def test_what_is_not_there_is_answered_with_the_nearest_titles(films: Corpus) -> None:
    with pytest.raises(UsageError) as caught:
        films.find("the godfater")
    assert "The Godfather (1972)" in caught.value.next_step
    for nothing in ("", "  ", "zzzz qqqq xxxx"):
        with pytest.raises(UsageError, match="no document"):
            films.find(nothing)


# The artefact


def test_an_opened_catalogue_is_not_read_again(catalogue: Callable[..., Path], opened: Open,
                                               monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    path = catalogue("a bear")
    opened(path)
    monkeypatch.setattr(load, "load", lambda *_: pytest.fail("the catalogue was parsed again"))
    assert opened(path).document(0).text == "a bear"


def test_a_changed_file_is_noticed_even_with_size_and_time_as_they_were(
    catalogue: Callable[..., Path], opened: Open
) -> None:
    path = catalogue("a bear")
    before, stat = opened(path), path.stat()
    catalogue("a fox!")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    after = opened(path)
    assert after.document(0).text == "a fox!" and after.fingerprint != before.fingerprint


def test_the_fingerprint_is_of_the_content_whatever_the_form(catalogue: Callable[..., Path], opened: Open,
                                                             tmp_path: Path) -> None:  # fmt: skip
    entries = [film(1, "One", 1990), film("b", "Two \u2028", None)]
    plain = catalogue(*entries)
    packed, lines = tmp_path / "x.json.gz", tmp_path / "y.jsonl"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    lines.write_text("\n".join(json.dumps(entry) for entry in entries), encoding="utf-8")
    prints = {opened(path).fingerprint for path in (plain, packed, lines)}
    assert len(prints) == 1 and len(prints.pop()) == 32
    assert opened(catalogue(*reversed(entries))).fingerprint not in prints


def test_a_damaged_artefact_is_announced_and_built_again(
    catalogue: Callable[..., Path], opened: Open, tmp_path: Path, notes: list[str]
) -> None:
    path = catalogue("a bear", "a fox")
    opened(path).close()
    (file,) = (tmp_path / "cache" / "documents").glob("*/documents.jsonl")
    file.write_bytes(file.read_bytes()[:-5])
    assert opened(path).document(1).text == "a fox"
    assert len(notes) == 1 and "built again" in notes[0]


def test_a_bad_catalogue_leaves_no_artefact(catalogue: Callable[..., Path], opened: Open, tmp_path: Path) -> None:
    path = catalogue(film(4, "a"), film("4", "b"))
    with pytest.raises(DataError, match="same id"):
        opened(path)
    assert not [folder for folder in (tmp_path / "cache" / "documents").iterdir() if folder.is_dir()]


# Names and paths


def test_an_unknown_name_lists_the_known_ones(opened: Open, catalogue: Callable[..., Path]) -> None:
    importing.bring_in(str(catalogue("a")), "zoo", lambda _: None, replace=False)
    with pytest.raises(DataError) as caught:
        opened("zooo")
    assert "movies, zoo" in caught.value.next_step and "path" in caught.value.next_step


def test_what_takes_a_formers_place_is_on_the_disk_first(
    catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut after a replacement could have left an empty file, and the former one gone."""
    importing.bring_in(str(catalogue("a")), "zoo", lambda _: None, replace=False)
    done: list[str] = []
    real_sync, real_rename = files.fsync, Path.rename
    monkeypatch.setattr("strata.core.keeping.fsync", lambda path: done.append(path.name) or real_sync(path))
    monkeypatch.setattr(Path, "rename", lambda self, to: done.append("renamed") or real_rename(self, to))
    importing.bring_in(str(catalogue("b")), "zoo", lambda _: None, replace=True)
    assert {"corpus.jsonl", "origin.json"} <= set(done[: done.index("renamed")])


@pytest.mark.parametrize("name", ["x" * 5000, "~nobody-of-this-name/x", "a\0b", "no/such/file.json"])
def test_a_name_that_no_system_can_open_is_one_line(opened: Open, name: str) -> None:
    """cases.md 46: the message names the thing and the way out."""
    with pytest.raises((DataError, UsageError)) as caught:
        opened(name)
    assert "\n" not in caught.value.message and len(caught.value.message) < 400 and caught.value.next_step


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_line(opened: Open, catalogue: Callable[..., Path]) -> None:
    path = catalogue("a")
    path.chmod(0)
    with pytest.raises((DataError, ArtefactError), match="cannot be read"):
        opened(path)


def test_a_path_never_passes_for_the_bundled_films(
    opened: Open, tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    """Another movies.json is not "movies": golden sets and words for its entries hang on the name."""
    assert opened(catalogue("a", name="movies.json")).name == "movies.json"
    assert opened(catalogue("a", name="movies")).name == "./movies"


def test_a_name_wins_over_a_file_of_that_name(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                              catalogue: Callable[..., Path]) -> None:  # fmt: skip
    catalogue("a", name="movies")
    monkeypatch.chdir(tmp_path)
    assert len(opened("movies")) == len(BUNDLED) and len(opened("./movies")) == 1


# Importing and listing

VALUES = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3))
FIELDS = st.dictionaries(
    st.text(max_size=6).filter(lambda name: name not in (*IDS, *TITLES, *TEXTS)), VALUES, max_size=4
)
ENTRIES = st.lists(FIELDS, min_size=1, max_size=4)
NAMES = st.sampled_from(["title", "name", "description", "text", "plot", "_id", "doc_id"])


@bounds(deadline=None, max_examples=25)
@given(ENTRIES, st.lists(st.dictionaries(NAMES, st.none() | st.text(max_size=5)), min_size=1, max_size=4))
def test_an_imported_catalogue_holds_the_same_documents(fields: list[Any], known: list[Any]) -> None:
    entries = [{**f, **k, "id": i} for i, (f, k) in enumerate(zip(fields, known, strict=False))]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "imported_dir", lambda: Path(folder) / "imported")
        path = Path(folder) / "a.json"
        path.write_text(json.dumps(entries), encoding="utf-8")
        wanted = list(load.load(path, "lessons", lambda _: None))
        importing.bring_in(str(path), "copy", lambda _: None, replace=False)
        corpus = open_corpus(settings.load("copy", folder), lambda _: None)
        assert list(corpus.documents()) == wanted
        corpus.close()


@pytest.mark.parametrize("part", ["queries.jsonl", "qrels/test.tsv"])
def test_a_beir_folder_with_broken_judgements_is_not_imported(tmp_path: Path, part: str) -> None:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "text": "bear"}\n', encoding="utf-8")
    (folder / part).write_text("query-id\tcorpus-id\tscore\nq1\td1\n", encoding="utf-8")
    with pytest.raises(DataError, match=part):
        importing.bring_in(str(folder), None, lambda _: None, replace=False)
    assert [left.name for left in (tmp_path / "imported").iterdir()] == [".tiny.lock"]


def test_a_damaged_or_missing_catalogue_is_listed_as_such(tmp_path: Path, shared_cache: Path,
                                                          catalogue: Callable[..., Path]) -> None:  # fmt: skip
    importing.bring_in(str(catalogue("a")), "zoo", lambda _: None, replace=False)
    (tmp_path / "imported" / "zoo" / "origin.json").write_text("{", encoding="utf-8")
    rows = listing.known(settings.load("gone.json", str(shared_cache)), lambda _: None)
    assert [row["name"] for row in rows] == ["movies", "zoo", "gone.json"]
    assert "damaged" in rows[1]["from"] and "no known catalogue" in rows[2]["from"] and rows[2]["in_use"]


def test_a_catalogue_that_nobody_may_look_into_keeps_nobody_from_another(
    tmp_path: Path, shared_cache: Path, catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = catalogue("a")
    importing.bring_in(str(file), "zoo", lambda _: None, replace=False)
    shut = tmp_path / "imported" / "zoo" / "origin.json"
    is_file, read_text, read_bytes = Path.is_file, Path.read_text, Path.read_bytes

    def refused(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Path, *args: Any, **more: Any) -> Any:
            if path == shut:
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **more)

        return call

    for name, real in (("is_file", is_file), ("read_text", read_text), ("read_bytes", read_bytes)):
        monkeypatch.setattr(Path, name, refused(real))
    assert locate(str(file)).path == file
    rows = listing.known(settings.load("zoo", str(shared_cache)), lambda _: None)
    assert [row["name"] for row in rows] == ["movies", "zoo"] and "damaged" in rows[1]["from"]
    with pytest.raises(DataError, match="cannot be read"):
        locate("zoo")


def test_the_folder_of_catalogues_that_nobody_may_look_into_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shut(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", shut)
    with pytest.raises(DataError, match=r"imported cannot be read \(Permission denied\)"):
        locate("zoo")


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", '{"dataset": null, ', "\x00"])
def test_a_record_that_is_garbage_is_one_line(tmp_path: Path, catalogue: Callable[..., Path], text: str) -> None:
    importing.bring_in(str(catalogue("a")), "zoo", lambda _: None, replace=False)
    for file in (tmp_path / "imported" / "zoo" / "origin.json", tmp_path / "choice.json"):
        file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"origin\.json cannot be read"):
        locate("zoo")
    with pytest.raises(DataError, match=r"choice\.json cannot be read"):
        settings.load()


def test_a_choice_that_nobody_may_look_at_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", shut)
    with pytest.raises(DataError, match=r"choice\.json cannot be read \(Permission denied\)"):
        settings.load()


def test_a_choice_is_remembered_only_after_it_was_opened(tmp_path: Path, catalogue: Callable[..., Path]) -> None:
    given = settings.load(None, str(tmp_path / "cache"))
    assert listing.use(str(catalogue("a")), given, lambda _: None) == str(tmp_path / "small.json")
    with pytest.raises(DataError):
        listing.use("nothing", given, lambda _: None)
    assert settings.load().dataset == str(tmp_path / "small.json")


# Templates


def test_keyword_text_has_who_made_it_and_vector_text_has_not() -> None:
    document = Document(1, "Up", "A house flies.", {"genres": ["Comedy", "Drama"], "director": "Pete Docter",
                                                    "cast": ["Ed Asner"], "year": 2009})  # fmt: skip
    assert FILMS.keyword_text(document) == "Up. Comedy, Drama. Pete Docter. Ed Asner. A house flies."
    assert FILMS.vector_text(document) == "Up. Comedy Drama. A house flies."
    assert PLAIN.keyword_text(document) == PLAIN.vector_text(document) == "Up A house flies."


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (Document(1, "", ""), ""),
        (Document(1, "", "Text only."), "Text only."),
        (Document(1, "Title only", ""), "Title only"),
        (Document(1, "Monsters, Inc.", "A door."), "Monsters, Inc. A door."),
        (Document(1, "What's Up, Doc?", "A bag."), "What's Up, Doc? A bag."),
        (Document(1, "A", "b", {"genres": [], "director": None, "cast": [None, "C", ""]}), "A. C. b"),
    ],
)
def test_empty_parts_are_left_out_and_no_full_stop_is_doubled(document: Document, text: str) -> None:
    assert FILMS.keyword_text(document) == text


@given(st.builds(Document, st.just(1), st.text("aB. "), st.text("aB. "),
                 st.dictionaries(st.sampled_from(FILMS.keyword), st.lists(st.text("xy"), max_size=2))))  # fmt: skip
def test_a_template_loses_no_word_and_adds_none(document: Document) -> None:
    def words(text: str) -> list[str]:
        return text.replace(".", " ").replace(",", " ").split()

    names = [name for name in FILMS.keyword if name != "title"]
    parts = [document.title, *(item for name in names for item in document.fields.get(name, [])), document.text]
    assert words(FILMS.keyword_text(document)) == [word for part in parts for word in words(part)]


def test_the_template_goes_by_the_loader_and_is_named_by_the_corpus(
    tmp_path: Path, opened: Open, films: Corpus
) -> None:
    (tmp_path / "beir").mkdir()
    (tmp_path / "beir" / "corpus.jsonl").write_text('{"_id": "1", "title": "T", "text": "x"}', encoding="utf-8")
    corpus = opened(tmp_path / "beir")
    assert corpus.template_id == template_for("beir").name != films.template_id
    assert corpus.keyword_text(corpus.document(0)) == "T x"
    assert TEMPLATES[films.template_id].vector_text(films.document(0)) == films.vector_text(films.document(0))


def test_changing_a_template_needs_a_new_name() -> None:
    """Indexes are keyed by the template's name; this pins what each name stands for."""
    assert TEMPLATES["films/2"] is FILMS
    assert (FILMS.keyword, FILMS.vector, FILMS.joiner) == (
        ("title", "genres", "director", "cast"), ("title", "genres"), ". ")  # fmt: skip
    assert (PLAIN.name, PLAIN.keyword, PLAIN.vector, PLAIN.joiner) == ("title-text/1", ("title",), ("title",), " ")


@pytest.mark.parametrize(
    ("title", "count"), [("Dracula (1931)", 1), ("  dracula   (1931) ", 1), ("Dracula(1931)", 1), ("(1931)", 0)]
)
def test_a_title_with_its_year_names_one_film(
    catalogue: Callable[..., Path], workspace: Any, title: str, count: int
) -> None:
    films = [{"id": year, "title": "Dracula", "description": "A count.", "year": year} for year in (1931, 1992)]
    assert len(workspace(catalogue(*films)).corpus.titled(title)) == count


def test_a_run_of_blanks_is_read_once(catalogue: Callable[..., Path], workspace: Any) -> None:
    corpus = workspace(catalogue("a bear")).corpus
    assert corpus.titled("x" + " " * 1_000_000 + "y") == []  # was quadratic: minutes
