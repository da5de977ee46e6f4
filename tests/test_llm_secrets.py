"""A planted key is searched for wherever something is kept or shown."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from strata.errors import ProviderError
from strata.llm.opening import Choice, open_model, open_wire
from strata.llm.retry import Patience
from strata.llm.types import Message
from strata.settings import Access, Providers, Settings
from tests.llm_server import KEY, Server, reply, said

ASK = (Message("user", "hi"),)


@pytest.mark.parametrize("provider", ["groq", "gemini", "openai"])
def test_a_planted_key_is_nowhere(
    llm_server: Server,
    tmp_path: Path,
    provider: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Logs, recordings, notes, errors, reprs and both streams are searched, with the SDKs' loggers wide open."""
    caplog.set_level(logging.DEBUG)
    notes: list[str] = []
    records: list[dict[str, Any]] = []
    access = Access(KEY, llm_server.base(provider), "m")
    at = Settings("movies", tmp_path, tmp_path, providers=Providers(**{provider: access}))
    model = open_model(at, Choice(record=tmp_path), notes.append, records.append, Patience(sleep=lambda _: None))
    assert model is not None
    wire = open_wire(at.providers, provider, None)
    problems: list[str] = []
    echo = {"error": {"message": f"Incorrect API key provided: {KEY}", "param": KEY, "code": KEY, "status": KEY}}
    for answer in (
        reply(said(provider, f"you sent {KEY}")),
        *[reply(echo, status) for status in (400, 401, 403, 404, 413, 418, 429, 500, 503)],
        reply(f"<html>{KEY}</html>".encode(), 502),
        reply(said(provider, KEY, "content_filter" if provider != "gemini" else "SAFETY")),
        reply(KEY.encode()),
        llm_server.broken,
    ):
        llm_server.gives(answer)
        try:
            model.complete(ASK)
        except ProviderError as error:
            chain = [error, error.__cause__, error.__context__]
            problems += [f"{one!r} {one} {vars(one)}" for one in chain if one is not None]
    assert len(problems) >= 12 and len(records) == 14
    kept = [file.read_text() for file in tmp_path.iterdir()]
    reprs = f"{at!r} {access!r} {model!r} {wire!r} {vars(model)!r}"
    seen = "\n".join([*problems, *notes, *kept, json.dumps(records), reprs, caplog.text, *capfd.readouterr()])
    assert KEY not in seen and "[key]" in seen
