"""A changed catalogue costs the change: of the index what a clean build gives, of the work only what differs."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import paths
from strata import settings as strata_settings
from strata.core import analysis
from strata.core.catalogue import imported
from strata.keyword import build as building
from strata.keyword.build import build, rebuild
from strata.keyword.index import KIND
from strata.keyword.known import _places, shared
from strata.pipeline.workspace import Workspace
from strata.storage import artefact_folders, ensure
from tests.conftest import ROOT, VARIABLES, Run, write_catalogue

WORDS = ["bear", "bears", "Bearing", "horse", "the", "of", "amélie", "日本", "running", "runs", "x", "their's"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=8)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    monkeypatch.setattr(paths, "choice_file", lambda: tmp_path / "choice.json")
    yield


def digests(folder: Path) -> dict[str, str]:
    files = [file for file in folder.iterdir() if file.name not in ("manifest.json", "stamps.json")]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def keys_of(texts: list[str]) -> np.ndarray:
    joined = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts)
    return np.frombuffer(joined, np.uint8).reshape(-1, 16)


def index_beside(cache: Path, texts: list[str]) -> tuple[Path, int]:
    """An index of the texts, from whatever the indexes in the cache know; and how many texts were analysed."""
    former = artefact_folders(cache, KIND)
    keys = keys_of(texts)
    with patch("os.fsync"):  # many small builds, none of which must outlive a power cut
        artefact = ensure(cache, KIND, {"n": len(former)}, lambda f: rebuild(keys, texts.__getitem__, f, former), print)
    return artefact.path, artefact.facts["analysed"]


@settings(deadline=None, max_examples=50)
@given(st.lists(TEXTS, min_size=2, max_size=4), st.data())
def test_an_index_from_former_ones_is_byte_for_byte_a_clean_one(
    tmp_path_factory: pytest.TempPathFactory, catalogues: list[list[str]], data: st.DataObject
) -> None:
    """Edits, additions, removals, reorders, duplicates, empties: each catalogue mixes texts of those before with new
    ones."""
    cache = tmp_path_factory.mktemp("mixed")
    seen: list[str] = []
    for new in catalogues:
        old = data.draw(st.lists(st.sampled_from(seen), max_size=8)) if seen else []
        texts = data.draw(st.permutations([*old, *new]))
        folder, analysed = index_beside(cache, texts)
        assert analysed == sum(text not in seen for text in texts)
        clean = tmp_path_factory.mktemp("clean")
        build(texts, clean)
        assert digests(folder) == digests(clean)
        seen += texts


def film_file(path: Path, change: Callable[[list[dict[str, Any]]], Any]) -> Path:
    films = json.loads((paths.data_dir() / "movies.json").read_text(encoding="utf-8"))["movies"]
    change(films)
    return write_catalogue(path, *films)


def opened(file: Path, cache: Path, notes: list[str] | None = None) -> Workspace:
    at = strata_settings.load(str(file), str(cache), str(cache / "logs"))
    return Workspace(at, (notes if notes is not None else []).append)


@pytest.mark.parametrize(
    ("change", "analysed"),
    [
        (lambda films: films[46].update(description="A wombat named Ödön digs. " + films[46]["description"]), 1),
        (lambda films: films.append({"id": 900, "title": "Wombats", "description": "The wombats' burrowing."}), 1),
        (lambda films: films.pop(0), 0),
        (lambda films: films.reverse(), 0),
        (lambda films: [film.update(id=film["id"] + 1000) for film in films], 0),
        (lambda films: films.append({**films[5], "id": 901}), 0),
        (lambda films: films[7].update(description="", title=""), 1),
    ],
    ids=["edited", "added", "removed", "reordered", "renumbered", "doubled", "emptied"],
)
def test_the_bundled_films_changed_give_what_a_clean_build_gives(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, analysed: int
) -> None:
    file = film_file(tmp_path / "changed.json", change)
    cache = films.settings.cache_dir
    assert films.index
    texts: list[str] = []

    def watched(text: str) -> list[str]:
        texts.append(text)
        return analysis.tokens(text)

    monkeypatch.setattr(building, "tokens", watched)
    notes: list[str] = []
    ws = opened(file, cache, notes)
    index, count = ws.index, len(ws.corpus)
    assert len(texts) == analysed == index.facts["analysed"]
    assert notes == [f"{analysed} of {count} documents analysed, {count - analysed} were known"]
    assert digests(index.path) == digests(opened(file, tmp_path / "clean").index.path)


def test_words_that_are_known_are_not_stemmed_again(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert films.index
    stemmed: list[str] = []

    class Watched(analysis.Stemmer):
        def __call__(self, surface: str) -> str:
            stemmed.append(surface)
            return super().__call__(surface)

    monkeypatch.setattr(building, "Stemmer", Watched)
    file = film_file(tmp_path / "one.json", lambda films: films[3].update(title="Bears and wombatting zebroids"))
    index = opened(file, films.settings.cache_dir).index
    assert stemmed == ["wombatting", "zebroids"]
    assert index.terms[index.term("wombatting")] == "wombat"  # type: ignore[index]


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "harm",
    [
        lambda f: flipped(f / "forward_tfs.npy"),
        lambda f: flipped(f / "surface_terms.npy"),
        lambda f: flipped(f / "keys.npy"),
        lambda f: (f / "forward_indptr.npy").unlink(),
        lambda f: (f / "keys.npy").write_bytes(b"rubbish"),
        lambda f: (f / "manifest.json").write_text("{", encoding="utf-8"),
    ],
    ids=["altered counts", "altered terms", "altered keys", "missing", "rubbish", "manifest"],
)
def test_a_damaged_former_index_is_never_drawn_from(catalogue: Callable[..., Path], tmp_path: Path, harm: Any) -> None:
    cache = tmp_path / "cache"
    harm(opened(catalogue("a bear", "a fox", "two foxes", name="zoo.json"), cache).index.path)
    notes: list[str] = []
    file = catalogue("a bear", "a fox", "three foxes", name="zoo.json")
    index = opened(file, cache, notes).index
    assert notes == [] and index.facts["analysed"] == 3
    assert digests(index.path) == digests(opened(file, tmp_path / "clean").index.path)


def test_what_a_damaged_index_cannot_give_another_gives(catalogue: Callable[..., Path], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    opened(catalogue("a bear", "an owl", name="other.json"), cache).index  # noqa: B018 - opening builds
    flipped(opened(catalogue("a bear", "a fox", name="zoo.json"), cache).index.path / "forward_surfaces.npy")
    index = opened(catalogue("a bear", "a fox", "a cow", name="zoo.json"), cache).index
    assert index.facts["analysed"] == 2, "T1, a bear, is known from other.json; T2, a fox, from the damaged one only"


def test_an_index_by_another_analyser_or_stop_list_is_no_source(
    catalogue: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, file = tmp_path / "cache", catalogue("a bear", "a fox", name="zoo.json")
    monkeypatch.setattr(analysis, "NAME", "another/1")
    opened(file, cache).index  # noqa: B018 - opening builds
    monkeypatch.undo()
    stop = analysis.stopwords()
    monkeypatch.setattr(analysis, "stopwords", lambda file=None: stop - {"the"})
    opened(file, cache).index  # noqa: B018
    monkeypatch.undo()
    notes: list[str] = []
    assert opened(file, cache, notes).index.facts["analysed"] == 2
    assert notes == []


def test_keys_that_begin_alike_are_never_taken_for_one_another() -> None:
    ours = np.array([[1] * 16, [2] * 16, [3] * 16], dtype=np.uint8)
    theirs = np.array([[3] * 16, [1] * 8 + [9] * 8, [2] * 8 + [9] * 8, [2] * 16], dtype=np.uint8)
    found = _places(ours, theirs).tolist()
    assert found[0] == -1 and found[1] in (-1, 3) and found[2] == 0
    assert _places(ours, np.empty((0, 16), np.uint8)).tolist() == [-1, -1, -1]
    assert _places(np.empty((0, 16), np.uint8), theirs).tolist() == []


def test_the_index_that_shares_most_is_read_first(tmp_path: Path) -> None:
    small, _ = index_beside(tmp_path, ["a bear"])
    large, _ = index_beside(tmp_path, ["a bear", "a fox", "an owl"])
    (part,) = shared(keys_of(["an owl", "a bear"]), [small, large])
    assert part.at.tolist() == [0, 1] and part.words == ["bear", "owl"]
    assert len(shared(keys_of(["an owl", "a bear"]), [small])) == 1


def test_searching_opens_nothing_of_the_forward_list(films: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from strata.keyword.index import Index
    from strata.storage import Artefact

    names: list[str] = []
    array = Artefact.array
    monkeypatch.setattr(Artefact, "array", lambda self, name: names.append(name) or array(self, name))
    index = Index(Artefact(films.index.path, films.index.facts))
    assert index.query_terms("bear") and names and not [name for name in names if "forward" in name or name == "keys"]


def test_build_says_how_many_documents_it_analysed(cli: Run, catalogue: Callable[..., Path], tmp_path: Path) -> None:
    cache = tmp_path / "own"

    def built(*texts: str) -> Any:
        file = str(catalogue(*texts, name="zoo.json"))
        return cli("keyword_search_cli", "build", "--dataset", file, "--json", cache=cache).json["analysed"]

    assert [built("a bear", "a fox"), built("a bear", "a red fox"), built("a bear", "a red fox")] == [2, 1, 0]


# data_cli import --update


def entry(id: int | str, text: str, **fields: Any) -> dict[str, Any]:
    return {"id": id, "title": f"T{id}", "description": text, **fields}


@pytest.fixture
def zoo(cli: Run, catalogue: Callable[..., Path]) -> Callable[..., Any]:
    """A catalogue of three, imported as zoo; zoo(entries …, options …) updates it."""
    cli("data_cli", "import", str(catalogue(*(entry(i, t) for i, t in enumerate(("bear", "fox", "owl"), 1)))), "--name",
        "zoo")  # fmt: skip

    def update(*given: Any) -> Any:
        entries = [entry for entry in given if isinstance(entry, dict)]
        file = [str(catalogue(*entries, name="change.json"))] if entries else []
        more = [option for option in given if isinstance(option, str)]
        return cli("data_cli", "import", *file, "--name", "zoo", "--update", "--json", *more)

    return update


def lines() -> list[Any]:
    """(id, text) of what the catalogue zoo holds."""
    text = (imported()["zoo"] / "corpus.jsonl").read_text(encoding="utf-8")
    return [(found["id"], found["description"]) for found in map(json.loads, text.splitlines())]


def counts(done: Any) -> list[int]:
    return [done.json[name] for name in ("added", "changed", "removed", "unchanged", "documents")]


def test_entries_replace_those_with_their_ids_and_new_ones_come_last(zoo: Callable[..., Any], cli: Run) -> None:
    done = zoo(entry("9", "emu"), entry("2", "red fox"), entry(1, "bear"))
    assert counts(done) == [1, 1, 0, 2, 4]
    assert lines() == [(1, "bear"), (2, "red fox"), (3, "owl"), ("9", "emu")], "ids stay as the catalogue had them"
    rows = {row["name"]: row["documents"] for row in cli("data_cli", "list", "--json").json["datasets"]}
    assert rows["zoo"] == 4


def test_documents_are_removed_by_id_or_title_with_or_without_a_file(zoo: Callable[..., Any]) -> None:
    assert counts(zoo("--remove", "t3")) == [0, 0, 1, 2, 2]
    assert counts(zoo(entry(2, "red fox"), entry(7, "yak"), "--remove", "1")) == [1, 1, 1, 0, 2]
    assert lines() == [(2, "red fox"), (7, "yak")]


def test_the_same_again_changes_nothing_and_says_so(
    zoo: Callable[..., Any], cli: Run, catalogue: Callable[..., Path]
) -> None:
    assert counts(zoo(entry(2, "red fox", year=1990, genres=["a"]))) == [0, 1, 0, 2, 3]
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in imported()["zoo"].iterdir()}
    assert counts(zoo(entry(2, "red fox", genres=["a"], year=1990))) == [0, 0, 0, 3, 3]
    assert {f.name: (f.read_bytes(), f.stat().st_mtime_ns) for f in imported()["zoo"].iterdir()} == before
    again = catalogue(entry(2, "red fox", year=1990, genres=["a"]), name="again.json")
    assert "nothing was written" in cli("data_cli", "import", str(again), "--name", "zoo", "--update").out
    assert counts(zoo(entry(2, "red fox", year=True, genres=["a"]))) == [0, 1, 0, 2, 3], "true is not 1"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((entry(2, "a"), entry("2", "b")), "entries 1 and 2"),
        ((), "nothing to change"),
        (("--remove", "zebra"), "no document has the id or title"),
        ((entry(2, "a"), "--remove", "T2"), "(2) T2 is to be removed and is in change.json"),
        (("--remove", "1", "--remove", "2", "--remove", "3"), "nothing would be left"),
        ((entry(2, "a"), "--replace"), "give one of them"),
        ((entry(2, "a"), "--name", "none"), "was imported"),
        ((entry(2, "a"), "--name", "movies"), "the bundled catalogue stays as it is"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(
    zoo: Callable[..., Any], given: tuple[Any, ...], said: str
) -> None:
    before = lines()
    done = zoo(*given)
    assert done.status == 2 and done.out == "" and said in done.err and len(done.err.splitlines()) == 1
    assert lines() == before
    assert sorted(path.name for path in paths.imported_dir().iterdir() if path.is_dir()) == ["zoo"]


def test_options_that_need_update_or_a_file_say_so(cli: Run) -> None:
    assert "--update" in cli("data_cli", "import", "x.json", "--remove", "1").err
    assert "FILE is missing" in cli("data_cli", "import").err
    assert "--name NAME" in cli("data_cli", "import", "--update", "--remove", "1").err


def beir(folder: Path, texts: dict[str, str]) -> Path:
    (folder / "qrels").mkdir(parents=True)
    rows = [json.dumps({"_id": id, "title": "", "text": text}) for id, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "bear"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    return folder


def test_a_beir_catalogue_keeps_its_judgements_whatever_the_change_comes_as(
    cli: Run, tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    cli("data_cli", "import", str(beir(tmp_path / "a", {"d1": "bear", "d2": "fox"})), "--name", "zoo")
    origin = json.loads((imported()["zoo"] / "origin.json").read_bytes())
    done = cli(
        "data_cli", "import", str(beir(tmp_path / "b", {"d2": "red fox"})), "--name", "zoo", "--update", "--json"
    )
    assert counts(done) == [0, 1, 0, 1, 2] and "keeps its own queries and judgements" in done.err
    file = catalogue({"id": "d3", "title": "", "description": "owl"})
    assert counts(cli("data_cli", "import", str(file), "--name", "zoo", "--update", "--json")) == [1, 0, 0, 2, 3]
    assert sorted(p.name for p in imported()["zoo"].rglob("*") if p.is_file()) == [
        "corpus.jsonl", "origin.json", "queries.jsonl", "test.tsv"
    ]  # fmt: skip
    changed = json.loads((imported()["zoo"] / "origin.json").read_bytes())
    assert changed["loader"] == "beir" and changed["imported"] == origin["imported"] and changed["documents"] == 3
    assert cli("keyword_search_cli", "bm25search", "owl", "--dataset", "zoo", "--json").json["results"][0]["id"] == "d3"


def test_after_an_update_only_the_change_is_analysed_and_encoded(zoo: Callable[..., Any], cli: Run) -> None:
    """From the command line: the notices of a search, and what embed_chunks counts."""
    at = ("--dataset", "zoo", "--json")

    def notices(query: str) -> list[str]:
        found: list[str] = cli("keyword_search_cli", "bm25search", query, *at).json["notices"]
        return [notice for notice in found if "analysed" in notice]

    assert notices("bear") == []
    assert cli("semantic_search_cli", "embed_chunks", *at).json["encoded"] == 3
    zoo(entry(2, "a red fox"), entry(4, "a yak"), "--remove", "3")
    assert notices("yak") == ["2 of 3 documents analysed, 1 was known"]
    assert cli("semantic_search_cli", "embed_chunks", *at).json["encoded"] == 2
    zoo(entry(2, "a red fox"))
    assert notices("yak") == []
    assert cli("semantic_search_cli", "embed_chunks", *at).json["encoded"] == 0


KILLED = """
import os, sys, pathlib
from strata import paths
paths.imported_dir = lambda: pathlib.Path(sys.argv.pop(1))
home = paths.imported_dir(); paths.imported_dir = lambda: home
left = int(sys.argv.pop(1))
def counted(real):
    def call(*a, **k):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return real(*a, **k)
    return call
pathlib.Path.rename, pathlib.Path.replace = counted(pathlib.Path.rename), counted(pathlib.Path.replace)
pathlib.Path.mkdir, pathlib.Path.open = counted(pathlib.Path.mkdir), counted(pathlib.Path.open)
os.unlink = counted(os.unlink)
from strata.shell import execute
import data_cli
sys.exit(execute(data_cli.app, sys.argv[1:]))
"""


def test_an_update_killed_at_any_step_leaves_the_former_catalogue_or_the_new_one(
    zoo: Callable[..., Any], tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    change = catalogue(entry(2, "red fox"), entry(4, "yak"), name="kill.json")
    former, new = lines(), [(1, "bear"), (2, "red fox"), (3, "owl"), (4, "yak")]
    surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    surroundings |= {"STRATA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT / "cli")}
    seen = set()
    for step in range(1, 40):
        command = [sys.executable, "-c", KILLED, str(paths.imported_dir()), str(step), "import", str(change), "--name"]
        done = subprocess.run(
            [*command, "zoo", "--update"], env=surroundings, capture_output=True, text=True, check=False
        )
        now = lines()
        assert now in (former, new), step
        seen.add(("killed" if done.returncode == 9 else "done", now == new))
        if done.returncode == 0 and now == new:
            break
        if now == new:
            assert counts(zoo(entry(1, "bear"))) == [0, 0, 0, 4, 4], "what was killed after the swap is complete"
            zoo(entry(2, "fox"), "--remove", "4")
            former = lines()
    assert ("killed", False) in seen and ("killed", True) in seen and ("done", True) in seen
    assert sorted(path.name for path in paths.imported_dir().iterdir()) == [".zoo.lock", "zoo"]
