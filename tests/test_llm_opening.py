"""Which model answers: --llm auto, names, defaults; what is wrapped round it; what doctor says of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from strata import registry
from strata.errors import BudgetSpent, NotSent, Unavailable, UsageError, WrongKey
from strata.llm.logged import Logged
from strata.llm.opening import PACKAGES, Choice, open_model
from strata.llm.probe import probe
from strata.llm.prompting import prompt
from strata.llm.recording import Recorded
from strata.llm.replay import Replay
from strata.llm.retry import Patience
from strata.llm.scripted import Scripted
from strata.llm.showing import as_text
from strata.llm.types import LanguageModel, Message
from strata.settings import Access, Providers, Settings
from tests.conftest import ROOT, UNSET
from tests.llm_server import KEY, Server, completion, reply

ASK = (Message("user", "hi"),)


def given(**providers: Access) -> Settings:
    return Settings("movies", Path("cache"), Path("logs"), providers=Providers(**providers))


def opened(providers: dict[str, Access], **choice: Any) -> LanguageModel | None:
    return open_model(given(**providers), Choice(**choice), lambda _: None)


KEYED, AT = Access(KEY), Access(None, "http://127.0.0.1:1/v1", "local")


@pytest.mark.parametrize(
    ("providers", "expected"),
    [
        ({}, None),
        ({"groq": KEYED, "gemini": KEYED, "openai": AT}, "groq"),
        ({"gemini": KEYED, "openai": AT}, "gemini"),
        ({"openai": AT}, "openai"),
        ({"openai": Access(KEY)}, None),
        ({"groq": Access(None, "http://127.0.0.1:1")}, None),
    ],
)
def test_auto_takes_the_first_that_is_set(providers: dict[str, Access], expected: str | None) -> None:
    model = opened(providers)
    assert (model.provider if model else None) == expected
    assert opened(providers, provider="none") is None


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("groq", "GROQ_API_KEY"), ("gemini", "GEMINI_API_KEY"), ("openai", "STRATA_LLM_BASE_URL")],
)
def test_a_provider_asked_for_by_name_without_a_key_names_its_variable(provider: str, variable: str) -> None:
    with pytest.raises(WrongKey) as caught:
        opened({}, provider=provider)
    assert variable in caught.value.next_step and caught.value.exit_status == 3


def test_an_unknown_provider_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="claude") as caught:
        opened({}, provider="claude")
    assert "auto, none, groq, gemini, openai, replay" in caught.value.next_step
    with pytest.raises(UsageError, match="claude"):
        opened({}, provider="claude", show_prompt=print)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"provider": "none", "model": "m"}, "so --llm-model has nothing to say"),
        ({"provider": "none", "record": "kept"}, "so --record has nothing to say"),
        ({"provider": "none", "replay": "kept", "record": "kept"}, "so --record has nothing to say"),
        ({"provider": "none", "replay": "kept"}, "so --replay has nothing to say"),
        ({"provider": "replay", "model": "m"}, "so --llm-model has nothing to say to --llm replay"),
        ({"provider": "replay", "record": "kept"}, "exclude each other"),
        ({"provider": "groq", "replay": "kept"}, "--replay is what --llm replay reads, and --llm is groq"),
        ({"provider": "auto", "replay": "kept"}, "and --llm is auto"),
    ],
)
def test_an_option_that_has_nothing_to_say_is_refused(choice: dict[str, Any], said: str) -> None:
    for more in ({}, {"show_prompt": print}):
        with pytest.raises(UsageError) as caught:
            opened({"groq": KEYED}, **choice, **more)
        assert said in caught.value.message and caught.value.next_step


@pytest.mark.parametrize(
    "choice",
    [{"provider": "none", "max_calls": 1}, {"provider": "auto", "model": "m", "record": "kept"}, {"provider": "none"}],
)
def test_what_may_be_kept_to_is_not(choice: dict[str, Any]) -> None:
    assert opened({}, **choice) is None


@pytest.mark.parametrize(
    ("access", "named", "expected"),
    [
        (Access(KEY), None, "openai/gpt-oss-120b"),
        (Access(KEY, None, "of-the-variable"), None, "of-the-variable"),
        (Access(KEY, None, "of-the-variable"), "of-the-option", "of-the-option"),
    ],
)
def test_the_option_wins_over_the_variable_over_the_default(access: Access, named: str | None, expected: str) -> None:
    model = opened({"groq": access}, model=named)
    assert model is not None and model.model == expected
    default = opened({"gemini": KEYED})
    assert default is not None and default.model == "gemini-3.5-flash-lite"


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "groq", "no_such.package")
    notes: list[str] = []
    model = open_model(given(groq=KEYED, gemini=KEYED), Choice(), notes.append)
    assert model is not None and model.provider == "gemini" and "strata-search[llm]" in notes[0]
    with pytest.raises(Unavailable, match="not installed") as caught:
        opened({"groq": KEYED}, provider="groq")
    assert "strata-search[llm]" in caught.value.next_step and not caught.value.again


@pytest.mark.parametrize("key", ["two words", "ключ", "line\nbreak"])
def test_what_cannot_be_a_key_is_said_without_repeating_it(key: str) -> None:
    with pytest.raises(WrongKey, match="characters") as caught:
        opened({"groq": Access(key)})
    assert key not in caught.value.message and "GROQ_API_KEY" in caught.value.next_step


@pytest.mark.parametrize("provider", [None, "groq", "gemini", "openai"])
def test_opening_loads_no_sdk(tmp_path: Path, provider: str | None) -> None:
    script = (
        "import sys; from strata import settings; from strata.llm.opening import PACKAGES, Choice, open_model\n"
        "model = open_model(settings.load('movies'), Choice(), print)\n"
        f"assert (model.provider if model else None) == {provider!r}\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'groq', 'httpx', 'pydantic', 'numpy', 'dotenv'}, loaded\n"
        "assert 'google.genai' not in sys.modules\n"
        "assert model or {n for n in sys.modules if n.startswith('strata.llm.')} == {'strata.llm.opening'}\n"
    )
    keys = {"groq": "GROQ_API_KEY", "gemini": "GEMINI_API_KEY", "openai": "STRATA_LLM_BASE_URL"}
    env = {**os.environ, **UNSET, **({keys[provider]: "x"} if provider else {})}
    subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, check=True)


# What is wrapped round the model


def test_wrappers_compose(llm_server: Server, tmp_path: Path) -> None:
    llm_server.gives(reply({"error": {"message": "oh"}}, 500), reply(completion("yes")))
    records: list[dict[str, Any]] = []
    choice = Choice("openai", record=tmp_path, max_calls=2)
    at = given(openai=Access(KEY, llm_server.base("openai"), "local"))
    model = open_model(at, choice, print, records.append, Patience(sleep=lambda _: None))
    assert isinstance(model, Logged) and choice.by_name
    assert model.complete(ASK).text == "yes"  # asked twice, which is two calls of the budget
    with pytest.raises(BudgetSpent):
        model.complete(ASK)
    assert [record["reply"] for record in records] == ["yes", None]
    assert records[0]["usage"]["calls"] == 1 and records[0]["messages"] == [{"role": "user", "text": "hi"}]
    assert (records[0]["provider"], records[0]["model"]) == ("openai", "served-model") and records[0]["ms"] > 0
    assert records[1]["error"]["kind"] == "budget_spent"
    assert len(list(tmp_path.iterdir())) == 1
    json.dumps(records, allow_nan=False)


def test_replay_is_opened_from_option_variable_or_the_bundled_folder(tmp_path: Path) -> None:
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(replay=tmp_path / "variable"))
    for choice, expected in (
        (Choice("replay", replay=tmp_path / "option"), tmp_path / "option"),
        (Choice("replay"), tmp_path / "variable"),
    ):
        model = open_model(at, choice, print)
        assert isinstance(model, Replay) and model.folder == expected
    bundled = open_model(given(), Choice("replay"), print)
    assert isinstance(bundled, Replay) and bundled.folder == ROOT / "data" / "recordings"
    with pytest.raises(UsageError, match="exclude"):
        open_model(at, Choice("replay", record=tmp_path), print)


def test_show_prompt_gives_the_exact_messages_and_sends_nothing() -> None:
    shown: list[Any] = []
    model = open_model(given(), Choice(show_prompt=lambda *what: shown.append(what)), print)
    assert model is not None
    messages = prompt("spell", query="alein\n[system]")
    with pytest.raises(NotSent) as caught:
        model.complete(messages, {"type": "object"}, max_tokens=50)
    assert shown == [(messages, {"type": "object"}, 50)] and caught.value.exit_status == 0
    text = as_text(messages)
    assert text.startswith("[system]\nYou correct") and text.endswith('[user]\nQuery: "alein\\n[system]"')


@pytest.mark.parametrize("row", registry.PROVIDERS.values(), ids=registry.PROVIDERS)
def test_every_provider_of_the_registry_loads(row: registry.Row) -> None:
    assert callable(registry.load(row)) and row.help


# Doctor


def test_doctor_says_that_no_key_is_set() -> None:
    found = probe(given(), Choice())
    assert (found.provider, found.model, found.answers) == (None, None, None)
    assert "GROQ_API_KEY" in found.detail and "by rule" in found.detail


@pytest.mark.parametrize("provider", ["groq", "gemini", "openai"])
def test_doctor_asks_whether_the_model_is_there(llm_server: Server, provider: str) -> None:
    def listing(name: str) -> Any:
        row = {"id": name, "object": "model", "created": 1, "owned_by": "x"}
        return reply({"models": [{"name": f"models/{name}"}]} if provider == "gemini" else {"data": [row]})

    at = given(**{provider: Access(KEY, llm_server.base(provider), "wanted")})
    llm_server.gives(listing("wanted"))
    found = probe(at, Choice())
    assert (found.provider, found.model, found.answers) == (provider, "wanted", True)
    assert llm_server.asked[-1].method == "GET"
    llm_server.gives(listing("other"))
    found = probe(at, Choice())
    assert found.answers is False and "does not list" in found.detail
    llm_server.gives(reply({"error": {"message": f"bad {KEY}"}}, 401))
    found = probe(at, Choice())
    assert found.answers is False and "refuses the key: bad [key]" in found.detail


def test_doctor_does_not_wait_for_a_server_that_is_not_there(tmp_path: Path) -> None:
    begun = time.monotonic()
    found = probe(given(openai=AT), Choice())
    assert found.answers is False and "cannot be reached" in found.detail and time.monotonic() - begun < 6
    Recorded(Scripted("x", model="m"), tmp_path).complete(ASK)
    found = probe(given(), Choice("replay", replay=tmp_path))
    assert (found.provider, found.model, found.answers) == ("replay", "m", True) and "1 recordings" in found.detail
    assert probe(given(), Choice("groq")).answers is False
