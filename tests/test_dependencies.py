"""docs/dependencies.md: a reason and a known licence for whatever is depended on, and for weights and data."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType

import pytest

from strata import registry
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_dependencies", ROOT / "docs" / "dependencies.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_page_is_what_the_script_writes(script: ModuleType) -> None:
    assert script.page(PYPROJECT, PAGE) == PAGE, "run: make docs"


def test_every_dependency_has_a_row_a_reason_a_known_licence_and_a_pin(script: ModuleType) -> None:
    rows, told = script.rows(PYPROJECT), script.written(PAGE)
    assert [(row.extra, row.name) for row in rows] == list(dict.fromkeys((row.extra, row.name) for row in rows))
    assert {(row.extra, row.name) for row in rows} == told.keys() and len(rows) > 30
    pinned = {canonical(line.partition("==")[0]) for line in CONSTRAINTS if "==" in line}
    for row in rows:
        assert row.reason and set(script.parts_of(told[row.extra, row.name])) <= row.allowed, row
        assert canonical(row.name) in pinned, row
    names = [canonical(line.partition("==")[0]) for line in CONSTRAINTS]
    assert len(names) == len(set(names))


def changed(line: str, other: str) -> str:
    assert line in PYPROJECT
    return PYPROJECT.replace(line, other)


@pytest.mark.parametrize(
    ("line", "other", "said"),
    [
        ('"rich>=13.9", ', '"nowhere-to-be-found>=1", ', "nowhere-to-be-found: the licence ''"),
        ('"rich>=13.9",  ', '"hypothesis>=6.115", ', "hypothesis: the licence 'MPL-2.0' is not among those known"),
        ("  # types\n", "\n", "mypy: no reason stands beside it"),
        ("\nbench = [", "\npeers = [", "the extra peers has no title"),
    ],
)
def test_what_has_no_known_licence_no_reason_or_no_place_is_refused(
    script: ModuleType, line: str, other: str, said: str
) -> None:
    with pytest.raises(SystemExit, match=re.escape(said)):
        script.page(changed(line, other), PAGE)


def test_a_package_that_is_not_installed_keeps_its_row(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "licence", lambda name: None)
    assert script.page(PYPROJECT, PAGE) == PAGE
    with pytest.raises(SystemExit, match="rich: the licence ''"):
        script.page(PYPROJECT, PAGE.replace("| `rich` >=13.9 | MIT |", ""))


@pytest.mark.parametrize(
    ("said", "spdx"),
    [
        ({"License-Expression": "MIT AND Zlib"}, "MIT AND Zlib"),
        ({"License": "Apache2.0"}, "Apache-2.0"),
        ({"License": "The whole text, " * 9, "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        ({"License": "GPL-3.0"}, "GPL-3.0"),
        ({"Classifier": "License :: OSI Approved :: GNU Affero General Public License v3"},
         "GNU Affero General Public License v3"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_licence_is_read_as_packages_write_it(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, said: dict[str, str], spdx: str
) -> None:
    from email.message import Message

    about = Message()
    for name, value in said.items():
        about[name] = value
    monkeypatch.setattr(script, "metadata", lambda name: about)
    assert script.licence("any") == spdx


def evidence(package: str) -> str:
    """What a package says of licences: its README (in its metadata), and NOTICE where there is one."""
    found = distribution(package)
    notices = [file for file in found.files or [] if Path(file).name == "NOTICE"]
    return "\n".join(
        [found.read_text("METADATA") or "", *(Path(str(file.locate())).read_text(encoding="utf-8") for file in notices)]
    )


def test_weights_have_the_licence_that_their_package_tells(script: ModuleType) -> None:
    packages = {row.package[0] for row in (*registry.ENCODERS.values(), *registry.CROSS_ENCODERS.values())} - {""}
    carried = {
        name
        for table in (registry.ENCODERS, registry.CROSS_ENCODERS, registry.PICTURE_ENCODERS)
        for name, row in table.items()
        if row.package[0]
    }
    assert {name for name, *_ in script.WEIGHTS} == carried and len(packages) == 3
    texts = {
        "all-MiniLM-L6-v2": r"model weights are distributed under their respective Apache 2\.0 license",
        "bge-small-en-v1.5": r"BAAI/bge-small-en-v1\.5\s+MIT",
        "ms-marco-MiniLM-L12-v2": r"cross-encoder/ms-marco-MiniLM-L-12-v2\s+Apache-2\.0",
        "use-multilingual-v3": r"universal-sentence-encoder-multilingual-3\]\([^)]*\)\s+\(Apache-2\.0\)",
    }
    for name, said, package, _ in script.WEIGHTS:
        assert said in script.KNOWN and f"| `{name}` | {said} | `{package}` |" in PAGE
        try:
            assert re.search(texts[name], evidence(package)), name
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed")


def test_sets_and_pictures_are_there_with_their_licences() -> None:
    for name, row in registry.FETCH.items():
        assert f"| `{name}` | {row.licence} | {row.credit} |" in PAGE
    readme = (ROOT / "data" / "images" / "README.md").read_text(encoding="utf-8")
    for picture in (ROOT / "data" / "images").glob("*.jpg"):
        assert re.search(rf"`{picture.name}` \|[^|]+\| (public domain|CC0) \|", readme), picture
