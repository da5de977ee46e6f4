"""Where keys and addresses come from: variables, and .env files beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata import paths, settings
from strata.errors import DataError, UsageError
from strata.llm.opening import Choice, open_model
from strata.settings import Access
from tests.conftest import ROOT, UNSET
from tests.llm_server import KEY


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A working directory and a clone's root, both for this test alone, and no variable set at all."""
    here, clone = tmp_path / "here", tmp_path / "clone"
    for folder in (here, clone):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(paths, "clone", lambda: clone)
    monkeypatch.setattr(paths, "choice_file", lambda: clone / "choice.json")
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    return here, clone


def test_keys_stand_in_a_file_of_the_clone_or_the_working_directory(places: tuple[Path, Path]) -> None:
    here, clone = places
    (clone / ".env").write_text("# keys\nexport GROQ_API_KEY=\"from clone\"\nGEMINI_API_KEY='g$HOME' # mine\n")
    found = settings.load().providers
    assert (found.groq.key, found.gemini.key) == ("from clone", "g$HOME")
    (here / ".env").write_text("GROQ_API_KEY=from here\nSTRATA_DATASET=other\nSTRATA_LLM_TIMEOUT=7.5\n")
    now = settings.load()
    assert (now.providers.groq.key, now.dataset, now.providers.timeout) == ("from here", "other", 7.5)


def test_the_real_environment_wins_also_when_empty(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    (places[1] / ".env").write_text("GROQ_API_KEY=file\nGEMINI_API_KEY=file\n")
    monkeypatch.setenv("GROQ_API_KEY", "real")
    monkeypatch.setenv("GEMINI_API_KEY", " ")
    found = settings.load().providers
    assert (found.groq.key, found.gemini.key) == ("real", None)


def test_every_variable_is_read(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in UNSET:
        monkeypatch.setenv(name, "5" if "TIMEOUT" in name or "KEEP" in name else name.lower())
    found = settings.load().providers
    assert settings.load().keep_runs == 5
    assert found.groq == Access("groq_api_key", "groq_base_url", "groq_model")
    assert found.gemini == Access("gemini_api_key", "gemini_base_url", "gemini_model")
    assert found.openai == Access("strata_llm_api_key", "strata_llm_base_url", "strata_llm_model")
    assert (found.replay, found.timeout) == (Path("strata_replay"), 5)
    monkeypatch.delenv("GROQ_MODEL")
    assert settings.load().providers.groq.model == "strata_llm_model"


def test_a_folders_env_cannot_have_a_key_sent_elsewhere(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, clone = places
    (here / ".env").write_text("GROQ_BASE_URL=http://127.0.0.1:1\n")
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    with pytest.raises(UsageError, match="names a server for groq"):
        open_model(settings.load(), Choice(), print)
    (here / ".env").write_text(f"GROQ_BASE_URL=http://127.0.0.1:1\nGROQ_API_KEY={KEY}\n")
    monkeypatch.delenv("GROQ_API_KEY")
    assert open_model(settings.load(), Choice(), print) is not None
    (here / ".env").unlink()
    (clone / ".env").write_text("GROQ_BASE_URL=http://127.0.0.1:1\n")
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    assert open_model(settings.load(), Choice(), print) is not None


def test_a_working_directory_that_is_gone_is_no_matter(places: tuple[Path, Path]) -> None:
    here, clone = places
    (clone / ".env").write_text("GROQ_API_KEY=from clone\n")
    here.rmdir()
    assert settings.load().providers.groq.key == "from clone"


def test_an_unreadable_file_and_a_bad_number_are_said(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (places[0] / ".env").write_bytes(b"GROQ_API_KEY=\xff\xfe\n")
    with pytest.raises(DataError, match=r"\.env"):
        settings.load()
    (places[0] / ".env").unlink()
    for text in ("soon", "-1", "0", "nan", "inf"):
        monkeypatch.setenv("STRATA_LLM_TIMEOUT", text)
        with pytest.raises(UsageError, match="STRATA_LLM_TIMEOUT"):
            settings.load()


def test_env_files_are_not_committed() -> None:
    assert "/.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
