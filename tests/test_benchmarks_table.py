"""The tables of docs/benchmarks.md are those of the results beside it, and results name no machine."""

from __future__ import annotations

import json
import re
from types import ModuleType

import pytest

from tests.conftest import ROOT

RESULTS = sorted((ROOT / "docs" / "benchmarks").glob("*.json"))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import table

    return table


def test_the_page_agrees_with_the_results(table: ModuleType) -> None:
    """Otherwise: python benchmarks/table.py."""
    before, after = table.page()
    assert before == after


def test_every_result_stands_on_the_page(table: ModuleType) -> None:
    shown = {match["name"] for match in table.MARKED.finditer(table.PAGE.read_text(encoding="utf-8"))}
    assert shown == {file.stem for file in RESULTS}


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_a_result_says_how_it_was_come_by_and_names_no_place(file: object) -> None:
    text = file.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    results = json.loads(text)
    script = re.fullmatch(r"python (benchmarks/\w+\.py)( .*)?", results["command"])
    assert script and (ROOT / script[1]).exists()
    assert {"cpu", "cores", "memory_gib", "load", "system", "python"} == set(results["machine"])
    assert results["tables"] and all(rows for rows in results["tables"].values())
    assert not re.search(r"(?<![\w.])/(tmp|home|work|root|usr|var)/", text)


def test_a_table_has_a_dash_where_a_row_lacks_a_column_and_ratios_with_their_range(table: ModuleType) -> None:
    rows = [{"n": 34375, "ms": 0.04512}, {"n": 7, "×": {"median": 2.444, "low": 1.2, "high": 123.4}}]
    assert table.table(rows) == (
        "| n | ms | × |\n| --- | --- | --- |\n| 34,375 | 0.0451 | – |\n| 7 | – | 2.44 (1.20–123) |"
    )
