"""Other systems: what can be tried of Windows and macOS on one machine, with real processes; the rest as rules.

Line ends and byte order marks, names that every system takes, processes that are spawned, other time zones. Odd places:
test_places.py; terminals and encodings: test_shells.py.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strata import paths
from strata.evaluation.poolfile import read_lines
from strata.pipeline.labels import last_part
from tests.conftest import ROOT, Run
from tests.outside import raw

POSIX = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "curses", "readline", "syslog", "crypt"}
"""Modules that Windows has not."""
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}

# Files from elsewhere

CSV = "id,title,description\n1,Bear,A bear at sea.\n2,Fox,A fox.\n"
JSONL = '{"id": 1, "title": "Bear", "text": "A bear at sea."}\n{"id": 2, "title": "Fox", "text": "A fox."}\n'
LESSONS = '{"movies": [\n{"id": 1, "title": "Bear", "description": "A bear at sea."},\n{"id": 2, "title": "Fox"}\n]}\n'
GOLDEN = '{"test_cases": [\n{"query": "bear",\n "relevant_docs": ["Bear"]}\n]}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\t1\t2\n"
TREC = "q1 0 1 2\n"
QUERIES = '{"_id": "q1", "text": "bear"}\n'
PLAN = '[[retrieve]]\nlayer = "bm25"\nk1 = 2\n'


def from_windows(text: str) -> bytes:
    """As its editors save it: with a byte order mark, and carriage returns."""
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.jsonl", JSONL), ("a.json", LESSONS)])
def test_a_catalogue_saved_on_windows_is_the_same_catalogue(cli: Run, tmp_path: Path, name: str, content: str) -> None:
    found = []
    for folder, data in (("posix", content.encode()), ("windows", from_windows(content))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(data)
        done = cli("keyword_search_cli", "bm25search", "bear", "--dataset", str(tmp_path / folder / name), "--json")
        found.append((done.json["dataset"]["fingerprint"], done.json["results"]))
    assert found[0] == found[1] and found[0][1][0]["title"] == "Bear"


@pytest.mark.parametrize(
    ("name", "content", "more"),
    [("golden.json", GOLDEN, ()), ("qrels.tsv", QRELS, ("--queries",)), ("qrels.txt", TREC, ("--queries",))],
)
def test_a_golden_set_a_plan_and_a_pool_saved_on_windows(
    cli: Run, tmp_path: Path, name: str, content: str, more: tuple[str, ...]
) -> None:
    for file, text in (("films.json", LESSONS), (name, content), ("queries.jsonl", QUERIES), ("plan.toml", PLAN)):
        (tmp_path / file).write_bytes(from_windows(text))
    places = ("--dataset", str(tmp_path / "films.json"), "--golden", str(tmp_path / name))
    places += tuple(part for option in more for part in (option, str(tmp_path / "queries.jsonl")))
    done = cli("evaluation_cli", *places, "--config", str(tmp_path / "plan.toml"), "--json", "-q")
    assert done.status == 0 and done.json["mean"]["recall"] == 1.0, done.err
    pool = tmp_path / "pool.jsonl"
    pool.write_bytes(from_windows('{"query_id": "q1", "query": "bear", "id": 2, "title": "Fox", "grade": 1}\n'))
    assert [row["grade"] for _, row in read_lines(pool)] == [1]


def test_an_env_file_saved_on_windows(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STRATA_KEEP_RUNS")
    (tmp_path / ".env").write_bytes(from_windows("STRATA_KEEP_RUNS=many\n"))
    done = cli("keyword_search_cli", "bm25search", "bear")
    assert done.status == 2 and "STRATA_KEEP_RUNS is many;" in done.err
    (tmp_path / ".env").write_bytes("STRATA_KEEP_RUNS=1\n".encode("utf-16"))
    done = cli("keyword_search_cli", "bm25search", "bear")
    assert done.status == 2 and ".env cannot be read (UnicodeDecodeError); one NAME=value a line, UTF-8" in done.err


def test_a_checkout_with_carriage_returns_gives_the_same_answers(tmp_path: Path, own_places: dict[str, str]) -> None:
    """As git makes one on Windows where nothing says otherwise (.gitattributes does)."""
    for folder in ("lib", "cli", "data"):
        leave = shutil.ignore_patterns("__pycache__", "imported", "premises")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=leave)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file in tmp_path.rglob("*"):
        if file.suffix in (".py", ".md", ".txt", ".json", ".toml", ".j2", ".css"):
            file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    script = (
        "import json, sys\n"
        "from strata import paths\n"
        "from strata.core.analysis import stopwords\n"
        "from strata.llm import prompting\n"
        "from strata.llm.replay import Replay\n"
        "print(json.dumps([sorted(stopwords()), [prompting._parts(name) for name in prompting.names()],\n"
        "    sorted(Replay(paths.data_dir() / 'recordings')._recordings)]))\n"
    )
    seen = []
    for root in (ROOT, tmp_path):
        surroundings = {**os.environ, **own_places, "PYTHONPATH": f"{root / 'lib'}{os.pathsep}{root / 'cli'}"}
        command = [sys.executable, str(root / "cli" / "keyword_search_cli.py"), "bm25search", "horse", "--json"]
        outputs = [
            subprocess.run(one, env=surroundings, capture_output=True, check=True).stdout
            for one in (command, [sys.executable, "-c", script])
        ]
        found = json.loads(outputs[0])
        seen.append((found["dataset"]["fingerprint"], found["results"], json.loads(outputs[1])))
    assert seen[0] == seen[1]


# Names


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where imported catalogues go, instead of the clone's own folder."""
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    return tmp_path / "imported"


def is_portable(name: str) -> bool:
    """Whether every system takes it as a file's name."""
    stem = name.partition(".")[0].lower()
    return not re.search(r'[<>:"/\\|?*\x00-\x1f]', name) and name[-1] not in ". " and stem not in DEVICES


def test_what_is_kept_has_names_that_every_system_takes(
    cli: Run, odd_films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No colon of a time, no device's name, no two names that differ in case only; and short enough for Windows."""
    cache, logs, out = tmp_path / "cache", tmp_path / "logs", tmp_path / "out"
    given = ("--dataset", str(odd_films))
    golden = json.dumps({"test_cases": [{"query": "bear", "relevant_docs": ["Amélie"]}]})
    (tmp_path / "golden.json").write_text(golden, encoding="utf-8")
    for program, *args in (
        ("hybrid_search_cli", "rrf-search", "bear", "--rerank", "cross_encoder"),
        ("semantic_search_cli", "search", "bear"),
        ("augmented_generation_cli", "rag", "bear"),
        ("evaluation_cli", "trec", str(out), "--golden", str(tmp_path / "golden.json"), "--layers", "-q"),
    ):
        done = cli(program, *args, *given, cache=cache, logs=logs)
        assert done.status == 0, done.err
    assert len(list(logs.iterdir())) == 3 and len(list(out.iterdir())) > 4
    for folder in (cache, logs, out):
        names = [file.relative_to(folder) for file in folder.rglob("*")]
        assert all(is_portable(part) for name in names for part in name.parts)
        assert len({str(name).lower() for name in names}) == len(names)
        assert max(len(str(name)) for name in names) < 120, "Windows' 260, less a user's folder"


def test_the_projects_own_files_have_such_names_too() -> None:
    for folder in ("lib", "cli", "data", "docs", "tests", "benchmarks"):
        names = [file.relative_to(ROOT) for file in (ROOT / folder).rglob("*") if "__pycache__" not in file.parts]
        assert all(is_portable(part) for name in names for part in name.parts)
        assert len({str(name).lower() for name in names}) == len(names)


@pytest.mark.parametrize("name", ["con", "NUL", "Com1", "lpt9", "a:b", "a.", " a", "a/b", "..", "Movies", "é" * 51])
def test_a_catalogue_is_called_only_what_every_system_takes(
    cli: Run, odd_films: Path, imported: Path, name: str
) -> None:
    done = cli("data_cli", "import", str(odd_films), "--name", name)
    assert done.status == 2 and "cannot name a catalogue; use letters, digits, _ and -, at most 50" in done.err
    assert not imported.exists()


def test_a_catalogues_default_name_fits(cli: Run, odd_films: Path, imported: Path, tmp_path: Path) -> None:
    long = odd_films.rename(tmp_path / f"{'Film ' * 40}.json")
    done = cli("data_cli", "import", str(long), "--json")
    name = done.json["name"]
    assert done.status == 0 and len(name) <= 50 and is_portable(name) and (imported / name / "corpus.jsonl").is_file()


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("BAAI/bge-base-en-v1.5", "bge-base-en-v1.5"),
        ("./models/mine/", "mine"),
        ("C:\\models\\mine", "mine"),
        ("C:\\models\\mine\\", "mine"),
        ("\\\\server\\share\\é m", "é m"),
        ("C:/models/mine", "mine"),
        ("mine", "mine"),
        ("/", "/"),
    ],
)
def test_a_path_is_shown_by_its_last_part_in_windows_form_too(path: str, last: str) -> None:
    assert last_part(path) == last


# Processes


SPAWNED = """
import multiprocessing, sys
from strata import settings
from strata.core.types import Query
from strata.pipeline.planfile import preset
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace

def search(word):
    ws = Workspace(settings.load(sys.argv[1]))
    trace = run(preset("lessons", "rrf"), Query(word), ws)
    return [int(doc) for doc in trace.final.docs]

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(search, ["bear", "café"] * 2, chunksize=1))
"""


def test_processes_that_are_spawned_build_once_and_agree(
    odd_films: Path, own_places: dict[str, str], tmp_path: Path
) -> None:
    """As Windows and macOS start them: each imports everything anew, and both want the same artefacts at once."""
    (tmp_path / "spawned.py").write_text(SPAWNED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "spawned.py", str(odd_films)], cwd=tmp_path, env={**os.environ, **own_places},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.strip() == "[[1, 0], [0, 1], [1, 0], [0, 1]]"
    for kind in ("documents", "keyword_index", "chunk_vectors"):
        assert len(list((tmp_path / "cache" / kind).glob("*/manifest.json"))) == 1


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/St_Johns", "<+1445>-14:45", "No/Where"])
def test_times_in_names_and_logs_are_utc_wherever_one_is(
    odd_films: Path, own_places: dict[str, str], zone: str
) -> None:
    before = time.time()
    search = ("keyword_search_cli", "bm25search", "bear", "--dataset", str(odd_films), "--json")
    _, out, _ = raw(*search, env=own_places | {"TZ": zone})
    run_id = json.loads(out)["run_id"]
    assert any(run_id[:15] == time.strftime("%Y%m%dT%H%M%S", time.gmtime(before + s)) for s in range(60))


# Rules over the source


def trees(*folders: str) -> list[tuple[str, ast.Module]]:
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [(str(file.relative_to(ROOT)), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


def test_nothing_needs_a_module_that_windows_has_not() -> None:
    for name, tree in trees("lib", "cli"):
        for node in ast.walk(tree):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {module.partition(".")[0] for module in modules} & (POSIX | {"multiprocessing"}), name


def test_every_text_file_is_opened_in_a_named_encoding() -> None:
    """Windows' own is another one in each country."""
    for name, tree in trees("lib", "cli", "docs"):
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            named = any(word.arg == "encoding" for word in call.keywords)
            if function in ("read_text", "write_text"):
                assert named, f"{name}, line {call.lineno}"
            modes = [arg.value for arg in call.args[:2] if isinstance(arg, ast.Constant)]
            if function == "open" and any(str(mode) in ("w", "r", "a", "x", "rt", "wt") for mode in modes):
                assert named, f"{name}, line {call.lineno}"


def test_every_program_can_be_imported_without_running() -> None:
    """A process that is spawned imports the program that started it."""
    for name, tree in trees("cli"):
        last = tree.body[-1]
        assert isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'", name
        assert not [node for node in tree.body[:-1] if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
