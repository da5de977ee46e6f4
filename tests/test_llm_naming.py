"""What is shown of a model's name, and what is never shown of a key."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from strata.llm.asking import Asking
from strata.llm.hiding import Hiding, without
from strata.llm.naming import plain_name
from strata.llm.opening import Choice, open_model, open_wire
from strata.llm.probe import probe
from strata.settings import Access, Providers, Settings
from tests.llm_client import ASK, CHAT
from tests.llm_server import KEY, Server, chunks, completion, events, reply

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SECRET = "gsk/planted+a1b2=c3"


@pytest.mark.parametrize(
    ("reported", "shown"),
    [
        (f"/home/somebody/models/{FILE}", FILE),
        (f"models/{FILE}", FILE),
        (f"./{FILE}", FILE),
        (f"~/{FILE}", FILE),
        (f"C:\\models\\{FILE}", FILE),
        (f"c:/models/{FILE}", FILE),
        (f"file:///models/{FILE}", FILE),
        ("/data/Llama-3.1-8B/", "Llama-3.1-8B"),
        (FILE, FILE),
        ("openai/gpt-oss-120b", "openai/gpt-oss-120b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"),
        ("accounts/fireworks/models/qwen3-8b", "accounts/fireworks/models/qwen3-8b"),
        ("llama3.2:1b", "llama3.2:1b"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_of_a_path_only_its_last_part_is_a_name(reported: str, shown: str) -> None:
    assert plain_name(reported) == shown


@pytest.mark.parametrize("provider", CHAT)
def test_a_server_is_asked_by_its_own_path_which_stands_nowhere_else(
    llm_server: Server, tmp_path: Path, provider: str
) -> None:
    path = f"/srv/weights/{FILE}"
    body = {**completion("yes"), "model": path}
    llm_server.gives(reply(body), reply(completion("no") | {"model": path}), reply({"data": [{"id": path}]}))
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(
        **{provider: Access(KEY, llm_server.base(provider), path)}
    ))  # fmt: skip
    records: list[dict[str, Any]] = []
    model = open_model(at, Choice(provider, record=tmp_path / "kept"), print, records.append)
    assert model is not None and model.model == FILE
    assert [model.complete(ASK).model, model.complete(ASK).model] == [FILE, FILE]
    assert [asked.body["model"] for asked in llm_server.asked] == [path, path]
    found = probe(at, Choice(provider))
    assert found.answers is True and found.model == FILE
    kept = [file.read_text() for file in (tmp_path / "kept").iterdir()]
    assert kept and "/srv" not in "".join([*kept, json.dumps(records), repr(found)])


def test_without_a_name_the_server_s_first_is_asked_for_by_its_path(llm_server: Server) -> None:
    path = f"/srv/weights/{FILE}"
    llm_server.gives(reply({"data": [{"id": path}]}), reply(completion("yes")))
    wire = open_wire(Providers(openai=Access(None, llm_server.base("openai"))), "openai", None, 5)
    Asking(wire, print).complete(ASK)
    assert wire.model == FILE and llm_server.asked[-1].body["model"] == path


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET, safe=""),
        "gsk%2fplanted%2ba1b2%3dc3",
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
    ],
)
def test_a_secret_is_hidden_in_whatever_form_it_comes_back(form: str) -> None:
    assert without(f"you sent {form}!", [SECRET]) == "you sent [key]!"
    for size in (1, 2, 3, 7, 100):
        text, pieces = f"It is {form}, said gsk/plan B", list[str]()
        hiding = Hiding(pieces.append, [SECRET])
        for at in range(0, len(text), size):
            hiding(text[at : at + size])
        hiding.close()
        shown = "".join(pieces)  # of base64 the end may be left, which hangs on what follows
        assert re.sub(r"\]\w?=*,", "],", shown) == "It is [key], said gsk/plan B"


def test_a_short_key_is_left_in_peace_where_it_is_a_word_and_its_base64_too() -> None:
    assert without("mode a2V5, the key", ["key"]) == "mode a2V5, the key"


def test_what_is_no_secret_is_passed_on_at_once() -> None:
    pieces: list[str] = []
    hiding = Hiding(pieces.append, [SECRET])
    for piece in ("A film", " about g", "iants"):
        hiding(piece)
    assert pieces == ["A film", " about ", "giants"]


@pytest.mark.parametrize("provider", CHAT)
def test_a_stream_that_repeats_the_key_in_pieces_does_not_show_it(llm_server: Server, provider: str) -> None:
    texts = ["your key is ", *SECRET, " or", " so"]
    llm_server.gives(events(chunks(*texts)))
    wire = open_wire(Providers(**{provider: Access(SECRET, llm_server.base(provider), "m")}), provider, None, 5)
    pieces: list[str] = []
    found = Asking(wire, print).complete(ASK, stream=pieces.append)
    assert found.text == "".join(pieces) == "your key is [key] or so"


def test_a_password_in_the_address_is_hidden_too(llm_server: Server) -> None:
    """It goes out as Basic authentication: in base64, together with the name."""
    address = llm_server.base("openai").replace("//", "//me:p%40ssword-1@")
    pair = base64.b64encode(b"me:p@ssword-1").decode()
    llm_server.gives(reply(completion(f"you sent Basic {pair}: p@ssword-1")))
    wire = open_wire(Providers(openai=Access(None, address, "m")), "openai", None, 5)
    assert Asking(wire, print).complete(ASK).text == "you sent Basic [key]: [key]"
    assert llm_server.asked[0].headers["Authorization"] == f"Basic {pair}"
