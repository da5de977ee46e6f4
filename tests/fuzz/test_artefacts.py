"""What the cache, the imported catalogues and the settings hold: whatever became of a file, a search answers as before,
or says in one line what is wrong. Kills and full disks are in faults/."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import paths, registry
from strata import settings as settings_module
from strata.core import catalogue, listing
from strata.core.types import Plan, Query
from strata.files import trusted_digest
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.storage import damage, recipe
from tests.conftest import VARIABLES, write_catalogue
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import any_json, damaged, dumped, mutated, texts
from tests.harbour import FILMS


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue with its cache, which is kept aside: each example begins with it."""
    home = tmp_path_factory.mktemp("artefacts")
    write_catalogue(home / "harbour.json", *FILMS)
    answered(home, [])
    (home / "cache").rename(home / "clean")
    return home


def afresh(home: Path) -> list[Path]:
    """The clean cache in place; its files, relative."""
    shutil.rmtree(home / "cache", ignore_errors=True)
    shutil.copytree(home / "clean", home / "cache")
    files = (path for path in (home / "clean").rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(path.relative_to(home / "clean") for path in files)


def at(home: Path, dataset: str = "") -> settings_module.Settings:
    return settings_module.load(dataset or str(home / "harbour.json"), str(home / "cache"), str(home / "logs"))


def answered(home: Path, notes: list[str]) -> tuple[Any, ...]:
    """A search from nothing but what is on the disk."""
    ws = Workspace(at(home), notes.append)
    found = run(Plan((registry.load(registry.RETRIEVE["bm25"])(),)), Query("a harbour without bread"), ws).final
    return found.docs.tolist(), found.scores.tolist(), ws.corpus.fingerprint


def wrong(valid: bytes, *, as_json: bool = True) -> st.SearchStrategy[bytes]:
    """A file of ours with something wrong in it."""
    values = (mutated(json.loads(valid)) | any_json).map(dumped) if as_json else st.binary(max_size=30)
    return damaged(valid) | values


@fuzz(40)
@given(st.data())
def test_a_damaged_file_of_the_cache_changes_no_answer(home: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(afresh(home)))
    clean = answered(home, [])
    valid = (home / "clean" / name).read_bytes()
    content = data.draw(wrong(valid, as_json=name.suffix == ".json"))
    (home / "cache" / name).write_bytes(content)
    notes: list[str] = []
    again = held(answered, home, notes)
    assert again in (clean, None) and all(note.count("\n") == 0 for note in notes)
    if again is None:
        (home / "cache" / name).write_bytes(valid)
    assert answered(home, []) == clean


@fuzz(40)
@given(st.data())
def test_manifests_that_are_none(home: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([path for path in afresh(home) if path.name == "manifest.json"]))
    folder = (home / "cache" / name).parent
    (folder / "manifest.json").write_bytes(data.draw(wrong((home / "clean" / name).read_bytes())))
    why = held(damage, folder, verify=data.draw(st.booleans()))
    assert why is None or "\n" not in why
    assert isinstance(recipe(folder), dict)


ORIGIN = {"loader": "jsonl", "documents": 2, "from": "a.json", "read_by": "lessons", "imported": "2026-01-01T00:00:00Z"}


@fuzz(40)
@given(st.data())
def test_what_is_remembered_of_catalogues(home: Path, data: st.DataObject) -> None:
    """origin.json of an imported one, the choice that `data_cli use` made, the digest of a large file."""
    afresh(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "imported_dir", lambda: home / "imported")
        patch.setattr(paths, "choice_file", lambda: home / "choice.json")
        for name in VARIABLES:
            patch.setenv(name, "")
        mine = home / "imported" / "mine"
        mine.mkdir(parents=True, exist_ok=True)
        (mine / "corpus.jsonl").write_bytes(b'{"id": 1, "title": "A"}\n')
        (mine / "origin.json").write_bytes(data.draw(wrong(dumped(ORIGIN))))
        (home / "choice.json").write_bytes(data.draw(wrong(dumped({"dataset": "mine"}))))
        held(catalogue.locate, "mine")
        chosen = held(settings_module.chosen_dataset)
        if chosen is not None:
            held(catalogue.locate, chosen)
        known = held(listing.known, at(home, "mine"), lambda _: None)
        json.dumps(known, allow_nan=False)
    digest = trusted_digest(home / "harbour.json", home / "cache")
    stamps = sorted((home / "clean" / "stamps").glob("*.json"))[0]
    (home / "cache" / "stamps" / stamps.name).write_bytes(data.draw(wrong(stamps.read_bytes())))
    assert trusted_digest(home / "harbour.json", home / "cache") == digest


LINES = st.sampled_from((*(f"{name}=" for name in VARIABLES), "export GROQ_API_KEY=", "# ", "=", "STRATA_KEEP_RUNS ="))


@fuzz(100)
@given(st.lists(st.tuples(LINES, texts(3)), max_size=5), st.sampled_from(("utf-8", "utf-16", "latin-1")), st.data())
def test_env_files_and_variables(home: Path, rows: list[tuple[str, str]], encoding: str, data: st.DataObject) -> None:
    folder = home / "env"
    folder.mkdir(exist_ok=True)
    content = "\n".join(map("".join, rows)).encode(encoding, "replace")
    (folder / ".env").write_bytes(data.draw(damaged(content) | st.just(content)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in VARIABLES:
            patch.delenv(name, raising=False)
        given_by = data.draw(st.sampled_from(VARIABLES))
        patch.setenv(given_by, data.draw(texts(3)).replace("\x00", "").encode("utf-8", "replace").decode())
        settings = held(settings_module.load)
        assert settings is None or "key=" not in repr(settings.providers.groq)
