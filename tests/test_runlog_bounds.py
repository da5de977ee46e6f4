"""Run logs do not grow without end: the newest stay, and nothing that is not a run log is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from strata import runlog, settings
from strata.errors import UsageError
from tests.conftest import Run


def test_the_newest_stay_and_nothing_else_is_touched(tmp_path: Path) -> None:
    names = [f"20260101T0000{second:02}-{second:06x}.json" for second in range(12)]
    others = ["notes.json", "20260101T000000-abcdef.json.bak", "20260101T000000-ABCDEF.json", ".gitkeep", "x.toml"]
    for name in [*names, *others]:
        (tmp_path / name).write_text("{}")
    assert runlog.prune(tmp_path, 5) == 7
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([*names[-5:], *others])
    assert runlog.prune(tmp_path, 5) == 0


def test_within_a_second_the_files_times_tell_which_is_newer(tmp_path: Path) -> None:
    """The rest of a name is chance: the log just written was removed in place of an older one."""
    for name, written in (("ffffff", 1), ("000001", 3), ("800000", 2)):
        file = tmp_path / f"20260101T000000-{name}.json"
        file.write_text("{}")
        os.utime(file, ns=(written, written))
    assert runlog.prune(tmp_path, 2) == 1
    assert {file.stem[-6:] for file in tmp_path.iterdir()} == {"000001", "800000"}
    (tmp_path / "20251231T235959-ffffff.json").write_text("{}")
    assert runlog.prune(tmp_path, 1) == 2 and [file.stem[-6:] for file in tmp_path.iterdir()] == ["000001"]


def test_a_search_leaves_no_more_logs_than_are_kept(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_KEEP_RUNS", "3")
    runs = [cli("keyword_search_cli", "bm25search", "horse", "--json").json["run_id"] for _ in range(5)]
    left = sorted(file.stem for file in (tmp_path / "logs").iterdir())
    assert left == sorted(runs[-3:]) and json.loads((tmp_path / "logs" / f"{left[0]}.json").read_text())["run_id"]
    monkeypatch.setenv("STRATA_KEEP_RUNS", "0")
    for _ in range(3):
        cli("keyword_search_cli", "bm25search", "horse")
    assert len(list((tmp_path / "logs").iterdir())) == 6, "0 keeps all"


def test_a_thousand_are_kept_where_nothing_is_said() -> None:
    assert settings.load("movies").keep_runs == 1000


@pytest.mark.parametrize("text", ["-1", "many", "1.5", "1" * 20])
def test_a_number_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_KEEP_RUNS", text)
    with pytest.raises(UsageError, match="STRATA_KEEP_RUNS"):
        settings.load("movies")


def test_a_folder_that_cannot_be_listed_does_not_cost_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError("no listing")

    monkeypatch.setattr(runlog, "prune", refuse)
    assert runlog.try_write(tmp_path, {"run_id": "20260101T000000-00000a"}, keep=1) == ""
    assert (tmp_path / "20260101T000000-00000a.json").is_file()
