"""The house rules that a machine can hold: imports run downwards, files stay small, every row of the registry loads."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from strata import registry
from tests.conftest import ROOT

LIB = ROOT / "lib" / "strata"
# From the bottom up: a module may import, at run time, from its own storey and those below.
STOREYS = (
    (
        "errors",
        "registry",
        "paths",
        "printable",
        "quiet",
        "retry_after",
        "settings",
        "files",
        "storage",
        "telling",
        "__init__",
    ),
    ("core",),
    ("encoders", "llm"),
    ("keyword", "semantic", "hybrid"),
    ("enhance", "enrich", "rerank", "answer", "pictures"),
    ("pipeline", "runlog"),
    ("evaluation", "experiments"),
    ("show", "overview", "doctor"),
    ("reporting",),
    (
        "shell",
        "flags",
        "golden_flags",
        "model_flags",
        "prompts",
        "asked",
        "common",
        "signature",
        "searching",
        "explaining",
        "answering",
        "enriching",
        "bench",
        "evaluating",
        "examining",
        "exchanging",
        "describing",
        "picturing",
        "subcommand",
        "streams",
        "__main__",
    ),
)
SOURCES = sorted(LIB.rglob("*.py"))


def storey(module: str) -> int:
    room = module.split(".")[1] if "." in module else "__init__"
    return next(i for i, rooms in enumerate(STOREYS) if room in rooms)


def imported(path: Path) -> set[str]:
    """Modules of strata that a file imports, those for type checkers only left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    only_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in only_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "strata":
            found |= {node.module} if node.module != "strata" else {f"strata.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.split(".")[0] == "strata"}
    return found - {"strata.__version__"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(LIB)))
def test_imports_run_downwards(path: Path) -> None:
    own = ".".join(("strata", *path.relative_to(LIB).with_suffix("").parts))
    for name in imported(path):
        # The workspace opens what stands above core, late, when it is first asked for; that is its purpose.
        if own == "strata.pipeline.workspace":
            continue
        assert storey(name) <= storey(own), f"{own} imports {name}"


@pytest.mark.parametrize("path", [*SOURCES, *(ROOT / "cli").glob("*.py")], ids=lambda p: p.name)
def test_a_file_holds_one_idea(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 220


@pytest.mark.parametrize(
    "path",
    [p for p in SOURCES if p.name != "__init__.py" or p.read_text(encoding="utf-8")],
    ids=lambda p: str(p.relative_to(LIB)),
)
def test_every_module_says_what_it_does(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_only_settings_reads_the_environment() -> None:
    for path in SOURCES:
        if path.name in ("settings.py",):
            continue
        text = path.read_text(encoding="utf-8")
        assert 'os.environ.get("STRATA' not in text and "getenv" not in text, path


@pytest.mark.parametrize(
    "row",
    [*(row for table in registry.SLOTS.values() for row in table.values()), *registry.LOADERS.values()],
    ids=lambda r: r.target,
)
def test_every_row_of_the_registry_loads(row: registry.Row) -> None:
    assert callable(registry.load(row)) and row.help


@pytest.mark.parametrize("table", registry.SLOTS.values(), ids=registry.SLOTS)
def test_layers_are_frozen_hashable_and_made_without_arguments(table: dict[str, registry.Row]) -> None:
    from strata.pipeline.plan import layer_name

    for name, row in table.items():
        layer = registry.load(row)()
        assert hash(layer) == hash(registry.load(row)())
        assert layer_name(layer) == name
        with pytest.raises(AttributeError):
            layer.anything = 1


def test_no_program_bears_the_name_of_an_importable_package() -> None:
    """`python cli/X.py` puts cli/ first on the path: a module called strata or numpy there would shadow it."""
    programs = {path.stem for path in (ROOT / "cli").glob("*.py")}
    for name in programs:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin == str(ROOT / "cli" / f"{name}.py")
        assert not (ROOT / "lib" / name).exists()
