"""CLIP: texts and pictures into one space by NumPy, equal to sentence-transformers; what is remembered and refused.

The weights are random ones of a tiny CLIP. Where STRATA_TEST_CLIP names a folder with real ones, as
sentence-transformers or transformers write it, the tests that take a `folder` run on them too.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import encoders
from strata.core.picture import Picture
from strata.core.types import Query
from strata.encoders import clip_pixels, open_bulk_encoder, open_encoder
from strata.encoders.clip_layers import quick_gelu
from strata.encoders.clip_numpy import ClipEncoder
from strata.encoders.clip_pixels import Pixels
from strata.encoders.memo import Remembering
from strata.encoders.torch_pictures import TorchPictures
from strata.encoders.weights import find
from strata.errors import ArtefactError, UsageError
from strata.pipeline.workspace import Workspace
from strata.settings import Settings
from tests.conftest import DATASETS
from tests.tiny_bert import tiny_bert
from tests.tiny_clip import (
    DIMENSIONS,
    SIDE,
    Clips,
    noise,
    picture,
    quietly,
    reference,
    tiny_clip,
    tiny_siglip,
)

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported
REAL = os.environ.get("STRATA_TEST_CLIP", "")
TEXTS = [
    "",
    "  \n\t ",
    "a",
    "THE CAT is on the Rock, isn't it?",
    "Amélie — «tout» ‘va’ bien; 漢字, кино, e\u0301 ﬁ İ x² 🎬🐻‍❄️ \x00",
    "a lone\ud800 wanderer",
    "<|endoftext|> in the middle, and <|STARTOFTEXT|> too",
    "https://127.0.0.1:9/cat.png",
    "word " * 500,
    "A detective returns to the city by the sea where nobody waits for him. " * 15,  # a plot of 200 words
]
SIZES = [(1, 1), (SIDE, SIDE), (40, 91), (224, 223), (500, 3), (2, 600), (1, 700), (31, 33)]


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return Settings("movies", tmp_path / "cache", tmp_path / "log")


@pytest.fixture(params=["plain", "saved", "legacy", "hub", "real"])
def folder(request: pytest.FixtureRequest) -> Path:
    """A CLIP in each layout, and a real one where there is one."""
    if request.param != "real":
        layout: Path = getattr(request.getfixturevalue("clips"), request.param)
        return layout
    if not REAL:
        pytest.skip("STRATA_TEST_CLIP names no folder with real CLIP weights")
    return Path(REAL)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


def clip(folder: Path, given: Settings) -> ClipEncoder:
    """The NumPy encoder of a folder; nothing may be announced."""
    found = find(str(folder), given, pytest.fail, pictures=True)
    assert found.row.runtime == "clip"
    return ClipEncoder(found)


def far(one: np.ndarray, other: np.ndarray) -> float:
    assert one.shape == other.shape and one.dtype == np.float32
    return float(np.abs(one - other).max())


# Both runtimes


def test_texts_have_the_vectors_of_sentence_transformers(
    folder: Path, given: Settings, no_network: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """Case 62: a text over 77 tokens was a RuntimeError there. Also: nothing is drawn on either stream."""
    ours = clip(folder, given)
    theirs = reference(ours.weights.whole, TEXTS)
    capfd.readouterr()
    assert far(ours.encode(TEXTS), theirs) < 1e-5
    bulk = TorchPictures(ours.weights)
    assert bulk.fingerprint == ours.fingerprint and bulk.tokens(TEXTS) == ours.tokens(TEXTS)
    assert far(bulk.encode(TEXTS), theirs) < 1e-5
    assert bulk.tokens([]) == [] and capfd.readouterr() == ("", "")
    assert np.abs(np.linalg.norm(ours.encode(TEXTS), axis=1) - 1).max() < 1e-6


def test_pictures_have_the_vectors_of_sentence_transformers(folder: Path, given: Settings, no_network: None) -> None:
    ours, pictures = clip(folder, given), [noise(*size, seed=i) for i, size in enumerate(SIZES)]
    theirs = reference(ours.weights.whole, pictures)
    assert far(ours.encode_pictures(pictures), theirs) < 1e-5
    assert far(TorchPictures(ours.weights).encode_pictures(pictures), theirs) < 1e-5
    assert np.abs(np.linalg.norm(ours.encode_pictures(pictures), axis=1) - 1).max() < 1e-6


def test_one_by_one_gives_what_a_batch_gives_and_twice_the_same(folder: Path, given: Settings) -> None:
    ours, pictures = clip(folder, given), [noise(*size, seed=i) for i, size in enumerate(SIZES)]
    for encode, inputs in ((ours.encode, TEXTS), (ours.encode_pictures, pictures)):
        together = encode(inputs)  # type: ignore[operator]
        alone = np.concatenate([encode([each]) for each in inputs])  # type: ignore[operator]
        assert far(together, alone) < 1e-5
        assert np.array_equal(together, encode(inputs))  # type: ignore[operator]
        assert encode([]).shape == (0, ours.dimensions)


def test_a_long_text_is_cut_before_its_end_and_how_long_it_was_is_told(folder: Path, given: Settings) -> None:
    ours = clip(folder, given)
    assert ours.max_tokens == 77
    kept, cut = "a " * 75, "a " * 75 + "b " * 300
    assert np.array_equal(ours.encode([kept])[0], ours.encode([cut])[0])
    assert ours.tokens([kept, cut, ""]) == [77, 377, 2]
    assert ours._tokens.coded([cut], "document")[0][-1] == ours._tokens.coded([""], "document")[0][-1]
    assert len(ours._tokens.coded([cut], "document")[0]) == 77


def test_the_picture_of_a_cat_finds_what_is_said_of_it(given: Settings) -> None:
    """On real weights only: random ones see nothing."""
    if not REAL:
        pytest.skip("STRATA_TEST_CLIP names no folder with real CLIP weights")
    images = DATASETS / "images"
    if not images.is_dir():
        pytest.skip(f"{images} is not there")
    from strata.pictures.open import open_picture

    rows = [json.loads(line) for line in (images / "captions.jsonl").read_text(encoding="utf-8").splitlines()]
    captions, (cat,) = [row["caption"] for row in rows], [row for row in rows if row["_id"] == "cat"]
    ours = clip(Path(REAL), given)
    cosines = ours.encode(captions, "query") @ ours.encode_pictures([open_picture(str(images / cat["file"]))])[0]
    assert len(captions) == 17 and captions[int(cosines.argmax())] == cat["caption"]


def test_bulk_work_is_sentence_transformers_where_it_pays(
    clips: Clips, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = open_bulk_encoder(str(clips.hub), given, pytest.fail, encoders.FEW)
    many = open_bulk_encoder(str(clips.hub), given, pytest.fail, encoders.FEW + 1)
    assert type(few) is ClipEncoder and type(many) is TorchPictures and few.fingerprint == many.fingerprint
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    notes: list[str] = []
    assert type(open_bulk_encoder(str(clips.hub), given, notes.append, encoders.FEW + 1)) is ClipEncoder
    assert "NumPy encodes" in notes[0]


def test_a_text_that_is_the_address_of_a_picture_is_a_text(
    clips: Clips, given: Settings, tmp_path: Path, no_network: None
) -> None:
    """sentence-transformers fetches, or opens, what looks like a picture's address or path."""
    file = tmp_path / "cat.png"
    file.write_bytes(b"no picture at all")
    texts = ["https://127.0.0.1:9/cat.png", str(file)]
    for made, inputs in ((clips.saved, texts), (tiny_siglip(tmp_path / "siglip"), texts)):
        bulk = open_bulk_encoder(str(made), given, lambda _: None, 10_000)
        assert type(bulk) is TorchPictures
        assert far(bulk.encode(inputs), np.concatenate([bulk.encode([text]) for text in inputs])) < 1e-5


def test_a_query_imports_neither_torch_nor_pillow_and_a_picture_no_torch(clips: Clips, given: Settings) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom strata.settings import Settings\n"
        "from strata.core.picture import Picture\nfrom strata.encoders import open_encoder\n"
        f"s = Settings('movies', Path({str(given.cache_dir)!r}), Path('log'))\n"
        f"encoder = open_encoder({str(clips.hub)!r}, s, print)\nencoder.encode(['a cat'], 'query')\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'huggingface_hub', 'scipy', 'filelock', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "encoder.encode_pictures([Picture('x', 'PNG', 1, 1, (1, 1), 'd', bytes(3))])\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['PIL']"]


# Other settings of a CLIP, which NumPy honours or leaves to sentence-transformers


@pytest.mark.parametrize(
    "changes",
    [
        {"text": {"hidden_act": "gelu"}, "vision": {"hidden_act": "gelu", "layer_norm_eps": 1e-3}},
        {"text": {"eos_token_id": 2, "bos_token_id": 0, "pad_token_id": 1}},
        {"text": {"num_hidden_layers": 1, "max_position_embeddings": 20}, "vision": {"patch_size": 9}},
        {"pixels": {"size": {"height": SIDE, "width": SIDE}, "do_center_crop": False, "resample": 2}},
        {"pixels": {"size": {"shortest_edge": 20}, "do_normalize": False}},
        {"pixels": {"do_resize": False, "do_rescale": False, "image_mean": [100.0, 90.0, 80.0]}},
        {"pixels": {"size": {"shortest_edge": 47}, "rescale_factor": 0.01, "image_std": [0.5, 0.25, 0.125]}},
    ],
    ids=["gelu", "old-end", "other-sizes", "square", "black-border", "as-it-is", "other-scale"],
)
def test_what_a_folder_says_is_honoured(tmp_path: Path, given: Settings, changes: dict[str, Any]) -> None:
    ours = clip(tiny_clip(tmp_path / "clip", **changes), given)
    pictures = [noise(*size) for size in SIZES]
    assert far(ours.encode_pictures(pictures), reference(ours.weights.folder, pictures)) < 1e-5
    theirs = TorchPictures(ours.weights)  # which cuts texts where `ours` does
    assert ours.max_tokens == changes.get("text", {}).get("max_position_embeddings", 77)
    assert far(ours.encode(TEXTS), theirs.encode(TEXTS)) < 1e-5


def edited(folder: Path, to: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Path:
    """A copy of a folder with one JSON file changed."""
    shutil.copytree(folder, to)
    said = json.loads((to / name).read_bytes())
    change(said)
    (to / name).write_text(json.dumps(said))
    return to


def test_what_older_configurations_say_twice_counts_as_transformers_counts_it(
    clips: Clips, tmp_path: Path, given: Settings
) -> None:
    def twice(said: dict[str, Any]) -> None:
        for name in ("text_config", "vision_config"):
            said[f"{name}_dict"] = dict(said[name])
            said[name] |= {"num_attention_heads": 2, "hidden_act": "gelu"}

    ours = clip(edited(clips.plain, tmp_path / "clip", "config.json", twice), given)
    assert far(ours.encode(TEXTS), reference(ours.weights.folder, TEXTS)) < 1e-5
    assert far(ours.encode(TEXTS), clip(clips.plain, given).encode(TEXTS)) == 0


def test_a_tokenizer_that_is_taken_as_written_is(clips: Clips, tmp_path: Path, given: Settings) -> None:
    folder = edited(clips.plain, tmp_path / "clip", "tokenizer_config.json",
                    lambda said: said.update(tokenizer_class="PreTrainedTokenizerFast"))  # fmt: skip
    folder = edited(folder, tmp_path / "other", "tokenizer.json",
                    lambda said: said["normalizer"]["normalizers"].pop())  # fmt: skip
    ours = clip(folder, given)
    assert far(ours.encode(TEXTS), reference(folder, TEXTS)) < 1e-5
    assert far(ours.encode(["THE CAT"]), ours.encode(["the cat"])) > 1e-3, "letters are not folded here"


def test_prompts_go_before_texts(clips: Clips, tmp_path: Path, given: Settings) -> None:
    folder = edited(clips.saved, tmp_path / "clip", "config_sentence_transformers.json",
                    lambda said: said.update(prompts={"query": "a photo of ", "document": ""}))  # fmt: skip
    ours = clip(folder, given)
    plain = clip(clips.saved, given)
    assert np.array_equal(ours.encode(["the cat"], "query"), plain.encode(["a photo of the cat"]))
    assert np.array_equal(ours.encode(["the cat"]), plain.encode(["the cat"], "query"))
    assert far(TorchPictures(ours.weights).encode(["the cat"], "query"), ours.encode(["the cat"], "query")) < 1e-5
    assert np.array_equal(ours.encode_pictures([noise(9, 9)]), plain.encode_pictures([noise(9, 9)]))


@pytest.mark.parametrize("why", ["activation", "half", "left", "layer", "siglip", "edges"])
def test_what_numpy_cannot_run_is_run_by_sentence_transformers_and_that_is_said(
    clips: Clips, tmp_path: Path, given: Settings, why: str
) -> None:
    folder = tmp_path / "model"
    if why == "activation":
        tiny_clip(folder, text={"hidden_act": "gelu_new"})
    elif why == "half":
        with quietly():
            from transformers import CLIPModel

            shutil.copytree(clips.plain, folder)
            CLIPModel.from_pretrained(clips.plain).half().save_pretrained(folder)
    elif why == "left":
        edited(clips.plain, folder, "tokenizer_config.json", lambda said: said.update(truncation_side="left"))
    elif why == "layer":
        with quietly():
            from sentence_transformers import SentenceTransformer
            from sentence_transformers.sentence_transformer.modules import Dense, Transformer

            modules = [Transformer(str(clips.plain)), Dense(DIMENSIONS, 5)]
            SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder))
    elif why == "siglip":
        tiny_siglip(folder)
    else:
        size = {"shortest_edge": SIDE, "longest_edge": 3 * SIDE}
        edited(clips.plain, folder, "processor_config.json", lambda said: said["image_processor"].update(size=size))
    notes: list[str] = []
    encoder = open_encoder(str(folder), given, notes.append)
    assert notes == [f"{folder} is no plain CLIP: sentence-transformers runs it, which takes seconds to start"]
    pictures = [noise(40, 33), noise(3, 3)]
    close = 1e-5 if why != "half" else 2e-3
    assert far(encoder.encode_pictures(pictures), reference(folder, pictures)) < close
    texts = ["the cat", "a rock " * 60]
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert far(encoder.encode(texts), alone) < close
    if why != "siglip":  # whose texts sentence-transformers pads to the longest of a batch, unless it is told
        assert far(alone, reference(folder, texts)) < close
    assert encoder.encode(texts).shape == (2, encoder.dimensions) and encoder.tokens(texts)[1] > encoder.max_tokens


def test_what_neither_can_run_is_one_line(clips: Clips, tmp_path: Path, given: Settings) -> None:
    unknown = edited(clips.plain, tmp_path / "unknown", "config.json",
                     lambda said: said.update(model_type="no_such_model", vision_config={}))  # fmt: skip
    deaf = edited(clips.saved, tmp_path / "deaf", "sentence_bert_config.json",
                  lambda said: said["modality_config"].pop("text"))  # fmt: skip
    for folder in (unknown, deaf):
        with pytest.raises(ArtefactError) as caught:
            open_encoder(str(folder), given, lambda _: None)
        assert str(folder) in caught.value.message and "\n" not in caught.value.message + caught.value.next_step


# Pixels


@pytest.mark.parametrize("size", [(500, 3), (3, 500), (700, 1), (40, 91), (33, 32)])
@pytest.mark.parametrize("edge", [SIDE, SIDE // 2])
def test_of_a_long_strip_only_the_middle_is_resized(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], edge: int
) -> None:
    """Whole, 1 × 2,000 pixels would become 224 × 448,000."""
    pytest.importorskip("PIL")
    pixels = Pixels({"size": edge, "crop_size": SIDE, "do_normalize": False, "do_rescale": False})
    whole = pixels(noise(*size))
    monkeypatch.setattr(clip_pixels, "MOST", 1)
    assert far(whole, pixels(noise(*size))) <= 1, "a level of 255"


def test_the_middle_is_cut_out_and_colours_keep_their_places() -> None:
    pytest.importorskip("PIL")
    drawn = np.zeros((2, 6, 3), dtype=np.uint8)
    drawn[:, 2:4] = (255, 102, 51)
    pixels = Pixels({"size": 2, "crop_size": 2, "do_normalize": False})(picture(drawn))
    assert pixels.shape == (3, 2, 2)
    assert np.allclose(pixels, np.array([1, 0.4, 0.2])[:, None, None])


def test_quick_gelu_has_no_warning_far_from_nought() -> None:
    x = np.array([-1e4, -60, -1, 0, 1, 60, 1e4], dtype=np.float32)
    with np.errstate(all="raise", under="ignore"):
        out = quick_gelu(x.copy())
    assert np.allclose(out, [0, 0, -0.15420423, 0, 0.84579575, 60, 1e4], atol=1e-6)


# What is remembered


class Counting:
    name, fingerprint, dimensions, max_tokens = "counting", "f", 1, 9

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        self.asked += texts
        return np.array([[len(text)] for text in texts], dtype=np.float32).reshape(-1, 1)

    def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
        self.asked += [each.digest for each in pictures]
        return np.array([[each.width] for each in pictures], dtype=np.float32).reshape(-1, 1)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def test_a_picture_is_encoded_once() -> None:
    inner, one, other = Counting(), noise(3, 3), noise(5, 4)
    memo = Remembering(inner, most=2)
    assert memo.saved(one.digest) == 0
    assert memo.encode_pictures([one, other, replace(one, name="a copy")]).tolist() == [[3], [5], [3]]
    assert memo.encode_pictures([other]).tolist() == [[5]] and inner.asked == [one.digest, other.digest]
    assert memo.saved(one.digest) > 0 and memo.tokens(["abc"]) == [3]
    memo.encode_pictures([one])[:] = 7
    assert memo.encode_pictures([one]).tolist() == [[3]], "what is given back may be altered without harm"
    memo.encode([one.digest], "query")
    assert memo.encode([one.digest], "query").tolist() == [[len(one.digest)]], "a text is no picture"
    memo.encode_pictures([noise(7, 7), noise(8, 8)])
    assert memo.saved(other.digest) == 0, "the oldest go first"


def test_an_encoder_of_texts_says_so_where_a_picture_comes(tmp_path: Path, given: Settings) -> None:
    folder = str(tiny_bert(tmp_path / "tiny"))
    opened = open_encoder(folder, given, pytest.fail)
    for ask in (lambda: opened.encode_pictures([noise(3, 3)]), lambda: opened.tokens(["a"]),
                lambda: find(folder, given, pytest.fail, pictures=True)):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            ask()  # type: ignore[no-untyped-call]
        assert caught.value.message == f"{folder} reads text only" and "clip-ViT-B-32" in caught.value.next_step


# As an encoder of texts


def test_a_clip_serves_text_search_too(
    clips: Clips, catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    """--encoder FOLDER, or clip-ViT-B-32: its text tower is an encoder like any other."""
    from strata.semantic.document import Documents

    texts = ["the cat is in the rock", "a detective returns", "word " * 500]
    ws = workspace(catalogue(*texts))
    found = Documents(encoder=str(clips.hub))(Query("the cat"), ws, 3)
    ours = clip(clips.hub, ws.settings)
    cosines = ours.encode([f"T{i}. {text}" for i, text in enumerate(texts, 1)]) @ ours.encode(["the cat"])[0]
    assert found.docs.tolist() == np.argsort(-cosines).tolist()
    assert np.allclose(found.scores, np.sort(cosines)[::-1], atol=1e-5)
