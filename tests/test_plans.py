"""Plans as data and as files: round trips, presets, --show-plan and --config, hostile files, fuzz."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from strata import paths, registry
from strata.asked import Asked
from strata.core.types import Plan
from strata.errors import DataError, StrataError, UsageError
from strata.hybrid.rrf import RRF
from strata.hybrid.trust import Trust
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pictures.clip import Clip
from strata.pipeline.plan import from_dict, settled, to_dict, with_settings
from strata.pipeline.planfile import LARGEST, preset, read, to_toml
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from strata.semantic.similar import Similar
from tests.conftest import Done, Run
from tests.counting import Encoders

COMMANDS = {
    "tfidf": ("keyword_search_cli", "search"),
    "bm25": ("keyword_search_cli", "bm25search"),
    "document": ("semantic_search_cli", "search"),
    "chunks": ("semantic_search_cli", "search_chunked"),
    "similar": ("semantic_search_cli", "similar"),
    "weighted": ("hybrid_search_cli", "weighted-search"),
    "rrf": ("hybrid_search_cli", "rrf-search"),
    "trace": ("hybrid_search_cli", "trace"),
    "explain": ("hybrid_search_cli", "explain"),
}
"""Every command that runs a plan, by the plan's name; trace and explain have rrf's."""


def plan_name(name: str) -> str:
    return "rrf" if name in ("trace", "explain") else name


def arguments(name: str) -> list[str]:
    return {"similar": ["2"], "explain": ["a bear", "2"]}.get(name, ["a bear"])


# Any plan

ratios = st.floats(0, 1)
positive = st.one_of(st.integers(0, 10**6), st.floats(0, 1e100))
encoders_named = st.sampled_from(
    [registry.DEFAULT_ENCODER, "other", "/a folder/of weights", 'qu"ote', "é\n漢\\", "#", ""]
)
cosines = st.one_of(st.none(), st.integers(-1, 1), st.floats(-1, 1))
sizes = st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
retrievers = st.one_of(
    st.builds(BM25, positive, ratios),
    st.builds(TfIdf),
    st.builds(lambda e, s, c: Chunks(e, *s, c), encoders_named, sizes, cosines),
    st.builds(Documents, encoders_named, cosines),
    st.builds(Similar, encoders_named, cosines),
)
fusers = st.one_of(st.builds(RRF, positive), st.builds(Weighted, ratios))
counts = st.integers(1, 2**63 - 1)
plans = st.one_of(
    st.builds(Plan, st.tuples(retrievers), depth=counts, limit=counts),
    st.builds(Plan, st.lists(retrievers, min_size=1, max_size=5).map(tuple), fuse=fusers, depth=counts, limit=counts),
)


@given(plans)
def test_a_plan_comes_back_equal_from_a_dict_json_and_toml(tmp_path_factory: Any, plan: Plan) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(to_toml(plan), encoding="utf-8")
    for back in (
        from_dict(to_dict(plan)),
        from_dict(json.loads(json.dumps(to_dict(plan), allow_nan=False))),
        read(file, "rrf"),
        read(file, "a name that no command has"),
    ):
        assert back == plan and hash(back) == hash(plan) and to_dict(back) == to_dict(plan)


@given(st.dictionaries(st.sampled_from(["rrf", "weighted", "bm25"]), plans, min_size=1))
def test_of_several_plans_in_a_file_a_command_takes_its_own(tmp_path_factory: Any, held: dict[str, Plan]) -> None:
    file = tmp_path_factory.getbasetemp() / "several.toml"
    file.write_text(tomli_w.dumps({name: to_dict(plan) for name, plan in held.items()}), encoding="utf-8")
    for name in ("rrf", "weighted", "bm25", "chunks"):
        if name in held:
            assert read(file, name) == held[name]
        else:
            with pytest.raises(DataError, match=f"several.toml holds no plan called {name}"):
                read(file, name)


def test_every_layer_of_the_registry_may_stand_in_a_plan() -> None:
    for name, row in registry.RETRIEVE.items():
        layer = registry.load(row)()
        assert from_dict({"retrieve": [{"layer": name}]}).retrieve == (layer,)
    for name, row in registry.FUSE.items():
        plan = from_dict({"retrieve": [{"layer": "bm25"}, {"layer": "chunks"}], "fuse": {"layer": name}})
        assert plan.fuse == registry.load(row)()


def test_lists_are_as_deep_as_what_is_shown_where_no_depth_is_written() -> None:
    def bm25(**more: int) -> Plan:
        return from_dict({"retrieve": [{"layer": "bm25"}], **more})

    assert (bm25().depth, bm25().limit) == (Plan.depth, Plan.limit)
    assert bm25(limit=700).depth == 700
    assert bm25(limit=700, depth=3).depth == 3


# Settings


def test_settings_go_to_every_layer_that_has_them_at_once() -> None:
    plan = Plan((Chunks(), BM25(), Chunks("other")), fuse=RRF())
    changed = with_settings(plan, {"overlap": 6, "sentences": 8, "k": 3, "limit": 2, "k1": 0, "min_score": 0.5})
    assert changed.retrieve == (Chunks(sentences=8, overlap=6, min_score=0.5), BM25(0), Chunks("other", 8, 6, 0.5))
    assert changed.fuse == RRF(3) and (changed.limit, changed.depth) == (2, 100)
    assert with_settings(plan, {"sentences": 1, "overlap": 0}).retrieve[0] == Chunks(sentences=1, overlap=0)
    assert with_settings(plan, {}) == plan


@pytest.mark.parametrize("order", [["sentences", "overlap"], ["overlap", "sentences"]])
def test_the_order_of_settings_does_not_matter(order: list[str]) -> None:
    """Options stood in a set: whether an overlap above the former size was taken hung on the hash of its name."""
    values = {"sentences": 8, "overlap": 6}
    plan = with_settings(Plan((Chunks(),)), {name: values[name] for name in order})
    assert plan.retrieve == (Chunks(sentences=8, overlap=6),)


@pytest.mark.parametrize("name", ["alpha", "sentences", "name", "family", "layer", "retrieve", "__class__", ""])
def test_a_setting_that_no_layer_has_is_never_ignored(name: str) -> None:
    with pytest.raises(UsageError, match="no layer of this plan has the setting"):
        with_settings(Plan((BM25(),), fuse=RRF()), {name: 1})


def test_a_plan_is_settled_to_what_is_shown() -> None:
    single, two = Plan((BM25(),), limit=7), Plan((BM25(), Chunks()), fuse=RRF(), limit=7)
    assert settled(single, shorten=True).depth == 7 and settled(single, shorten=False).depth == 100
    assert settled(two, shorten=True).depth == 100
    assert settled(replace(two, limit=300), shorten=True).depth == 300
    assert settled(replace(single, limit=300), shorten=False).depth == 300


# Presets and the defaults of the commands

PLACES = {
    "k": "fuse.k",
    "alpha": "fuse.alpha",
    "k1": "retrieve.k1",
    "b": "retrieve.b",
    "encoder": "retrieve.encoder",
    "max_chunk_size": "retrieve.sentences",
    "overlap": "retrieve.overlap",
    "min_score": "retrieve.min_score",
    "limit": "limit",
    "depth": "depth",
}
"""Where an option stands in a plan."""


def settings_of(plan: Plan) -> dict[str, set[Any]]:
    """Every setting of a plan with the values that its layers have, as {"retrieve.k1": {1.5}}."""
    found: dict[str, set[Any]] = {"depth": {plan.depth}, "limit": {plan.limit}}
    for slot, layers in (("retrieve", plan.retrieve), ("fuse", (plan.fuse,) if plan.fuse else ())):
        for layer in layers:
            for field in fields(layer):  # type: ignore[arg-type]
                found.setdefault(f"{slot}.{field.name}", set()).add(getattr(layer, field.name))
    return found


def options_of(name: str) -> dict[str, Any]:
    program, command = COMMANDS[name]
    module = __import__(program)
    group: Any = typer.main.get_command(module.app)
    return {parameter.name: parameter.default for parameter in group.commands[command].params}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_the_defaults_of_the_lessons_preset_option_by_option(name: str) -> None:
    options, plan = options_of(name), preset("lessons", plan_name(name))
    settings = settings_of(plan)
    both = name in ("trace", "explain")
    if both:
        settings |= {"fuse.alpha": settings_of(preset("lessons", "weighted"))["fuse.alpha"]}
    for option, place in PLACES.items():
        if option in options:
            assert settings[place] == {options[option]}, option
    # What is not set (None) is for plan files: a weight beside other lists, a language.
    unnamed = {place for place, values in settings.items() if values != {None}} - {
        PLACES[option] for option in PLACES if option in options
    }
    assert unnamed <= ({"depth"} if not plan.fuse else set()), "a setting that no option moves"
    assert options["preset"] == "lessons" and options["config"] is None
    if "vectors" in options:
        assert options["vectors"] == "chunks" and any(isinstance(layer, Chunks) for layer in plan.retrieve)
    if both:
        assert options["fuse"] == "rrf"


def test_the_lessons_preset_is_what_the_layers_are_without_settings() -> None:
    """Both ways: no plan of the file stands for no command, and each is made of the layers' own defaults."""
    expected = {
        "tfidf": Plan((TfIdf(),)),
        "bm25": Plan((BM25(1.5, 0.75),)),
        "document": Plan((Documents(),)),
        "chunks": Plan((Chunks(registry.DEFAULT_ENCODER, 4, 1),)),
        "similar": Plan((Similar(),)),
        "weighted": Plan((BM25(), Chunks()), fuse=Weighted(0.5)),
        "rrf": Plan((BM25(), Chunks()), fuse=RRF(60)),
        "clip": Plan((Clip(registry.DEFAULT_PICTURE_ENCODER, 0.5),)),  # its command is in test_clip_search.py
    }
    assert {name: preset("lessons", name) for name in expected} == expected
    import tomllib

    held = tomllib.loads((paths.PACKAGE / "pipeline" / "presets" / "lessons.toml").read_text(encoding="utf-8"))
    assert set(held) == set(expected) == {plan_name(name) for name in COMMANDS} | {"clip"}


def test_every_preset_has_a_file_and_every_file_a_row() -> None:
    folder = paths.PACKAGE / "pipeline" / "presets"
    assert {file.stem for file in folder.glob("*.toml")} == set(registry.PRESETS)
    with pytest.raises(UsageError, match="no preset is called"):
        preset("nope", "rrf")


# --show-plan and --config


@pytest.fixture
def small(cli: Run, catalogue: Callable[..., Path], encoders: Encoders, tmp_path: Path) -> Callable[..., Done]:
    """small("rrf", "--json"): a command over a small catalogue, with counting encoders and a cache of its own."""
    file = catalogue("a bear. It eats.", "bear and fox. Two. Three.", "fox. An owl.", "owl", "an elk and a bear")

    def run(name: str, *args: str, words: list[str] | None = None) -> Done:
        given = arguments(name) if words is None else words
        return cli(*COMMANDS[name], *given, "--dataset", str(file), *args, cache=tmp_path / "own")

    return run


def timeless(found: Any) -> Any:
    """JSON without what differs from run to run."""
    if isinstance(found, dict):
        left_out = {"run_id", "ms", "usage", "preset", "notices"}
        return {key: timeless(value) for key, value in found.items() if key not in left_out}
    return [timeless(one) for one in found] if isinstance(found, list) else found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_plan_that_is_shown_gives_the_same_plan_and_results(
    small: Callable[..., Done], name: str, tmp_path: Path
) -> None:
    file = tmp_path / "shown.toml"
    options = ["--limit", "3"] if name != "tfidf" else []
    shown = small(name, "--show-plan", *options)
    assert shown.status == 0 and shown.err == ""
    file.write_text(shown.out, encoding="utf-8")
    again = small(name, "--show-plan", "--config", str(file))
    assert again.out == shown.out
    direct = small(name, "--json", *options).json
    by_file = small(name, "--json", "--config", str(file)).json
    assert by_file["preset"] == "shown.toml" and direct["preset"] == "lessons"
    assert timeless(by_file) == timeless(direct)
    assert to_dict(read(file, plan_name(name))) == direct["plan"] == small(name, "--show-plan", "--json", *options).json


@pytest.mark.parametrize("name", COMMANDS)
def test_the_presets_file_itself_may_be_given(small: Callable[..., Done], name: str) -> None:
    file = paths.PACKAGE / "pipeline" / "presets" / "lessons.toml"
    assert (
        timeless(small(name, "--json", "--config", str(file)).json)["results" if name != "explain" else "rank"]
        == (timeless(small(name, "--json").json)["results" if name != "explain" else "rank"])
    )


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_showing_a_plan_opens_builds_and_logs_nothing(cli: Run, tmp_path: Path, name: str, as_json: list[str]) -> None:
    args = [*COMMANDS[name], *arguments(name), "--dataset", str(tmp_path / "no such.json"), "--show-plan", *as_json]
    if "encoder" in options_of(name):
        args += ["--encoder", "no such encoder"]
    done = cli(*args, cache=tmp_path / "none")
    assert (done.status, done.err) == (0, "")
    assert not (tmp_path / "none").exists() and not (tmp_path / "logs").exists()
    if as_json:
        assert from_dict(done.json).retrieve
    assert list(tmp_path.iterdir()) == []


def test_options_beside_a_file_change_it(small: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    base = Plan((BM25(2, 0.1), Chunks("other", 2, 0)), fuse=RRF(10), depth=7, limit=4)
    file.write_text(to_toml(base), encoding="utf-8")

    def shown(*args: str) -> Plan:
        return from_dict(small("rrf", "--config", str(file), "--show-plan", "--json", *args).json)

    assert shown() == base
    assert shown("--k1", "0") == replace(base, retrieve=(BM25(0, 0.1), base.retrieve[1]))
    assert shown("-k", "60") == replace(base, fuse=RRF(60)), "also where the value is the default"
    assert shown("--encoder", registry.DEFAULT_ENCODER).retrieve[1] == Chunks(registry.DEFAULT_ENCODER, 2, 0)
    assert shown("--limit", "2") == replace(base, limit=2)
    assert shown("--limit", "50") == replace(base, limit=50, depth=50), "lists as deep as what is shown"
    assert shown("--depth", "3") == replace(base, depth=3)
    assert shown("--vectors", "document").retrieve == (BM25(2, 0.1), Documents("other"))
    assert shown("--vectors", "chunks") == base


def test_a_depth_in_a_file_stands_though_more_is_shown(small: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('depth = 1\nretrieve = [{layer = "bm25"}]', encoding="utf-8")
    found = small("bm25", "--config", str(file), "--json").json
    assert found["plan"]["depth"] == 1 and len(found["results"]) == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--alpha", "0.3"], "no layer of this plan has the setting alpha; its layers: bm25, rrf"),
        (["--overlap", "0"], "no layer of this plan has the setting overlap"),
        (["--min-score", "0.2"], "no layer of this plan has the setting min_score"),
        (["--vectors", "chunks"], "this plan searches no vectors"),
        (["--fuse", "rrf"], "--config holds a whole plan, its fusion too"),
        (["--preset", "lessons"], "--config holds a whole plan, so --preset has nothing to say"),
    ],
)
def test_options_that_a_file_has_no_place_for_are_refused(
    small: Callable[..., Done], tmp_path: Path, args: list[str], said: str
) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(to_toml(Plan((BM25(), BM25(k1=2)), fuse=RRF())), encoding="utf-8")
    done = small("trace", "--config", str(file), *args)
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1 and said in done.err


# Hostile files

BM25_LIST = 'retrieve = [{ layer = "bm25" }]\n'
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "retrieve must be a list of layers"),
    "a comment only": ("# nothing\n", "retrieve must be a list of layers"),
    "no TOML": ("retrieve: [bm25]", "is no TOML file"),
    "JSON": ('{"retrieve": []}', "is no TOML file"),
    "binary": (bytes(range(256)), "is no TOML file"),
    "UTF-16": ("retrieve = []".encode("utf-16"), "is no TOML file"),
    "zeros": (b"\0" * 100, "is no TOML file"),
    "huge": ("#" * (LARGEST + 1), "is too large for a plan"),
    "deep": ("a = " + "[" * 100_000, "is no TOML file"),
    "the same key twice": (BM25_LIST * 2, "is no TOML file"),
    "thousands of digits": ("depth = " + "9" * 5000, "is no TOML file"),
    "thousands of hexadecimal digits": (f"depth = 0x{'f' * 5000}\n{BM25_LIST}", "depth: must be a whole number"),
    "unknown slot": (f"retreive = []\n{BM25_LIST}", "unknown 'retreive'"),
    "unknown slot with a line break": (f'"a\\nb" = 1\n{BM25_LIST}', "unknown 'a"),
    "unknown layer of an answer": (f'{BM25_LIST}answer = {{ layer = "no" }}', "answer: 'no' is no layer of this slot"),
    "no lists": ("retrieve = []", "retrieve must be a list of layers"),
    "lists as a table": ('retrieve = { layer = "bm25" }', "retrieve must be a list of layers"),
    "lists as text": ('retrieve = "bm25"', "retrieve must be a list of layers"),
    "a list as text": ('retrieve = ["bm25"]', "retrieve 1: None is no layer of this slot"),
    "unknown layer": ('retrieve = [{ layer = "bm25" }, { layer = "bm52" }]', "retrieve 2: 'bm52' is no layer"),
    "layer of another slot": ('retrieve = [{ layer = "rrf" }]', "retrieve 1: 'rrf' is no layer of this slot"),
    "layer as a number": ("retrieve = [{ layer = 1 }]", "retrieve 1: 1 is no layer of this slot"),
    "no layer": ("retrieve = [{ k1 = 1 }]", "retrieve 1: None is no layer of this slot"),
    "two lists and no fusion": ('retrieve = [{layer="bm25"}, {layer="chunks"}]', "2 lists and nothing to fuse them"),
    "fusion as text": (f'{BM25_LIST}fuse = "rrf"', "fuse: None is no layer of this slot"),
    "unknown setting": ('retrieve = [{ layer = "bm25", k2 = 1 }]', "retrieve 1: bm25 has no setting 'k2'"),
    "unknown setting of fusion": (f'{BM25_LIST}fuse = {{ layer = "rrf", alpha = 1 }}', "fuse: rrf has no setting"),
    "setting of no setting": ('retrieve = [{ layer = "tfidf", k1 = 1 }]', "it has: none"),
    "property as a setting": ('retrieve = [{ layer = "bm25", family = "semantic" }]', "has no setting 'family'"),
    "truth for a number": ('retrieve = [{ layer = "bm25", k1 = true }]', "k1 cannot be True; it is a number"),
    "text for a number": ('retrieve = [{ layer = "bm25", k1 = "1" }]', "k1 cannot be '1'; it is a number"),
    "date for a number": ('retrieve = [{ layer = "bm25", k1 = 2020-01-01 }]', "k1 cannot be"),
    "list for a number": ('retrieve = [{ layer = "bm25", k1 = [1] }]', "k1 cannot be [1]; it is a number"),
    "fraction for a whole number": ('retrieve = [{ layer = "chunks", sentences = 2.5 }]', "it is a whole number"),
    "1.0 for a whole number": ('retrieve = [{ layer = "chunks", sentences = 2.0 }]', "it is a whole number"),
    "truth for a whole number": ('retrieve = [{ layer = "chunks", overlap = true }]', "it is a whole number"),
    "number for a text": ('retrieve = [{ layer = "chunks", encoder = 1 }]', "encoder cannot be 1; it is a text"),
    "nan": ('retrieve = [{ layer = "bm25", k1 = nan }]', "retrieve 1: k1 must be a number from 0 up"),
    "inf": ('retrieve = [{ layer = "bm25", k1 = inf }]', "retrieve 1: k1 must be a number from 0 up"),
    "400 digits": (f'retrieve = [{{ layer = "bm25", k1 = {"9" * 400} }}]', "k1 cannot be"),
    "400 digits of k": (f'{BM25_LIST}fuse = {{ layer = "rrf", k = {"9" * 400} }}', "fuse: k cannot be"),
    "400 digits of a cosine": (
        f'retrieve = [{{ layer = "document", min_score = {"9" * 400} }}]',
        "min_score cannot be",
    ),
    "negative": ('retrieve = [{ layer = "bm25", b = -1 }]', "retrieve 1: b must be between 0 and 1"),
    "alpha of 2": (f'{BM25_LIST}fuse = {{ layer = "weighted", alpha = 2 }}', "fuse: alpha must be between 0 and 1"),
    "cosine of 2": ('retrieve = [{ layer = "chunks", min_score = 2 }]', "retrieve 1: min-score must be a cosine"),
    "overlap of the size": ('retrieve = [{ layer = "chunks", sentences = 2, overlap = 2 }]', "overlap"),
    "negative limit": (f"limit = -1\n{BM25_LIST}", "limit: must be a whole number from 1 up, not -1"),
    "limit of 0": (f"limit = 0\n{BM25_LIST}", "limit: must be a whole number from 1 up, not 0"),
    "depth as truth": (f"depth = true\n{BM25_LIST}", "depth: must be a whole number from 1 up, not True"),
    "depth as a fraction": (f"depth = 1.5\n{BM25_LIST}", "depth: must be a whole number from 1 up, not 1.5"),
    "depth as text": (f'depth = "9"\n{BM25_LIST}', "depth: must be a whole number from 1 up, not '9'"),
    "depth beyond 64 bits": (f"depth = {2**63}\n{BM25_LIST}", "depth: must be a whole number from 1 up"),
    "a very long value": (f'retrieve = [{{ layer = "bm25", k1 = "{"x" * 9000}" }}]', "k1 cannot be 'xxx"),
    "another command's plan only": (f"[weighted]\n{BM25_LIST}", "holds no plan called rrf; it holds: weighted"),
    "own plan with a slip": ('[rrf]\nretreive = [{ layer = "bm25" }]', "[rrf]: unknown 'retreive'"),
    "own plan as a number": (f"rrf = 5\n[weighted]\n{BM25_LIST}", "[rrf]: must be a table, not 5"),
    "own plan as text": (f'rrf = "abc"\n[weighted]\n{BM25_LIST}', "[rrf]: must be a table, not 'abc'"),
    "a plan and plans": (f"{BM25_LIST}[weighted]\n{BM25_LIST}", "unknown 'weighted'"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_is_no_plan_is_named_with_the_place_in_one_line(
    cli: Run, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content, said = HOSTILE[what]
    Path("plan.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    for args in ((), ("--show-plan",)):
        done = cli("hybrid_search_cli", "rrf-search", "bear", "--config", "plan.toml", *args, cache=tmp_path / "none")
        assert (done.status, done.out) == (2, "")
        (line,) = done.err.splitlines()
        assert line.startswith("error: plan.toml") and said in line and len(line) < 400
    as_json = cli("hybrid_search_cli", "rrf-search", "bear", "--config", "plan.toml", "--json")
    assert as_json.out == "" and json.loads(as_json.err)["error"]["kind"] == "data"


def test_a_file_that_cannot_be_read_is_named(cli: Run, tmp_path: Path) -> None:
    closed = tmp_path / "closed.toml"
    closed.write_text(BM25_LIST, encoding="utf-8")
    cases = {
        str(tmp_path / "none.toml"): "cannot be read",
        str(tmp_path): "cannot be read",
        "a" * 5000: "cannot be a path",
        "": "names no file",
        " ": "names no file",
        "~no-such-user-here/p.toml": "no such home folder",
    }
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        closed.chmod(0)
        cases[str(closed)] = "cannot be read"
    for config, said in cases.items():
        done = cli("hybrid_search_cli", "rrf-search", "bear", "--config", config, cache=tmp_path / "none")
        assert (done.status, done.out) == (2, "")
        assert len(done.err.splitlines()) == 1 and said in done.err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_file_without_an_end_is_not_read_to_its_end(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "bear", "--config", "/dev/zero")
    assert done.status == 2 and "is too large for a plan" in done.err


def test_a_byte_order_mark_and_windows_lines_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(b"\xef\xbb\xbf" + to_toml(Plan((BM25(),))).replace("\n", "\r\n").encode())
    assert read(file, "rrf") == Plan((BM25(),))


# Fuzz

WORDS = [
    *("retrieve", "fuse", "enhance", "rerank", "answer", "depth", "limit", "layer", "k1", "b", "k", "alpha"),
    *("encoder", "sentences", "overlap", "min_score", "bm25", "tfidf", "chunks", "document", "similar", "rrf"),
    *("weighted", "family", "name", "label", "self", "__init__", ""),
]
numbers = st.one_of(st.integers(), st.floats(), st.sampled_from([10**400, -(2**63), 2**63, 1e308, math.nan, 0, 1]))
plain = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.sampled_from(WORDS))
names = st.one_of(st.sampled_from(WORDS), st.text(max_size=4))
anything = st.recursive(
    plain,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=5)),
    max_leaves=20,
)
layers = st.one_of(
    anything,
    st.dictionaries(names, anything, max_size=4),
    st.builds(
        lambda name, more: {"layer": name, **more},
        st.sampled_from([*registry.RETRIEVE, *registry.FUSE]),
        st.dictionaries(st.sampled_from(WORDS), plain, max_size=3),
    ),
)
nearly = st.fixed_dictionaries(
    {"retrieve": st.one_of(anything, st.lists(layers, max_size=3))},
    optional={"fuse": layers, "depth": plain, "limit": plain, "rerank": layers, "more": anything},
)


def a_plan_or_a_clear_error(make: Callable[[], Plan]) -> None:
    try:
        plan = make()
    except (DataError, UsageError) as error:
        assert error.message and "\n" not in error.message and len(error.message) < 400
    else:
        assert isinstance(plan, Plan) and from_dict(to_dict(plan)) == plan
        assert plan.retrieve and plan.depth >= 1 and plan.limit >= 1 and (len(plan.retrieve) == 1 or plan.fuse)


@given(st.one_of(anything, nearly))
def test_any_value_is_a_plan_or_a_clear_error(value: Any) -> None:
    a_plan_or_a_clear_error(lambda: from_dict(value, "here"))


@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_are_a_plan_or_a_clear_error(tmp_path_factory: Any, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.toml"
    file.write_bytes(content)
    with pytest.raises(StrataError, match=r"bytes\.toml"):
        read(file, "rrf")


def without_none(value: Any) -> Any:
    """TOML has no word for None, and no whole number that Python would not write."""
    if isinstance(value, dict):
        return {key: without_none(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_none(one) for one in value if one is not None]
    return value


@given(st.one_of(nearly, st.dictionaries(st.sampled_from(["rrf", "weighted", "x"]), st.one_of(nearly, anything))))
def test_any_toml_is_a_plan_or_a_clear_error(tmp_path_factory: Any, value: Any) -> None:
    file = tmp_path_factory.getbasetemp() / "nearly.toml"
    file.write_text(tomli_w.dumps(without_none(value)), encoding="utf-8", newline="")
    a_plan_or_a_clear_error(lambda: read(file, "rrf"))


def test_a_slot_of_a_preset_can_be_emptied() -> None:
    values = {"preset": "best", "rerank": "none", "enhance": "none"}
    plan = Asked("rrf", values, frozenset(values)).plan()
    assert plan.rerank is None and plan.enhance is None and plan.fuse == Trust() and plan.premises
