"""Replies of a language model that are kept: a second run asks nobody, and costs neither a call nor a token."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import settings
from strata.core.types import Plan, Query
from strata.enhance.spell import Spell
from strata.errors import BadReply, BudgetSpent, RateLimited
from strata.keyword.bm25 import BM25
from strata.llm.kept import Kept
from strata.llm.opening import Choice, open_model
from strata.llm.prompting import prompt
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.llm.types import Message, Reply, Usage
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank.individual import Individual
from strata.settings import Access, Providers, Settings
from tests.conftest import UNSET
from tests.counting import Encoders
from tests.llm_client import ALL, SCORE
from tests.llm_server import KEY, Server, completion, reply, said

ASK = (Message("user", "hi"),)
SAID = Reply('{"score": 7}', usage=Usage(40, 9, 4, 1), ms=250.0, finish_reason="stop", provider="groq", model="m-1")


def scripted(*replies: Any) -> Scripted:
    return Scripted(*replies, provider="groq", model="asked")


def kept(model: Any, folder: Path, notes: list[str] | None = None) -> Kept:
    return Kept(model, folder, (notes if notes is not None else []).append)


def test_a_second_time_nobody_is_asked(tmp_path: Path) -> None:
    first, nobody = scripted(SAID), scripted(RateLimited("nobody may be asked"))
    made = kept(first, tmp_path).complete(ASK, SCORE)
    again = kept(nobody, tmp_path).complete(ASK, SCORE)
    assert (made.replayed, again.replayed) == (False, True) and nobody.asked == []
    assert (again.text, again.parsed, again.usage, again.ms) == (made.text, {"score": 7}, made.usage, 250.0)
    assert (again.provider, again.model, again.finish_reason) == ("groq", "m-1", "stop")


def test_another_boundary_is_the_same_request_and_another_text_is_not(tmp_path: Path) -> None:
    sources = [{"number": 1, "title": "Alien", "text": "A crew meets a creature."}]
    model = scripted("one", "two")
    asked = kept(model, tmp_path)
    for query in ("space horror", "space horror", "space"):
        asked.complete(prompt("rag", query=query, sources=sources), stream=lambda _: None)
    pieces: list[str] = []
    found = asked.complete(prompt("rag", query="space", sources=sources), stream=pieces.append)
    assert len(model.asked) == 2 and found.text == "".join(pieces) == "two"


def test_what_does_not_fit_is_kept_and_refused_again(tmp_path: Path) -> None:
    unfit = Reply("none of them", usage=Usage(40, 9, 4, 1), ms=9.5, provider="groq", model="m-1")
    model = scripted(unfit)
    errors = []
    for _ in range(2):
        with pytest.raises(BadReply) as caught:
            kept(model, tmp_path).complete(ASK, SCORE)
        errors.append(caught.value)
    assert len(model.asked) == 1 and errors[0].message == errors[1].message
    assert errors[1].reply and errors[1].reply.replayed and errors[1].reply.usage == unfit.usage


@pytest.mark.parametrize("problem", [RateLimited("slow down"), BadReply("empty")])
def test_what_never_came_is_asked_for_again(tmp_path: Path, problem: Any) -> None:
    model = scripted(problem, SAID)
    with pytest.raises(type(problem)):
        kept(model, tmp_path).complete(ASK, SCORE)
    assert kept(model, tmp_path).complete(ASK, SCORE).parsed == {"score": 7}


def test_a_flipped_byte_anywhere_is_asked_for_again_and_that_is_said(tmp_path: Path) -> None:
    kept(scripted(SAID), tmp_path).complete(ASK, SCORE)
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x02]) + whole[at + 1 :])
        notes: list[str] = []
        model = scripted(SAID)
        assert kept(model, tmp_path, notes).complete(ASK, SCORE).text == SAID.text
        said_so = len(notes) == 1 and file.name in notes[0] and "asked for again" in notes[0]
        assert (len(model.asked) == 1 and said_so) or (not model.asked and not notes and whole[at : at + 1].isspace())


def test_two_replies_under_each_others_names_are_asked_for_again(tmp_path: Path) -> None:
    other = (Message("user", "ho"),)
    model = kept(scripted("for hi", "for ho"), tmp_path)
    assert [model.complete(asked).text for asked in (ASK, other)] == ["for hi", "for ho"]
    one, two = tmp_path.iterdir()
    one.rename(tmp_path / "aside")
    two.rename(one)
    (tmp_path / "aside").rename(two)
    notes: list[str] = []
    again = kept(scripted("for hi", "for ho"), tmp_path, notes)
    assert [again.complete(asked).text for asked in (ASK, other)] == ["for hi", "for ho"]
    assert len(notes) == 2 and all("answers another request: it is asked for again" in note for note in notes)


def test_replies_that_nobody_may_look_at_are_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", shut)
    notes: list[str] = []
    assert kept(scripted(SAID), tmp_path, notes).complete(ASK, SCORE).text == SAID.text
    assert len(notes) == 1 and "Permission denied" in notes[0] and "asked for again" in notes[0]


@pytest.mark.parametrize("damage", [
    lambda t: t[:50], lambda t: "", lambda t: "[]", lambda t: "[" * 100_000, lambda t: t.replace('"seal"', '"s"'),
])  # fmt: skip
def test_a_damaged_file_is_mended(tmp_path: Path, damage: Callable[[str], str]) -> None:
    kept(scripted(SAID), tmp_path).complete(ASK, SCORE)
    [file] = tmp_path.iterdir()
    file.write_text(damage(file.read_text()))
    notes: list[str] = []
    kept(scripted(SAID), tmp_path, notes).complete(ASK, SCORE)
    nobody = scripted(RateLimited("no"))
    assert len(notes) == 1 and kept(nobody, tmp_path, notes).complete(ASK, SCORE).replayed and len(notes) == 1


def test_the_folder_can_be_replayed(tmp_path: Path) -> None:
    kept(scripted(SAID), tmp_path).complete(ASK, SCORE)
    assert Replay(tmp_path).complete(ASK, SCORE).parsed == {"score": 7}


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notes: list[str] = []
    model = kept(scripted("a", "b"), tmp_path / "file", notes)
    assert [model.complete((Message("user", text),)).text for text in "12"] == ["a", "b"]
    assert len(notes) == 1 and "not kept" in notes[0]


@pytest.mark.parametrize("provider", ALL)
def test_it_stands_round_the_budget_and_within_log_and_record(
    llm_server: Server, tmp_path: Path, provider: str
) -> None:
    llm_server.gives(reply(said(provider, "yes")))
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(
        **{provider: Access(KEY, llm_server.base(provider), "m")}
    ))  # fmt: skip
    records: list[dict[str, Any]] = []
    choice = Choice(provider, kept=tmp_path / "kept", record=tmp_path / "recorded", max_calls=1, max_tokens_total=60)
    for _ in range(2):
        model = open_model(at, choice, print, records.append)
        assert model is not None
        assert [model.complete(ASK).text for _ in range(3)] == ["yes"] * 3
    assert len(llm_server.asked) == 1 and [record["replayed"] for record in records] == [False, *[True] * 5]
    assert all(record["usage"] == records[0]["usage"] for record in records) and records[0]["usage"]["prompt"] == 40
    model = open_model(at, choice, print)
    assert model is not None
    model.complete((Message("user", "new"),))
    with pytest.raises(BudgetSpent):
        model.complete((Message("user", "newer"),))
    recorded = Replay(tmp_path / "recorded").complete(ASK)
    assert recorded.text == "yes" and all(KEY not in f.read_text() for f in (tmp_path / "kept").iterdir())


def test_a_replay_is_not_kept(tmp_path: Path) -> None:
    at = Settings("movies", tmp_path, tmp_path)
    assert isinstance(open_model(at, Choice("replay", kept=tmp_path / "kept", replay=tmp_path), print), Replay)


def at_server(path: Path, tmp_path: Path, server: Server, **more: Any) -> Workspace:
    made = settings.load(str(path), str(tmp_path / "cache"), str(tmp_path / "logs"))
    providers = Providers(openai=Access(KEY, server.base("openai"), "m"))
    at = Settings(made.dataset, made.cache_dir, made.log_dir, providers=providers)
    return Workspace(at, choice=Choice("openai"), **more)


def test_a_second_bench_asks_nobody_and_costs_what_the_first_did(
    encoders: Encoders, catalogue: Callable[..., Path], llm_server: Server, tmp_path: Path
) -> None:
    path = catalogue("a bear", "a bear and a bee", "a cat", "a bear in a boat")
    llm_server.gives(reply(completion(json.dumps({"query": "bear", "score": 5, "why": "w"}))))
    plan = Plan((BM25(),), enhance=Spell(), rerank=Individual())
    first = run(plan, Query("a baer"), at_server(path, tmp_path, llm_server, keep=True))
    assert len(llm_server.asked) == 4
    ws = at_server(path, tmp_path, llm_server, keep=True)
    second = run(plan, Query("a baer"), ws)
    assert len(llm_server.asked) == 4 and all(call["replayed"] for call in ws.calls)
    for one, other in zip(first.steps, second.steps, strict=True):
        tokens = {name: one.usage.get(name) for name in ("prompt_tokens", "completion_tokens", "calls")}
        assert {name: other.usage.get(name) for name in tokens} == tokens
        assert one.failed is None and one.facts == other.facts
    for slot in ("enhance", "rerank"):
        one, other = first.step(slot), second.step(slot)
        assert one and other and "remembered_ms" not in one.usage and other.usage["remembered_ms"] > 0
        assert other.usage["remembered_ms"] <= one.ms + 1, "several requests at once are not counted one after another"
    run(plan, Query("a baer"), at_server(path, tmp_path, llm_server))
    assert len(llm_server.asked) == 8, "a workspace that keeps nothing looks at nothing that is kept"


PROCESS = """
import sys
from strata import settings
from strata.llm.opening import Choice, open_model
from strata.llm.types import Message
from pathlib import Path
model = open_model(settings.load("movies"), Choice("openai", kept=Path(sys.argv[1])), print)
for i in range(20):
    assert model.complete((Message("user", str(i)),)).text == "yes"
"""


def test_two_processes_at_once_both_find_whole_files(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply(completion("yes")))
    env = {**UNSET, "STRATA_LLM_BASE_URL": llm_server.base("openai"), "STRATA_LLM_MODEL": "m", "NO_PROXY": "127.0.0.1"}
    command = [sys.executable, "-c", PROCESS, str(tmp_path / "kept")]
    both = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, cwd=tmp_path) for _ in range(2)]
    assert [(process.communicate(timeout=60)[0], process.returncode) for process in both] == [(b"", 0)] * 2
    files = list((tmp_path / "kept").iterdir())
    before = len(llm_server.asked)
    assert len(files) == 20 and 20 <= before <= 40
    subprocess.run(command, env=env, check=True, cwd=tmp_path)
    assert len(llm_server.asked) == before
