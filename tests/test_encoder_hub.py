"""Encoders by their names on the Hugging Face hub: found in a folder, in the hub's cache, on the hub, or nowhere."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from strata import registry
from strata.encoders import open_bulk_encoder, open_encoder
from strata.encoders.bert_numpy import BertEncoder
from strata.encoders.hub import hub_name, usual_prefixes
from strata.encoders.memo import Remembering
from strata.encoders.weights import find
from strata.errors import ArtefactError, StrataError, UsageError
from strata.settings import Settings
from tests.conftest import VARIABLES
from tests.hub import into_cache, serving
from tests.tiny_bert import as_onnx, tiny_bert

pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")
pytest.importorskip("safetensors", reason="the extra `semantic` is not installed (safetensors)")

NAME = "some-lab/tiny-bert_v1.5"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def refused(name: str, given: Settings, kind: type[StrataError] = ArtefactError) -> StrataError:
    with pytest.raises(kind) as caught:
        open_encoder(name, given, lambda _: None)
    assert type(caught.value) is kind and caught.value.exit_status == 2
    assert "\n" not in caught.value.message + caught.value.next_step
    return caught.value


# What is here already


def test_what_the_hubs_cache_holds_is_used_without_a_probe(
    cache: Path, given: Settings, tmp_path: Path, no_network: None
) -> None:
    """cases.md 46."""
    snapshot = into_cache(cache, NAME, tiny_bert(tmp_path / "tiny"))
    found = find(NAME, given, pytest.fail)
    assert (found.name, found.folder, found.origin) == (NAME, snapshot, "the Hugging Face cache")
    encoder = open_encoder(NAME, given, pytest.fail)
    assert isinstance(encoder, Remembering) and isinstance(encoder._encoder, BertEncoder)
    by_path = open_encoder(str(tmp_path / "tiny"), given, pytest.fail)
    assert encoder.fingerprint == by_path.fingerprint, "the same model by name and by path"
    assert np.array_equal(encoder.encode(["a bear"]), by_path.encode(["a bear"]))


def test_models_of_one_name_and_other_weights_have_other_fingerprints(
    cache: Path, given: Settings, tmp_path: Path
) -> None:
    """cases.md 39: artefacts of two encoders never mix."""
    prints = set()
    for seed in range(2):
        into_cache(cache, NAME, tiny_bert(tmp_path / f"tiny{seed}", seed=seed))
        prints.add(find(NAME, given, pytest.fail).fingerprint)
        shutil.rmtree(cache)
    assert len(prints) == 2


def test_the_folder_of_the_settings_comes_first(cache: Path, given: Settings, tmp_path: Path, no_network: None) -> None:
    into_cache(cache, NAME, tiny_bert(tmp_path / "tiny"))
    tiny_bert(tmp_path / "models" / NAME, seed=1)
    assert find(NAME, given, pytest.fail).folder == tmp_path / "models" / NAME
    shutil.rmtree(tmp_path / "models" / NAME / "1_Pooling")
    assert find(NAME, given, pytest.fail).origin == "the Hugging Face cache", "what lacks a file is passed over"


def test_a_bare_name_is_one_of_sentence_transformers_own(
    cache: Path, given: Settings, tmp_path: Path, no_network: None
) -> None:
    into_cache(cache, "sentence-transformers/paraphrase-tiny", tiny_bert(tmp_path / "tiny"))
    assert find("paraphrase-tiny", given, pytest.fail).origin == "the Hugging Face cache"
    tiny_bert(tmp_path / "models" / "paraphrase-tiny")
    assert find("paraphrase-tiny", given, pytest.fail).origin == "STRATA_MODELS"


def test_a_folder_of_that_path_wins_over_the_hub(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny_bert(tmp_path / NAME)
    assert find(NAME, given, pytest.fail).origin == "the folder named"


@pytest.mark.parametrize("row", [row for row in registry.ENCODERS.values() if row.hub], ids=lambda row: row.hub)
def test_a_registered_models_name_on_the_hub_is_that_model(row: registry.EncoderRow, given: Settings) -> None:
    try:
        found = find(row.hub, given, pytest.fail, fetch=False)
    except ArtefactError as error:
        pytest.skip(error.message)
    assert found.row == row and registry.ENCODERS[found.name] == row


@pytest.mark.parametrize(
    ("name", "repository"),
    [("a", "sentence-transformers/a"), ("BAAI/bge-base-en-v1.5", "BAAI/bge-base-en-v1.5"), ("a/b/c", None), ("", None),
     ("-x", None), ("../x", None), ("./x", None), ("a b", None), ("a/", None), ("/a", None), ("é", None)],
)  # fmt: skip
def test_what_may_be_a_name_on_the_hub(name: str, repository: str | None) -> None:
    assert hub_name(name) == repository


# Prefixes


def test_models_whose_cards_ask_for_prefixes_get_them(cache: Path, given: Settings, tmp_path: Path) -> None:
    """Their folders do not say so."""
    tiny = tiny_bert(tmp_path / "tiny", prompts={"query": "", "document": ""})
    for name in ("intfloat/e5-small-v2", "BAAI/bge-base-en-v1.5", "some-lab/e5-small-v2"):
        into_cache(cache, name, tiny)
    e5, bge, other = (find(name, given, pytest.fail) for name in
                      ("intfloat/e5-small-v2", "BAAI/bge-base-en-v1.5", "some-lab/e5-small-v2"))  # fmt: skip
    assert (e5.prefix("query"), e5.prefix("document")) == ("query: ", "passage: ")
    assert bge.prefix("query") == registry.ENCODERS["bge-small-en-v1.5"].query_prefix and bge.prefix("document") == ""
    assert other.prefix("query") == other.prefix("document") == ""
    assert len({e5.fingerprint, bge.fingerprint, other.fingerprint}) == 3
    assert usual_prefixes("BAAI/bge-small-zh-v1.5") == ("", "")


def test_what_the_folder_says_wins_over_what_is_usual(cache: Path, given: Settings, tmp_path: Path) -> None:
    into_cache(cache, "intfloat/e5-small", tiny_bert(tmp_path / "tiny", prompts={"query": "q "}))
    found = find("intfloat/e5-small", given, pytest.fail)
    assert (found.prefix("query"), found.prefix("document")) == ("q ", "")


# What is nowhere


def test_what_is_nowhere_is_one_line_that_names_the_places_and_the_way_out(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    error = refused(NAME, given)
    for words in (NAME, str(tmp_path / "models" / NAME), str(cache), "HF_HUB_OFFLINE"):
        assert words in error.message
    assert f"hf download {NAME}" in error.next_step and "STRATA_MODELS" in error.next_step
    with pytest.raises(ArtefactError, match="the hub was not asked"):
        find(NAME, given, pytest.fail, fetch=False)
    bare = refused("paraphrase-tiny", given, UsageError)
    assert bare.message.startswith('no encoder is called "paraphrase-tiny"')
    assert registry.names(registry.ENCODERS) in bare.next_step
    assert "hf download sentence-transformers/paraphrase-tiny" in bare.next_step
    path = refused("no/such/folder", given, UsageError)
    assert "no such folder" in path.message and "ORG/NAME" in path.next_step


@pytest.mark.parametrize(
    "missing", ["1_Pooling/config.json", "tokenizer.json", "modules.json", "2_Dense/model.safetensors"]
)
def test_a_snapshot_that_was_never_finished_is_not_used(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    snapshot = into_cache(cache, NAME, tiny_bert(tmp_path / "tiny", dense=True))
    (snapshot / missing).unlink()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert f"holds no {missing}" in refused(NAME, given).message


@pytest.mark.parametrize("by", ["name", "path"])
def test_weights_in_a_pickle_are_refused(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """A pickle runs the code it holds when it is loaded."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tiny_bert(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    snapshot = into_cache(cache, NAME, folder)
    error = refused(NAME if by == "name" else str(snapshot), given)
    assert "pytorch_model.bin is a pickle, which is not loaded" in error.message
    assert by == "name" or "save_pretrained" in error.next_step


def test_tensors_in_several_files_are_refused(given: Settings, tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    (folder / "model.safetensors.index.json").write_text("{}")
    assert "several files" in refused(str(folder), given).message


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x", "x" * 5000, "a\0b"])
def test_odd_names_are_refused_in_one_line(given: Settings, name: str) -> None:
    refused(name, given, UsageError)


# The hub


@dataclass(frozen=True)
class Done:
    out: dict[str, str]
    err: str


def in_a_process(name: str, address: str, tmp_path: Path) -> Done:
    """find(name) in a process of its own: the hub's client reads its address when it is imported."""
    script = (
        "import json, sys\nfrom pathlib import Path\nfrom strata.errors import StrataError\n"
        "from strata.settings import Settings\nfrom strata.encoders.weights import find\n"
        "notes, folder = [], Path(sys.argv[2])\n"
        "try:\n"
        "    found = find(sys.argv[1], Settings('movies', folder / 'cache', folder / 'log'), notes.append)\n"
        "    said = {'origin': found.origin, 'folder': str(found.folder), 'fingerprint': found.fingerprint}\n"
        "except StrataError as error:\n"
        "    said = {'error': error.message, 'next': error.next_step, 'kind': type(error).__name__}\n"
        "print(json.dumps(said | {'notes': '; '.join(notes), 'loaded': ' '.join(sys.modules)}))\n"
    )
    surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    surroundings |= {"HF_ENDPOINT": address, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", script, name, str(tmp_path)],
        env=surroundings,
        capture_output=True,
        text=True,
        check=True,
    )
    return Done(json.loads(done.stdout), done.stderr)


def test_a_model_is_fetched_once_announced_and_without_its_pickle_and_graphs(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    folder = tiny_bert(tmp_path / "tiny")
    as_onnx(folder, "onnx/model.onnx", keep=True)
    (folder / "pytorch_model.bin").write_bytes(b"never")
    (folder / "README.md").write_text("never")
    with serving({NAME: folder}) as hub:
        first = in_a_process(NAME, hub.address, tmp_path)
        assert first.err == "", "no bar where nobody sees it, no advice"
        assert first.out["origin"] == "the Hugging Face hub"
        assert first.out["notes"] == f"fetching {NAME} from the Hugging Face hub"
        taken = [line for line in hub.asked if line.startswith("GET") and "/resolve/" in line]
        assert any("model.safetensors" in line for line in taken) and any("1_Pooling" in line for line in taken)
        assert not any(word in line for line in taken for word in ("pickle", ".bin", "onnx", "README"))
        hub.asked.clear()
        again = in_a_process(NAME, hub.address, tmp_path)
        assert again.out["origin"] == "the Hugging Face cache" and again.out["notes"] == "" and hub.asked == []
        assert "huggingface_hub" not in again.out["loaded"].split()
    assert first.out["fingerprint"] == again.out["fingerprint"]
    # The same files, found in the same layout that into_cache() makes.
    snapshot = into_cache(tmp_path / "other", NAME, Path(first.out["folder"]))
    assert snapshot.name == Path(first.out["folder"]).name


def test_a_fetch_that_was_interrupted_is_finished(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    with serving({NAME: tiny_bert(tmp_path / "tiny")}) as hub:
        folder = Path(in_a_process(NAME, hub.address, tmp_path).out["folder"])
        (folder / "1_Pooling" / "config.json").unlink()
        assert in_a_process(NAME, hub.address, tmp_path).out["origin"] == "the Hugging Face hub"
    assert (folder / "1_Pooling" / "config.json").is_file()


def test_what_the_hub_does_not_have_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    pickled, plain = tiny_bert(tmp_path / "pickled"), tiny_bert(tmp_path / "plain")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    (plain / "modules.json").unlink()
    with serving({"lab/pickled": pickled, "lab/plain": plain}) as hub:
        none = in_a_process("lab/none", hub.address, tmp_path).out
        bare = in_a_process("paraphrase-none", hub.address, tmp_path).out
        pickle = in_a_process("lab/pickled", hub.address, tmp_path).out
        other = in_a_process("lab/plain", hub.address, tmp_path).out
    assert none["kind"] == "ArtefactError" and "the hub has no model of that name" in none["error"]
    assert bare["kind"] == "UsageError" and 'no encoder is called "paraphrase-none"' in bare["error"]
    assert "model.safetensors" in pickle["error"] and "pickles are not fetched" in pickle["error"]
    assert "save_pretrained" in pickle["next"]
    assert "holds no modules.json" in other["error"] and "save_pretrained" not in other["next"]
    for said in (none, bare, pickle, other):
        assert "\n" not in said["error"] + said["next"]


def test_a_hub_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    with socket.socket() as free:  # nobody listens there
        free.bind(("127.0.0.1", 0))
        done = in_a_process(NAME, f"http://127.0.0.1:{free.getsockname()[1]}", tmp_path)
    assert "the hub cannot be reached" in done.out["error"] and NAME in done.out["error"]
    assert f"hf download {NAME}" in done.out["next"] and "\n" not in done.out["error"] and done.err == ""


@pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported
def test_a_cached_model_is_built_with_by_torch_without_any_network(
    cache: Path, given: Settings, tmp_path: Path, no_network: None
) -> None:
    pytest.importorskip("sentence_transformers")
    into_cache(cache, NAME, tiny_bert(tmp_path / "tiny"))
    bulk = open_bulk_encoder(NAME, given, pytest.fail, 10_000)
    quick = open_encoder(NAME, given, pytest.fail)
    assert type(bulk).__name__ == "TorchEncoder" and bulk.fingerprint == quick.fingerprint
    texts = ["a bear", "z q x " * 30, ""]
    assert np.abs(bulk.encode(texts) - quick.encode(texts)).max() < 1e-5
