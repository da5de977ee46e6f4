"""The harness of faults/: a small run of it finds nothing, comes again from its seed, and finds what is planted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")
if hasattr(os, "fork"):
    from faults import answers, losses, process
    from faults.corruptions import KINDS
    from faults.losses import State
    from faults.process import Command, Done
    from faults.world import Places

RUN = {"kills": 20, "corruptions": 50, "disks": 4, "rights": 6, "crowds": 2}
AGAIN = ("kills:1", "kills:6", "corruptions:2", "corruptions:11")
COMMAND = Command("keyword_search_cli", ("bm25search", "bear"))
Trials = list[dict[str, Any]]


def faults(tmp_path: Path, *args: str) -> tuple[int, Trials, str]:
    """Its exit status, its trials, and everything it said."""
    lines = tmp_path / "trials.jsonl"
    done = subprocess.run([sys.executable, "-m", "faults", *args, "--lines", str(lines)], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    return done.returncode, [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()], done.stdout


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    counts = [text for kind, count in RUN.items() for text in (f"--{kind}", str(count))]
    status, found, said = faults(tmp_path_factory.mktemp("faults"), *counts, "--only", ",".join((*RUN, *AGAIN)))
    assert status == 0, said
    return found


def of(kind: str, trials: Trials) -> Trials:
    return [trial for trial in trials[: -len(AGAIN)] if trial["kind"] == kind]


@pytest.mark.parametrize("kind", RUN)
def test_after_each_trial_all_is_as_it_should_be(trials: Trials, kind: str) -> None:
    found = of(kind, trials)
    assert len(found) == RUN[kind]
    assert [(trial["trial"], trial["defects"]) for trial in found if trial["defects"]] == []


def test_most_kills_hit_in_more_ways_than_one(trials: Trials) -> None:
    found = of("kills", trials)
    hit = [trial for trial in found if "too late" not in trial["what"]]
    assert len(hit) >= 12 and len({trial["group"] for trial in hit}) >= 3
    assert len({trial["what"].partition(":")[0] for trial in found}) == len(found), "each is of another command"


def test_every_kind_of_artefact_is_damaged_and_much_is_built_again(trials: Trials) -> None:
    found = of("corruptions", trials)
    assert {trial["group"] for trial in found} == {*KINDS} - {"picture_vectors"}
    assert Counter(trial["verdict"] for trial in found)["rebuilt"] >= 15


def test_disks_fill_up_and_it_is_said_how(trials: Trials) -> None:
    found = of("disks", trials)
    assert {trial["group"] for trial in found} <= {"tmpfs, mounted", "tmpfs, by unshare -rm", "RLIMIT_FSIZE"}
    assert any("cannot be written" in error for trial in found for error in trial["errors"])


def test_rights_that_are_gone_are_told(trials: Trials) -> None:
    found = of("rights", trials)
    assert any("Permission denied" in error for trial in found for error in trial["errors"])
    assert all(("as uid 65534" in trial["what"]) == (os.geteuid() == 0) for trial in found)


def test_a_trial_comes_again_from_its_seed(trials: Trials) -> None:
    again = trials[-len(AGAIN) :]
    first = {trial["trial"]: trial for trial in trials[: -len(AGAIN)]}
    assert [trial["trial"] for trial in again] == [*AGAIN]
    assert [trial["what"] for trial in again] == [first[name]["what"] for name in AGAIN]


def test_a_planted_defect_is_found_and_the_way_to_repeat_it_is_said(trials: Trials, tmp_path: Path) -> None:
    """A clone in which nobody looks whether an artefact's content is as it was."""
    for name in ("lib", "cli"):
        shutil.copytree(ROOT / name, tmp_path / "clone" / name)
    (tmp_path / "clone" / "data").mkdir()
    shutil.copy2(ROOT / "data" / "stopwords.txt", tmp_path / "clone" / "data")
    storage = tmp_path / "clone" / "lib" / "strata" / "storage.py"
    text = storage.read_text(encoding="utf-8")
    assert text.count("        stale = False\n") == 1
    storage.write_text(text.replace("        stale = False\n", "        return ''\n"), encoding="utf-8")
    flipped = [t["trial"] for t in of("corruptions", trials) if "flipped" in t["what"] and t["verdict"] == "rebuilt"]
    status, found, said = faults(tmp_path, "--source", str(tmp_path / "clone"), "--only", ",".join(flipped[:4]))
    assert status == 1 and any(trial["verdict"] == "defect" for trial in found), said
    assert "  again: python -m faults --seed 0 --only corruptions:" in said


# What counts as what


def done(status: int = 0, out: str = "", err: str = "", **more: Any) -> Done:
    return Done(COMMAND, status, out, err, 0.1, **more)


ERROR = '{"error": {"kind": "data", "message": "x cannot be read", "next_step": "check it"}}\n'


@pytest.mark.parametrize(
    ("given", "is_clear"),
    [
        (done(2, err=ERROR), True),
        (done(2, err=f"note: something\n{ERROR}"), True),
        (done(1, err=ERROR), False),
        (done(2, out="{}", err=ERROR), False),
        (done(2, err=ERROR.replace("check it", "")), False),
        (done(2, err=f"Warning: odd\n{ERROR}"), False),
        (done(2, err="error: in words\n"), False),
        (done(2), False),
    ],
)
def test_a_clear_error_is_one_line_with_a_way_out(given: Done, is_clear: bool) -> None:
    assert bool(answers.clear_error(given)) == is_clear


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (done(), ""),
        (done(2, err=ERROR), ""),
        (done(err="12 of 12 chunks encoded in 1.2 s (10/s)\n"), ""),
        (done(1, err="Traceback (most recent call last):\n  File\nValueError: no\n"), "a traceback: ValueError: no"),
        (done(err="Exception ignored in: <x>\n"), "a traceback"),
        (done(err="RuntimeWarning: divide\n"), "on stderr: RuntimeWarning"),
        (done(-11), "status -11"),
        (done(-9, hung=True), "no end after"),
    ],
)
def test_whatever_is_no_answer_and_no_clear_error_is_wrong(given: Done, said: str) -> None:
    assert answers.wrong(given).startswith(said) and bool(answers.wrong(given)) == bool(said)


def test_answers_are_equal_but_for_times_and_ids() -> None:
    def told(score: float, ms: float) -> str:
        hits = [{"id": 1, "score": score}]
        return answers.answer(done(out=json.dumps({"run_id": str(ms), "layers": [{"ms": ms, "hits": hits}]})))

    assert told(1.5, 3.0) == told(1.5, 4.0) != told(1.25, 3.0)
    assert answers.answer(done(out="{")) == answers.answer(done(2, out="{}")) == ""


BEFORE = State(
    {"films.json": "a"}, {"logs/1.json": b"{}"}, {"cache/pair_scores/x.json": frozenset("ab")}, frozenset(("kind/one",))
)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (BEFORE, []),
        (replace(BEFORE, artefacts=frozenset(("kind/one", "kind/two")), rubbish=9), []),
        (replace(BEFORE, files={}), ["films.json is neither"]),
        (replace(BEFORE, files={"films.json": "b"}), ["films.json is neither"]),
        (replace(BEFORE, files={**BEFORE.files, "more": "x"}), ["more is neither"]),
        (replace(BEFORE, logs={}), ["logs/1.json changed"]),
        (replace(BEFORE, logs={**BEFORE.logs, "logs/2.json": b"{"}), ["logs/2.json is torn"]),
        (replace(BEFORE, kept={}), ["cache/pair_scores/x.json lost 2 of its 2"]),
        (replace(BEFORE, artefacts=frozenset()), ["the artefact kind/one is gone"]),
    ],
)
def test_a_loss_is_told(now: State, said: list[str]) -> None:
    found = losses.lost(now, BEFORE)
    assert len(found) == len(said) and all(one.startswith(text) for one, text in zip(found, said, strict=True))


def test_what_is_changed_on_purpose_or_by_the_command_is_no_loss() -> None:
    changed = replace(BEFORE, files={"films.json": "b"}, artefacts=frozenset())
    assert losses.lost(changed, BEFORE, changed) == []
    assert losses.lost(changed, BEFORE, spared=["films.json", "cache/kind/one/manifest.json"]) == []


def test_what_does_not_end_is_ended(tmp_path: Path) -> None:
    places = Places(tmp_path, tmp_path, tmp_path)
    places.world.mkdir()
    (tmp_path / "keyword_search_cli.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    start = time.monotonic()
    hanging, killed = process.gather([process.cold(COMMAND, places), process.cold(COMMAND, places, 0.5)], 1.5)
    assert time.monotonic() - start < 20
    assert (hanging.hung, hanging.status, killed.hung, killed.status) == (True, -9, False, -9)
    assert answers.wrong(hanging) and "begun" in hanging.out
