"""Pictures on the wire, through the real clients: whole, of the right type, with nothing of the file's own in them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from strata.errors import NoRecording, Unavailable
from strata.llm.images import TOKENS, image_from, image_json, in_words, message_json, prompt_tokens
from strata.llm.kept import Kept
from strata.llm.logged import Logged
from strata.llm.many import ask_all
from strata.llm.recording import Header, Recorded, key_of
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.llm.types import Message, Reply, Request
from strata.pictures.sending import as_image
from tests.llm_client import ALL, CHAT, Client
from tests.llm_server import Server, chunks, completion, events, reply, said
from tests.llm_wire import ScriptedWire, within
from tests.seen import PLANTED, SEEING, arrived, jpeg, kind_of, parts, png, seen
from tests.test_llm_formats import SCORE

SOURCES = {
    "a JPEG": (jpeg, "a.jpg", "image/jpeg"),
    "a PNG": (png, "a.png", "image/png"),
    "a PNG that is called .jpg": (png, "b.jpg", "image/png"),
    "a JPEG that is called .png": (jpeg, "b.png", "image/jpeg"),
}


def looking(path: Path, text: str = "what is it?") -> tuple[Message, ...]:
    return (Message("system", "Say what you see."), Message("user", text, (as_image(seen(path)),)))


def ask(provider: str, server: Server, path: Path, **more: Any) -> Any:
    pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
    made = Client(provider, server.base(provider), model=SEEING[provider])
    return made.model.complete(looking(path), **more)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("provider", ALL)
def test_the_bytes_arrive_whole_and_are_what_they_are_said_to_be(
    llm_server: Server, tmp_path: Path, provider: str, source: str
) -> None:
    make, name, mime = SOURCES[source]
    path = make(tmp_path / name)
    llm_server.gives(reply(said(provider, "a rocket")))
    assert ask(provider, llm_server, path).text == "a rocket"
    said_to_be, data = arrived(llm_server.asked[0])
    image = as_image(seen(path))
    assert hashlib.sha256(data).digest() == hashlib.sha256(image.data).digest()
    assert said_to_be == image.mime == kind_of(data) == mime
    assert Image.open(BytesIO(data)).size == (image.width, image.height) == (96, 64)


@pytest.mark.parametrize("make", [jpeg, png])
@pytest.mark.parametrize("provider", ALL)
def test_nothing_of_the_files_metadata_leaves_the_machine(
    llm_server: Server, tmp_path: Path, provider: str, make: Any
) -> None:
    path = make(tmp_path / "secret-name")
    assert path.read_bytes().count(PLANTED.encode()) >= 2  # it is there to be found
    llm_server.gives(reply(said(provider, "x")))
    ask(provider, llm_server, path)
    _, data = arrived(llm_server.asked[0])
    assert PLANTED.encode() not in data and b"Exif" not in data and b"<x>" not in data
    with Image.open(BytesIO(data)) as image:
        assert not image.getexif() and not {"exif", "xmp", "comment", "Comment", "Author"} & set(image.info)
    assert "secret-name" not in json.dumps(llm_server.asked[0].body) and str(tmp_path) not in json.dumps(
        llm_server.asked[0].body
    )


@pytest.mark.parametrize("provider", CHAT)
def test_only_a_message_with_a_picture_is_sent_in_parts(llm_server: Server, tmp_path: Path, provider: str) -> None:
    llm_server.gives(reply(completion("x")))
    ask(provider, llm_server, jpeg(tmp_path / "a"))
    system, user = llm_server.asked[0].body["messages"]
    assert system == {"role": "system", "content": "Say what you see."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert user["content"][0] == {"type": "text", "text": "what is it?"}
    Client(provider, llm_server.base(provider), model=SEEING[provider])()
    assert [message["content"] for message in llm_server.asked[1].body["messages"]] == [
        "Reply with a JSON object.",
        "hi",
    ]


def test_gemini_is_given_the_text_and_then_the_picture(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply(said("gemini", "x")))
    ask("gemini", llm_server, png(tmp_path / "a"))
    text, picture = parts(llm_server.asked[0])
    assert text == {"text": "what is it?"} and set(picture) == {"inlineData"}
    assert llm_server.asked[0].body["systemInstruction"]["parts"] == [{"text": "Say what you see."}]


@pytest.mark.parametrize("provider", ALL)
def test_the_picture_goes_along_when_a_call_is_made_again(llm_server: Server, tmp_path: Path, provider: str) -> None:
    """After a parameter was refused, and after a reply was cut off."""
    refusal = {"error": {"message": "Unsupported parameter: 'seed' is not supported", "param": "seed", "code": 400}}
    llm_server.gives(reply(refusal, 400), reply(said(provider, "", "length")), reply(said(provider, '{"score": 3}')))
    assert ask(provider, llm_server, jpeg(tmp_path / "a"), schema=SCORE).parsed == {"score": 3}
    assert len({arrived(asked) for asked in llm_server.asked}) == 1 and len(llm_server.asked) == 3


@pytest.mark.parametrize("provider", CHAT)
def test_and_when_the_reply_is_streamed(llm_server: Server, tmp_path: Path, provider: str) -> None:
    llm_server.gives(events(chunks("a ", "rocket")))
    got: list[str] = []
    assert ask(provider, llm_server, jpeg(tmp_path / "a"), stream=got.append).text == "a rocket" == "".join(got)
    assert arrived(llm_server.asked[0])[0] == "image/jpeg"


def test_a_picture_counts_the_same_whatever_it_weighs(tmp_path: Path) -> None:
    small, large = (looking(jpeg(tmp_path / f"{wide}", (wide, 64)), "x" * 400) for wide in (32, 640))
    assert len(large[1].images[0].data) > 10 * len(small[1].images[0].data)
    assert prompt_tokens(small) == prompt_tokens(large) == (400 + len("Say what you see.")) // 4 + TOKENS
    assert prompt_tokens(small[:1]) == len("Say what you see.") // 4
    assert within(ScriptedWire("x"), max_tokens_total=500)[0].complete(large).text == "x"


@pytest.mark.parametrize("provider", CHAT)
def test_a_server_that_does_not_count_is_counted_for(llm_server: Server, tmp_path: Path, provider: str) -> None:
    llm_server.gives(reply(completion("a rocket") | {"usage": None}))
    assert ask(provider, llm_server, jpeg(tmp_path / "a")).usage.prompt == (17 + 11) // 4 + TOKENS


def test_what_is_written_down_of_a_picture_reads_back_without_its_bytes(tmp_path: Path) -> None:
    image = as_image(seen(jpeg(tmp_path / "a.jpg")))
    again = image_from(json.loads(json.dumps(image_json(image))))
    assert (again.mime, again.width, again.height, again.digest) == (
        "image/jpeg",
        96,
        64,
        seen(tmp_path / "a.jpg").digest,
    )
    assert again.data == b"" and again.name == ""
    assert message_json(Message("user", "x")) == {"role": "user", "text": "x"}
    assert message_json(Message("user", "x", (image,)), "y") == {
        "role": "user",
        "text": "y",
        "images": [image_json(image)],
    }
    assert in_words(image) == f"[picture a.jpg: image/jpeg, 96 × 64, {round(len(image.data) / 1000)} kB]"
    assert "data" not in repr(Message("user", "x", (image,)))


def test_whatever_is_wrapped_round_a_model_passes_the_picture_on(tmp_path: Path) -> None:
    wire = ScriptedWire(Unavailable("down"), "a rocket")
    calls: list[dict[str, Any]] = []
    kept = Kept(within(wire)[0], tmp_path / "kept", print)
    wrapped = Logged(Recorded(kept, tmp_path / "recorded"), calls.append)
    messages = looking(jpeg(tmp_path / "a"))
    (found,) = ask_all(wrapped, [Request(messages)])
    assert (
        isinstance(found, Reply)
        and found.text == "a rocket"
        and [asked.messages for asked in wire.asked] == [messages, messages]
    )
    again = Kept(Scripted(Unavailable("down")), tmp_path / "kept", print).complete(looking(tmp_path / "a"))
    assert again.text == "a rocket" and again.replayed
    assert Replay(tmp_path / "recorded").complete(messages).text == "a rocket"
    assert calls[0]["messages"][1]["images"] == [image_json(messages[1].images[0])]
    with pytest.raises(NoRecording):
        Replay(tmp_path / "recorded").complete(looking(jpeg(tmp_path / "b", (64, 96))))
    with pytest.raises(NoRecording):
        Replay(tmp_path / "recorded").complete((messages[0], replace(messages[1], images=())))


def test_the_key_of_a_recording_knows_a_picture_by_its_pixels(tmp_path: Path) -> None:
    header, messages = Header("gemini", "m", {}), looking(jpeg(tmp_path / "a"))
    key = key_of(header, Request(messages))
    image = messages[1].images[0]
    for other in (replace(image, data=b"packed anew"), replace(image, mime="image/png"), replace(image, width=9)):
        assert key_of(header, Request((messages[0], replace(messages[1], images=(other,))))) == key
    changed = replace(image, digest="0" * 64)
    assert key_of(header, Request((messages[0], replace(messages[1], images=(changed,))))) != key
    assert key_of(header, Request((messages[0], replace(messages[1], images=(image, image))))) != key
