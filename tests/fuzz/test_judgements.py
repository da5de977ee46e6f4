"""Golden sets, queries, judgements, runs and pools: read, merged, written and checked, or refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import settings as settings_module
from strata.core.golden import GoldenSet, load_golden
from strata.core.qrels import read_qrels, read_queries
from strata.evaluation import trec
from strata.evaluation.golden_check import check_golden
from strata.evaluation.grid import axes, combinations
from strata.evaluation.merge import merge
from strata.evaluation.poolfile import read_lines
from strata.evaluation.runfile import read_run
from strata.pipeline.planfile import preset
from strata.pipeline.workspace import Workspace
from tests.conftest import write_catalogue
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import any_json, damaged, dumped, mutated, texts
from tests.harbour import FILMS

GOLDEN: dict[str, Any] = {
    "name": "harbour",
    "test_cases": [
        {"id": "q1", "query": "ships", "kind": "plot", "relevant": [{"id": 1, "title": "Harbour Lights", "grade": 2}]},
        {"query": "bread", "relevant_docs": ["Baker Street", "Ship of Bread (2015)", {"title": "X", "year": 1960}]},
        {"id": 3, "query": "nothing", "relevant": [], "note": "none"},
    ],
}  # fmt: skip
POOL: list[Any] = [
    {"query_id": "q1", "query": "ships", "id": 2, "title": "The Long Net", "grade": 1},
    {"query_id": "q02", "query": "bread", "id": "x4", "title": "Baker Street", "grade": None, "by": ["bm25"]},
]
RUN = b"q1 Q0 1 1 9.5 tag\nq1 Q0 x4 2 9.5 tag\nq02 Q0 5 1 1e-3 tag\n"
RUN_JSON = {"q1": {"1": 2.5, "x4": 2}, "q02": {"5": 1}, "other": {}}
QRELS = b"query-id\tcorpus-id\tscore\nq1\t1\t2\nq1\tx4\t0\nq02\t5\t1\n"
TREC = b"q1 0 1 2\r\nq1 0 x4 -1\r\nq02 0 5 1.0\r\n"
QUERIES = b'{"_id": "q1", "text": "ships"}\n{"id": 2, "query": "bread"}\n'


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    home = tmp_path_factory.mktemp("judgements")
    path = write_catalogue(home / "harbour.json", *FILMS)
    return Workspace(settings_module.load(str(path), str(home / "cache"), str(home / "logs")), lambda _: None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def lines(values: Any) -> bytes:
    return b"\n".join(map(dumped, values if isinstance(values, list) else [values]))


golden_files = (mutated(GOLDEN) | any_json).map(dumped) | damaged(dumped(GOLDEN)) | st.just(dumped(GOLDEN))
pools = (mutated(POOL) | any_json).map(lines) | damaged(lines(POOL)) | st.just(lines(POOL))
judgements = damaged(QRELS) | damaged(TREC) | texts().map(lambda text: text.encode("utf-8", "replace"))
runs = damaged(RUN) | (mutated(RUN_JSON) | any_json).map(dumped) | damaged(dumped(RUN_JSON)) | st.just(RUN)


def look_through(golden: GoldenSet, harbour: Workspace, folder: Path) -> None:
    """All that is done with a golden set that was read."""
    json.dumps(check_golden(golden, harbour.corpus, 5).to_json(), allow_nan=False)
    json.dumps(check_golden(golden, None, 1).to_json(), allow_nan=False)
    for name in ("qrels.txt", "qrels.json"):
        if held(trec.write_qrels, golden, folder / name) and name.endswith("txt"):
            assert read_qrels(folder / name)


@fuzz(80)
@given(golden_files)
def test_golden_sets(harbour: Workspace, folder: Path, content: bytes) -> None:
    path = folder / "golden.json"
    path.write_bytes(content)
    golden = held(load_golden, path, harbour.corpus)
    if golden is not None:
        held(look_through, golden, harbour, folder)
    held(load_golden, path)


@fuzz(100)
@given(golden_files, pools, st.booleans())
def test_a_merge_loses_nothing_or_changes_nothing(
    harbour: Workspace, folder: Path, content: bytes, graded: bytes, force: bool
) -> None:
    path, pool = folder / "merged.json", folder / "pool.jsonl"
    path.write_bytes(content)
    pool.write_bytes(graded)
    held(read_lines, pool)
    merged = held(merge, pool, path, harbour.corpus, force=force)
    if merged is None or not merged.written:
        assert path.read_bytes() == content
    else:
        again = load_golden(path, harbour.corpus)
        assert sum(len(query.relevant) for query in again.queries) >= sum(merged.added.values())
        assert not merge(pool, path, harbour.corpus, force=force).added


@fuzz(100)
@given(judgements, damaged(QUERIES) | st.just(QUERIES) | texts().map(lambda text: text.encode("utf-8", "replace")))
def test_judgements_with_their_queries(harbour: Workspace, folder: Path, content: bytes, queries: bytes) -> None:
    path, asked = folder / "judged.tsv", folder / "queries.jsonl"
    path.write_bytes(content)
    asked.write_bytes(queries)
    held(read_qrels, path)
    held(read_queries, asked)
    golden = held(load_golden, path, harbour.corpus)
    if golden is not None:
        held(look_through, golden, harbour, folder)
    beir = folder / "beir"
    (beir / "qrels").mkdir(parents=True, exist_ok=True)
    (beir / "qrels" / "test.tsv").write_bytes(content)
    (beir / "queries.jsonl").write_bytes(queries)
    held(load_golden, beir, harbour.corpus)


@fuzz(100)
@given(runs)
def test_runs_of_others_are_measured_or_refused(harbour: Workspace, folder: Path, content: bytes) -> None:
    path = folder / "run.txt"
    golden = folder / "the_golden.json"
    golden.write_bytes(dumped(GOLDEN))
    path.write_bytes(content)
    there = load_golden(golden, harbour.corpus)
    read = held(read_run, path, there, harbour.corpus)
    if read is not None:
        json.dumps(read.to_json(), allow_nan=False)
        for name in ("again.txt", "again.json"):
            held(trec.write_run, read.outcome, folder / name)
            held(read_run, folder / name, there)


OVER = st.tuples(
    st.sampled_from(("alpha", "k", "depth", "k1", "b", "limit", "encoder", "min_score", "sentences", "x", "")),
    st.sampled_from(("=", "", "==")),
    st.sampled_from(
        ("0..1:0.1", "1,10", "5..1", "0..1e9:0.1", "0..999999999999", "nan", "-1", "..", "1..2:0", "٣", ",")
    )
    | texts(2),
).map("".join)


@fuzz(100)
@given(st.lists(OVER, max_size=3), st.sampled_from(("rrf", "weighted")))
def test_what_a_sweep_tries_is_a_grid_or_nonsense(over: list[str], name: str) -> None:
    plan = preset("lessons", name)

    def made() -> int:
        return len(combinations(plan, axes(over, plan)))

    assert (held(made) or 0) <= 400
