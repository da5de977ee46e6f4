"""Plans of several lists: their names, their memo, `trace` side by side, and 80 columns whatever stands in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.types import Plan, Query
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.beside import not_fused
from strata.pipeline.labels import labels
from strata.pipeline.moves import largest_fall, left_the_top
from strata.pipeline.planfile import to_toml
from strata.pipeline.run import Memo, run
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from strata.semantic.units import Whole
from strata.show.results import two_tone
from strata.show.text import columns_of, cut, wrapped
from tests.conftest import Done, Run
from tests.counting import Counting, Encoders, Opened

TEXTS = (
    "bear bear bear. One. Two. Three. Four. Five.",
    "bear and fox. Two. Three.",
    "fox. An owl.",
    "owl",
    "an elk and a bear",
    "rain. Rain. Rain on a bear's roof.",
    "snow",
)


@pytest.fixture
def ws(catalogue: Callable[..., Path], encoders: Encoders, opened: Opened) -> Workspace:
    return opened(catalogue(*TEXTS))


@pytest.fixture
def small(
    cli: Run, catalogue: Callable[..., Path], encoders: Encoders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """small("trace", plan, "--json"): hybrid_search_cli over the texts above, by a plan (or by its own)."""
    catalogue(*TEXTS)
    monkeypatch.chdir(tmp_path)

    def call(command: str, plan: Plan | None, *args: str, query: str = "a bear", file: str = "small.json") -> Done:
        if plan:
            Path("plan.toml").write_text(to_toml(plan), encoding="utf-8")
            args = ("--config", "plan.toml", *args)
        about = [query, "1"] if command == "explain" else [query]
        return cli("hybrid_search_cli", command, *about, "--dataset", file, *args, cache=tmp_path / "cache")

    return call


# Names


@pytest.mark.parametrize(
    ("layers", "named"),
    [
        ([BM25(), Chunks()], ["keyword", "chunks"]),
        ([BM25(), TfIdf(), Chunks(), Documents()], ["keyword", "tfidf", "chunks", "document"]),
        ([Chunks(), Chunks("other")], [f"chunks {DEFAULT_ENCODER}", "chunks other"]),
        ([BM25(), BM25(k1=2)], ["keyword k1=1.5", "keyword k1=2"]),
        ([BM25(), BM25()], ["keyword", "keyword (2)"]),
        ([BM25(), BM25(), BM25(b=0)], ["keyword b=0.75", "keyword b=0.75 (2)", "keyword b=0"]),
        ([Chunks(sentences=2), Chunks()], ["chunks sentences=2", "chunks sentences=4"]),
        ([Chunks(), Chunks(min_score=0.2)], ["chunks", "chunks min_score=0.2"]),
        ([Chunks("/a/model"), Chunks("/b/other/")], ["chunks model", "chunks other"]),
        ([Chunks("/a/model"), Chunks("/b/model")], ["chunks model", "chunks model (2)"]),
        ([Chunks("x"), Chunks("x"), Chunks("x (2)")], ["chunks x", "chunks x (2)", "chunks x (2) (2)"]),
        ([Chunks("x", 2, 0), Chunks("y", 3, 0)], ["chunks x sentences=2", "chunks y sentences=3"]),
        ([Chunks("/")], ["chunks"]),
    ],
)  # fmt: skip
def test_lists_are_called_by_their_layers_and_by_what_differs(layers: list[Any], named: list[str]) -> None:
    assert labels(layers) == named


def test_the_texts_of_a_query_are_numbered_layer_by_layer() -> None:
    assert labels([BM25(), Chunks()], 2) == ["keyword", "keyword (2)", "chunks", "chunks (2)"]


some_layers = st.one_of(
    st.builds(BM25, st.sampled_from([0, 1.5, 2]), st.sampled_from([0, 0.75])),
    st.builds(TfIdf),
    st.builds(Documents, st.sampled_from(["x", "/a/x", "x (2)", ""]), st.sampled_from([None, 0.5])),
    st.builds(lambda e, s: Chunks(e, s, 0), st.sampled_from(["x", "/b/x/", "x (2)", "y"]), st.sampled_from([1, 2])),
)


@given(st.lists(some_layers, min_size=1, max_size=8), st.integers(1, 3))
def test_no_two_lists_of_a_run_have_one_name(layers: list[Any], texts: int) -> None:
    found = labels(layers, texts)
    assert len(found) == len(set(found)) == len(layers) * texts
    assert [name.split(" ")[0] for name in found] == [layer.name for layer in layers for _ in range(texts)]


# The memo


def test_two_plans_that_share_a_memo_keep_their_own_names(ws: Workspace, encoders: Encoders) -> None:
    memo: Memo = {}
    one = Plan((BM25(), Chunks()), fuse=RRF())
    two = Plan((BM25(), BM25(k1=2), Chunks(), Chunks("other")), fuse=RRF())
    first = run(one, Query("a bear"), ws, memo)
    for each in encoders.values():
        each.drain()
    second = run(two, Query("a bear"), ws, memo)
    third = run(one, Query("a bear"), ws, memo)
    assert [step.label for step in first.lists] == [step.label for step in third.lists] == ["keyword", "chunks"]
    assert [step.label for step in second.lists] == [
        "keyword k1=1.5", "keyword k1=2", f"chunks {DEFAULT_ENCODER}", "chunks other",
    ]  # fmt: skip
    for trace in (first, second, third):
        assert [step.label for step in trace.lists] == [step.output.name for step in trace.lists]
        held = {part.label for doc in trace.final.docs.tolist() for part in trace.plan.fuse.explain(  # type: ignore[union-attr]
            [step.output for step in trace.lists], doc).parts}  # fmt: skip
        assert held == {step.label for step in trace.lists}
    assert first.final.scores.tolist() == third.final.scores.tolist() != second.final.scores.tolist()
    assert encoders[DEFAULT_ENCODER].drain() == [], "the same layer is computed once"


def test_a_layer_that_stands_twice_is_computed_once(ws: Workspace, encoders: Encoders) -> None:
    run(Plan((Chunks(),)), Query("warm up"), ws)
    encoders[DEFAULT_ENCODER].drain()
    trace = run(Plan((Chunks(), Chunks()), fuse=RRF()), Query("a bear"), ws)
    assert encoders[DEFAULT_ENCODER].drain() == [("query", "a bear")]
    one, two = trace.lists
    assert one.output.docs.tolist() == two.output.docs.tolist() and (one.label, two.label) == ("chunks", "chunks (2)")
    assert trace.final.scores.tolist() == pytest.approx([2 / (60 + rank) for rank in range(1, 8)])


def test_the_list_beside_a_run_shares_its_memo_and_leaves_no_mark(ws: Workspace) -> None:
    memo: Memo = {}
    plan = Plan((BM25(), Chunks()), fuse=RRF(), limit=3)
    trace = run(plan, Query("a bear"), ws, memo)
    beside = not_fused(plan, ws)
    assert beside is not None
    other = run(beside, Query("a bear"), ws, memo)
    alone = run(Plan((Documents(),)), Query("a bear"), ws)
    assert other.final.docs.tolist() == alone.final.docs.tolist() and other.lists[0].label == "document"
    assert [step.label for step in trace.rankings] == ["keyword", "chunks", "rrf"]


@pytest.mark.parametrize(
    ("retrieve", "expected"),
    [
        ((BM25(), Chunks()), Documents()),
        ((Chunks("other", 2, 0, 0.3), Chunks()), Documents("other", 0.3)),
        ((BM25(), Documents()), None),
        ((Chunks(), Documents("other")), None),
        ((BM25(), TfIdf()), None),
    ],
)
def test_whole_documents_stand_beside_chunks_that_are_fused(
    ws: Workspace, retrieve: tuple[Any, ...], expected: Any
) -> None:
    plan = not_fused(Plan(retrieve, fuse=RRF()), ws)
    assert (plan.retrieve if plan else None) == ((expected,) if expected else None)


def test_a_large_catalogue_gets_no_second_encoding_for_the_comparison(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan((BM25(), Chunks()), fuse=RRF())
    monkeypatch.setattr("strata.pipeline.beside.SMALL", 2)
    assert not_fused(plan, ws) is None and "verify_embeddings" in ws.drain()[0][-1]
    ws.vectors(DEFAULT_ENCODER, Whole())
    assert not_fused(plan, ws) is not None


# trace

PLANS = {
    "its own": None,
    "weighted": Plan((BM25(), Chunks()), fuse=Weighted(0.3), limit=4),
    "three lists": Plan((BM25(), Chunks(), Documents("other")), fuse=RRF(), depth=3),
    "two chunkings": Plan((BM25(), Chunks(), Chunks(sentences=1, overlap=0)), fuse=RRF()),
    "one list": Plan((BM25(),)),
    "one list, of chunks": Plan((Chunks(),), depth=3),
    "one side": Plan((Chunks(), Chunks("other")), fuse=RRF(5)),
    "the same twice": Plan((BM25(), BM25(), Chunks(), Chunks()), fuse=Weighted(1), depth=2),
    "documents": Plan((BM25(), Documents()), fuse=RRF()),
    "nine lists": Plan(
        (*(BM25(k1=k) for k in (0, 0.5, 1, 2, 3)), TfIdf(), Chunks(), Chunks("other"), Documents()), fuse=RRF()
    ),
}


@pytest.mark.parametrize("query", ["a bear", "the", "quokka", "fox owl elk rain snow"])
@pytest.mark.parametrize("name", PLANS)
def test_paths_and_moves_are_those_of_the_lists(small: Callable[..., Done], name: str, query: str) -> None:
    found = small("trace", PLANS[name], "--json", "--limit", "4", query=query).json
    whole = small("trace", PLANS[name], "--json", "--limit", "100", "--depth", str(found["plan"]["depth"]), query=query)
    lists = {layer["layer"]: [hit["id"] for hit in layer["hits"]] for layer in whole.json["layers"]}
    assert len(lists) == len(found["layers"]) and [layer["layer"] for layer in found["layers"]] == list(lists)

    def rank(layer: str, doc: Any) -> int | None:
        return lists[layer].index(doc) + 1 if doc in lists[layer] else None

    *_, last = lists
    assert [path["id"] for path in found["moves"]["paths"]] == lists[last][:4] == [r["id"] for r in found["results"]]
    for path in found["moves"]["paths"]:
        assert path["ranks"] == {layer: rank(layer, path["id"]) for layer in lists}
    expected = {
        doc: (layer, at, rank(last, doc))
        for layer in reversed([layer for layer in lists if layer != last])
        for at, doc in enumerate(lists[layer][:4], start=1)
        if (rank(last, doc) or 99) > 4
    }
    left = found["moves"]["left_top"]
    assert {move["id"] for move in left} == set(expected)
    for move in left:
        assert rank(move["layer"], move["id"]) == move["before"] <= 4
        assert move["before"] == min(r for layer in lists if layer != last and (r := rank(layer, move["id"])))
        assert move["after"] == rank(last, move["id"])
    assert [move["before"] for move in left] == sorted(move["before"] for move in left)
    furthest = max(((m["after"] or len(lists[last]) + 1) - m["before"] for m in left), default=None)
    if furthest is None:
        assert found["moves"]["largest_fall"] is None
    else:
        fell = next(m for m in left if m["id"] == found["moves"]["largest_fall"]["id"])
        assert (fell["after"] or len(lists[last]) + 1) - fell["before"] == furthest


@pytest.mark.parametrize("name", PLANS)
def test_whole_documents_are_told_beside_where_no_list_holds_them(small: Callable[..., Done], name: str) -> None:
    plan = PLANS[name]
    chunked = plan is None or any(isinstance(layer, Chunks) for layer in plan.retrieve)
    expected = chunked and not (plan and any(isinstance(layer, Documents) for layer in plan.retrieve))
    found = small("trace", plan, "--json").json
    out = small("trace", plan).out
    assert ("beside" in found["moves"]) == expected == ("not fused" in out)
    if expected:
        encoder = next((layer.encoder for layer in (plan.retrieve if plan else ()) if isinstance(layer, Chunks)), None)
        documents = Plan((Documents(encoder or DEFAULT_ENCODER),), depth=found["plan"]["depth"], limit=100)
        ranks = {r["id"]: r["rank"] for r in small("rrf-search", documents, "--json").json["results"]}
        (column,) = found["moves"]["beside"]
        assert column["layer"] == "document"
        assert {row["id"]: row["rank"] for row in column["ranks"]} == {
            path["id"]: ranks.get(path["id"]) for path in found["moves"]["paths"]
        }
    assert "document" not in [layer["layer"] for layer in found["layers"]] or not expected


def rows(done: Done) -> tuple[list[str], dict[str, list[str]]]:
    """The lines of a trace's table before the first row, and its rows by name."""
    lines = done.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  matched "))
    table = {}
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        name, *cells = line.replace("│", " ").split()
        if name == "list":
            name, cells = "list length", cells[1:]
        table[name] = cells
    return lines[:start], table


@pytest.mark.parametrize("name", PLANS)
def test_the_table_shows_what_json_says(small: Callable[..., Done], name: str) -> None:
    found = small("trace", PLANS[name], "--json").json
    done = small("trace", PLANS[name])
    head, table = rows(done)
    beside = found["moves"].get("beside", [])
    assert table["matched"][: len(found["layers"])] == [str(layer["matched"]) for layer in found["layers"]]
    for path in found["moves"]["paths"]:
        others = [next(r["rank"] for r in column["ranks"] if r["id"] == path["id"]) for column in beside]
        ranks = [*path["ranks"].values(), *others]
        assert table[path["title"]] == ["–" if rank is None else str(rank) for rank in ranks]
    for layer in found["layers"]:
        assert all(part[:10] in "\n".join(head) for part in layer["layer"].split(" ")), "every list has its name"
    if len(found["layers"]) > len(found["plan"]["retrieve"]):
        matched = next(line for line in done.out.splitlines() if line.startswith("  matched"))
        assert len(matched.partition("│")[0].split()) - 1 == len(found["plan"]["retrieve"])


def test_names_that_do_not_fit_stand_in_a_legend(small: Callable[..., Done]) -> None:
    """Nine lists ran to 120 columns, and names cut to eleven letters were the same."""
    head, _ = rows(small("trace", PLANS["nine lists"]))
    legend = " ".join(line.strip() for line in head[1:-1])
    assert legend.startswith("lists: A keyword k1=0 · B keyword k1=0.5 · ") and legend.endswith(" · J rrf")
    assert head[-1].split() == [*"ABCDEFGHI", "│", "J"]
    head, _ = rows(small("trace", PLANS["two chunkings"]))
    assert "B chunks sentences=4 overlap=1 · C chunks sentences=1 overlap=0 · " in " ".join(s.strip() for s in head)


def test_lists_for_which_there_is_no_room_are_counted(small: Callable[..., Done]) -> None:
    plan = Plan(tuple(BM25(k1=k / 8) for k in range(40)), fuse=RRF())
    done = small("trace", plan)
    head, table = rows(done)
    shown = len(table["matched"])
    assert 8 < shown < 41 and f"and {41 - shown} more" in "\n".join(head)
    assert "rrf" in "\n".join(head), "the last list stays"
    shown = done.out.partition("Why this order:\n")[0]
    assert all(columns_of(line) <= 80 for line in shown.splitlines())


def test_moves_between_a_list_and_itself_are_none(ws: Workspace) -> None:
    trace = run(Plan((BM25(),), limit=1), Query("a bear"), ws)
    assert left_the_top(trace, 1) == [] and largest_fall(trace, []) is None


# Bars and sums of several lists


def test_bars_have_the_tones_of_their_lists(ws: Workspace) -> None:
    plan = Plan((BM25(), BM25(k1=0), Chunks(), Chunks("other")), fuse=RRF())
    trace = run(plan, Query("a bear"), ws)
    for result in trace.results(100):
        keyword = [p for p in result.placed if p.family == "keyword"]
        drawn = two_tone(trace, result, 400)
        assert bool(drawn.count("▓")) == bool(keyword) and drawn.count("░") > 0
        expected = 400 * sum(1 / (60 + p.rank) for p in keyword) / (4 / 61)
        assert abs(drawn.count("▓") - expected) <= 1
        assert abs(len(drawn) - 400 * result.score / (4 / 61)) <= 1
        assert [p.name for p in result.placed] == [s.label for s in trace.lists if s.output.place(result.doc)]


def test_every_list_of_a_result_is_in_the_json(small: Callable[..., Done]) -> None:
    found = small("rrf-search", PLANS["three lists"], "--json").json
    for result in found["results"]:
        assert [one["layer"] for one in result["lists"]] == ["keyword", "chunks", "document"]
        total = sum(1 / (60 + one["rank"]) for one in result["lists"] if one["rank"])
        assert result["score"] == pytest.approx(total, abs=1e-12)
        assert all((one["rank"] is None) == (one["score"] is None) for one in result["lists"])


# 80 columns

LONG = "/models/" + "a-very-long-folder-" * 6 + "encoder"
WIDE = "/models/埋め込みモデル-大規模-多言語-日本語-版本二"
NAMES = {
    "long": ("An endless title that goes on and on " * 8, "A bear. " + "Sentence after sentence about a bear. " * 20),
    "wide": ("羅生門と七人の侍と生きると天国と地獄" * 6, "熊 bear " + "黒澤明の映画は多くの監督に影響を与えた。" * 20),
    "mixed": ("Bear 熊 Ours Медведь αρκούδα 🐻 " * 6, "bear " + "🐻熊" * 200),
    "no blank": ("B" * 300, "bear" + "x" * 500 + " bear"),
    "combining": ("e\u0301" * 120 + " bear", "bear " + "o\u0308" * 300),
    "controls": ("\x1b[31mred\x1b[0m\r\nbear\x07\x9b2J\u202e" * 5, "a\x1b[2Jbear\r\nfox\x00\x07 bear\u2028bear"),
    "empty": ("", "bear"),
    "markup": ("[bold]bear[/bold] {title} %s {0} \\" * 6, "[red]bear[/red] {n} " * 30),
}
QUERY = "bear " + "pneumonoultramicroscopicsilicovolcanoconiosis philosophers bear counterrevolutionaries 熊 映画"
LISTS = {
    "usual": ("rrf", [BM25(), Chunks()]),
    "weighted": ("weighted", [BM25(), Chunks()]),
    "encoders": ("rrf", [BM25(), Chunks(LONG), Chunks(WIDE), Documents("other")]),
    "encoders weighted": ("weighted", [BM25(), BM25(k1=1 / 3, b=1 / 7), Documents(LONG), Documents(WIDE, -1 / 3)]),
    "single": ("", [Chunks(WIDE)]),
    "keyword": ("", [BM25()]),
}


@pytest.mark.parametrize("command", ["rrf-search", "trace", "explain"])
@pytest.mark.parametrize("lists", LISTS)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_80_columns_whatever_it_shows(
    small: Callable[..., Done], catalogue: Callable[..., Path], encoders: Encoders, name: str, lists: str, command: str
) -> None:
    for encoder in (LONG, WIDE):
        encoders[encoder] = Counting(encoder)
    title, text = NAMES[name]
    words = "Philosophers' counterrevolutionaries pneumonoultramicroscopicsilicovolcanoconiosis bear."
    others = [f"{words} {i}. fox bear {'bear ' * i}" for i in range(4)]
    catalogue(
        {"id": 1, "title": title, "description": text, "year": 1990},
        {"id": "an id that is " + "long " * 20, "title": title + " 2", "description": text + words, "year": 1990},
        *({"id": 10 + i, "title": f"{title} {i + 3}", "description": other} for i, other in enumerate(others)),
        name="hostile catalogue with a long name.json",
    )
    fuse, layers = LISTS[lists]
    plan = Plan(
        tuple(layers), fuse={"rrf": RRF(1e15 / 7), "weighted": Weighted(1 / 3), "": None}[fuse], depth=3, limit=6
    )  # type: ignore[arg-type]
    done = small(command, plan, query=QUERY, file="hostile catalogue with a long name.json")
    assert done.status == 0, done.err
    shown, _, command = done.out.partition("Why this order:\n")
    assert "\n" not in command.rstrip("\n"), "it is there to be copied"
    for line in (*shown.splitlines(), *command.splitlines()):
        assert columns_of(line) <= 80 or line in command, line
        assert not set(line) & set("\x1b\x07\x00\x9b\r\u202e"), line
    assert len(done.out.splitlines()) > 3


@pytest.mark.parametrize("command", ["rrf-search", "trace", "explain"])
def test_a_plan_file_with_a_long_name_keeps_to_80_columns(small: Callable[..., Done], command: str) -> None:
    name = "a plan file " * 15 + ".toml"
    Path(name).write_text(to_toml(Plan((BM25(), Chunks()), fuse=RRF())), encoding="utf-8")
    done = small(command, None, "--config", name)
    assert done.status == 0
    shown = done.out.partition("Why this order:\n")[0]
    assert all(columns_of(line) <= 80 for line in shown.splitlines())


@given(st.lists(st.text(st.sampled_from("ab 漢\u0301·"), max_size=30), max_size=12), st.integers(12, 60))
def test_wrapped_pieces_lose_nothing_that_fits(pieces: list[str], columns: int) -> None:
    lines = wrapped(pieces, columns, "ab: ", "  ")
    assert lines and all(columns_of(line) <= columns for line in lines)
    if all(columns_of(piece) <= columns - 4 for piece in pieces):
        assert "".join("".join(lines).split()) == "".join("".join(["ab: ", *pieces]).split())


@given(st.text(max_size=40), st.integers(1, 40))
def test_a_cut_text_is_never_wider(text: str, columns: int) -> None:
    assert columns_of(cut(text, columns)) <= columns


# JSON


@pytest.mark.parametrize("name", PLANS)
def test_json_is_finite_and_the_same_every_time(small: Callable[..., Done], name: str) -> None:
    def timeless() -> str:
        found = json.loads(
            small("trace", PLANS[name], "--json", "--no-log").out, parse_constant=lambda n: pytest.fail(n)
        )
        layers = [{k: v for k, v in layer.items() if k not in ("ms", "usage")} for layer in found["layers"]]
        return json.dumps([layers, found["results"], found["moves"]])

    assert len({timeless() for _ in range(4)}) == 1


def test_a_plan_of_one_list_may_be_fused(ws: Workspace) -> None:
    alone = run(Plan((BM25(),)), Query("a bear"), ws)
    fused = run(Plan((BM25(),), fuse=RRF()), Query("a bear"), ws)
    assert fused.final.docs.tolist() == alone.final.docs.tolist()
    assert run(replace(fused.plan, limit=1), Query("a bear"), ws).results()[0].placed[0].name == "keyword"
