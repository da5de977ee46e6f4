"""Every command that may ask a language model, against servers that fail in every way and repeat what they were sent.

Keys are planted, then looked for in everything that a command leaves: both streams, logs, recordings, the cache.
"""

from __future__ import annotations

import base64
import importlib
import json
import ssl
from collections.abc import Callable
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import typer.main

from strata import paths
from strata.llm import retry
from tests.conftest import ROOT, Run
from tests.counting import Encoders
from tests.llm_server import Answer, Server, reply, said
from tests.seen import jpeg

KEY = "gsk/planted+a1b2=c3d4~e5"
PASSWORD = "pass+planted/f6g7h8"
PROVIDERS = ["groq", "gemini", "openai"]


def forms(*secrets: str) -> list[str]:
    """Each secret raw, percent-encoded and in base64: alone, and after what stands before it in a header."""
    told = [before + secret for secret in secrets for before in ("", "Bearer ", "me:", '{"api_key": "')]
    coded = [encode(one.encode()).decode() for one in told for encode in (base64.b64encode, base64.urlsafe_b64encode)]
    percent = [quote(secret, safe=safe) for secret in secrets for safe in ("", "/")]
    return sorted({*secrets, *percent, *coded, *(one.rstrip("=") for one in coded)})


FORMS = {provider: forms(KEY, *([PASSWORD] if provider == "openai" else [])) for provider in PROVIDERS}
BEARS = "a small bear in London"
FILMS = (
    {"id": 1, "title": "Paddington", "description": "A small bear from Peru finds a home in London.", "year": 2014,
     "genres": ["Comedy", "Family"], "franchise": "Paddington"},
    {"id": 2, "title": "Grizzly Man", "description": "A man lives among bears. One of them eats him.", "year": 2005},
    {"id": 3, "title": "Up", "description": "A house flies away under balloons.", "genres": ["Adventure"]},
    {"id": 4, "title": "London", "description": "A walk through the town in the rain."},
    {"id": 5, "title": "Paddington 2", "description": "The sequel.", "year": 2017, "franchise": "Paddington"},
)  # fmt: skip
JUDGED = {
    "name": "small",
    "test_cases": [
        {"id": "a", "query": BEARS, "relevant": [{"id": 1, "grade": 2}]},
        {"id": "b", "query": "balloons", "relevant": [{"id": 3, "grade": 1}]},
    ],
}
GOLDEN, OUT, PICTURE = "<golden>", "<out>", "<picture>"
"""Where a command has the golden set's file, the folder that it writes to, and a picture's file."""
RRF = ("hybrid_search_cli", "rrf-search", BEARS, "--limit", "1")
COMMANDS: dict[str, tuple[str, ...]] = {
    **{f"enhance {name}": (*RRF, "--enhance", name) for name in ("spell", "rewrite", "expand", "structure")},
    **{f"rerank {name}": (*RRF, "--rerank", name) for name in ("individual", "batch")},
    "evaluate": (*RRF, "--evaluate"),
    "weighted": ("hybrid_search_cli", "weighted-search", BEARS, "--enhance", "spell", "--debug"),
    "trace": ("hybrid_search_cli", "trace", BEARS, "--enhance", "structure", "--json"),
    "explain": ("hybrid_search_cli", "explain", BEARS, "Paddington", "--enhance", "expand"),
    **{
        mode: ("augmented_generation_cli", mode, BEARS, "--limit", "2", "--min-evidence", "0")
        for mode in ("rag", "summarize", "citations", "question")
    },
    "check": ("augmented_generation_cli", "check", BEARS, "He lives in London [1].", "--enhance", "rewrite"),
    "doctor": ("strata", "doctor"),
    "replay": ("experiment_cli", "replay", "last", "--log"),
    "evaluation": ("evaluation_cli", "evaluate", "--golden", GOLDEN, "--enhance", "spell"),
    "layers": ("evaluation_cli", "evaluate", "--golden", GOLDEN, "--layers", "--with", "enhance,rerank"),
    "failures": ("evaluation_cli", "failures", "--golden", GOLDEN, "--enhance", "spell"),
    "sweep": ("evaluation_cli", "sweep", "--golden", GOLDEN, "--over", "k=10,60", "--enhance", "spell"),
    "pool": ("evaluation_cli", "pool", f"{OUT}/pool.jsonl", "--golden", GOLDEN, "--with", "spell"),
    "report": ("evaluation_cli", "report", f"{OUT}/report.html", "--golden", GOLDEN, "--with", "spell"),
    "enrich": ("data_cli", "enrich"),
    "describe": ("describe_image_cli", "--image", PICTURE, "--llm-model", "seer"),
    "describe and search": (
        "describe_image_cli",
        "--image",
        PICTURE,
        "--llm-model",
        "seer",
        "--query",
        BEARS,
        "--search",
        "--debug",
    ),
    "trec": ("evaluation_cli", "trec", f"{OUT}/trec", "--golden", GOLDEN, "--enhance", "spell"),
}
UNRECORDED = ("doctor", "replay")
"""Those without --record."""
FITS = {
    "query": BEARS, "terms": ["marmalade"], "genres": ["Comedy"], "mood": "warm", "setting": "London", "themes": [],
    "people": [], "years": {"from": None, "to": None}, "like": [], "without": [], "score": 7, "why": "a bear",
    "premise": BEARS, "shows": "A bear.", "ranking": [{"id": 1, "why": "a bear"}],
    "grades": [{"id": 1, "grade": 3, "why": "a bear"}],
}  # fmt: skip
"""A reply that every prompt can use."""


def arguments(command: str, folder: Path) -> list[str]:
    """A command's program and arguments, with its files in a folder."""
    (folder / "out").mkdir(exist_ok=True)
    (folder / "golden.json").write_text(json.dumps(JUDGED))
    at = {GOLDEN: folder / "golden.json", OUT: folder / "out", PICTURE: jpeg(folder / "picture.jpg")}
    args = list(COMMANDS[command])
    for mark, place in at.items():
        args = [arg.replace(mark, str(place)) for arg in args]
    return args


def listing(name: str) -> dict[str, Any]:
    """What each provider answers to the question which models it has."""
    return {"data": [{"id": name, "object": "model", "created": 1, "owned_by": name}],
            "models": [{"name": f"models/{name}", "displayName": name}]}  # fmt: skip


def sent_back(provider: str, request: BaseHTTPRequestHandler) -> str:
    """All that a server can know of the secrets: what it was sent, and each in every form."""
    return " ".join([str(request.headers), request.path, *FORMS[provider]])


def served(provider: str, text: Callable[[BaseHTTPRequestHandler], str]) -> Answer:
    """A whole reply, with a text for its content and for each name beside it."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        told = text(request)
        body = listing(told or "m") if request.command == "GET" else said(provider, _fitting(told))
        if told and request.command == "POST":
            body |= {"model": told, "modelVersion": told, "id": told}
        reply(body)(request)

    return answer


def _fitting(told: str) -> str:
    ranked = {"ranking": [{"id": 1, "why": told}], "grades": [{"id": 1, "grade": 3, "why": told}]}
    echo = {
        "query": f"bear {KEY}",
        "terms": [KEY, "bear"],
        "why": told,
        "people": [told],
        "like": [told],
        "shows": told,
        **ranked,
    }
    return json.dumps(FITS | (echo if told else {}))


def faults(server: Server, provider: str) -> dict[str, Answer]:
    def told(request: BaseHTTPRequestHandler) -> str:
        return sent_back(provider, request)

    def refusing(status: int) -> Answer:
        def answer(request: BaseHTTPRequestHandler) -> None:
            names = ("message", "code", "param", "status", "type", "failed_generation")
            body = {"error": {**dict.fromkeys(names, told(request)), "details": [told(request)]}}
            reply(body, status, {"retry-after": "0", "x-echo": KEY})(request)

        return answer

    def saying(text: str, finish: str) -> Answer:
        return lambda request: reply(said(provider, text % told(request), finish))(request)

    def writing(status: int, text: str) -> Answer:
        return lambda request: reply((text % told(request)).encode(), status)(request)

    return {
        "success": served(provider, lambda _: ""),
        "echo": served(provider, told),
        "no json": saying("You sent %s", "stop"),
        "cut off": saying('{"query": "%s', "length"),
        "blocked": saying("%s", "content_filter" if provider != "gemini" else "SAFETY"),
        **{str(status): refusing(status) for status in (400, 401, 404, 413, 429, 500)},
        "portal": writing(200, "<html>%s</html>"),
        "half": writing(200, '{"choices": ["%s'),
        "gateway": writing(502, "<html>%s</html>"),
        "aborted": server.broken,
    }


def leaks(provider: str, text: str) -> list[str]:
    """Secrets in a text, also where lines were broken in the middle of one."""
    whole = "".join(text.split())
    return [form for form in FORMS[provider] if form in text or form in whole]


def leaking(provider: str, folder: Path) -> list[str]:
    """Secrets in the files of a folder, and in their names."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [f"{form} in {f}" for f in files for form in leaks(provider, f"{f} {f.read_bytes().decode('latin-1')}")]


@pytest.fixture
def asked(
    llm_server: Server, cli: Run, encoders: Encoders, catalogue: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    """asked(provider, command, answer, status): runs it with -v, logs and recordings, and looks at what it printed."""
    films = catalogue(*FILMS)
    monkeypatch.setattr(paths, "premises_dir", lambda: tmp_path / "premises")
    hasty = retry.Patience(attempts=2, sleep=lambda _: None)
    monkeypatch.setattr(retry, "Patience", lambda: hasty)
    for module, slow in ((ssl, "create_default_context"), (typer.main, "get_command")):  # once is enough here
        monkeypatch.setattr(module, slow, cache(getattr(module, slow)))

    def run(provider: str, command: str, answer: Answer, status: set[int]) -> None:
        pytest.importorskip({"gemini": "google.genai", "openai": "httpx"}.get(provider, provider))
        name, base = {"openai": "STRATA_LLM"}.get(provider, provider.upper()), llm_server.base(provider)
        at = base.replace("//", f"//me:{quote(PASSWORD, safe='')}@") if provider == "openai" else base
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", at)
        llm_server.gives(answer)
        before = len(llm_server.asked)
        options = () if command == "doctor" else ("--llm", provider)
        record = () if command in UNRECORDED else ("--record", str(tmp_path / "kept"))
        args = (*arguments(command, tmp_path), *options, *record, "--dataset", str(films), "-v")
        done = cli(*args, cache=tmp_path / "cache", logs=tmp_path / "logs")
        for kept in (tmp_path / "cache" / "replies", tmp_path / "premises"):
            if kept.exists():  # put aside, so that the next one asks too; all of them are looked through
                kept.rename(tmp_path / f"{kept.name} of {before}")
        assert leaks(provider, done.out + done.err) == [], (provider, command)
        assert done.status in status and "Traceback" not in done.err, (provider, command, done.err)
        assert len(llm_server.asked) > before, (provider, command)

    return run


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_command_gives_a_secret_away(asked: Any, llm_server: Server, tmp_path: Path, provider: str) -> None:
    """Every command with every fault, each pair of them at one of the providers at least."""
    for i, (fault, answer) in enumerate(faults(llm_server, provider).items()):
        for j, command in enumerate(COMMANDS):
            if fault == "echo" or (i + j) % len(PROVIDERS) == PROVIDERS.index(provider):
                asked(provider, command, answer, {0} if fault == "success" else {0, 2, 3})
    kept, logs = (list((tmp_path / name).glob("*.json")) for name in ("kept", "logs"))
    assert len(kept) > 10 and len(logs) > 50 and any("[key]" in file.read_text() for file in kept)
    assert leaking(provider, tmp_path) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nor_does_one_that_waited_in_vain(
    asked: Any, llm_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("STRATA_LLM_TIMEOUT", "0.2")
    for answer in (llm_server.stalled, llm_server.dribbling):
        asked(provider, "rag", answer, {3})
    assert leaking(provider, tmp_path) == []


def test_every_command_that_may_ask_a_model_is_among_them() -> None:
    may = set()
    for program in (path.stem for path in (ROOT / "cli").glob("*.py")):
        app = typer.main.get_command(importlib.import_module(program).app)
        for name, command in getattr(app, "commands", {"": app}).items():
            if any(parameter.name == "llm" for parameter in command.params):
                may.add((program, name))
    # A program of one command has no name for it: its options come first.
    assert may <= {(program, "" if name.startswith("--") else name) for program, name, *_ in COMMANDS.values()}


@pytest.mark.parametrize("form", FORMS["openai"])
def test_a_secret_that_was_left_somewhere_would_be_found(tmp_path: Path, form: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "log.json").write_text(f'{{"said": "x {form}y"}}')
    assert leaking("openai", tmp_path) and leaks("openai", f"note: {form}")
    assert leaks("openai", f"note: {form[:7]}\n   {form[7:]}")
