"""A picture's bytes go to the model and nowhere else: servers that repeat what they were sent, in every way they may.

What is looked for are stretches of the picture in base64, in both streams, in logs, recordings and the cache.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from strata.llm.hiding import DATA, without_data
from strata.pictures.sending import as_image
from tests.llm_client import ALL
from tests.llm_server import Answer, Server, reply, said
from tests.seen import PLANTED, SHOWS, WORDS, WRITTEN, Describe, jpeg, pieces_of, seen

Echo = Callable[[str, str], Any]
"""From the provider, and what the server repeats, to an answer's body."""


def replying(**more: str) -> Echo:
    def body(provider: str, told: str) -> Any:
        fields = {"shows": SHOWS, "query": WRITTEN} | {name: text % told for name, text in more.items()}
        return said(provider, json.dumps(fields))

    return body


def blocked(provider: str, told: str) -> Any:
    return said(provider, told, "SAFETY" if provider == "gemini" else "content_filter")


def calling_itself(provider: str, told: str) -> Any:
    return replying()(provider, told) | {"model": told, "modelVersion": told}


ECHOES: dict[str, tuple[int, Echo]] = {
    "in what it shows": (200, replying(shows="A file: %s")),
    "as the request": (200, replying(query="rocket %s")),
    "in talk": (200, lambda provider, told: said(provider, f"You sent {told}")),
    "in a reply cut off": (200, lambda provider, told: said(provider, f'{{"shows": "{told}', "length")),
    "in the model's name": (200, calling_itself),
    "as the reason of a block": (200, blocked),
    "in an error": (400, lambda _, told: {"error": {"message": f"Invalid value at 'contents[0].parts[1]': {told}"}}),
    "in an error's code": (400, lambda _, told: {"error": {"message": "bad", "code": told, "type": told}}),
    "as an error's key": (422, lambda _, told: {"error": {told: told}, "detail": [{"input": told, "msg": told}]}),
    "in a refusal of pictures": (400, lambda _, told: {"error": {"message": f"does not support images: {told}"}}),
    "in a refusal of a parameter": (400, lambda _, told: {"error": {"message": f"seed is unsupported: {told}"}}),
    "in a 500": (500, lambda _, told: {"error": {"message": told}}),
    "in a limit": (429, lambda _, told: {"error": {"message": f"slow down {told}", "code": 429}}),
    "in a page": (502, lambda _, told: f"<html>{told}</html>".encode()),
    "in a page that is no error": (200, lambda _, told: f"<html>{told}</html>".encode()),
}  # fmt: skip


def repeating(provider: str, how: str, part: Callable[[str], str]) -> Answer:
    status, echo = ECHOES[how]

    def answer(request: BaseHTTPRequestHandler) -> None:
        body = echo(provider, part(request.server_told))  # type: ignore[attr-defined]
        reply(body, status, {"retry-after": "0"})(request)

    return answer


PARTS: dict[str, Callable[[str], str]] = {
    "all of it": lambda coded: coded,
    "its beginning": lambda coded: coded[:120],
    "a piece of it": lambda coded: coded[501:800],
    "as a data URL": lambda coded: f"data:image/jpeg;base64,{coded}",
    "in lines": lambda coded: "\n".join(coded[at : at + 76] for at in range(0, len(coded), 76)),
    "for URLs": lambda coded: coded.replace("+", "-").replace("/", "_"),
}


@pytest.mark.parametrize("how", ECHOES)
@pytest.mark.parametrize("provider", ALL)
def test_what_a_server_repeats_of_a_picture_is_not_repeated(
    describe: Describe, llm_server: Server, tmp_path: Path, provider: str, how: str
) -> None:
    file = jpeg(tmp_path / "a.jpg", (320, 200))
    image = as_image(seen(file))
    coded = base64.b64encode(image.data).decode()
    for i, (name, part) in enumerate(PARTS.items()):
        if (i + list(ECHOES).index(how) + ALL.index(provider)) % 3:
            continue

        def answer(request: BaseHTTPRequestHandler, part: Callable[[str], str] = part) -> None:
            request.server_told = coded  # type: ignore[attr-defined]
            repeating(provider, how, part)(request)

        more = ("--search", "--limit", "1", "--debug", "-v") if i % 2 else ("--json", "-v")
        done = describe(provider, answer, "--query", WORDS, "--record", str(tmp_path / "kept"), *more, image=file)
        assert done.status in (0, 3), done.err
        assert pieces_of(image.data, done.out + done.err) == [], (how, name)
    assert llm_server.asked
    for kept in tmp_path.rglob("*.json"):
        assert pieces_of(image.data, kept.read_text(encoding="utf-8")) == [], kept
        assert PLANTED not in kept.read_text(encoding="utf-8")


def test_a_run_leaves_the_picture_nowhere(describe: Describe, tmp_path: Path) -> None:
    file = jpeg(tmp_path / "a.jpg", (320, 200))
    image = as_image(seen(file))
    more = ("--search", "--record", str(tmp_path / "kept"), "-v")
    done = describe("gemini", reply(replying()("gemini", "")), *more, image=file, cache=tmp_path / "cache")
    assert done.status == 0
    places = [path for path in tmp_path.rglob("*") if path.is_file() and path != file]
    assert {"kept", "logs", "cache"} <= {path.relative_to(tmp_path).parts[0] for path in places}
    for path in places:
        data = path.read_bytes()
        assert image.data[200:400] not in data and seen(file).pixels[:300] not in data, path
        if path.suffix == ".json":
            assert pieces_of(image.data, data.decode()) == [], path
    prompt = describe("gemini", reply(b""), "--show-prompt", "--json", image=file)
    assert pieces_of(image.data, prompt.out) == []


def test_a_picture_that_was_left_somewhere_would_be_found(tmp_path: Path) -> None:
    data = as_image(seen(jpeg(tmp_path / "a.jpg", (320, 200)))).data
    for part in PARTS.values():
        assert pieces_of(data, f'{{"said": "x {part(base64.b64encode(data).decode())}"}}')
    assert pieces_of(data, base64.b64encode(b"{" + data).decode()) and not pieces_of(data, "words " * 1000)


@pytest.mark.parametrize(
    "text",
    [
        "A rocket stands on a launch pad in the evening light.",
        "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
        "see https://ai.google.dev/gemini-api/docs/deprecations?hl=en#models-that-are-gone-and-what-follows-them",
        "request 0217888847201586 19b169e3834457b465f4a1674da52f83f48b1, organisation org_01hv0abcdefghijklmnop",
        "meta-llama/llama-4-scout-17b-16e-instruct", "長い" * 100,
    ],
)  # fmt: skip
def test_words_and_names_are_not_taken_for_a_file(text: str) -> None:
    assert without_data(text, [bytes(range(256)) * 40]) == text


def test_a_data_url_is_hidden_however_short() -> None:
    assert without_data("got data:image/png;base64,iVBORw0KGgo= there", []) == f"got {DATA} there"
    coded = base64.b64encode(bytes(range(256))).decode()
    for piece in (coded[10:40], f"x{coded[100:124]}", coded[7:31].replace("/", "_")):
        assert without_data(f"<{piece}>", [bytes(range(256))]) == f"<{DATA}>"
        assert without_data(f"<{piece}>", []) == f"<{piece}>"
