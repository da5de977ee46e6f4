"""data_cli, strata and strata doctor."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from strata import paths
from tests.conftest import Run


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    monkeypatch.setattr(paths, "choice_file", lambda: tmp_path / "choice.json")
    yield


def test_a_catalogue_is_imported_listed_used_and_searched(cli: Run, catalogue: Callable[..., Path]) -> None:
    file = catalogue("a bear in the woods", "a fox", name="zoo.json")
    done = cli("data_cli", "import", str(file), "--json")
    assert done.json["documents"] == 2 and done.json["name"] == "zoo"
    assert cli("keyword_search_cli", "bm25search", "bear", "--dataset", "zoo", "--json").json["results"][0]["id"] == 1
    assert cli("data_cli", "use", "zoo").status == 0
    assert [row["name"] for row in cli("data_cli", "list", "--json").json["datasets"] if row["in_use"]] == ["zoo"]
    assert cli("keyword_search_cli", "bm25search", "fox", "--json").json["dataset"]["name"] == "zoo"
    assert cli("data_cli", "use", "movies").status == 0


def test_an_import_never_takes_the_place_of_another_unasked(cli: Run, catalogue: Callable[..., Path]) -> None:
    file = catalogue("bear", name="zoo.json")
    cli("data_cli", "import", str(file))
    again = cli("data_cli", "import", str(file))
    assert again.status == 2 and "--replace" in again.err
    assert cli("data_cli", "import", str(file), "--replace").status == 0
    assert cli("data_cli", "import", str(file), "--name", "other").status == 0
    assert cli("data_cli", "import", str(file), "--name", "movies").status == 2
    assert cli("data_cli", "import", str(file), "--name", "../evil").status == 2


def test_a_failed_import_leaves_the_former_as_it_was(cli: Run, catalogue: Callable[..., Path], tmp_path: Path) -> None:
    cli("data_cli", "import", str(catalogue("bear", name="zoo.json")))
    bad = catalogue({"id": 1, "title": "a"}, {"id": "1", "title": "b"}, name="zoo.json")
    assert cli("data_cli", "import", str(bad), "--replace").status == 2
    assert sorted(path.name for path in (tmp_path / "imported").iterdir()) == [".zoo.lock", "zoo"]
    assert cli("data_cli", "show", "T1", "--dataset", "zoo").status == 0


def test_what_a_killed_import_left_is_no_catalogue(cli: Run, catalogue: Callable[..., Path], tmp_path: Path) -> None:
    """Killed just before its last rename, an import leaves a folder that is complete but for its name."""
    cli("data_cli", "import", str(catalogue("bear", name="zoo.json")))
    (tmp_path / "imported" / "zoo").rename(tmp_path / "imported" / ".zoo.deadbeef.tmp")
    assert [row["name"] for row in cli("data_cli", "list", "--json").json["datasets"]] == ["movies"]


def test_a_beir_folder_brings_its_judgements_along(cli: Run, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "bear"}\n', encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "bear"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    files = cli("data_cli", "import", str(folder), "--json").json["files"]
    assert set(files) == {"corpus.jsonl", "queries.jsonl", "qrels/test.tsv"}
    assert (
        cli("keyword_search_cli", "bm25search", "bear", "--dataset", "tiny", "--json").json["results"][0]["id"] == "d1"
    )


def test_check_counts_what_is_odd(cli: Run, catalogue: Callable[..., Path]) -> None:
    file = catalogue(
        {"id": 1, "title": "Same", "description": "one", "year": 1990},
        {"id": 2, "title": "same", "description": "", "year": 2000},
        {"id": 3, "title": "", "description": "one"},
    )
    found = cli("data_cli", "check", "--dataset", str(file), "--json").json
    counts = {
        name: found[name]["count"]
        for name in ("without_title", "without_text", "thin", "repeated_titles", "repeated_texts")
    }
    assert counts == {"without_title": 1, "without_text": 1, "thin": 2, "repeated_titles": 1, "repeated_texts": 1}
    assert found["repeated_titles"]["examples"] == ["(1) Same (1990); (2) same (2000)"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("{", "not JSON"),
        ('{"movies": []}', "holds no document"),
        ('{"movies": [{"title": "x"}]}', "no id"),
        ('{"movies": [{"id": 1}, {"id": "1"}]}', "same id"),
        ('{"movies": 3}', "no list"),
        ("[1]", "expected an object"),
    ],
)
@pytest.mark.parametrize(
    "program",
    [("data_cli", "check"), ("keyword_search_cli", "bm25search", "bear"), ("hybrid_search_cli", "rrf-search", "bear")],
)
def test_a_bad_catalogue_is_one_line_in_every_program(
    cli: Run, tmp_path: Path, content: str, said: str, program: tuple[str, ...]
) -> None:
    """cases.md 3 and 27."""
    file = tmp_path / "bad.json"
    file.write_text(content, encoding="utf-8")
    done = cli(*program, "--dataset", str(file))
    assert done.status == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and said in done.err and "bad.json" in done.err


def test_terminal_escapes_of_a_catalogue_never_reach_the_terminal(cli: Run, catalogue: Callable[..., Path]) -> None:
    file = catalogue(
        {"id": "\x1b[31m1", "title": "Bear \x1b[2J\u202e\x07", "description": "bear \x1b]0;owned\x07 text"}
    )
    for args in (("data_cli", "show", "Bear"), ("keyword_search_cli", "bm25search", "bear"), ("data_cli", "check")):
        out = cli(*args, "--dataset", str(file)).out
        assert "Bear" in out or "bear" in out or "1 documents" in out
        assert not set(out) & {"\x1b", "\x07", "\u202e"}


def test_strata_names_the_layers_and_what_to_try(cli: Run) -> None:
    done = cli("strata")
    assert done.status == 0
    for layer in ("keyword", "semantic", "hybrid", "Try first:"):
        assert layer in done.out


def test_every_command_that_strata_names_runs(cli: Run) -> None:
    import shlex

    from strata.overview import FIRST, layers

    for command in [FIRST, *(row.command for row in layers())]:
        program, *args = shlex.split(command)
        assert cli(program, *args).status == 0, command


def test_the_doctor_finds_weights_artefacts_and_damage(
    cli: Run, tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    cache = tmp_path / "own"
    file = catalogue("bear")
    cli("keyword_search_cli", "build", "--dataset", str(file), cache=cache)
    found = cli("strata", "doctor", "--json", cache=cache).json
    assert found["encoders"][0]["state"] == "ready"
    assert {row["kind"] for row in found["artefacts"]} == {"documents", "keyword_index"}
    docs = next((cache / "keyword_index").glob("*/docs.npy"))
    data = docs.read_bytes()
    docs.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    found = cli("strata", "doctor", "--verify", "--json", cache=cache).json
    assert any("altered content in docs.npy" in row["state"] for row in found["artefacts"])


def test_the_choice_of_a_catalogue_that_cannot_be_read_is_one_line(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "choice.json").write_text("{", encoding="utf-8")
    done = cli("keyword_search_cli", "bm25search", "bear")
    assert done.status == 2 and "data_cli use movies" in done.err
    assert json.loads(cli("keyword_search_cli", "bm25search", "bear", "--json").err)["error"]["kind"] == "data"
    assert cli("data_cli", "use", "movies").status == 0, "what the error advises does help"
    assert cli("keyword_search_cli", "bm25search", "bear").status == 0


def test_the_doctor_tells_of_every_state_of_an_artefact(
    cli: Run, tmp_path: Path, catalogue: Callable[..., Path]
) -> None:
    """A link to nothing, a manifest without its time: neither ends it."""
    cache = tmp_path / "own"
    cli("keyword_search_cli", "build", "--dataset", str(catalogue("bear")), cache=cache)
    (index,), (documents,) = (list((cache / kind).glob("*/")) for kind in ("keyword_index", "documents"))
    (index / "docs.npy").unlink()
    (index / "docs.npy").symlink_to("nowhere")
    manifest = json.loads((documents / "manifest.json").read_bytes())
    del manifest["written"]
    (documents / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = cli("strata", "doctor", "--verify", "--json", cache=cache)
    states = {row["kind"]: row["state"] for row in done.json["artefacts"]}
    assert done.status == 0 and "cannot be read" in states["keyword_index"]
    assert states["documents"] == "sound, written at a time unknown"


def test_the_doctor_goes_on_after_an_artefact_that_it_may_not_read(
    cli: Run, tmp_path: Path, catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from strata import doctor
    from strata.errors import ArtefactError

    cache, damage = tmp_path / "own", doctor.damage

    def shut(folder: Path, *, verify: bool) -> str:
        if folder.parent.name == "documents":
            raise ArtefactError(f"{folder} cannot be read (Permission denied)", "check its permissions")
        return damage(folder, verify=verify)

    cli("keyword_search_cli", "build", "--dataset", str(catalogue("bear")), cache=cache)
    monkeypatch.setattr(doctor, "damage", shut)
    rows = cli("strata", "doctor", "--json", cache=cache).json["artefacts"]
    assert [row["kind"] for row in rows] == ["documents", "keyword_index"]
    assert "Permission denied" in rows[0]["state"] and rows[1]["state"].startswith("sound")
