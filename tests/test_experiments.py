"""experiment_cli on logs of real runs: listed, found, shown, compared."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from strata.experiments.lists import compare
from strata.experiments.record import Hit, Listed
from strata.experiments.words import plan_words, settings
from strata.llm.scripted import Scripted
from tests.conftest import Run
from tests.harbour import Search
from tests.test_imports import HEAVY, loaded_by

# list


def test_list_has_the_newest_first_with_query_plan_and_first_result(search: Search, experiment: Run) -> None:
    first = search("bm25search", "harbour ship")
    second = search("rrf-search", "bread", "-k", "10")
    done = experiment("list")
    lines = done.out.splitlines()
    assert '"bread"' in lines[0] and second["run_id"].partition("-")[2] in lines[0]
    assert "hybrid_search_cli rrf-search" in done.out and "bm25 + chunks → rrf k=10" in done.out
    assert done.out.index('"bread"') < done.out.index('"harbour ship"') and done.err == ""
    assert all(len(line) <= 80 for line in lines)
    data = experiment("list", "--json").json
    assert [run["run_id"] for run in data["runs"]] == [second["run_id"], first["run_id"]]
    assert data["runs"][1]["first"]["id"] == first["results"][0]["id"] and data["total"] == 2
    assert {"short", "written", "command", "query", "dataset", "plan", "plan_in_words", "results"} <= set(
        data["runs"][0]
    )


def test_list_takes_a_limit_and_filters(search: Search, experiment: Run, films_file: Path) -> None:
    for query in ("harbour", "bread", "harbour ship"):
        search("bm25search", query)
    search("weighted-search", "Bread and ship")

    def queries(*args: str) -> list[str]:
        return [run["query"] for run in experiment("list", "--json", *args).json["runs"]]

    assert queries("--limit", "2") == ["Bread and ship", "harbour ship"]
    assert queries("--query", "BREAD") == ["Bread and ship", "bread"]
    assert queries("--command", "bm25", "--limit", "1") == ["harbour ship"]
    assert len(queries("--dataset", films_file.name)) == len(queries("--dataset", str(films_file))) == 4
    assert queries("--dataset", "movies") == [] and "No logged run fits." in experiment("list", "--query", "none").out


def test_an_empty_or_missing_folder_is_said(experiment: Run, tmp_path: Path) -> None:
    done = experiment("list", "--log-dir", str(tmp_path / "nowhere"))
    assert (done.status, done.out) == (0, "No run is logged here yet.\n")
    assert experiment("show", "last").status == 2


def test_files_that_are_no_logs_are_counted_and_named(search: Search, experiment: Run, log_dir: Path) -> None:
    good = search("bm25search", "harbour")
    text = json.dumps(good)
    (log_dir / "20301130T000001-aaaaaa.json").write_text(text[: len(text) // 2], encoding="utf-8")
    (log_dir / "20301130T000002-bbbbbb.json").write_text(json.dumps({**good, "format": 2}), encoding="utf-8")
    (log_dir / "20301130T000003-cccccc.json").write_bytes(b"\xff\xfe\x00not json")
    (log_dir / "20301130T000004-dddddd.json").write_text("[" * 100_000, encoding="utf-8")
    (log_dir / "20301130T000005-eeeeee.json").write_text('{"format": 1, "written": NaN}', encoding="utf-8")
    (log_dir / "20301130T000006-ffffff.json").write_text(text, encoding="utf-8")  # another run's log under this name
    (log_dir / "20301130T000007-abcdef.json").mkdir()
    (log_dir / "notes.json").write_text("{}", encoding="utf-8")
    (log_dir / f".{good['run_id']}.json.1234.tmp").write_text(text[:40], encoding="utf-8")
    done = experiment("list")
    assert done.status == 0 and '"harbour"' in done.out
    assert "6 files left out" in done.err and "20301130T000002-bbbbbb.json is of a later format" in done.err
    assert "3 files in the log folder are no run's" in done.err and "notes.json" in done.err
    data = experiment("list", "--json").json
    assert len(data["unreadable"]) == 6 and len(data["other_files"]) == 3 and len(data["runs"]) == 1
    for name in ("aaaaaa", "bbbbbb", "cccccc", "dddddd", "eeeeee", "ffffff"):
        for command in (("show", name), ("replay", name), ("diff", "last-6", name)):
            done = experiment(*command)
            assert done.status == 2 and len(done.err.splitlines()) == 1 and name in done.err, command


def test_list_reads_no_lists_of_runs_that_are_not_wanted(search: Search, experiment: Run, log_dir: Path) -> None:
    kept, other = search("bm25search", "harbour"), search("bm25search", "bread")
    path = log_dir / f"{other['run_id']}.json"
    path.write_text(path.read_text(encoding="utf-8").partition('"hits"')[0], encoding="utf-8")  # a head and no more
    done = experiment("list", "--query", "harbour", "--json")
    assert [run["run_id"] for run in done.json["runs"]] == [kept["run_id"]] and not done.json["unreadable"]
    assert [one["file"] for one in experiment("list", "--json").json["unreadable"]] == [path.name]


# which run


def test_a_run_is_named_by_its_id_a_part_of_it_or_its_place(search: Search, experiment: Run) -> None:
    first, second = search("bm25search", "harbour"), search("bm25search", "bread")
    id = first["run_id"]
    for name in (id, id.partition("-")[2], id[4:], f"{id}.json", "last-1", id[:-1]):
        assert experiment("show", name, "--json").json["run_id"] == id, name
    assert experiment("show", "last", "--json").json["run_id"] == second["run_id"]
    several = experiment("show", id[:4])
    assert (
        several.status == 2 and "fits 2 runs" in several.err and id in several.err and second["run_id"] in several.err
    )
    assert experiment("show", "last-2").status == 2 and experiment("show", "zzzz").status == 2


@pytest.mark.parametrize(
    "name", ["../harbour", "../../etc/passwd", "/etc/passwd", "a/b", "..", ".", "", "*", "a\x1b[1m"]
)
def test_a_run_is_no_path(search: Search, experiment: Run, log_dir: Path, name: str) -> None:
    search("bm25search", "harbour")
    shutil.copy(next(log_dir.glob("*.json")), log_dir.parent / "20301130T000001-aaaaaa.json")
    for command in ("show", "replay"):
        done = experiment(command, name)
        assert (done.status, done.out) == (2, "") and len(done.err.splitlines()) == 1 and "\x1b" not in done.err
    assert experiment("show", "../20301130T000001-aaaaaa").status == 2


# show


def test_show_has_request_plan_steps_and_results(search: Search, experiment: Run, films_file: Path) -> None:
    log = search("rrf-search", "harbur ship", "--enhance", "spell", "--where", "year>=1970", "--exclude", "x4")
    done = experiment("show", "last")
    for text in ('"harbur ship" · where year>=1970 · without x4', 'searched   "harbour ship"', "spell → bm25 + chunks",
                 "fuse.k 60", "by rule", "keyword", "versions", f"1. ({log['results'][0]['id']})"):  # fmt: skip
        assert text in done.out, text
    assert str(films_file)[:20] in done.out and all(len(line) <= 80 for line in done.out.splitlines())
    shown = experiment("show", "last", "--json").json
    assert Path(shown.pop("file")).name == f"{log['run_id']}.json" and shown == log


def test_show_tells_what_a_language_model_was_asked(
    search: Search, experiment: Run, scripted: Callable[..., Scripted]
) -> None:
    scripted("A ship carries bread to a harbour [1].")
    search("citations", "ship with bread", "--limit", "2")
    out = experiment("show", "last").out
    assert 'groq, a-model: 0 + 0 tokens, 0.0 ms, "A ship carries bread' in out and "check      [1] " in out


# diff


def test_diff_names_settings_and_says_who_entered_left_and_moved(search: Search, experiment: Run) -> None:
    old = search("rrf-search", "harbour bread", "--limit", "3")
    new = search("rrf-search", "harbour bread", "--limit", "3", "-k", "1", "--exclude", "3")
    done = experiment("diff", "last-1", "last")
    assert "fuse.k  60 → 1" in done.out and "exclude  – → 3" in done.out and "left     (3) Winter Harbour" in done.out
    assert "Winter" not in experiment("diff", "last-1", "last", "--limit", "0").out
    data = experiment("diff", old["run_id"], new["run_id"], "--json").json
    assert {(c["kind"], c["name"]): (c["before"], c["after"]) for c in data["changes"]} == {
        ("plan", "fuse.k"): (60, 1), ("asked", "exclude"): (None, ["3"])
    }  # fmt: skip
    ids = [[str(hit["id"]) for hit in log["layers"][2]["hits"]] for log in (old, new)]
    fused = next(one for one in data["layers"] if one["layer"] == "rrf")
    assert [one["id"] for one in fused["left"]] == [3] and fused["entered"] == [] and "3" not in ids[1]
    moved = {str(one["id"]): (one["before"], one["after"]) for one in fused["moved"]}
    ranks = {id: (ids[0].index(id) + 1, ids[1].index(id) + 1) for id in ids[1]}
    assert moved == {id: pair for id, pair in ranks.items() if pair[0] != pair[1]} and moved
    assert fused["scores"]["changed"] == len(ids[1]) and not data["identical"] and not data["same_result"]


def test_diff_of_equal_runs_says_so(search: Search, experiment: Run) -> None:
    search("rrf-search", "harbour bread")
    search("rrf-search", "harbour bread")
    done = experiment("diff", "last-1", "last")
    assert "Nothing differs" in done.out
    assert experiment("diff", "last-1", "last", "--json").json["identical"] is True


def test_diff_says_which_lists_only_one_run_has_and_where_the_cuts_differ(search: Search, experiment: Run) -> None:
    search("rrf-search", "harbour bread", "--depth", "2", "--limit", "2")
    search("weighted-search", "harbour bread", "--vectors", "document", "--limit", "2", "--depth", "3")
    done = experiment("diff", "last-1", "last")
    assert "only before: chunks, rrf" in done.out and "only after: document, weighted" in done.out
    assert "retrieve  bm25 + chunks → bm25 + document" in done.out and "depth  2 → 3" in done.out
    assert "chunks.sentences" not in done.out  # that the layer is gone says it
    keyword = experiment("diff", "last-1", "last", "--json").json["layers"][0]
    assert keyword["compared_to_depth"] == 2 and keyword["same"] and "the first 2 are compared" in done.out


def listed(*hits: tuple[str, float], there: int = 0, slot: str = "retrieve") -> Listed:
    rows = tuple(Hit(id, id.upper(), score) for id, score in hits)
    return Listed("keyword", slot, 1.0, len(rows), max(there, len(rows)), rows)


def test_lists_are_compared_by_hand() -> None:
    old = listed(("a", 3.0), ("b", 2.0), ("c", 1.0))
    new = listed(("d", 4.0), ("a", 3.0), ("b", 2.5))
    found = compare(old, new)
    assert [(one.id, one.after) for one in found.entered] == [("d", 1)]
    assert [(one.id, one.before) for one in found.left] == [("c", 3)]
    assert [(one.id, one.before, one.after) for one in found.moved] == [("a", 1, 2), ("b", 2, 3)]
    assert (
        [(one.id, one.difference) for one in found.rescored] == [("b", 0.5)] and not found.ties and found.depth is None
    )


def test_only_equal_scores_in_another_order_are_ties() -> None:
    old = listed(("a", 2.0), ("b", 1.0), ("c", 1.0))
    tied = compare(old, listed(("a", 2.0), ("c", 1.0), ("b", 1.0 + 1e-9)))
    assert tied.ties and not tied.same and not tied.rescored
    swapped = compare(old, listed(("b", 1.0), ("a", 2.0), ("c", 1.0)))
    assert swapped.moved and not swapped.ties


@pytest.mark.parametrize(("factor", "same"), [(1 + 5e-7, True), (1 - 5e-7, True), (1 + 2e-6, False)])
def test_scores_are_the_same_within_a_millionth(factor: float, same: bool) -> None:
    assert compare(listed(("a", 7.0)), listed(("a", 7.0 * factor))).same is same


def test_below_the_cut_of_a_list_nothing_is_said() -> None:
    whole = listed(("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0))
    cut = listed(("b", 3.0), ("a", 2.0), there=4)
    found = compare(whole, cut)
    assert found.depth == 2 and not found.left and not found.entered and len(found.moved) == 2
    assert compare(cut, whole).depth == 2
    both_whole = compare(whole, listed(("b", 3.0), ("a", 2.0)))
    assert both_whole.depth is None and [one.id for one in both_whole.left] == ["c", "d"]
    deeper = compare(listed(("a", 1.0), ("b", 0.5), there=9), listed(("c", 1.0), ("a", 0.5), ("b", 0.2), there=9))
    assert [one.id for one in deeper.entered] == ["c"] and [one.after for one in deeper.moved] == [2, 3]


def test_plans_in_words_and_as_settings() -> None:
    lists = [{"layer": "chunks", "encoder": "a"}, {"layer": "chunks", "encoder": "b"}]
    slots = {"enhance": {"layer": "spell", "edits": 2}, "fuse": {"layer": "rrf", "k": 60}}
    plan = {**slots, "retrieve": lists, "depth": 100, "limit": 5}
    assert plan_words(plan) == "spell → chunks + chunks → rrf k=60"
    assert settings(plan) == {
        "enhance": "spell", "enhance.edits": 2, "retrieve": "chunks + chunks (2)", "chunks.encoder": "a",
        "chunks (2).encoder": "b", "fuse": "rrf", "fuse.k": 60, "depth": 100, "limit": 5,
    }  # fmt: skip
    assert settings({**plan, "premises": True}) == {**settings(plan), "premises": True}


def test_list_show_and_diff_load_no_numpy(cli: Run, shared_cache: Path, tmp_path: Path) -> None:
    cli("keyword_search_cli", "bm25search", "horse")
    for args in (["list"], ["show", "last"], ["diff", "last", "last"]):
        assert not loaded_by("experiment_cli", args, shared_cache, tmp_path) & (HEAVY | {"numpy", "rich"})
