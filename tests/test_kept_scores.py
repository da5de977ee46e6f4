"""Pair scores that a workspace keeps: a second run scores nothing, and what is damaged is scored again and said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import settings
from strata.core.types import Plan, Query
from strata.keyword.bm25 import BM25
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.rerank.cross_encoder import CrossEncoder
from strata.rerank.kept import FOLDER, KeptScores
from strata.rerank.late_interaction import LateInteraction
from strata.rerank.pairs import Remembered, cross_encoder
from tests.counting import Encoders
from tests.test_cross_encoder import Asked, listed
from tests.test_cross_encoder import tiny as tiny  # a fixture

AWKWARD = ["", " ", "naïve 🎬", '"quoted" \\ {json}', "lone \ud800 half", "x" * 10_000, "\x00\n\u2028"]


def awkward(text: str) -> float:
    """A number with all its digits."""
    return float(np.sin(len(text) + 0.1) * 1e-7 - 11.3)


def scorer(cache: Path, notes: list[str], score: Callable[[str], float] = awkward, model: str = "m") -> Any:
    """A memory over an empty one and its scorer, as another process would have them."""
    asked = Asked(score)
    return Remembered(asked, kept=KeptScores(cache, model, notes.append)), asked


def the_file(cache: Path) -> Path:
    [file] = (cache / FOLDER).glob("*.json")
    return file


def test_a_kept_score_is_the_very_number_and_scores_nothing(tmp_path: Path) -> None:
    notes: list[str] = []
    for query in AWKWARD:
        first, asked = scorer(tmp_path, notes)
        made = first.scores(query, AWKWARD)
        assert len(asked.asked) == len(AWKWARD) and first.saved(query, AWKWARD) > 0
        again, unasked = scorer(tmp_path, notes)
        saved = again.saved(query, AWKWARD)
        assert (
            again.scores(query, AWKWARD).tobytes() == made.tobytes() == np.array(list(map(awkward, AWKWARD))).tobytes()
        )
        assert unasked.asked == [] and saved == pytest.approx(first.saved(query, AWKWARD))
    assert len(list((tmp_path / FOLDER).glob("*.json"))) == len(AWKWARD) and not notes


def test_what_is_new_is_added_and_the_rest_is_kept(tmp_path: Path) -> None:
    scorer(tmp_path, [])[0].scores("q", ["a", "bb"])
    more, asked = scorer(tmp_path, [])
    assert more.scores("q", ["bb", "ccc", "a"]).tolist() == [awkward("bb"), awkward("ccc"), awkward("a")]
    assert asked.asked == ["q|ccc"]
    data = json.loads(the_file(tmp_path).read_bytes())
    assert (data["format"], data["model"], data["query"], len(data["scores"])) == (1, "m", "q", 3)
    last, unasked = scorer(tmp_path, [])
    last.scores("q", ["ccc", "a"])
    assert unasked.asked == []


def test_another_model_or_query_finds_nothing(tmp_path: Path) -> None:
    scorer(tmp_path, [])[0].scores("q", ["a"])
    for model, query in (("n", "q"), ("m", "q ")):
        other, asked = scorer(tmp_path, [], model=model)
        assert other.saved(query, ["a"]) == 0.0
        other.scores(query, ["a"])
        assert len(asked.asked) == 1


def test_a_flipped_byte_anywhere_is_a_miss_that_is_said(tmp_path: Path) -> None:
    scorer(tmp_path, [])[0].scores("q", ["a", "bb"])
    file = the_file(tmp_path)
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x02]) + whole[at + 1 :])
        notes: list[str] = []
        found = KeptScores(tmp_path, "m", notes.append).read("q")
        intact = KeptScores(tmp_path, "m", notes.append)
        assert (found == {}) == (len(notes) == 1), whole[at : at + 1]
        if found:  # a blank between two values became another one
            file.write_bytes(whole)
            assert found == intact.read("q")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"[]",
        lambda data: b"\xff\xfe",
        lambda data: b"[" * 100_000,
        lambda data: data.replace(b'"format": 1', b'"format": 2'),
        lambda data: data.replace(b'"query": "q"', b'"query": "p"'),
    ],
)
def test_damage_is_scored_again_said_once_and_mended(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    scorer(tmp_path, [])[0].scores("q", ["a"])
    file = the_file(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    notes: list[str] = []
    again, asked = scorer(tmp_path, notes)
    assert again.scores("q", ["a"]).tolist() == [awkward("a")] and asked.asked == ["q|a"]
    assert notes and set(notes) == {notes[0]} and "computed again" in notes[0] and file.name[:8] in notes[0]
    last, unasked = scorer(tmp_path, notes[:0])
    last.scores("q", ["a"])
    assert unasked.asked == []


def test_a_cache_that_cannot_be_written_costs_the_keeping_only(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    notes: list[str] = []
    again, _ = scorer(tmp_path, notes)
    for query in ("q", "p"):
        assert again.scores(query, ["a"]).tolist() == [awkward("a")]
    assert len([note for note in notes if "not kept" in note]) == 1


SCORED = """
import sys
from pathlib import Path
import numpy as np
from strata.rerank.kept import KeptScores
from strata.rerank.pairs import Remembered
class Scorer:
    name, fingerprint, max_tokens, tokens = "s", "f", 9, len
    def scores(self, query, texts):
        return np.array([len(text) / 3 for text in texts])
first = int(sys.argv[2])
memory = Remembered(Scorer(), kept=KeptScores(Path(sys.argv[1]), "m", print))
for i in range(25):
    memory.scores("q", ["x" * (first + i)])
"""


def test_two_processes_at_once_lose_nothing_of_each_other_s(tmp_path: Path) -> None:
    both = [
        subprocess.Popen([sys.executable, "-c", SCORED, str(tmp_path), str(first)], stdout=subprocess.PIPE)
        for first in (0, 20)
    ]
    assert [process.communicate(timeout=60)[0] for process in both] == [b"", b""]
    assert [process.returncode for process in both] == [0, 0]
    again, unasked = scorer(tmp_path, [])
    texts = ["x" * i for i in range(45)]
    assert again.scores("q", texts).tolist() == [i / 3 for i in range(45)] and unasked.asked == []


# The layers


@pytest.fixture
def kept(tmp_path: Path, catalogue: Callable[..., Path]) -> Callable[..., Workspace]:
    """kept(keep): a workspace over one catalogue; all of a test's share one cache."""
    path = catalogue("a bear", "a bear and a bee", "a cat", "a bear in a boat")

    def made(keep: bool = True) -> Workspace:
        return Workspace(settings.load(str(path), str(tmp_path / "cache"), str(tmp_path / "logs")), keep=keep)

    return made


@pytest.mark.parametrize("kind", ["cross_encoder", "late_interaction"])
def test_a_second_run_reads_every_score_and_says_what_that_saved(
    encoders: Encoders, kept: Callable[..., Workspace], tiny: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    layer = CrossEncoder(tiny) if kind == "cross_encoder" else LateInteraction()
    target = "strata.rerank.bert_pairs.BertPairs" if kind == "cross_encoder" else "strata.rerank.maxsim.MaxSim"
    plan = Plan((BM25(),), rerank=layer)
    first = run(plan, Query("bear"), kept()).steps[-1]
    assert first.failed is None and "remembered_ms" not in first.usage

    def never(*_: Any) -> None:
        raise AssertionError("nothing was to be scored")

    monkeypatch.setattr(f"{target}.scores", never)
    ws = kept()
    second = run(plan, Query("bear"), ws).steps[-1]
    assert second.output.scores.tobytes() == first.output.scores.tobytes()
    assert second.output.docs.tolist() == first.output.docs.tolist() and not second.notices
    assert second.usage["remembered_ms"] == pytest.approx(first.usage["score_ms"], rel=0.5)
    assert second.full_ms == pytest.approx(second.ms + second.usage["remembered_ms"])
    third = run(plan, Query("bear"), ws).steps[-1]  # what this process remembers is told as well
    assert third.usage["remembered_ms"] == second.usage["remembered_ms"]


def test_nothing_is_kept_unless_the_workspace_says_so(
    encoders: Encoders, kept: Callable[..., Workspace], tiny: str, tmp_path: Path
) -> None:
    ws = kept(keep=False)
    run(Plan((BM25(),), rerank=CrossEncoder(tiny)), Query("bear"), ws)
    assert not (tmp_path / "cache" / FOLDER).exists()
    memory = cross_encoder(tiny, ws)
    assert memory is cross_encoder(tiny, ws) is not cross_encoder(tiny, kept(keep=False))
    ws.drain()
    CrossEncoder(tiny)(Query("bear"), listed(0, 1), ws)
    assert ws.drain()[1]["remembered_ms"] > 0
