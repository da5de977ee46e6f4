"""data_cli fetch: a set becomes a catalogue or nothing changes; Wikipedia's films; files by hand."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import registry
from strata.core.catalogue import imported
from strata.core.fetch import fetch
from strata.core.load import lessons, load
from strata.errors import DataError, UsageError
from strata.files import locked
from tests.conftest import DATASETS, ROOT, Run
from tests.site import BODY, FILE, FILMS, SET, Asked, Site, reply

pytestmark = pytest.mark.usefixtures("catalogues")


def test_a_fetched_set_is_a_catalogue_with_its_licence(cli: Run, site: Site, catalogues: Path) -> None:
    site.gives(reply())
    found = cli("data_cli", "fetch", SET, "--base-url", site.base, "--json").json
    digest = hashlib.sha256(BODY).hexdigest()
    assert found["name"] == SET and found["documents"] == 2 and found["path"] == str(catalogues / SET)
    assert found["files"] == [{"url": site.host + FILE, "bytes": len(BODY), "sha256": digest}]
    origin = json.loads((catalogues / SET / "origin.json").read_bytes())
    assert {name: origin[name] for name in ("source", "licence", "credit", "files")} == {
        name: found[name] for name in ("source", "licence", "credit", "files")
    }
    assert origin["imported"].startswith("20") and sorted(p.name for p in (catalogues / SET).iterdir()) == [
        "corpus.jsonl",
        "origin.json",
    ]
    row = next(row for row in cli("data_cli", "list", "--json").json["datasets"] if row["name"] == SET)
    assert row["documents"] == 2 and "Boot.dev" in row["from"]
    assert cli("keyword_search_cli", "bm25search", "bear", "--dataset", SET, "--json").json["results"][0]["id"] == 1


def test_licence_and_how_to_search_are_told(cli: Run, site: Site) -> None:
    site.gives(reply())
    done = cli("data_cli", "fetch", SET, "--base-url", site.base)
    assert done.status == 0 and f"--dataset {SET}" in done.out and "licence: unstated" in done.out
    assert "licence: unstated" in done.err and "2 documents, where Strata knows 5,000" in done.err
    assert cli("data_cli", "fetch", SET, "--replace", "-q", "--base-url", site.base).err == ""


@pytest.mark.parametrize("args", [(), ("--list",), (SET, "--list")])
def test_the_known_sets_are_listed(cli: Run, args: tuple[str, ...]) -> None:
    done = cli("data_cli", "fetch", *args)
    assert done.status == 0 and all(name in done.out for name in registry.FETCH) and "CC BY-SA" in done.out
    rows = cli("data_cli", "fetch", *args, "--json").json["sets"]
    assert [(row["name"], row["here"]) for row in rows] == [(name, False) for name in registry.FETCH]


def test_an_unknown_set_is_refused_and_the_known_ones_named(cli: Run) -> None:
    done = cli("data_cli", "fetch", "imdb")
    assert done.status == 2 and "imdb" in done.err and all(name in done.err for name in registry.FETCH)


@pytest.mark.parametrize("row", registry.FETCH.values(), ids=list(registry.FETCH))
def test_every_row_loads_and_is_asked_over_https(row: registry.FetchRow) -> None:
    assert callable(registry.load(row)) and row.base.startswith("https://") and not row.base.endswith("/")
    assert row.files and row.licence and row.credit and row.megabytes <= row.most[0] * len(row.files) <= 2000


def test_one_that_is_there_stays_unless_it_is_to_be_replaced(cli: Run, site: Site, catalogues: Path) -> None:
    site.gives(reply())
    args = ("data_cli", "fetch", SET, "--base-url", site.base)
    cli(*args)
    again = cli(*args)
    assert again.status == 2 and "--replace" in again.err and len(site.asked) == 1
    site.gives(reply(b"[]"))
    assert cli(*args, "--replace").status == 2
    assert len((catalogues / SET / "corpus.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    site.gives(reply(json.dumps(FILMS["movies"][:1]).encode()))
    assert cli(*args, "--replace", "--json").json["documents"] == 1


def test_ctrl_c_leaves_nothing(asked: Asked, site: Site, catalogues: Path) -> None:
    def pressed(_: str) -> None:
        raise KeyboardInterrupt

    site.gives(reply(b"", 500))
    with pytest.raises(KeyboardInterrupt):
        fetch(SET, pressed, base_url=site.base)
    assert [path.name for path in catalogues.iterdir()] == [f".{SET}.lock"]


def test_killed_half_way_it_leaves_no_catalogue_and_the_next_one_tidies_up(
    asked: Asked, site: Site, catalogues: Path, tmp_path: Path
) -> None:
    site.gives(site.stalled(b"[" + b" " * 200_000))
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'cli')!r})\n"
        "from pathlib import Path\nfrom strata import paths\n"
        f"paths.imported_dir = lambda: Path({str(catalogues)!r})\n"
        "from strata.core.fetch import fetch\n"
        f"fetch({SET!r}, print, base_url={site.base!r})\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: any(path.stat().st_size for path in catalogues.glob(f".{SET}.*.tmp/fetched/*")))
    finally:
        child.kill()
        child.wait()
    assert imported() == {} and len(list(catalogues.glob(f".{SET}.*.tmp"))) == 1
    site.gives(reply())
    assert asked().documents == 2
    assert sorted(path.name for path in catalogues.iterdir()) == [f".{SET}.lock", SET]


def wait_for(met: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not met():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_httpx_is_not_loaded_before_something_is_fetched(tmp_path: Path) -> None:
    script = "import sys; from strata.core import fetch, importing; fetch.sets(); assert 'httpx' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_killed_between_its_two_renames_the_former_comes_back(asked: Asked, site: Site, catalogues: Path) -> None:
    site.gives(reply())
    asked()
    (catalogues / SET).rename(catalogues / f".{SET}.deadbeef.former.tmp")
    (catalogues / f".{SET}.deadbeef.tmp").mkdir()
    with pytest.raises(UsageError, match="there already"):
        asked()
    assert sorted(path.name for path in catalogues.iterdir()) == [f".{SET}.lock", SET] and list(imported()) == [SET]


def test_a_name_that_begins_alike_is_not_swept(asked: Asked, site: Site, catalogues: Path) -> None:
    other = catalogues / f".{SET}-2.deadbeef.tmp"
    other.mkdir(parents=True)
    site.gives(reply())
    asked()
    assert other.is_dir()


def test_two_at_once_wait_for_each_other(asked: Asked, site: Site, catalogues: Path) -> None:
    site.gives(reply())
    told, held = threading.Event(), threading.Event()

    def holder() -> None:
        with locked(catalogues / f".{SET}.lock"):
            held.set()
            assert told.wait(30)

    other = threading.Thread(target=holder)
    other.start()
    assert held.wait(30)

    def note(text: str) -> None:
        asked.notes.append(text)
        told.set()

    assert fetch(SET, note, base_url=site.base).documents == 2
    other.join()
    assert "another process is bringing in" in asked.notes[0]


def film(title: str = "Bear", year: int = 1950, href: str | None = "Bear", extract: str | None = "A film.") -> Any:
    row = {"title": title, "year": year, "cast": ["A", "B"], "genres": ["Drama"], "href": href}
    picture = {"thumbnail": "https://pictures.example/bear.jpg", "thumbnail_width": 320, "thumbnail_height": 240}
    return row if extract is None else {**row, "extract": extract, **picture}


def decades(folder: Path, rows: list[Any]) -> Path:
    """The decade files of these rows, in their order."""
    folder.mkdir(exist_ok=True)
    for name in registry.FETCH["wikipedia-movies"].files:
        own = [row for row in rows if str(row["year"])[:3] == name[7:10]]
        (folder / name).write_text(json.dumps(own, ensure_ascii=False), encoding="utf-8")
    return folder


def wikipedia(folder: Path, note: Callable[[str], None] = lambda _: None) -> list[Any]:
    done = fetch("wikipedia-movies", note, given=str(folder), replace=True)
    return list(load(done.folder / "corpus.jsonl", "jsonl", note))


def test_films_of_wikipedia_are_numbered_by_year_title_and_article(tmp_path: Path) -> None:
    rows = [film("Fox", 1952, "Fox_(b)"), film("Fox", 1952, "Fox_(a)"), film("Ape", 1952, "Ape"), film("Zoo", 1949)]
    documents = wikipedia(decades(tmp_path / "raw", rows))
    assert [(d.id, d.title, d.fields["href"]) for d in documents] == [
        (1, "Zoo", "Bear"), (2, "Ape", "Ape"), (3, "Fox", "Fox_(a)"), (4, "Fox", "Fox_(b)"),
    ]  # fmt: skip
    assert documents[0].text == "A film." and documents[0].fields == {
        "year": 1949, "genres": ["Drama"], "cast": ["A", "B"], "href": "Bear",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Of 1951.", 1951), ("1950 and 1962", 1950), ("Of 1962.", 1962), ("Of 2001.", 1950), ("Old.", 1950)],
)
def test_of_rows_about_one_article_the_one_whose_year_is_in_the_text_is_kept(
    tmp_path: Path, text: str, kept: int
) -> None:
    rows = [film(year=year, extract=text) for year in (1950, 1951, 1962, 1951)]
    assert [d.fields["year"] for d in wikipedia(decades(tmp_path / "raw", rows))] == [kept]


def test_films_without_a_text_are_left_out_and_those_without_an_article_kept_apart(tmp_path: Path) -> None:
    rows = [film(extract=None), film("B", extract=" \n"), film("C", href=None), film("D", href=None), film("E")]
    assert [d.title for d in wikipedia(decades(tmp_path / "raw", rows))] == ["C", "D", "E"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1}', "no list of films"),
        ("[3]", "entry 1: expected an object"),
        ('[{"title": "x", "year": "1950", "extract": "y"}]', "no title, or no year"),
        ('[{"title": null, "year": 1950, "extract": "y"}]', "no title, or no year"),
        ('[{"title": "x", "year": 1950, "extract": ["y"]}]', "extract or href is no text"),
        ('[{"title": "x", "year": 1950, "extract": "y", "cast": "z"}]', "genres or cast is no list"),
        ("<html>", "that is a web page"),
        ("", "no list of films"),
    ],
)
def test_rows_of_another_form_are_told_with_file_and_entry(tmp_path: Path, content: str, said: str) -> None:
    folder = decades(tmp_path / "raw", [film()])
    (folder / "movies-1970s.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        wikipedia(folder)
    assert said in caught.value.message and "movies-1970s.json" in caught.value.message and imported() == {}


def test_files_may_be_brought_by_hand_packed_or_not(tmp_path: Path, cli: Run) -> None:
    folder = decades(tmp_path / "raw", [film(), film("Fox", 2001, "Fox")])
    plain = folder / "movies-2000s.json"
    plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    found = cli("data_cli", "fetch", "wikipedia-movies", "--from", str(folder), "--json").json
    assert found["documents"] == 2 and len(found["files"]) == 13
    assert found["files"][10]["url"].endswith("raw/movies-2000s.json.gz")
    (folder / "movies-1900s.json").unlink()
    (folder / "movies-2020s.json").unlink()
    done = cli("data_cli", "fetch", "wikipedia-movies", "--from", str(folder), "--replace")
    assert done.status == 2 and "movies-1900s.json and 1 more" in done.err
    done = cli("data_cli", "fetch", "wikipedia-movies", "--from", str(plain.with_name("movies-1910s.json")))
    assert done.status == 2 and "is no folder" in done.err


def test_a_set_of_one_file_is_taken_from_it_or_its_folder(tmp_path: Path, cli: Run) -> None:
    file = tmp_path / "course-rag-movies.json"
    file.write_bytes(BODY)
    for place in (file, tmp_path):
        found = cli("data_cli", "fetch", SET, "--from", str(place), "--replace", "--json").json
        assert found["documents"] == 2 and found["files"][0]["sha256"] == hashlib.sha256(BODY).hexdigest()
    assert cli("data_cli", "fetch", SET, "--from", str(tmp_path / "none"), "--replace").status == 2
    both = cli("data_cli", "fetch", SET, "--from", str(file), "--base-url", "https://x.example", "--replace")
    assert both.status == 2 and "two ways" in both.err


@pytest.mark.skipif(not (DATASETS / "wikipedia-movies").is_dir(), reason="the data sets are not on this machine")
def test_all_34375_films_come_out_as_they_are_known(tmp_path: Path) -> None:
    """The raw files made again from the known result: pictures, rows without a text, repeats and disorder put back."""
    known = list(lessons.load(DATASETS / "wikipedia-movies" / "movies.json.gz"))
    rows = []
    for document in known:
        year, href, text = document.fields["year"], document.fields["href"], document.text
        own = {**film(document.title, year, href, text), **{k: document.fields[k] for k in ("genres", "cast")}}
        if document.id % 220 == 0 and str(year) in text and str(year - 1) not in text:
            rows.append({**own, "year": year - 1, "cast": []})  # an earlier row about the same article
        rows.append(own)
        if document.id % 19 == 0:
            rows.append(film(f"{document.title} again", year, None, None))
    rows.sort(key=lambda row: (row["year"], len(row["title"])))  # not by title; repeats may stand before or behind
    assert len(rows) > 36_000
    notes: list[str] = []
    found = wikipedia(decades(tmp_path / "raw", rows), notes.append)
    assert len(found) == 34_375 and found == known
    assert not any("the set has changed" in note for note in notes)
