"""Options of the commands that run a plan: each reaches the plan or is refused; what a search logs and hints at."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.asked import Asked
from strata.pipeline.planfile import to_toml
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from tests.conftest import ROOT, Done, Run
from tests.counting import Encoders
from tests.test_plans import COMMANDS, arguments, options_of, plan_name

Shown = Callable[..., Any]
VALUES = {
    "limit": ("--limit", "2", "limit", 2),
    "depth": ("--depth", "41", "depth", 41),
    "k": ("-k", "3", "fuse.k", 3),
    "k1": ("--k1", "0.5", "retrieve.k1", 0.5),
    "b": ("--b", "1", "retrieve.b", 1),
    "alpha": ("--alpha", "0.25", "fuse.alpha", 0.25),
    "encoder": ("--encoder", "other", "retrieve.encoder", "other"),
    "max_chunk_size": ("--max-chunk-size", "7", "retrieve.sentences", 7),
    "overlap": ("--overlap", "2", "retrieve.overlap", 2),
    "min_score": ("--min-score", "0.2", "retrieve.min_score", 0.2),
}
"""For each option another value than its default: the flag, the value typed, its place in the plan, the value there."""


def at(plan: dict[str, Any], place: str) -> list[Any]:
    """What a plan's JSON has at "retrieve.k1", in every layer that has it."""
    slot, _, setting = place.partition(".")
    if not setting:
        return [plan[slot]]
    layers = plan[slot] if slot == "retrieve" else [plan[slot]]
    return [layer[setting] for layer in layers if setting in layer]


@pytest.fixture
def shown(cli: Run, tmp_path: Path) -> Shown:
    """shown("rrf", "--k1", "0"): the plan that a command would run; with raw=True what it did."""

    def show(name: str, *args: str, raw: bool = False) -> Any:
        done = cli(*COMMANDS[name], *arguments(name), "--show-plan", "--json", *args, cache=tmp_path / "none")
        return done if raw else done.json

    return show


@pytest.fixture
def small(
    cli: Run, catalogue: Callable[..., Path], encoders: Encoders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """small("rrf", "--json"): a command over a small catalogue, with counting encoders and a cache of its own. It runs
    in the catalogue's folder."""
    catalogue(
        "a bear. It eats. Two. Three. Four. Five. Six.",
        "bear and fox. Two. Three.",
        "fox. An owl.",
        "owl",
        "an elk and a bear",
    )
    monkeypatch.chdir(tmp_path)

    def run(name: str, *args: str, words: list[str] | None = None) -> Done:
        given = arguments(name) if words is None else words
        return cli(*COMMANDS[name], *given, "--dataset", "small.json", *args, cache=tmp_path / "own")

    return run


def refused(done: Done, said: str) -> None:
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1 and said in done.err, done.err


# Reaching the plan


@pytest.mark.parametrize(("name", "option"), [(name, o) for name in COMMANDS for o in VALUES if o in options_of(name)])
def test_an_option_reaches_the_plan(shown: Shown, name: str, option: str) -> None:
    flag, typed, place, value = VALUES[option]
    fuse = ["--fuse", "weighted"] if option == "alpha" and "fuse" in options_of(name) else []
    plan, usual = shown(name, flag, typed, *fuse), shown(name, *fuse)
    assert at(plan, place) == [value] != at(usual, place)
    for other in {row[2] for row in VALUES.values()} - {place}:
        if other.startswith(("retrieve", "fuse")) and other.partition(".")[0] in plan:
            assert at(plan, other) == at(usual, other), "and nothing else"


@pytest.mark.parametrize("name", [name for name in COMMANDS if "vectors" in options_of(name)])
def test_whole_documents_take_the_place_of_chunks(shown: Shown, name: str) -> None:
    plan = shown(name, "--vectors", "document", "--encoder", "other", "--min-score", "0.1")
    assert plan["retrieve"][1] == {"layer": "document", "encoder": "other", "min_score": 0.1}
    assert shown(name, "--vectors", "chunks") == shown(name)


@pytest.mark.parametrize("hash_seed", range(6))
def test_a_size_and_an_overlap_that_only_fit_together(hash_seed: int, tmp_path: Path) -> None:
    """Which of the two came first hung on PYTHONHASHSEED, and half of the time the command was refused."""
    command = [
        sys.executable,
        str(ROOT / "cli" / "hybrid_search_cli.py"),
        "rrf-search",
        "bear",
        "--show-plan",
        "--json",
    ]
    for size, overlap in ((8, 6), (1, 0)):
        done = subprocess.run(
            [*command, "--overlap", str(overlap), "--max-chunk-size", str(size)],
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "STRATA_CACHE_DIR": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (chunks,) = (layer for layer in json.loads(done.stdout)["retrieve"] if layer["layer"] == "chunks")
        assert (chunks["sentences"], chunks["overlap"]) == (size, overlap)


def test_a_depth_that_was_typed_stands_and_one_that_was_not_follows_the_limit(shown: Shown) -> None:
    assert shown("rrf", "--depth", "3")["depth"] == 3, "two lists of three may well fill a limit of five"
    assert shown("rrf", "--depth", "1", "--limit", "9")["depth"] == 1
    assert shown("rrf", "--limit", "250")["depth"] == 250
    assert shown("rrf", "--limit", "2")["depth"] == 100
    assert shown("bm25", "--limit", "7")["depth"] == 7


@pytest.mark.parametrize("zero", ["0", "0.0", "-0.0"])
def test_zero_is_a_value(shown: Shown, zero: str) -> None:
    """cases.md 20."""
    plan = shown("rrf", "--k1", zero, "--b", zero, "-k", zero, "--overlap", "0", "--min-score", zero)
    assert [at(plan, place) for place in ("retrieve.k1", "retrieve.b", "fuse.k")] == [[0], [0], [0]]
    assert at(plan, "retrieve.overlap") == [0] and at(plan, "retrieve.min_score") == [0]
    assert at(shown("weighted", "--alpha", zero), "fuse.alpha") == [0]


def test_numbers_stand_in_the_plan_as_they_were_typed(shown: Shown) -> None:
    done = shown("rrf", "-k", "60.0", "--k1", "1e20", raw=True)
    assert '"k": 60}' in done.out and '"k1": 1e+20' in done.out


# Refused, never ignored


@pytest.mark.parametrize("name", ["trace", "explain"])
@pytest.mark.parametrize("fuse", [[], ["--fuse", "rrf"]])
def test_alpha_without_a_weighted_fusion_is_refused(shown: Shown, name: str, fuse: list[str]) -> None:
    """cases.md 28."""
    refused(shown(name, "--alpha", "0.5", *fuse, raw=True), "no layer of this plan has the setting alpha")
    assert shown(name, "--alpha", "0.5", "--fuse", "weighted")["fuse"] == {"layer": "weighted", "alpha": 0.5}


@pytest.mark.parametrize("name", ["trace", "explain"])
def test_k_with_a_weighted_fusion_is_refused(shown: Shown, name: str) -> None:
    refused(shown(name, "-k", "60", "--fuse", "weighted", raw=True), "no layer of this plan has the setting k")


@pytest.mark.parametrize("option", [("--overlap", "0"), ("--max-chunk-size", "4")])
@pytest.mark.parametrize("name", ["rrf", "weighted", "trace", "explain"])
def test_chunk_settings_of_whole_documents_are_refused(shown: Shown, name: str, option: tuple[str, str]) -> None:
    refused(shown(name, "--vectors", "document", *option, raw=True), "no layer of this plan has the setting")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--k1", "-1"], "k1 must be a number from 0 up"),
        (["--k1", "nan"], "k1 must be a number from 0 up"),
        (["--k1", "inf"], "k1 must be a number from 0 up"),
        (["--k1", "1e308"], "k1 is too large: 1e+308"),
        (["--b", "1.1"], "b must be between 0 and 1"),
        (["--b", "nan"], "b must be between 0 and 1"),
        (["-k", "-1"], "k must be a number from 0 up"),
        (["-k", "nan"], "k must be a number from 0 up"),
        (["--max-chunk-size", "0"], "at least 1 sentence"),
        (["--overlap", "4"], "overlap"),
        (["--overlap", "-1"], "overlap"),
        (["--min-score", "1.1"], "a cosine from -1 to 1"),
        (["--min-score", "nan"], "a cosine from -1 to 1"),
        (["--limit", "0"], "--limit"),
        (["--limit", "-1"], "--limit"),
        (["--limit", "2.5"], "--limit"),
        (["--depth", "0"], "--depth"),
        (["--vectors", "chunk"], 'one of: chunks, document'),
        (["--vectors", ""], 'one of: chunks, document'),
        (["--fuse", "sum"], "one of: rrf, weighted"),
        (["--fuse", ""], "one of: rrf, weighted"),
        (["--preset", "besst"], "no preset is called"),
        (["--preset", ""], "no preset is called"),
        (["--nope"], "No such option"),
        (["--k1"], "requires an argument"),
    ],
)  # fmt: skip
def test_a_value_without_meaning_is_one_line_and_opens_nothing(
    cli: Run, tmp_path: Path, args: list[str], said: str
) -> None:
    refused(cli("hybrid_search_cli", "trace", "bear", *args, cache=tmp_path / "none"), said)
    as_json = cli("hybrid_search_cli", "trace", "bear", *args, "--json", cache=tmp_path / "none")
    assert as_json.out == "" and json.loads(as_json.err)["error"]["kind"] == "usage"
    assert not (tmp_path / "none").exists()


def test_of_several_that_are_wrong_always_the_same_is_named(shown: Shown) -> None:
    said = {shown("trace", "--alpha", "1", "--k1", "nan", "--overlap", "9", raw=True).err for _ in range(5)}
    assert len(said) == 1


# Each really moves the search


def test_settings_move_the_scores(small: Callable[..., Done]) -> None:
    def scores(*args: str) -> list[Any]:
        found = small("rrf", "--json", "--no-log", *args).json
        return [[hit["score"] for hit in layer["hits"]] for layer in found["layers"]]

    usual = scores()
    keyword, chunks, fused = (0, 1, 2)
    assert scores("--k1", "0")[keyword] != usual[keyword] and scores("--k1", "0")[chunks] == usual[chunks]
    assert scores("--b", "0")[keyword] != usual[keyword]
    assert scores("-k", "1")[fused] != usual[fused] and scores("-k", "1")[:2] == usual[:2]
    assert scores("--encoder", "other")[chunks] != usual[chunks]
    assert scores("--max-chunk-size", "1", "--overlap", "0")[chunks] != usual[chunks]
    assert scores("--vectors", "document")[chunks] != usual[chunks]
    assert [len(hits) for hits in scores("--depth", "1")][:fused] == [1, 1]
    least = usual[chunks][1]
    assert scores("--min-score", repr(least))[chunks] == usual[chunks][:2]
    assert len(scores("--limit", "1")[fused]) == 1


# The log


def logged(tmp_path: Path) -> list[dict[str, Any]]:
    files = sorted((tmp_path / "logs").glob("*.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "explain"])
def test_a_search_logs_its_command_preset_and_plan(small: Callable[..., Done], tmp_path: Path, name: str) -> None:
    found = small(name, "--json", "--limit", "2").json
    (entry,) = logged(tmp_path)
    assert entry["command"] == " ".join(COMMANDS[name])
    assert entry["preset"] == found["preset"] == "lessons"
    assert entry["plan"] == found["plan"] and entry["run_id"] == found["run_id"]
    assert entry["query"] == found["query"] and entry["results"] == found["results"]


@pytest.mark.parametrize("spelling", ["rrfsearch", "rrf_search"])
def test_other_spellings_of_a_command_log_its_name(
    cli: Run, small: Callable[..., Done], tmp_path: Path, spelling: str
) -> None:
    cli("hybrid_search_cli", spelling, "bear", "--dataset", "small.json", cache=tmp_path / "own")
    (entry,) = logged(tmp_path)
    assert entry["command"] == "hybrid_search_cli rrf-search"


def test_a_plan_files_name_stands_where_the_presets_would(small: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(small("rrf", "--show-plan").out, encoding="utf-8")
    found = small("rrf", "--json", "--config", str(file)).json
    (entry,) = logged(tmp_path)
    assert entry["preset"] == found["preset"] == "mine.toml" and entry["plan"] == found["plan"]
    assert ", mine.toml, " in small("rrf", "--config", str(file)).out.splitlines()[0]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "explain"])
def test_no_log_writes_none(small: Callable[..., Done], tmp_path: Path, name: str) -> None:
    assert small(name, "--no-log").status == 0
    assert not (tmp_path / "logs").exists()


# "Why this order"


def hint(done: Done) -> list[str]:
    """The arguments of the command that a search names at its end."""
    _, _, rest = done.out.partition("Why this order:")
    return shlex.split(rest)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("rrf", []),
        ("rrf", ["-k", "0", "--depth", "2", "--where", "title!=T9", "--exclude", "4"]),
        ("weighted", []),
        ("weighted", ["--alpha", "0", "--vectors", "document"]),
        ("weighted", ["--limit", "200", "--encoder", "other", "--max-chunk-size", "2", "--overlap", "1"]),
        ("rrf", ["--limit", "1", "--rerank", "late_interaction"]),
        ("rrf", ["--limit", "9", "--rerank", "late_interaction"]),
        ("weighted", ["--limit", "7", "--depth", "4", "--rerank", "late_interaction"]),
    ],
)
def test_the_command_that_is_named_explains_this_very_order(
    cli: Run, small: Callable[..., Done], tmp_path: Path, name: str, args: list[str]
) -> None:
    """weighted-search named a command that explained RRF's order; with a reranker, one of other candidates."""
    searched = small(name, "--json", *args).json
    found = searched["results"][0]
    program, *command = hint(small(name, *args))
    explained = cli(program, *command, "--json", cache=tmp_path / "own").json
    assert {**explained["plan"], "limit": 0} == {**searched["plan"], "limit": 0}
    assert (explained["id"], explained["rank"], explained["score"]) == (found["id"], 1, found["score"])


def test_the_command_that_is_named_takes_the_plan_file_along(
    cli: Run, small: Callable[..., Done], tmp_path: Path
) -> None:
    file = Path("a plan with blanks.toml")
    file.write_text(small("weighted", "--show-plan", "--alpha", "0.9").out, encoding="utf-8")
    found = small("rrf", "--json", "--config", str(file)).json["results"][0]
    program, *command = hint(small("rrf", "--config", str(file)))
    assert cli(program, *command, "--json", cache=tmp_path / "own").json["score"] == found["score"]


@pytest.mark.parametrize(
    "query", ['a "bear" & $HOME', "bear `fox`", "a bear!", "it's a bear", "bear; ls", "back\\slash"]
)
def test_a_query_with_signs_of_the_shell_is_quoted(small: Callable[..., Done], query: str) -> None:
    arguments = hint(small("rrf", words=[query]))
    assert arguments[:3] == ["hybrid_search_cli", "explain", query]


def test_a_long_query_is_not_cut_in_the_command_that_is_named(small: Callable[..., Done]) -> None:
    """It named a query that ended in …, which finds something else."""
    words = ("a bear that walks " * 12).strip()
    done = small("rrf", words=[words])
    assert hint(done)[:3] == ["hybrid_search_cli", "explain", words]
    assert done.out.splitlines()[-2] == "Why this order:"
    assert "Why this order" not in small("rrf", words=[f"{words} {words}"]).out


# Asked by itself


@pytest.mark.parametrize("name", COMMANDS)
def test_what_was_not_typed_moves_nothing(name: str) -> None:
    """Values that equal a default are given by Typer for every option; only those that were typed count."""
    values = {o: v for o, v in options_of(name).items() if o in {*VALUES, "fuse", "vectors", "preset", "config"}}
    usual = Asked(plan_name(name), {**values, "preset": "lessons"}, frozenset()).plan()
    moved = Asked(plan_name(name), {**values, "limit": 999, "k1": 9, "fuse": "weighted"}, frozenset()).plan()
    assert usual == moved


def test_a_plan_file_with_the_default_encoder_is_not_changed_by_the_default(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    from strata.core.types import Plan

    plan = Plan((Chunks("other", 2, 0),), limit=3)
    file.write_text(to_toml(plan), encoding="utf-8")
    values = {"config": str(file), "preset": "lessons", "encoder": DEFAULT_ENCODER, "limit": 5}
    assert Asked("chunks", values, frozenset({"config"})).plan() == plan


def test_no_command_is_named_where_none_could_explain(cli: Run, small: Callable[..., Done], tmp_path: Path) -> None:
    """The neighbours of a document have no query text that explain could take."""
    Path("plan.toml").write_text(
        'retrieve = [{layer="similar"}, {layer="bm25"}]\nfuse = {layer="rrf"}', encoding="utf-8"
    )
    done = small("similar", "--config", "plan.toml")
    assert done.status == 0 and "1. (" in done.out and "Why this order" not in done.out
