"""The bundled recordings: each is replayed by its command in a new process, without key or network, and is clean."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest

from strata.llm.recording import read
from strata.pictures.open import open_picture
from tests.conftest import ROOT, Run
from tests.small_model import GGUF
from tests.test_cli_answers import ERRS

FILES = sorted((ROOT / "data" / "recordings").glob("*.json"))
SCRIPT = importlib.util.spec_from_file_location("record_lessons", ROOT / "benchmarks" / "record_lessons.py")
assert SCRIPT and SCRIPT.loader
record_lessons = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(record_lessons)
BY_HAND = 'augmented_generation_cli citations "romantic comedy recommendations" --limit 3'
ROCKET = open_picture(str(ROOT / "data" / "images" / "rocket.jpg")).digest
A_PLACE = re.compile(
    r"127\.0\.0\.1|localhost|https?:|site-packages|[A-Z]:\\|/(?:home|root|tmp|usr|var|opt|work|Users|private)\b"
)


def test_every_command_replays_its_recording_and_every_recording_has_a_command(process: Run, tmp_path: Path) -> None:
    """A prompt that was changed makes this fail: see benchmarks/record_lessons.py."""
    for command in (*record_lessons.COMMANDS, BY_HAND, record_lessons.SEEN):
        program, *args = shlex.split(command.replace("data/", f"{ROOT}/data/"))
        done = process(program, *args, "--llm", "replay", "--json")
        assert done.status == 0 and done.json["results"], (command, done.err)
        assert not any("failed" in notice for notice in done.json["notices"]), (command, done.json["notices"])
    calls = [call for file in (tmp_path / "logs").glob("*.json") for call in json.loads(file.read_bytes())["calls"]]
    assert all(call["replayed"] and call["error"] is None for call in calls)
    said = {(call["model"], call["reply"]) for call in calls}
    assert said == {(read(file).reply.model, read(file).reply.text) for file in FILES}
    assert len(calls) == len(FILES) == len(record_lessons.COMMANDS) + 2


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem[:8])
def test_a_bundled_recording_is_clean_and_says_what_made_it(file: Path) -> None:
    found, text = read(file), file.read_text(encoding="utf-8")
    assert not A_PLACE.search(text) and record_lessons.KEY not in text
    assert file.stem == found.key and "seal" not in json.loads(text)
    if found.reply.text == ERRS:
        assert found.made_by.startswith("written by hand") and found.header.model == "a model that errs"
    elif found.made_by == record_lessons.BY_HAND:
        assert json.loads(found.reply.text) == record_lessons.SEEN_REPLY and found.header.model == "written by hand"
        assert found.request.messages[-1].images[0].digest == ROCKET and "base64" not in text
    else:
        assert found.made_by.startswith(GGUF) and "llama.cpp" in found.made_by
        assert found.header.model == found.reply.model == GGUF and found.reply.usage.completion > 0
