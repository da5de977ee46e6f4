"""Keys that are plain words, as servers of one's own take: hidden where they come back as keys, left where they are
words."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from strata.errors import BadReply, ProviderError
from strata.llm.asking import Asking
from strata.llm.faults import clean
from strata.llm.hiding import Hiding, without
from strata.llm.opening import Choice, open_wire
from strata.llm.probe import probe
from strata.settings import Access, Providers
from tests.llm_client import ASK, CHAT
from tests.llm_server import Server, chunks, completion, events, reply
from tests.test_llm_opening import given

DUMMIES = ["none", "ollama", "EMPTY", "test", "x", "1", "no-key", "123456", "1e5"]
WORDS = "The latest test 1: none of the 10 boxes is EMPTY, says ollama, no-key 123456 x 1e5 [1]. Bearer of news."
RANKING = {
    "type": "object",
    "properties": {"ranking": {"type": "array", "items": {"type": "object", "properties": {
        "id": {"type": "integer"}, "none": {"type": "string"}, "why": {"type": "string"}
    }}}},
    "required": ["ranking"],
}  # fmt: skip
SURE = ["s3cr3t!", "me:pw", "pa$$", "hunter2"]
"""Short ones that no text holds by chance."""


def asking(server: Server, provider: str, key: str) -> Asking:
    wire = open_wire(Providers(**{provider: Access(key, server.base(provider), "test-1")}), provider, None, 5)
    return Asking(wire, print)


def streamed(text: str, key: str, size: int) -> str:
    pieces: list[str] = []
    hiding = Hiding(pieces.append, [key])
    for at in range(0, len(text), size):
        hiding(text[at : at + size])
    hiding.close()
    return "".join(pieces)


@pytest.mark.parametrize("key", DUMMIES)
@pytest.mark.parametrize("provider", CHAT)
def test_a_reply_is_left_as_it_is(llm_server: Server, provider: str, key: str) -> None:
    llm_server.gives(reply(completion(WORDS) | {"model": "test-none-1"}))
    found = asking(llm_server, provider, key).complete(ASK)
    assert (found.text, found.model) == (WORDS, "test-none-1")
    assert llm_server.asked[0].headers["Authorization"] == f"Bearer {key}"
    value = {"ranking": [{"id": 1, "none": "x", "why": "exact 1 test"}]}
    llm_server.gives(reply(completion(json.dumps(value))))
    assert asking(llm_server, provider, key).complete(ASK, RANKING).parsed == value


@pytest.mark.parametrize("key", DUMMIES)
@pytest.mark.parametrize("provider", CHAT)
def test_so_is_a_stream(llm_server: Server, provider: str, key: str) -> None:
    llm_server.gives(events(chunks(*WORDS)))
    pieces: list[str] = []
    found = asking(llm_server, provider, key).complete(ASK, stream=pieces.append)
    assert found.text == "".join(pieces) == WORDS


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("key", [*DUMMIES, *SURE])
def test_a_header_that_comes_back_is_hidden_in_any_text(key: str, size: int) -> None:
    coded = base64.b64encode(key.encode()).decode()
    text = f"{{'Authorization': 'Bearer {key}'}}, Basic {coded} and Bearer {key}s for Bearer {key}"
    hidden = without(text, [key])
    assert hidden.startswith("{'Authorization': 'Bearer [key]'}, Basic [key] and ") and hidden.endswith("Bearer [key]")
    assert streamed(text, key, size) == hidden
    if key in DUMMIES:
        assert f" and Bearer {key}s for" in hidden, "a longer word is another"


@pytest.mark.parametrize("key", SURE)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_what_no_text_has_by_chance_is_hidden_everywhere(key: str, size: int) -> None:
    assert (
        without(f"you sent {key}, and _{key}_", [key])
        == "you sent [key], and _[key]_"
        == streamed(f"you sent {key}, and _{key}_", key, size)
    )


NAMED = [
    "Incorrect API key provided: {}.", "Invalid API key: {}", "invalid api_key '{}'", "?key={}", "x-api-key: {}",
    '{{"x-goog-api-key": "{}"}}', "Authorization: Bearer {}", "the token '{}' is unknown", 'wrong password: "{}"',
    "api key {} is not valid", "Your API key is {}", '"api_key":"{}"', "key ({})",
]  # fmt: skip


@pytest.mark.parametrize("words", NAMED)
@pytest.mark.parametrize("key", DUMMIES)
def test_an_error_that_names_the_key_does_not_show_it(words: str, key: str) -> None:
    assert clean(words.format(key), [key]) == words.format("[key]")


@pytest.mark.parametrize("text", [
    "none of the models is loaded", "try again in 1 s", "at most 1 token", "the key test failed", "x-1 is EMPTY",
    "ollama has no model test-1", "Keynote: none", "the monkey: none",
])  # fmt: skip
def test_the_words_of_an_error_are_left(text: str) -> None:
    for key in DUMMIES:
        assert clean(text, [key]) == text


@pytest.mark.parametrize("key", DUMMIES)
@pytest.mark.parametrize("provider", CHAT)
def test_a_refusal_that_repeats_the_request_does_not_show_the_key(llm_server: Server, provider: str, key: str) -> None:
    for answer in (
        reply({"error": {"message": f"Incorrect API key provided: {key}; sent Bearer {key}"}}, 401),
        reply({"error": {"message": f"headers: {{'authorization': 'Bearer {key}'}}, api_key='{key}'"}}, 500),
        reply(f"<html>Authorization: Bearer {key}; token: {key}</html>".encode()),
        reply({"error": {"message": f"see Bearer {key}", "param": key, "code": key}}, 418),
    ):
        llm_server.gives(answer)
        with pytest.raises(ProviderError) as caught:
            asking(llm_server, provider, key).complete(ASK)
        text = caught.value.text if isinstance(caught.value, BadReply) else ""
        shown = f"{caught.value.message} {text}"
        for before in ("Bearer ", "provided: ", "api_key='", "token: "):
            assert f"{before}{key}" not in shown, shown


def test_a_model_that_is_called_as_the_key_keeps_its_name(llm_server: Server) -> None:
    rows: list[dict[str, Any]] = [{"id": "test-1"}, {"id": "ollama/x"}]
    for key in ("test", "1", "x", "ollama"):
        llm_server.gives(reply({"data": rows}))
        found = probe(given(openai=Access(key, llm_server.base("openai"), "test-1")), Choice("openai"))
        assert found.model == "test-1" and found.answers


def test_a_short_password_in_the_address_is_hidden_as_it_goes_out(llm_server: Server) -> None:
    address = llm_server.base("openai").replace("//", "//me:abc@")
    coded = base64.b64encode(b"me:abc").decode()
    llm_server.gives(reply(completion(f"An abc of films. You sent Basic {coded}, me:abc.")))
    wire = open_wire(Providers(openai=Access(None, address, "m")), "openai", None, 5)
    assert Asking(wire, print).complete(ASK).text == "An abc of films. You sent Basic [key], [key]."
    assert llm_server.asked[0].headers["Authorization"] == f"Basic {coded}"
