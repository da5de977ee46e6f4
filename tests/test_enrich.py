"""Premises by rule: who gets one, what is in it, what is read with it, and that taking it back leaves no trace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.corpus import Corpus
from strata.core.types import Document, Plan, Query
from strata.enrich import kept as keeping
from strata.enrich.by_rule import MOST_WORDS, beginning, by_rule, head
from strata.errors import DataError
from strata.keyword.bm25 import BM25
from strata.pipeline.explanation import explanation, to_json
from strata.pipeline.planfile import preset
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.searching import Found
from strata.semantic.chunking import Chunking
from strata.semantic.chunks import Chunks
from strata.semantic.units import Cut, Whole
from strata.show import explain, results
from strata.show.text import write
from tests.conftest import ROOT, UNSET, Run
from tests.counting import Encoders, Opened
from tests.deep_tide import DEEP, FILMS, OTHER, PREMISE, REST, STORY, edited, enriched
from tests.test_imports import HEAVY

Catalogue = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("kept_in")


@pytest.fixture
def files(tmp_path: Path, catalogue: Catalogue) -> Path:
    return catalogue(*FILMS)


def everything(folder: Path) -> dict[str, bytes]:
    """The files of an artefact but for those that hold times."""
    return {
        file.name: file.read_bytes() for file in folder.iterdir() if file.name not in ("manifest.json", "stamps.json")
    }


def drawn(blocks: Any) -> str:
    out = StringIO()
    write(blocks, out)
    return out.getvalue()


def test_who_has_one_and_what_it_says(files: Path, workspace: Callable[[Path], Workspace]) -> None:
    """Only the thin entry whose franchise has the story: not one without a franchise, nor two thin ones together."""
    corpus = enriched(workspace(files)).corpus
    assert {corpus.id(at): (one.text, one.story, one.model) for at, one in corpus.premises.items()} == {
        "t2": (PREMISE, 1, "")
    }


def test_the_text_stays_and_the_premise_is_read_before_it(files: Path, workspace: Callable[[Path], Workspace]) -> None:
    plain, corpus = workspace(files).corpus, enriched(workspace(files)).corpus
    at = corpus.find("Deep Tide 2")
    before, after = plain.document(at), corpus.document(at)
    assert (after.id, after.title, after.text, after.fields) == (before.id, before.title, before.text, before.fields)
    assert before.premise is None and after.premise and after.premise.text == PREMISE
    text = after.text.strip()
    assert corpus.vector_text(after) == f"Deep Tide 2. {PREMISE} {text}"
    assert corpus.keyword_text(after) == f"Deep Tide 2. {PREMISE} {text}"
    assert [document.premise for document in plain.documents()] == [None] * len(plain)
    others = [document for document in corpus.documents() if document.id != "t2"]
    assert others == [document for document in plain.documents() if document.id != "t2"]


def test_chunks_keep_their_places_in_the_text(files: Path, workspace: Callable[[Path], Workspace]) -> None:
    plain, corpus = workspace(files).corpus, enriched(workspace(files)).corpus
    at = corpus.find("t2")
    for sentences in (1, 4):
        unit = Cut(Chunking(sentences, 0))
        without = list(unit.pieces(plain, plain.document(at)))
        pieces = list(unit.pieces(corpus, corpus.document(at)))
        assert [piece[:2] for piece in pieces] == [piece[:2] for piece in without]
        (start, end, text), *rest = pieces
        assert text == f"Deep Tide 2. {PREMISE} {corpus.document(at).text[start:end]}"
        assert rest == without[1:]


def test_an_entry_without_any_text_is_read_as_its_premise(
    catalogue: Catalogue, workspace: Callable[[Path], Workspace]
) -> None:
    corpus = enriched(workspace(catalogue(*edited(FILMS, "t2", description="")))).corpus
    document = corpus.document(corpus.find("t2"))
    assert [*Cut(Chunking()).pieces(corpus, document)] == [(0, 0, f"Deep Tide 2. {PREMISE}")]
    assert corpus.vector_text(document) == f"Deep Tide 2. {PREMISE}"


def test_it_is_found_by_the_story(files: Path, workspace: Callable[[Path], Workspace]) -> None:
    def found(ws: Workspace) -> list[Any]:
        trace = run(Plan((BM25(),)), Query("swimmer off a holiday island"), ws)
        return [ws.corpus.id(doc) for doc in trace.final.docs.tolist()]

    assert found(workspace(files)) == [1]
    assert sorted(map(str, found(enriched(workspace(files))))) == ["1", "t2"]


def test_only_what_has_a_premise_is_analysed_and_encoded_anew(files: Path, encoders: Encoders, opened: Opened) -> None:
    plain, notes = opened(files), list[str]()
    encoder = encoders["all-MiniLM-L6-v2"]
    units = (Whole(), Cut(Chunking()))
    stores = [plain.vectors(encoder.name, unit) for unit in units]
    plain.index  # noqa: B018 - opening builds
    encoder.drain()
    ws = Workspace(plain.settings, notes.append, enriched=True)
    assert ws.index.facts["analysed"] == 1
    for unit, store in zip(units, stores, strict=True):
        again = ws.vectors(encoder.name, unit)
        assert len(again.vectors) == len(store.vectors) and (again.docs == store.docs).all()
        assert [text for _, text in encoder.drain()] == [
            text for at in [ws.corpus.find("t2")] for _, _, text in unit.pieces(ws.corpus, ws.corpus.document(at))
        ]
    assert f"1 of {len(FILMS)} documents analysed, {len(FILMS) - 1} were known" in notes


def test_a_catalogue_without_thin_entries_is_the_plain_one(
    catalogue: Catalogue, workspace: Callable[[Path], Workspace]
) -> None:
    ws = workspace(catalogue(DEEP, *REST))
    other = enriched(ws)
    assert other.corpus.fingerprint == ws.corpus.fingerprint and not other.corpus.premises
    assert ws.index.path == other.index.path and not other.index.fresh


def test_removing_leaves_no_trace(files: Path, encoders: Encoders, opened: Opened, cli: Run, tmp_path: Path) -> None:
    encoder, cache = encoders["all-MiniLM-L6-v2"], tmp_path / "cache"

    def state(ws: Workspace) -> list[Any]:
        stores = [ws.vectors(encoder.name, unit) for unit in (Whole(), Cut(Chunking()))]
        folders = [ws.index.path, *(store.path for store in stores)]
        return [ws.corpus.fingerprint, folders, [everything(folder) for folder in folders]]

    before = state(opened(files))
    with_premises = state(enriched(opened(files)))
    assert with_premises[0] != before[0]
    encoder.drain()
    done = cli("data_cli", "enrich", "--remove", "--dataset", str(files), cache=cache)
    assert done.status == 0 and "No premises are used" in done.out
    assert state(enriched(opened(files))) == before
    assert cli("data_cli", "enrich", "--list", "--dataset", str(files), "--json", cache=cache).json["removed"] is True
    # And back again: nothing is made anew either.
    assert cli("data_cli", "enrich", "--dataset", str(files), "--json", cache=cache).json["by_rule"] == 1
    assert state(enriched(opened(files))) == with_premises
    assert encoder.drain() == []


def test_an_edit_makes_the_premise_anew(catalogue: Catalogue, workspace: Callable[[Path], Workspace]) -> None:
    corpus = enriched(workspace(catalogue(*FILMS))).corpus
    story = STORY.replace("holiday", "frozen")
    after = enriched(workspace(catalogue(*edited(FILMS, 1, description=story)))).corpus
    text = after.premises[1].text
    assert "frozen island" in text and text != corpus.premises[1].text
    filled = enriched(workspace(catalogue(*edited(FILMS, "t2", description=OTHER)))).corpus
    assert not filled.premises  # it holds something now
    assert not enriched(workspace(catalogue(*FILMS[1:]))).corpus.premises  # the story was taken out


def test_what_is_made_with_premises_pushes_nothing_plain_out(
    catalogue: Catalogue, workspace: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    folders = []
    for year in (1975, 1976, 1977):
        ws = workspace(catalogue(*edited(FILMS, 1, year=year)))
        folders.append((ws.index.path, enriched(ws).index.path))
    assert len({path for pair in folders for path in pair}) == 6
    assert [(plain.is_dir(), other.is_dir()) for plain, other in folders] == [
        (False, False),
        (True, True),
        (True, True),
    ]


@pytest.mark.parametrize(
    ("years", "expected"),
    [((1978, 1975), "Follows S (1975)"), ((1975, 1975), "Follows S (1975)"), ((1970, 1975), "Precedes S (1975)"),
     ((None, 1975), "Follows S (1975)"), ((1978, None), "Follows S"), ((1978, "unknown"), "Follows S")],
)  # fmt: skip
def test_what_an_entry_follows(years: tuple[Any, Any], expected: str) -> None:
    own, other = ({"year": year} if year else {} for year in years)
    assert head(Document(1, "T", "", own), Document(2, " S\n ", "", other)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("One.", "One."), ("One. Two. Three.", "One. Two."), (" One\n by one.  Two. ", "One by one. Two."),
     ("One. Word " + "word " * 59 + "end.", "One."), ("", ""),
     ("word " * 70, "word " * 59 + "word …"),
     ("One. Word " + "word " * 57 + "end.", "One. Word " + "word " * 57 + "end.")],
)  # fmt: skip
def test_how_a_story_begins(text: str, expected: str) -> None:
    assert beginning(text) == expected


@given(st.text())
def test_a_beginning_is_the_texts_own_words(text: str) -> None:
    found = beginning(text)
    words = found.removesuffix(" …").split()
    assert words == text.split()[: len(words)] and len(words) <= MOST_WORDS
    assert bool(words) == bool(text.split())


def test_the_bundled_films(films: Workspace) -> None:
    plain, corpus = films.corpus, enriched(films).corpus
    assert len(corpus.premises) == 49
    for at, premise in corpus.premises.items():
        story = corpus.document(corpus.position(premise.story) or 0)
        assert premise == by_rule(plain.document(at), story)
        start, quoted = premise.text.split(": ", 1) if ": " not in story.title else premise.text.split("): ", 1)
        assert story.title in start and " ".join(story.text.split()).startswith(quoted)
        assert len(quoted.split()) <= MOST_WORDS and corpus.document(at).text == plain.document(at).text


def test_show_has_it_apart(files: Path, cli: Run, tmp_path: Path) -> None:
    dataset = ("--dataset", str(files))
    out = cli("data_cli", "show", "t2", *dataset, cache=tmp_path / "cache").out
    text, premise = out.split("Premise, no part of the text", 1)
    assert "The leads return." in text and "swimmer" not in text
    assert "Follows Deep Tide (1975): A swimmer" in premise and "by rule, from (1) Deep Tide (1975)" in premise
    data = cli("data_cli", "show", "t2", *dataset, "--json", cache=tmp_path / "cache").json
    assert data["premise"] == {
        "text": PREMISE,
        "story": {"id": 1, "title": "Deep Tide"},
        "by_rule": True,
        "model": None,
    }
    assert "swimmer" not in data["text"]
    assert cli("data_cli", "show", "1", *dataset, "--json", cache=tmp_path / "cache").json["premise"] is None


def test_results_and_explain_say_what_is_a_premise(files: Path, encoders: Encoders, opened: Opened) -> None:
    ws = enriched(opened(files))
    trace = run(preset("lessons", "rrf"), Query("swimmer off a holiday island"), ws)
    doc = ws.corpus.find("t2")
    found = Found(trace, ws, [], "lessons")
    lines = drawn(results.fused(found)).split("\n")
    at = next(i for i, text in enumerate(lines) if "(t2) Deep Tide 2" in text)
    assert lines[at + 2].startswith("   [premise] ") and "[swimmer]" in lines[at + 2]
    story = next(i for i, text in enumerate(lines) if "(1) Deep Tide " in text)
    assert "[premise]" not in lines[story + 2] and "[swimmer]" in lines[story + 2]
    explained = explanation(trace, doc, ws)
    view = drawn(explain.view(found, explained))
    assert "\n[premise] " in view and "by rule, from (1) Deep Tide (1975)" in view
    data, in_results = to_json(explained, trace), trace.to_json()
    row = next(row for row in in_results["results"] if row["id"] == "t2")
    assert data["premise"] == row["premise"] and row["premise"]["text"] == PREMISE
    assert in_results["dataset"]["premises"] == 1
    assert all(("premise" in row) == (row["id"] == "t2") for row in in_results["results"])


def test_a_word_of_the_entry_itself_shows_the_entry_itself(files: Path, encoders: Encoders, opened: Opened) -> None:
    ws = enriched(opened(files))
    trace = run(preset("lessons", "rrf"), Query("the leads return"), ws)
    lines = drawn(results.fused(Found(trace, ws, [], "lessons"))).split("\n")
    at = next(i for i, text in enumerate(lines) if "(t2) Deep Tide 2" in text)
    assert "[premise]" not in lines[at + 2] and "[leads] [return]" in lines[at + 2]


def test_passages_stay_word_for_word_the_text(files: Path, encoders: Encoders, opened: Opened) -> None:
    ws = enriched(opened(files))
    ranking = Chunks()(Query("swimmer"), ws, 100)
    assert len(ranking.docs) == len(FILMS)
    for doc, passage in zip(ranking.docs.tolist(), ranking.passages, strict=True):
        assert passage.doc == doc and passage.text == ws.corpus.document(doc).text[passage.start : passage.end]


def test_a_plain_search_says_nothing_of_premises(files: Path, encoders: Encoders, opened: Opened) -> None:
    trace = run(preset("lessons", "rrf"), Query("swimmer"), opened(files))
    data = json.dumps(trace.to_json())
    assert "premise" not in data


def test_enrich_says_what_there_is(files: Path, cli: Run, tmp_path: Path, kept_in: Path) -> None:
    done = cli("data_cli", "enrich", "--dataset", str(files), cache=tmp_path / "cache")
    assert done.status == 0
    for said in ("4 of 11 entries hold nothing to find", "1 have a premise: 1 by rule, 0 by a language model",
                 "3 have none: no other entry of their franchise has the story", "(3) Left Alone (1990)",
                 "(t2) Deep Tide 2 (1978)", "Follows Deep Tide (1975)", "data_cli enrich --remove"):  # fmt: skip
        assert said in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    data = cli("data_cli", "enrich", "--dataset", str(files), "--json", cache=tmp_path / "cache").json
    assert (data["thin"], data["by_rule"], data["by_model"], data["documents"]) == (4, 1, 0, 11)
    assert [(one["id"], one["text"]) for one in data["premises"]] == [("t2", PREMISE)]
    assert [one["id"] for one in data["without"]] == [3, 4, 5] and data["stale"] == []
    assert data["asked"] is None and data["file"] is None
    assert not kept_in.exists()  # by rule nothing is kept


def test_without_franchises_it_says_why_there_is_nothing(catalogue: Catalogue, cli: Run, tmp_path: Path) -> None:
    entries = [{name: value for name, value in entry.items() if name != "franchise"} for entry in FILMS]
    out = cli("data_cli", "enrich", "--dataset", str(catalogue(*entries)), cache=tmp_path / "cache").out
    assert "0 have a premise" in out and "no entry says what it is a part of" in " ".join(out.split())


@pytest.mark.parametrize(
    "damage",
    [b"{", b"[]", b"null", b'{"format": 2}', b'{"format": 1, "removed": 1, "premises": {}}', b"\xff\xfe", b'"text"',
     b'{"format": 1, "removed": false, "premises": []}', b'{"format": 1, "removed": false, "premises": {"a": {}}}',
     b'{"format": 1, "removed": false, "premises": {"a": {"id": [], "story": {"id": 1, "hash": "h"}, "text": "t",'
     b' "model": "m"}}}', b"[" * 100_000,
     b'{"format": 1, "removed": false, "premises": {"a": {"id": 1, "story": {"id": 1, "hash": "h"}, "text":'
     b' "\\u001b[31m", "model": "m"}}}'],
)  # fmt: skip
def test_a_damaged_file_is_one_line_with_the_way_out(
    damage: bytes, files: Path, workspace: Callable[[Path], Workspace], cli: Run, tmp_path: Path
) -> None:
    file = keeping.file_of(workspace(files).corpus.source)
    file.parent.mkdir()
    file.write_bytes(damage)
    for command in ("enrich", "show"):
        done = cli("data_cli", command, *(["t2"] if command == "show" else []), "--dataset", str(files),
                   cache=tmp_path / "cache")  # fmt: skip
        assert done.status == 2 and done.out == "" and len(done.err.splitlines()) == 1
        assert str(file) in done.err and "delete that file" in done.err
    with pytest.raises(DataError):
        enriched(workspace(files)).corpus  # noqa: B018
    assert len(workspace(files).corpus) == len(FILMS)  # who wants no premises is not held up
    file.unlink()
    assert cli("data_cli", "enrich", "--dataset", str(files), cache=tmp_path / "cache").status == 0


def test_removing_mends_a_damaged_file(
    files: Path, workspace: Callable[[Path], Workspace], cli: Run, tmp_path: Path
) -> None:
    file = keeping.file_of(workspace(files).corpus.source)
    file.parent.mkdir()
    file.write_bytes(b"{")
    assert cli("data_cli", "enrich", "--remove", "--dataset", str(files), cache=tmp_path / "cache").status == 0
    assert keeping.read(file) == keeping.Kept(removed=True)


@pytest.mark.parametrize(
    "options", [("--list", "--remove"), ("--remove", "--llm", "groq"), ("--list", "--show-prompt")]
)
def test_one_thing_at_a_time(options: tuple[str, ...], files: Path, cli: Run, tmp_path: Path) -> None:
    done = cli("data_cli", "enrich", *options, "--dataset", str(files), cache=tmp_path / "cache")
    assert done.status == 2 and "give one of them" in done.err


def test_two_catalogues_of_one_name_have_a_file_each(tmp_path: Path, workspace: Callable[[Path], Workspace]) -> None:
    names = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "films.json"
        path.write_text(json.dumps({"movies": FILMS}), encoding="utf-8")
        names.add(keeping.file_of(workspace(path).corpus.source))
    assert len(names) == 2


def test_a_search_with_premises_loads_nothing_heavy_and_works_nothing_out(
    files: Path, workspace: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    ws = enriched(workspace(files))
    corpus: Corpus = ws.corpus
    assert ws.index.documents == len(corpus)
    script = (
        "import sys, pathlib\n"
        "from strata import paths, settings\n"
        f"paths.premises_dir = lambda: pathlib.Path({str(tmp_path / 'premises')!r})\n"
        "from strata.pipeline.workspace import Workspace\n"
        f"ws = Workspace(settings.load({str(files)!r}, {str(tmp_path / 'cache')!r}), enriched=True)\n"
        "from strata.core.types import Plan, Query\n"
        "from strata.keyword.bm25 import BM25\n"
        "from strata.pipeline.run import run\n"
        "assert len(run(Plan((BM25(),)), Query('swimmer'), ws).final.docs) == 2\n"
        "print(' '.join(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**UNSET, "PYTHONPATH": str(ROOT / "lib")}, cwd=tmp_path, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    loaded = done.stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert "strata.enrich.opening" in loaded and not {"strata.enrich.thin", "strata.enrich.by_rule"} & {*loaded}
