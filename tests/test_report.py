"""The report: what it says, and that nothing in the data can break it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from strata.core.golden import GoldenQuery, GoldenSet
from strata.errors import ArtefactError, UsageError
from strata.evaluation.measure import measure
from strata.evaluation.outcome import Outcome
from strata.evaluation.table import Table, table
from strata.pipeline.workspace import Workspace
from strata.reporting import flow as following
from strata.reporting import heat, page, words
from strata.reporting.headline import title
from strata.reporting.page import check_installed, facts, write
from tests.html_reader import Element, read
from tests.reports import HOSTILE, LONG, Measured, hostile_bench, plain_bench


@pytest.fixture
def plain(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Measured:
    return plain_bench(lambda *entries: workspace(catalogue(*entries)))


@pytest.fixture
def hostile(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Measured:
    return hostile_bench(lambda *entries: workspace(catalogue(*entries)))


def tables(root: Element) -> dict[str, list[list[str]]]:
    """Each table's rows of texts, by the label of the box that it is in."""
    boxes = [one for one in root.every() if one.attributes.get("class", "").startswith("scroll")]
    found = {}
    for box in boxes:
        rows = [[cell.text for cell in row.children if cell.tag in ("th", "td")] for row in box.every("tr")]
        if rows:
            found.setdefault(box.attributes["aria-label"], rows)
    return found


# What it says


def test_the_layers_table_holds_every_row_and_its_figures(plain: Measured) -> None:
    rows = tables(read(plain.page()))["Layers by measures"]
    assert rows[0][:5] == ["layer", "nDCG@3", "95 %", "against bm25", "p"]
    assert [row[0] for row in rows[1:]] == ["bm25", "fused", "fused > backwards"]
    for row, shown in zip(plain.table.rows, rows[1:], strict=True):
        assert shown[1] == words.figure(row.means["ndcg"])
        low, high = row.ci95["ndcg"]
        assert shown[2] == f"{words.figure(low)}–{words.figure(high)}"
        by_name = dict(zip(rows[0], shown, strict=True))
        assert by_name["judged"] == words.figure(row.means["judged"]) and by_name["R@100"] == words.figure(
            row.means["recall@100"]
        )
        assert by_name["ms"] == words.milliseconds(row.ms or 0)
        if row.against:
            assert shown[3] == words.signed(row.against.difference["ndcg"])
            assert shown[4] == words.p_value(row.against.adjusted["ndcg"])
    assert [row[-1] for row in rows[1:]] == ["1 of 1", "–", "0 of 1"]


def test_the_heat_map_has_every_query_under_its_kind_with_its_value_in_every_layer(plain: Measured) -> None:
    rows = tables(read(plain.page()))["Queries by layers"]
    assert rows[0] == ["query", "bm25", "fused", "fused > backwards"]
    assert [row[0] for row in rows if len(row) == 1][:2] == ["keyword · 4", "mood · 4"]
    shown = {row[0]: row[1:] for row in rows[1:] if len(row) > 1}
    main = measure("ndcg", 3)
    for query in plain.golden.judged:
        values = [main(one.found[query.id], query.relevant) for one in plain.outcomes]
        assert shown[f"{query.id} {query.text}"] == [words.figure(value, 2) if value else "0" for value in values]
    assert shown["none opera a"] == ["✓", "", "✗"]


def test_each_kind_has_its_mean_in_every_layer(plain: Measured) -> None:
    rows = tables(read(plain.page()))["Kinds of query by layers"]
    assert [row[:2] for row in rows[1:]] == [["keyword", "4"], ["mood", "4"]]
    assert rows[1][2] == words.figure(plain.table.rows[0].by_kind["keyword"]["ndcg"], 2)


def test_failures_are_counted_by_cause_with_what_mending_gains(plain: Measured) -> None:
    root = read(plain.page())
    rows = tables(root)["Failures by cause"]
    found = plain.failures
    assert found.missed and [int(row[2]) for row in rows[1:]] == [*found.counts.values(), len(found.missed)]
    for cause, row in zip(found.counts, rows[1:], strict=False):
        assert row[-2:] == [words.signed(found.gains[cause][m.label]) for m in found.measures]
    assert f"misses {len(found.missed)} of {len(found.missed) + len(found.found)} relevant documents" in root.text


def test_a_sweep_shows_its_best_its_own_and_what_choosing_gives(plain: Measured) -> None:
    root = read(plain.page())
    one, two = plain.sweeps
    assert f"Best here: {words.figure(one.best.mean)} with k=" in root.text
    assert f"Held out, each query by what suits the others: {words.figure(one.held_mean)}" in root.text
    square = tables(root)["k1 by b"]
    assert [row[0] for row in square] == ["k1", "1", "2"] and square[0][1:] == ["0", "0.7"]
    assert square[1][1] == words.figure(two.points[0].mean)
    charts = [svg for svg in root.every("svg") if "by k" in svg.text]
    assert len(charts) == 2 and "0: " in charts[0].text  # k and k1


def test_every_query_shows_where_its_relevant_documents_stand(plain: Measured) -> None:
    root = read(plain.page())
    query = plain.golden.queries[3]
    (box,) = [one for one in root.every() if one.attributes.get("id") == "query-4"]
    ranks = [one.found[query.id].index("4") + 1 if "4" in one.found[query.id] else None for one in plain.outcomes]
    cells = [cell.text for cell in box.every("tr")[1].children]
    assert cells == ["(4) Film 4", "2", *(str(rank or "–") for rank in ranks)]


def test_what_is_measured_can_be_read_and_repeated(plain: Measured) -> None:
    root = read(plain.page(about=facts([plain.ws.corpus], "2026-11-30", ["all-MiniLM-L6-v2"])))
    for text in ("2026-11-30", "all-MiniLM-L6-v2", "10 documents", "8 queries with an answer, 1 without", "nDCG@3"):
        assert text in root.text
    assert [one.text for one in root.every("pre")] == ["evaluation_cli report x.html"]
    assert plain.table.verdict in root.text and "1 problem with this catalogue" in root.text


def test_the_same_input_gives_the_same_page(plain: Measured) -> None:
    assert plain.page() == plain.page()


def test_a_page_needs_neither_failures_nor_sweeps_nor_traces_nor_kinds(plain: Measured) -> None:
    golden = replace(plain.golden, queries=tuple(replace(query, kind="") for query in plain.golden.queries))
    runs = [Outcome(one.label, one.found) for one in plain.outcomes]
    text = page.page(table(runs, golden, 3, "bm25"), golden, runs)
    root = read(text)
    ids = {one.attributes.get("id") for one in root.every("section")}
    assert ids == {"measured", "layers", "heat", "queries"} and not root.every("svg")
    assert "(4)" in root.text and "Film 4" not in root.text
    assert "Film 4" in page.page(table(runs, golden, 3, "bm25"), golden, runs, corpus=plain.ws.corpus)


# The headline


def rows_of(*means: tuple[str, list[float]]) -> Table:
    """A table of rows whose first query's first document is relevant, found at 1 or never."""
    queries = [GoldenQuery(f"q{i}", "x", {"1": 1}) for i in range(len(means[0][1]))]
    runs = [
        Outcome(label, {q.id: ("1",) if value else ("2",) for q, value in zip(queries, values, strict=True)})
        for label, values in means
    ]
    return table(runs, GoldenSet("g", tuple(queries)), 5, "bm25")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("bm25", [1, 0])], "bm25: nDCG@5 .50"),
        ([("bm25", [1, 1]), ("other", [1, 0])], "No layer ranks better than bm25: nDCG@5 1.00"),
        (
            [("bm25", [0, 0]), ("other", [1, 0])],
            "other ranks highest, nDCG@5 .50, but 2 queries cannot tell it from bm25",
        ),
        ([("bm25", [0] * 12), ("other", [1] * 12)], "other ranks best: nDCG@5 1.00, bm25 .00"),
    ],
)
def test_the_title_says_no_more_than_the_figures(rows: list[tuple[str, list[float]]], expected: str) -> None:
    assert title(rows_of(*rows)) == expected


def test_the_findings_compare_a_fusion_with_its_list_and_a_reranker_with_none(plain: Measured) -> None:
    root = read(plain.page())
    (listed,) = [one for one in root.every("ul") if one.attributes.get("class") == "findings"]
    said = [item.text for item in listed.children]
    assert any(text.startswith("Fusing") and "fused, against its best list, bm25" in text for text in said)
    assert any(text.startswith("Reranking fused with backwards changes it by") for text in said)
    assert any(
        text.startswith("1 query has no answer") and text.endswith("abstaining from each: bm25.") for text in said
    )


# Rank flow


def test_documents_are_followed_through_the_deepest_plan_and_those_that_leave_are_named(plain: Measured) -> None:
    main = measure("ndcg", 3)
    outcome = following.deepest(plain.outcomes, main, plain.golden.judged)
    assert outcome is plain.outcomes[2]
    flows = following.flows(outcome, plain.golden.judged, main, 3)
    assert flows and len({one.query.id for one in flows}) == len(flows) <= following.QUERIES
    for one in flows:
        assert one.columns == ("keyword", "tfidf", "rrf", "backwards") and one.lists == 2
        trace = outcome.traces[one.query.id]
        ranks = {way.label: way.ranks for way in one.ways}
        for place, doc in enumerate(trace.final.docs[:3].tolist(), start=1):
            assert ranks[trace.corpus.title(doc)][-1] == place
        left = {way.label for way in one.ways if way.left(3)}
        assert {trace.corpus.title(doc) for doc in trace.lists[0].output.docs[:3].tolist()} <= left | {
            way.label for way in one.ways if way.within(-1, 3)
        }
    drawn = [svg.text for svg in read(plain.page()).every("svg") if "Ranks of documents" in svg.text]
    assert len(drawn) == len(flows)
    for one, text in zip(flows, drawn, strict=True):
        assert all(way.label in text for way in one.ways)


def test_a_query_is_chosen_for_the_largest_difference_of_each_sort(plain: Measured) -> None:
    main = measure("ndcg", 3)
    flows = following.flows(plain.outcomes[2], plain.golden.judged, main, 3)
    by_why = {one.why: one for one in flows}
    fell = by_why["lowered most by backwards"]
    falls = {
        query.id: main(plain.outcomes[1].found[query.id], query.relevant)
        - main(plain.outcomes[2].found[query.id], query.relevant)
        for query in plain.golden.judged
    }
    taken = {one.query.id for one in flows if one.why.startswith("raised")}
    assert falls[fell.query.id] == max(value for id, value in falls.items() if id not in taken)


def test_queries_can_be_asked_for_by_id(plain: Measured) -> None:
    main = measure("ndcg", 3)
    ids = [query.id for query in plain.golden.judged[:2]]
    flows = following.flows(plain.outcomes[2], plain.golden.judged, main, 3, ids)
    assert [one.query.id for one in flows] == ids and {one.why for one in flows} == {"asked for"}
    with pytest.raises(UsageError, match='no query with an answer has the id "none"'):
        plain.page(flow=["none"])
    runs = [Outcome(one.label, one.found) for one in plain.outcomes]
    with pytest.raises(UsageError, match="no row has a fusion"):
        page.page(table(runs, plain.golden, 3, "bm25"), plain.golden, runs, flow=[ids[0]])


# Large sets


def test_of_very_many_queries_those_are_shown_that_the_layers_differ_about(
    plain: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heat, "MOST", 3)
    text = plain.page()
    rows = [row for row in tables(read(text))["Queries by layers"][1:] if len(row) > 1]
    values = [[float(f"0{cell}" if cell.startswith(".") else cell) for cell in row[1:]] for row in rows[:3]]
    main = measure("ndcg", 3)
    spread = sorted(
        max(all_) - min(all_)
        for all_ in ([main(o.found[q.id], q.relevant) for o in plain.outcomes] for q in plain.golden.judged)
    )[-3:]
    assert sorted(max(row) - min(row) for row in values) == pytest.approx(spread, abs=0.011)
    assert "5 more are in the means only" in read(text).text
    assert not broken(read(text))


def test_a_page_of_very_many_queries_stays_small() -> None:
    ids = tuple(map(str, range(100)))
    queries = [GoldenQuery(f"q{i}", "a query of some ten words, as people write them now", {}) for i in range(400)]
    golden = GoldenSet(
        "many", tuple(replace(q, relevant=dict.fromkeys(ids[i % 50 :][:12], 1)) for i, q in enumerate(queries))
    )
    runs = [Outcome(f"layer {n} > reranker", {q.id: ids[n:] for q in queries}) for n in range(12)]
    text = page.page(table(runs, golden, 10, runs[0].label), golden, runs)
    assert len(text.encode()) < 2_000_000 and text.count("<details") == heat.MOST + 1


# Whatever the data holds


def broken(root: Element) -> list[str]:
    """What is wrong with a page's structure: all that a browser would mend or a reader stumble over."""
    every = root.every()
    ids = Counter(one.attributes["id"] for one in every if "id" in one.attributes)
    wrong = [f"id {id} {n} times" for id, n in ids.items() if n > 1]
    for one in every:
        wrong += [f"{one.tag}: {name}" for name in one.attributes if name.startswith("on")]
        for name in ("href", "src", "srcset", "action", "xlink:href"):
            target = one.attributes.get(name, "")
            if target and target != "data:," and target.removeprefix("#") not in ids:
                wrong.append(f"{one.tag} {name}={target}")
        if one.tag in ("script", "iframe", "img", "object", "form", "base"):
            wrong.append(one.tag)
        if one.tag == "th" and one.attributes.get("scope") not in ("col", "row", "rowgroup"):
            wrong.append(f"th without scope: {one.text}")
        if one.tag == "details" and one.children[0].tag != "summary":
            wrong.append("details without summary")
        if one.tag == "svg":
            named = one.attributes.get("aria-labelledby", "").split()
            if one.attributes.get("role") != "img" or len(named) != 2 or any(name not in ids for name in named):
                wrong.append("svg without a name")
    levels = [int(one.tag[1]) for one in every if one.tag in ("h1", "h2", "h3")]
    if levels.count(1) != 1 or any(after - before > 1 for before, after in pairwise(levels)):
        wrong.append(f"headings {levels}")
    return wrong


def test_a_page_is_well_made(plain: Measured) -> None:
    root = read(plain.page())
    assert not broken(root)
    (html,) = root.every("html")
    assert html.attributes["lang"] == "en" and len(root.every("table")) > 10


def test_no_text_of_the_data_can_break_the_page(hostile: Measured) -> None:
    text = hostile.page(command=LONG + HOSTILE[1], about={HOSTILE[0]: HOSTILE[1]})
    root = read(text)
    assert not broken(root)
    assert (
        "<script>alert(1)</script>" in root.text
        and "{{ 7 * 7 }} {% raw %}" in root.text
        and "$\\frac{$ & $x$" in root.text
    )
    assert "\u05e9\u05dc\u05d5\u05dd" in root.text and "\u6f22\u5b57" in root.text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]", text)
    assert len(text.encode()) < 700_000 and "endless " * 40 not in text.replace(LONG.strip(), "")


def test_only_the_pages_own_colours_and_fonts_are_left_in_charts(plain: Measured) -> None:
    text = plain.page()
    charts = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert "var(--accent)" in charts and "var(--warm)" in charts
    assert not re.search(r"#[0-9a-f]{6}\b", charts) and "DejaVu" not in charts and "<style" not in charts
    assert not re.search(r"https?:|//|@import|url\((?!#)", text.replace("evaluation_cli report x.html", ""))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_letters_stand_out_in_both_modes(mode: str, plain: Measured) -> None:
    """WCAG's contrast of at least 4.5 to 1 for every pair of colours that the page sets text in."""
    found = re.findall(r"--([a-z]+): (#[0-9a-f]{6})", plain.page())
    assert len(found) == 18
    colours = dict(found[:9] if mode == "light" else found[9:])

    def light(name: str) -> float:
        parts = [int(colours[name][i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    pairs = [(ink, ground) for ink in ("ink", "muted", "accent", "warm") for ground in ("bg", "card", "mark")]
    for one, other in [*pairs, ("ink", "shade")]:
        high, low = sorted((light(one), light(other)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (one, other)


# Writing and what is needed


def test_a_page_is_written_whole_and_a_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "new" / "r.html", "<p>é</p>")
    write(tmp_path / "new" / "r.html", "<p>è</p>")
    assert (tmp_path / "new" / "r.html").read_text(encoding="utf-8") == "<p>è</p>"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["r.html"]
    with pytest.raises(UsageError, match="is a folder"):
        write(tmp_path, "x")
    with pytest.raises(UsageError, match="cannot be written") as error:
        write(tmp_path / "new" / "r.html" / "r.html", "x")
    assert "report.html" in error.value.next_step


@pytest.mark.parametrize("package", page.NEEDED)
def test_a_missing_package_is_named_with_what_brings_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ArtefactError, match=package) as error:
        check_installed()
    assert error.value.next_step == "pip install 'strata-search[report]'"
