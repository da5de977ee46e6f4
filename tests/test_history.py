"""What a cache forgets of a catalogue's past: only what no source needs, and never under a reader's hands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from strata import settings
from strata.core import corpus as corpora
from strata.core import history
from strata.errors import ArtefactError, DataError
from strata.files import locked
from strata.pipeline.workspace import Workspace
from strata.storage import artefact_folders, damage, ensure, recipe
from tests.conftest import ROOT, VARIABLES, write_catalogue


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def version(tmp_path: Path, cache: Path) -> Callable[..., Workspace]:
    """version(3): zoo.json in its third version, index built. version(3, "other.json"): the same in another file."""

    def make(number: int, name: str = "zoo.json", *, index: bool = True) -> Workspace:
        file = tmp_path / name
        if not file.exists() or f"version{number} " not in file.read_text(encoding="utf-8"):
            write_catalogue(file, {"id": 1, "title": "A", "description": f"version{number} bear"})
        ws = Workspace(settings.load(str(file), str(cache), str(cache / "logs")))
        assert ws.corpus.document(0).text == f"version{number} bear"
        if index:
            assert ws.index.query_terms(f"version{number}")
        return ws

    return make


def there(cache: Path, kind: str) -> list[str]:
    """The contents (as history names them) that artefacts of a kind are made from."""
    found = [recipe(folder) for folder in artefact_folders(cache, kind)]
    return sorted(str(made.get("corpus", made.get("file"))) for made in found)


def indexed(cache: Path, *of: Workspace) -> bool:
    return there(cache, "keyword_index") == sorted(ws.corpus.fingerprint for ws in of)


def test_of_each_kind_the_present_artefact_and_the_one_before_stay(
    version: Callable[..., Workspace], cache: Path
) -> None:
    versions = [version(number) for number in range(1, 5)]
    assert indexed(cache, *versions[2:])
    assert len(there(cache, "documents")) == 2
    assert all(damage(folder, verify=True) == "" for folder in artefact_folders(cache))
    assert not list(cache.glob("*/*.tmp"))


def test_going_back_by_one_edit_builds_nothing(version: Callable[..., Workspace], cache: Path) -> None:
    first, second = version(1), version(2)
    assert not version(1).index.fresh
    third = version(3)
    assert indexed(cache, first, third), "the newest before is the one that was in use last"
    assert not version(1).index.fresh and version(2).index.fresh
    assert second.index.facts


def test_sources_with_the_same_content_never_lose_each_others_artefacts(
    version: Callable[..., Workspace], cache: Path
) -> None:
    other = version(1, "other.json")
    *_, third, fourth = [version(number) for number in range(1, 5)]
    assert indexed(cache, other, third, fourth)
    assert not version(1, "other.json").index.fresh
    fifth, sixth = version(5), version(6)
    assert indexed(cache, other, fifth, sixth)
    moved = version(7, "other.json")
    assert indexed(cache, other, fifth, sixth, moved)
    version(8, "other.json")
    assert version(1).index.fresh


def test_the_last_artefact_of_its_making_stays_until_there_is_a_newer(
    version: Callable[..., Workspace], cache: Path
) -> None:
    """Vectors of a catalogue that was edited many times without them are what its next build starts from."""

    def vectors(ws: Workspace, encoder: str = "mini") -> Path:
        made_from = {"corpus": ws.corpus.fingerprint, "encoder": encoder}
        return ensure(cache, "chunk_vectors", made_from, lambda f: {}, print).path

    first = vectors(version(1))
    large = vectors(version(1), "large")
    for number in range(2, 6):
        last = version(number)
    assert first.is_dir() and large.is_dir()
    second = vectors(last)
    version(6)
    version(7)
    assert second.is_dir() and not first.is_dir() and large.is_dir()


def test_what_no_history_names_is_left_alone(version: Callable[..., Workspace], cache: Path) -> None:
    strange = [
        ensure(cache, "pictures", {"corpus": "unknown"}, lambda f: {}, print).path,
        ensure(cache, "pictures", {"anything": 1}, lambda f: {}, print).path,
    ]
    kept = version(1).index.path
    (kept.parent / "notes.txt").write_text("mine", encoding="utf-8")
    renamed = kept.rename(kept.with_name("mine"))
    for number in range(2, 6):
        version(number)
    assert all(path.is_dir() for path in [*strange, renamed]) and (kept.parent / "notes.txt").exists()


def test_a_plain_search_removes_nothing_and_writes_nothing(
    version: Callable[..., Workspace], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version(1)
    version(2)
    version(1)
    monkeypatch.setattr(history, "_prune", lambda *a: pytest.fail("pruned"))
    version(2)
    before = {path: path.stat().st_mtime_ns for path in (cache / "history").iterdir()}
    version(2)
    assert {path: path.stat().st_mtime_ns for path in (cache / "history").iterdir()} == before


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"versions": [1]}', '{"versions": null}', '{"versions": [{}]}', "[" * 100_000]
)
def test_a_history_that_cannot_be_read_is_begun_anew(
    version: Callable[..., Workspace], cache: Path, content: str
) -> None:
    first = version(1)
    (record,) = (cache / "history").glob("*.json")
    record.write_text(content, encoding="utf-8")
    rest = [version(number) for number in range(2, 5)]
    assert indexed(cache, first, *rest[1:]), "what it does not name any more stays"


def test_a_cache_that_cannot_take_a_history_works_and_says_nothing(
    version: Callable[..., Workspace], cache: Path
) -> None:
    cache.mkdir()
    (cache / "history").write_text("in the way", encoding="utf-8")
    versions = [version(number) for number in range(1, 5)]
    assert indexed(cache, *versions)
    assert all(ws.drain()[0] in ((), ("0 of 1 documents analysed, 1 was known",)) for ws in versions)


def test_what_is_being_built_is_left_to_its_builder(version: Callable[..., Workspace], cache: Path) -> None:
    first = version(1)
    path = first.index.path
    with locked(path.with_name(f"{path.name}.lock")):
        version(2)
        version(3)
        assert path.is_dir()
    version(4)
    assert not path.is_dir(), "it is not forgotten"


def test_what_a_killed_pruning_left_is_swept(version: Callable[..., Workspace], cache: Path) -> None:
    path = version(1).index.path
    aside = path.with_name(f"{path.name}.deadbeef.pruned.tmp")
    path.rename(aside)
    version(2)
    assert not aside.exists()


def test_a_reader_keeps_what_it_has_open_and_is_told_of_what_it_comes_too_late_for(
    version: Callable[..., Workspace], cache: Path
) -> None:
    reader, late = version(1), version(1, index=False)
    for number in range(2, 5):
        version(number)
    assert not reader.index.path.exists()
    assert reader.index.tf(reader.index.query_terms("bear")[0], 0) == 1
    assert [document.text for document in reader.corpus.documents()] == ["version1 bear"]
    assert late.index.fresh and late.index.query_terms("version1"), "a miss, so it is built again"
    with pytest.raises(ArtefactError, match="removed while it was in use"):
        late.corpus.position(1)


def test_a_catalogue_that_changes_while_it_is_read_is_never_kept_under_a_wrong_name(
    version: Callable[..., Workspace], tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = corpora.write_documents

    def overtaken(*args: object) -> object:
        facts = real(*args)  # type: ignore[arg-type]
        write_catalogue(tmp_path / "zoo.json", {"id": 1, "title": "A", "description": "version2 bear"})
        return facts

    monkeypatch.setattr(corpora, "write_documents", overtaken)
    with pytest.raises(DataError, match="changed while it was read"):
        version(1)
    monkeypatch.undo()
    assert there(cache, "documents") == []
    assert version(2).index.fresh


RACE = """
import json, sys
from pathlib import Path
from strata import settings
from strata.pipeline.workspace import Workspace
cache, file, offset = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
for turn in range(12):
    number = (turn * (1 + offset)) % 5
    file.write_text(json.dumps({"movies": [{"id": 1, "title": "A", "description": f"version{number} bear"}]}))
    ws = Workspace(settings.load(str(file), cache, cache))
    assert ws.corpus.document(0).text == f"version{number} bear"
    assert len(ws.index.query_terms(f"version{number} version9")) == 1
"""


def test_processes_that_edit_the_same_contents_at_once_all_find_what_they_look_for(tmp_path: Path, cache: Path) -> None:
    surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    surroundings["PYTHONPATH"] = str(ROOT / "lib")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(cache), str(tmp_path / f"zoo{n}.json"), str(n)],
            env=surroundings, text=True, stderr=subprocess.PIPE,
        )
        for n in range(3)
    ]  # fmt: skip
    errors = [process.communicate(timeout=120)[1] for process in running]
    assert errors == ["", "", ""]
    assert all(damage(folder, verify=True) == "" for folder in artefact_folders(cache))
    assert not [left for left in cache.glob("*/*.tmp") if left.is_dir()]
    for record in (cache / "history").glob("*.json"):
        assert len(json.loads(record.read_bytes())["versions"]) >= 2
