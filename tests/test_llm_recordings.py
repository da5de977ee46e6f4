"""Record, then replay in a new process without key or network; what is missing or damaged is said."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from strata.errors import BadReply, DataError, NoRecording, Unavailable
from strata.llm.asking import Asking
from strata.llm.fence import MARK
from strata.llm.opening import open_wire
from strata.llm.prompting import prompt, schema
from strata.llm.recording import Header, Recorded, key_of, read
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.llm.types import Message, Reply, Request, Usage
from strata.settings import Access, Providers
from tests.conftest import UNSET
from tests.llm_server import KEY, Server, completion, reply

SOURCES = [{"number": 1, "title": "Alien", "text": "A crew meets a creature."}]
SCORE = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}


def rag() -> tuple[Message, ...]:
    return prompt("rag", query="space horror", sources=SOURCES)


def test_a_reply_is_recorded_whole_and_replayed_the_same(tmp_path: Path) -> None:
    said = Reply("A film [1].", usage=Usage(50, 9, 4, 1), ms=12.5, finish_reason="stop", provider="groq", model="big")
    recorder = Recorded(Scripted(said, provider="groq", model="asked"), tmp_path)
    assert recorder.complete(rag(), max_tokens=300) == said
    pieces: list[str] = []
    again = Replay(tmp_path).complete(rag(), max_tokens=300, stream=pieces.append)  # another boundary, same key
    assert again == replace(said, replayed=True)
    assert "".join(pieces) == "A film [1]."


def test_a_recording_names_what_made_it_and_holds_no_boundary(tmp_path: Path) -> None:
    Recorded(Scripted("x", provider="groq", model="m"), tmp_path).complete(rag())
    [file] = tmp_path.iterdir()
    data = json.loads(file.read_bytes())
    assert (data["provider"], data["model"], data["parameters"], data["made_by"]) == ("groq", "m", {}, "m by groq")
    assert file.stem == read(file).key and len(file.stem) == 32
    text = file.read_text(encoding="utf-8")
    assert MARK in text and "boundary-" in text and text.replace(MARK, "").count("boundary-") == 0


def test_a_recording_by_hand_says_so(tmp_path: Path) -> None:
    Recorded(Scripted("A wrong claim [2]."), tmp_path, made_by="written by hand").complete(rag())
    [file] = tmp_path.iterdir()
    assert read(file).made_by == "written by hand"


def test_the_key_depends_on_everything_but_the_boundary() -> None:
    header = Header("groq", "m", {"temperature": 0})
    request = Request(rag(), None, 100)
    keys = {
        key_of(header, request),
        key_of(Header("gemini", "m", {"temperature": 0}), request),
        key_of(Header("groq", "n", {"temperature": 0}), request),
        key_of(Header("groq", "m", {"temperature": 1}), request),
        key_of(header, Request(request.messages, SCORE, 100)),
        key_of(header, Request(request.messages, None, 101)),
        key_of(header, Request(request.messages[:1], None, 100)),
        key_of(header, Request(prompt("rag", query="other", sources=SOURCES), None, 100)),
    }
    assert len(keys) == 8 and key_of(header, Request(rag(), None, 100)) == key_of(header, request)


def test_one_folder_holds_several_models(tmp_path: Path) -> None:
    Recorded(Scripted("one", provider="groq", model="a"), tmp_path).complete((Message("user", "1"),))
    Recorded(Scripted("two", provider="gemini", model="b"), tmp_path).complete((Message("user", "2"),))
    replay = Replay(tmp_path)
    assert replay.complete((Message("user", "1"),)).text == "one"
    assert replay.complete((Message("user", "2"),)).text == "two"
    assert replay.model == "a, b" and replay.count == 2 and replay.provider == "replay"


def test_a_replayed_reply_is_parsed_anew(tmp_path: Path) -> None:
    Recorded(Scripted('{"score": "7"}'), tmp_path).complete((Message("user", "1"),), SCORE)
    assert Replay(tmp_path).complete((Message("user", "1"),), SCORE).parsed == {"score": 7}
    [file] = tmp_path.iterdir()
    file.write_text(file.read_text().replace('{\\"score\\": \\"7\\"}', "seven"))
    with pytest.raises(BadReply):
        Replay(tmp_path).complete((Message("user", "1"),), SCORE)


def test_a_missing_recording_names_its_key_the_folder_and_how_to_record(tmp_path: Path) -> None:
    Recorded(Scripted("x", provider="groq", model="m"), tmp_path).complete(rag())
    asked = (Message("user", "never recorded"),)
    with pytest.raises(NoRecording) as caught:
        Replay(tmp_path).complete(asked)
    assert key_of(Header("groq", "m", {}), Request(asked)) in caught.value.message
    assert str(tmp_path) in caught.value.message and f"--record {tmp_path}" in caught.value.next_step
    assert caught.value.exit_status == 3


def test_an_empty_or_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoRecording, match="empty"):
        Replay(tmp_path).complete(rag())
    with pytest.raises(DataError, match="no folder"):
        Replay(tmp_path / "gone").complete(rag())


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace('"format": 1', '"format": 2'),
        lambda text: text.replace('"messages"', '"letters"'),
        lambda text: text.replace('"usage": {', '"usage": {"odd": 1, '),
        lambda text: text.replace('"text": "fine"', '"text": 5'),
        lambda text: "\x00\xff",
    ],
)
def test_a_damaged_recording_is_named(tmp_path: Path, damage: Any) -> None:
    Recorded(Scripted("fine"), tmp_path).complete(rag())
    [file] = tmp_path.iterdir()
    file.write_bytes(damage(file.read_text()).encode("latin-1", "replace"))
    with pytest.raises(DataError) as caught:
        Replay(tmp_path).complete(rag())
    assert file.name in caught.value.message and "--record" in caught.value.next_step


def test_a_reply_that_never_came_is_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        Recorded(Scripted(Unavailable("down")), tmp_path / "new").complete(rag())
    assert not (tmp_path / "new").exists()


REPLAYED = """
import sys
from strata.llm.opening import Choice, open_model
from strata.llm.prompting import prompt, schema
from strata import settings
model = open_model(settings.load("movies"), Choice("replay"), print)
sources = [{"number": 1, "title": "Alien", "text": "A crew meets a creature."}]
print(model.complete(prompt("rag", query="space horror", sources=sources), max_tokens=300).text)
print(model.complete(prompt("spell", query="alein"), schema("spell")).parsed["query"])
heavy = {"groq", "google", "httpx", "pydantic"} & {name.partition(".")[0] for name in sys.modules}
assert not heavy, heavy
"""


@pytest.mark.parametrize("provider", ["groq", "gemini", "openai"])
def test_what_a_real_client_recorded_is_replayed_in_a_new_process(
    llm_server: Server, tmp_path: Path, provider: str
) -> None:
    """Parameters that the server refused are part of the key all the same: replay cannot know what it refused."""
    from tests.llm_server import said

    refusal = {"error": {"message": "Unsupported parameter: 'seed' is not supported", "param": "seed", "code": 400}}
    llm_server.gives(
        reply(refusal, 400), reply(said(provider, "Alien [1].")), reply(said(provider, '{"query": "alien"}'))
    )
    wire = open_wire(Providers(**{provider: Access(KEY, llm_server.base(provider), "m")}), provider, None, 5)
    recorder = Recorded(Asking(wire, lambda _: None), tmp_path / "kept")
    recorder.complete(rag(), max_tokens=300)
    recorder.complete(prompt("spell", query="alein"), schema("spell"))
    llm_server.close()
    surroundings = {**UNSET, "STRATA_REPLAY": str(tmp_path / "kept"), "PATH": ""}
    done = subprocess.run([sys.executable, "-W", "error", "-c", REPLAYED], capture_output=True, text=True,
                          env=surroundings, cwd=tmp_path, check=False)  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "Alien [1].\nalien\n", "")
    assert all(KEY not in file.read_text() for file in (tmp_path / "kept").iterdir())


def test_a_server_that_repeats_the_key_does_not_get_it_recorded(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply(completion(f"your key is {KEY}")))
    wire = open_wire(Providers(openai=Access(KEY, llm_server.base("openai"), "m")), "openai", None, 5)
    assert Recorded(Asking(wire, print), tmp_path).complete(rag()).text == "your key is [key]"
    [file] = tmp_path.iterdir()
    assert KEY not in file.read_text()
