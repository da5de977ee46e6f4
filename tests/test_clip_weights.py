"""Where a CLIP's weights come from, what is said where there are none, and what counts as the same model."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from strata import doctor, registry
from strata.encoders import open_encoder
from strata.encoders.clip_numpy import ClipEncoder
from strata.encoders.memo import Remembering
from strata.encoders.weights import find
from strata.errors import ArtefactError, StrataError, UsageError
from strata.settings import Settings
from tests.hub import into_cache, serving
from tests.test_encoder_hub import in_a_process
from tests.tiny_bert import tiny_bert
from tests.tiny_clip import Clips, noise, tiny_clip

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported
NAME = registry.DEFAULT_PICTURE_ENCODER
HUB = registry.PICTURE_ENCODERS[NAME].hub
OPENAI = "openai/clip-vit-base-patch32"


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


def refused(
    name: str, given: Settings, kind: type[StrataError] = ArtefactError, *, pictures: bool = True
) -> StrataError:
    with pytest.raises(kind) as caught:
        find(name, given, lambda _: None, pictures=pictures)
    assert type(caught.value) is kind and caught.value.exit_status == 2
    assert "\n" not in caught.value.message + caught.value.next_step
    return caught.value


# What is here already


def test_the_default_is_found_in_the_hubs_cache_and_encodes(
    clips: Clips, cache: Path, given: Settings, no_network: None
) -> None:
    snapshot = into_cache(cache, HUB, clips.hub)
    for name in (NAME, HUB):
        found = find(name, given, pytest.fail, pictures=True)
        assert (found.name, found.folder, found.origin) == (NAME, snapshot, "the Hugging Face cache")
    opened = open_encoder(NAME, given, pytest.fail)
    assert isinstance(opened, Remembering) and isinstance(opened._encoder, ClipEncoder)
    by_path = open_encoder(str(clips.hub), given, pytest.fail)
    assert opened.fingerprint == by_path.fingerprint, "the same model by name and by path"
    assert np.array_equal(opened.encode_pictures([noise(9, 9)]), by_path.encode_pictures([noise(9, 9)]))
    assert opened.encode(["a cat"], "query").shape == (1, opened.dimensions)


def test_the_folder_of_the_settings_comes_first(clips: Clips, cache: Path, given: Settings, tmp_path: Path) -> None:
    into_cache(cache, HUB, clips.hub)
    mine = tmp_path / "models" / NAME
    shutil.copytree(clips.plain, mine)
    assert find(NAME, given, pytest.fail).origin == "STRATA_MODELS"
    (mine / "tokenizer.json").unlink()
    assert find(NAME, given, pytest.fail).origin == "the Hugging Face cache", "what lacks a file is passed over"


def test_another_clip_of_the_hub_is_found_as_transformers_wrote_it(
    clips: Clips, cache: Path, given: Settings, no_network: None
) -> None:
    into_cache(cache, OPENAI, clips.plain)
    found = find(OPENAI, given, pytest.fail, pictures=True)
    assert (found.row.runtime, found.origin) == ("clip", "the Hugging Face cache")
    assert found.fingerprint == find(str(clips.plain), given, pytest.fail).fingerprint


def test_where_modules_json_is_missing_the_old_layout_is_still_found(
    clips: Clips, tmp_path: Path, given: Settings
) -> None:
    (shutil.copytree(clips.hub, tmp_path / "old") / "modules.json").unlink()
    found = find(str(tmp_path / "old"), given, pytest.fail)
    assert found.row.runtime == "clip" and found.whole == found.home == tmp_path / "old" / "0_CLIPModel"


# What is nowhere, or cannot be used


def test_offline_it_says_what_is_missing_and_how_to_get_it(
    cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for pictures in (True, False):
        error = refused(NAME, given, pictures=pictures)
        for words in (f"the weights of {NAME} ", str(tmp_path / "models" / NAME), str(cache), "HF_HUB_OFFLINE"):
            assert words in error.message
        for words in (f"hf download {HUB} --local-dir FOLDER", "--model FOLDER", f"STRATA_MODELS names, as {NAME}"):
            assert words in error.next_step
    other = refused(OPENAI, given)
    assert "HF_HUB_OFFLINE" in other.message and f"hf download {OPENAI}" in other.next_step
    assert "--model FOLDER" in other.next_step


def test_a_name_of_nothing_is_met_with_the_names_there_are(given: Settings, cache: Path, no_network: None) -> None:
    given = Settings("movies", given.cache_dir, given.log_dir)
    odd = refused("./no/such", given, UsageError)
    assert NAME in odd.next_step and registry.DEFAULT_ENCODER not in odd.next_step
    with pytest.raises(UsageError) as caught:
        find("clip-Vit", given, pytest.fail, fetch=False, pictures=True)
    assert 'no encoder is called "clip-Vit"' in caught.value.message and NAME in caught.value.next_step


def test_an_encoder_of_texts_is_refused_before_its_weights_are_looked_for(
    given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = registry.DEFAULT_ENCODER
    with monkeypatch.context() as patch:
        patch.setattr("strata.encoders.weights.in_package", lambda row: pytest.fail("it was looked for"))
        error = refused(named, given, UsageError)
    assert error.message == f"{named} reads text only" and error.next_step.startswith(f"one of: {NAME}")
    folder = str(tiny_bert(tmp_path / "tiny"))
    assert refused(folder, given, UsageError).message == f"{folder} reads text only"


@pytest.mark.parametrize(
    ("layout", "missing"),
    [
        ("hub", "0_CLIPModel/model.safetensors"), ("hub", "0_CLIPModel/config.json"), ("hub", "0_CLIPModel/merges.txt"),
        ("hub", "0_CLIPModel/preprocessor_config.json"), ("plain", "model.safetensors"), ("plain", "tokenizer.json"),
        ("saved", "processor_config.json"),
    ],
)  # fmt: skip
def test_a_folder_that_lacks_a_file_says_which(
    clips: Clips, given: Settings, tmp_path: Path, layout: str, missing: str
) -> None:
    folder = shutil.copytree(getattr(clips, layout), tmp_path / "clip")
    (folder / missing).unlink()
    said = refused(str(folder), given, pictures=False).message
    wanted = {"merges.txt": "tokenizer.json", "processor_config.json": "preprocessor_config.json"}
    name = Path(missing).name
    assert f"holds no {missing.replace(name, wanted.get(name, name))}" in said


@pytest.mark.parametrize("layout", ["hub", "plain"])
@pytest.mark.parametrize("by", ["name", "path"])
def test_weights_in_a_pickle_are_refused_with_the_way_out(
    clips: Clips, cache: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, by: str
) -> None:
    """A pickle runs the code it holds when it is loaded."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = shutil.copytree(getattr(clips, layout), tmp_path / "clip")
    (weights,) = folder.rglob("model.safetensors")
    weights.rename(weights.with_name("pytorch_model.bin"))
    snapshot = into_cache(cache, HUB, folder)
    error = refused(NAME if by == "name" else str(snapshot), given)
    assert "pytorch_model.bin is a pickle, which is not loaded" in error.message
    if by == "path":
        assert f"SentenceTransformer('{snapshot}').save_pretrained(FOLDER)" in error.next_step
        assert "--model FOLDER" in error.next_step


def test_tensors_in_several_files_are_refused(clips: Clips, given: Settings, tmp_path: Path) -> None:
    folder = shutil.copytree(clips.plain, tmp_path / "clip")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    (folder / "model.safetensors.index.json").write_text("{}")
    assert "several files" in refused(str(folder), given).message


@pytest.mark.parametrize("layout", ["hub", "plain", "saved"])
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "cut short"])
def test_a_damaged_folder_is_one_line(clips: Clips, given: Settings, tmp_path: Path, layout: str, name: str) -> None:
    folder = shutil.copytree(getattr(clips, layout), tmp_path / "clip")
    (file,) = folder.rglob("model.safetensors" if name == "cut short" else name)
    data = file.read_bytes()
    file.write_bytes(data[:-9] if name == "cut short" else b"\xff\xff\xff\xff\xff\xff\xff\x7f{")
    assert str(folder) in refused(str(folder), given, pictures=False).message


# The hub


def test_the_default_is_fetched_once_announced_and_without_what_is_not_needed(clips: Clips, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    folder = shutil.copytree(clips.hub, tmp_path / "there")
    for extra in ("0_CLIPModel/pytorch_model.bin", "README.md", "open_clip_model.safetensors", "onnx/model.onnx"):
        (folder / extra).parent.mkdir(exist_ok=True)
        (folder / extra).write_bytes(b"never")
    with serving({HUB: folder}) as hub:
        first = in_a_process(NAME, hub.address, tmp_path)
        assert first.err == "" and first.out["origin"] == "the Hugging Face hub"
        assert first.out["notes"] == f"fetching {HUB} from the Hugging Face hub"
        taken = {line.rpartition("/")[2] for line in hub.asked if line.startswith("GET") and "/resolve/" in line}
        assert {"modules.json", "model.safetensors", "vocab.json", "merges.txt", "preprocessor_config.json"} <= taken
        assert not taken & {"pytorch_model.bin", "README.md", "open_clip_model.safetensors", "model.onnx"}
        hub.asked.clear()
        again = in_a_process(NAME, hub.address, tmp_path)
        assert again.out["origin"] == "the Hugging Face cache" and hub.asked == [] and again.out["notes"] == ""
    assert first.out["fingerprint"] == again.out["fingerprint"]


def test_what_the_hub_has_as_a_pickle_only_is_not_fetched(clips: Clips, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    folder = shutil.copytree(clips.hub, tmp_path / "there")
    (weights,) = folder.rglob("model.safetensors")
    weights.rename(weights.with_name("pytorch_model.bin"))
    with serving({HUB: folder}) as hub:
        said = in_a_process(NAME, hub.address, tmp_path).out
        assert not any("/resolve/" in line and ".bin" in line for line in hub.asked)
    assert "0_CLIPModel/model.safetensors; pickles are not fetched" in said["error"]
    assert f"SentenceTransformer('{HUB}').save_pretrained(FOLDER)" in said["next"] and "--model FOLDER" in said["next"]


# What counts as the same


def test_every_file_that_moves_a_vector_counts(clips: Clips, given: Settings, tmp_path: Path) -> None:
    """Case 39: artefacts of two models never mix."""
    prints = [find(str(clips.hub), given, pytest.fail).fingerprint]
    copy = shutil.copytree(clips.hub, tmp_path / "copy")
    assert find(str(copy), given, pytest.fail).fingerprint == prints[0]
    changes: dict[str, Callable[[bytes], bytes]] = {
        "preprocessor_config.json": lambda data: data.replace(b'"resample": 3', b'"resample": 2'),
        "config.json": lambda data: data.replace(b"quick_gelu", b"gelu"),
        "merges.txt": lambda data: data.replace(b"i n\n", b""),
        "vocab.json": lambda data: data.replace(b'"!": 0, "\\"": 1', b'"!": 1, "\\"": 0'),
        "model.safetensors": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    }
    for i, (name, change) in enumerate(changes.items()):
        folder = shutil.copytree(clips.hub, tmp_path / str(i))
        file = folder / "0_CLIPModel" / name
        changed = change(file.read_bytes())
        assert changed != file.read_bytes()
        file.write_bytes(changed)
        prints.append(find(str(folder), given, pytest.fail).fingerprint)
    prints.append(find(str(tiny_clip(tmp_path / "other", seed=1)), given, pytest.fail).fingerprint)
    assert len(set(prints)) == len(prints)


# What doctor says


def row(found: list[dict[str, str]], name: str, column: str) -> dict[str, str]:
    (line,) = (line for line in found if line[column] == name)
    return line


def test_doctor_says_what_is_missing_and_how_to_get_it(
    cache: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "PIL" else name)
    found = doctor.examine(given, pytest.fail, verify=False)
    line = row(found["picture_encoders"], NAME, "encoder")
    assert (line["state"], line["way"]) == ("not usable", "none")
    assert "found nowhere" in line["detail"] and f"hf download {HUB}" in line["detail"]
    assert line["detail"].endswith("PIL missing: pip install 'strata-search[pictures]'")
    assert NAME in row(found["ways"], "images", "layer")["way"]
    assert "strata-search[pictures]" in row(found["runtimes"], "PIL", "package")["state"]
    assert NAME not in {line["encoder"] for line in found["encoders"]}


def test_doctor_names_the_way_where_the_weights_are_here(clips: Clips, cache: Path, given: Settings) -> None:
    into_cache(cache, HUB, clips.hub)
    found = doctor.examine(given, pytest.fail, verify=True)
    line = row(found["picture_encoders"], NAME, "encoder")
    assert line["state"] == "ready" and line["way"].startswith("NumPy for pictures and queries")
    assert "the Hugging Face cache" in line["detail"]
    assert row(found["ways"], "images", "layer")["way"] == f"{NAME}: {line['way']}"
    assert json.dumps(found)
