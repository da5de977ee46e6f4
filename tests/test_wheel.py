"""What is released, as a user has it: built, installed outside the clone, and run in an empty folder."""

from __future__ import annotations

import json
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import __version__, paths
from strata.pipeline.workspace import Workspace
from strata.semantic.chunking import Chunking
from strata.semantic.units import Cut
from tests.conftest import ROOT, Done, Run
from tests.installed import built, files_of, installed, unpacked

DATA = ("movies.json", "golden_dataset.json", "golden_dataset.example.json", "unanswerable.json", "stopwords.txt")
FOLDERS = ("images", "recordings")
"""What of data/ is for users; the rest is for benchmarks, or the user's own."""
PASSING = {"run_id", "ms", "ms_per_query", "seconds", "places", "artefacts"}
"""Keys of JSON output that differ from run to run, or name a place."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def plain(root: Path) -> set[str]:
    """Files below a folder, without what Python and editors leave."""
    files = (file.relative_to(root) for file in root.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if "__pycache__" not in file.parts and file.suffix != ".pyc"}


def test_the_wheel_holds_the_package_the_programs_the_data_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        others = [name for name in archive.namelist() if name not in names]
        about = {name.partition(".dist-info/")[2]: archive.read(name).decode() for name in others}
    data = {f"strata/_data/{name}" for name in DATA}
    data |= {f"strata/_data/{folder}/{name}" for folder in FOLDERS for name in plain(ROOT / "data" / folder)}
    programs = {file.name for file in (ROOT / "cli").glob("*.py")}
    assert names == {f"strata/{name}" for name in plain(ROOT / "lib" / "strata")} | programs | data
    assert {"strata/py.typed", "strata/pipeline/presets/best.toml", "strata/llm/prompts/rag.md"} < names
    assert any(name.startswith("strata/reporting/templates/") for name in names)
    assert {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"} <= about.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, target in project["scripts"].items():
        assert f"{name} = {target}\n" in about["entry_points.txt"]
    assert {target.partition(":")[0] for target in project["scripts"].values()} - {"strata.__main__"} == {
        Path(program).stem for program in programs
    }
    assert f"Version: {__version__}\n" in about["METADATA"] and "Tag: py3-none-any" in about["WHEEL"]
    assert wheel.stat().st_size < 2_000_000


def test_the_source_archive_builds_the_very_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = built(ROOT, "sdist", tmp_path / "sdist")
    source = unpacked(sdist, tmp_path / "unpacked")
    assert {"pyproject.toml", "LICENSE", "README.md", "tests", "docs", "data", "constraints.txt"} <= {
        file.name for file in source.iterdir()
    }
    for left in ("cache", "logs", "data/imported", "data/premises", ".git", ".venv", ".hypothesis"):
        assert plain(source / left) <= {".gitkeep"}
    again = built(source, "wheel", tmp_path / "again")
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()


def lasting(value: Any) -> Any:
    """A JSON output without times and places."""
    if isinstance(value, dict):
        return {key: lasting(one) for key, one in value.items() if key not in PASSING and not key.endswith("_ms")}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def test_installed_it_answers_as_the_clone_does_and_keeps_to_the_users_folders(
    wheel: Path, process: Run, films: Workspace, shared_cache: Path, tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    films.vectors("all-MiniLM-L6-v2", Cut(Chunking()))
    user = installed(wheel, tmp_path)
    before, places = files_of(user.site), user.places()
    surroundings = {"HF_HOME": str(tmp_path / "no hub"), "HF_HUB_OFFLINE": "1", "COLUMNS": "80"}

    def both(program: str, *args: str, status: int = 0) -> tuple[Done, Done]:
        theirs, ours = user.run(program, *args, **surroundings), process(program, *args, env=surroundings)
        assert (theirs.status, ours.status) == (status, status), theirs.err + ours.err
        if "--json" in args:
            assert lasting(theirs.json) == lasting(ours.json)
        return theirs, ours

    found, _ = both("keyword_search_cli", "bm25search", "horse", "--json")
    assert len(found.json["results"]) == 5 and found.json["results"][0]["title"] == "True Grit"
    assert {folder.name for folder in places["cache"].iterdir()} >= {"documents", "keyword_index"}
    assert [file.stem for file in places["log"].iterdir()] == [found.json["run_id"]]

    # An artefact is named by what it is made from, so one made by the clone serves the installed package.
    shutil.copytree(shared_cache / "chunk_vectors", places["cache"] / "chunk_vectors")
    both("hybrid_search_cli", "rrf-search", "cute british bear marmalade", "--json")
    both("hybrid_search_cli", "explain", "cute british bear marmalade", "paddington", "--json")
    measured, _ = both("evaluation_cli", "--limit", "5", "--json", "-q")
    assert len(measured.json["queries"]) > 50 and [query["id"] for query in measured.json["queries"]][:1] == ["q01"]
    assert not list((places["cache"] / "chunk_vectors").glob("*.tmp"))
    assert len(list((places["cache"] / "chunk_vectors").glob("*/manifest.json"))) == len(
        list((shared_cache / "chunk_vectors").glob("*/manifest.json"))
    )
    # The recordings, the report's templates and the audit's golden set are inside too.
    answer = ("romantic comedy recommendations", "--limit", "3", "--llm", "replay", "--strict", "--json")
    both("augmented_generation_cli", "citations", *answer, status=1)
    theirs, ours = both("evaluation_cli", "check")
    assert theirs.out == ours.out and "No problems." in ours.out
    for program in ("keyword_search_cli", "describe_image_cli"):
        theirs, ours = both(program, "--help")
        assert theirs.out == ours.out
    doctor, _ = both("strata", "doctor", "--json")
    told = {row["what"]: row["found"] for row in doctor.json["places"]}
    assert told["strata"] == f"an installed package, {user.site / 'strata'}"
    assert told["cache"] == f"{places['cache']} (writable)" and told["logs"] == f"{places['log']} (writable)"
    assert (user.site / "strata" / "_data" / "images" / "rocket.jpg").is_file() and "_data" in told["bundled"]

    # A catalogue of the user's own: built, kept, chosen, and listed.
    own = catalogue("a bear at sea", "a fox in a wood", name="meine fïlme.json")
    both("hybrid_search_cli", "rrf-search", "bear", "--dataset", str(own), "--json")
    assert user.run("data_cli", "import", str(own), "--name", "mine").status == 0
    assert user.run("data_cli", "use", "mine").status == 0
    chosen = user.run("keyword_search_cli", "bm25search", "bear", "--json").json
    assert chosen["dataset"]["name"] == "mine" and chosen["results"][0]["id"] == 1
    listed = user.run("experiment_cli", "list", "--json").json
    assert {run["run_id"] for run in listed["runs"]} == {file.stem for file in places["log"].iterdir()}
    assert listed["runs"][0]["run_id"] == chosen["run_id"] and len(listed["runs"]) > 3
    assert (places["data"] / "catalogues" / "mine" / "corpus.jsonl").is_file()
    assert json.loads((places["config"] / "strata.json").read_text(encoding="utf-8")) == {"dataset": "mine"}

    assert files_of(user.site) == before, "nothing is written beside the package"
    assert not list(user.work.iterdir()), "nor where the command was given"
    for name in files_of(user.home):
        assert any((user.home / name).is_relative_to(place) for place in places.values()), name

    shutil.rmtree(user.site / "strata")
    gone = user.run("strata", "--help")
    assert gone.status == 1 and "No module named 'strata" in gone.err, "or all of this was the clone"


def test_installed_below_another_project_it_is_no_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip install --target lib, in a project that has a pyproject.toml and a data folder of its own."""
    for folder in ("data", "lib/strata/_data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "lib" / "strata")
    assert paths.clone() is None and paths.data_dir() == tmp_path / "lib" / "strata" / "_data"
    (tmp_path / "lib" / "strata" / "_data").rmdir()
    assert paths.clone() == tmp_path
