"""Plans, run logs, recordings and what is kept: what somebody else wrote is understood, or refused in one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from strata import registry, runlog
from strata import settings as settings_module
from strata.core.types import Plan, Query
from strata.enrich import kept as premises
from strata.experiments.diff import diff
from strata.experiments.replay import replay
from strata.experiments.runs import logs
from strata.llm.recording import read as read_recording
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.pipeline.plan import from_dict, to_dict
from strata.pipeline.planfile import preset, read, to_toml
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank.kept import KeptScores
from tests.conftest import write_catalogue
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import any_json, damaged, dumped, mutated, texts
from tests.harbour import FILMS

ID = "20260101T000000-abcdef"
PLANS = [to_dict(preset(one, name)) for one in registry.PRESETS for name in ("rrf", "weighted", "bm25", "chunks")]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    home = tmp_path_factory.mktemp("plans")
    path = write_catalogue(home / "harbour.json", *FILMS)
    return Workspace(settings_module.load(str(path), str(home / "cache"), str(home / "logs")), lambda _: None)


@pytest.fixture(scope="module")
def log(harbour: Workspace) -> dict[str, Any]:
    """A log in which most parts are there."""
    harbour.model = Scripted('{"query": "harbour bread"}', "A ship carries bread to a harbour [1].")  # type: ignore[misc]
    layers = {slot: registry.load(registry.SLOTS[slot][n])() for slot, n in (("enhance", "spell"), ("answer", "rag"))}
    lists = (registry.load(registry.RETRIEVE["bm25"])(),)
    plan = Plan(lists, fuse=registry.load(registry.FUSE["rrf"])(), limit=2, **layers)
    trace = run(plan, Query("harbur bread", where=("year>1900",), exclude=frozenset({5})), harbour)
    harbour.model = None  # type: ignore[misc]
    return json.loads(json.dumps(runlog.entry(replace(trace, run_id=ID), harbour, "fuzz", "lessons")))  # type: ignore[no-any-return]


@fuzz(200)
@given(st.sampled_from(PLANS).flatmap(mutated) | any_json)
def test_plans_as_data(value: Any) -> None:
    plan = held(from_dict, value)
    if plan is not None:
        assert from_dict(to_dict(plan)) == plan
        hash(plan)


@fuzz(80)
@given(st.data())
def test_plans_as_toml(harbour: Workspace, data: st.DataObject) -> None:
    path = harbour.settings.log_dir.parent / "plan.toml"
    valid = tomli_w.dumps({"rrf": PLANS[0], "bm25": PLANS[2]} if data.draw(st.booleans()) else PLANS[1]).encode()
    path.write_bytes(data.draw(damaged(valid) | texts().map(lambda text: text.encode("utf-8", "replace"))))
    plan = held(read, path, "rrf")
    if plan is not None:
        path.write_text(to_toml(plan), encoding="utf-8")
        assert read(path, "rrf") == plan


@fuzz(80)
@given(st.data())
def test_run_logs(harbour: Workspace, log: dict[str, Any], data: st.DataObject) -> None:
    folder = harbour.settings.log_dir
    folder.mkdir(exist_ok=True)
    content = data.draw((mutated(log) | any_json).map(dumped) | damaged(dumped(log)))
    (folder / f"{ID}.json").write_bytes(content)
    there = logs(folder)
    there.newest(3)
    other = held(there.read, ID)
    if other is not None:
        whole = logs(folder).read(ID)
        assert diff(whole, other).identical
        ws = Workspace(harbour.settings, lambda _: None)
        done = held(replay, other, ws, "fuzz", from_log=data.draw(st.booleans()))
        assert done is None or done.same in (True, False)


RECORDINGS = sorted((Path(__file__).parents[2] / "data" / "recordings").glob("*.json"))[:3]


@fuzz(80)
@given(st.data())
def test_recordings(harbour: Workspace, data: st.DataObject) -> None:
    folder = harbour.settings.log_dir.parent / "recordings"
    folder.mkdir(exist_ok=True)
    path = folder / "one.json"
    valid = data.draw(st.sampled_from(RECORDINGS)).read_bytes()
    path.write_bytes(data.draw((mutated(json.loads(valid)) | any_json).map(dumped) | damaged(valid)))
    found = held(read_recording, path)
    if found is not None:
        # What is asked has a schema of ours; a recording with another is never found.
        held(lambda: Replay(folder).complete(found.request.messages, json.loads(valid)["request"]["schema"]))
        held(found.write, folder)
        for other in folder.glob("*.json"):
            other.unlink()
    held(lambda: Replay(folder).model)


@fuzz(60)
@given(st.data())
def test_what_is_kept(harbour: Workspace, data: st.DataObject) -> None:
    """Scores and premises: a file that is damaged is told of, and costs the work again at most."""
    home = harbour.settings.log_dir.parent / "kept"
    query, told = data.draw(texts(4)), list[str]()
    scores = KeptScores(home, "a model", told.append)
    path = scores._path(query)
    path.unlink(missing_ok=True)
    scores.add(query, {"a": (1.5, 2.0)})
    assert scores.read(query) == {"a": (1.5, 2.0)} and not told
    before = path.read_bytes()
    path.write_bytes(data.draw((mutated(json.loads(before)) | any_json).map(dumped) | damaged(before)))
    assert scores.read(query) in ({}, {"a": (1.5, 2.0)})
    valid = {"format": 1, "catalogue": "x", "removed": False, "premises": {
        "a" * 32: {"id": 1, "story": {"id": 2, "hash": "b" * 32}, "text": "A premise.", "model": "m"}}}  # fmt: skip
    file = home / "premises.json"
    file.write_bytes(data.draw((mutated(valid) | any_json).map(dumped) | damaged(dumped(valid))))
    found = held(premises.read, file)
    if found is not None:
        held(premises.write, file, "x", found)
        assert found == premises.read(file)
    assert all(isinstance(one, str) for one in told)
