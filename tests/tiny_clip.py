"""A tiny CLIP for tests, real in all but its size: built from a configuration by transformers' own classes, its weights
random, its tokenizer of single bytes and a few merges, saved in each of the layouts that folders of CLIP have."""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.core.picture import Picture

SIDE, PATCH, WIDTH, DIMENSIONS = 32, 8, 32, 24
START, END = "<|startoftext|>", "<|endoftext|>"
MERGES = (
    ("t", "h"), ("th", "e</w>"), ("c", "a"), ("ca", "t</w>"), ("i", "n"), ("in", "g</w>"), ("r", "o"), ("c", "k"),
    ("ro", "ck"), ("Ã", "©"),
)  # fmt: skip
MEAN, DEVIATION = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]


def picture(pixels: np.ndarray) -> Picture:
    """uint8[height, width, 3] as pictures/open.py would give it."""
    high, wide, _ = pixels.shape
    data = np.ascontiguousarray(pixels, dtype=np.uint8).tobytes()
    digest = hashlib.sha256(f"{wide}×{high} ".encode() + data).hexdigest()
    return Picture("drawn", "PNG", wide, high, (wide, high), digest, data)


def noise(wide: int, high: int, seed: int = 0) -> Picture:
    return picture(np.random.default_rng(seed).integers(0, 256, (high, wide, 3), dtype=np.uint8))


@contextmanager
def quietly() -> Iterator[None]:
    """Without what other people's packages say while they are imported, and the bars they draw."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers.utils import logging

        logging.disable_progress_bar()
        logging.set_verbosity_error()
        yield


def symbols() -> list[str]:
    """The letter that stands for each byte: itself where it can be seen, else one from 256 on (GPT-2's table)."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return [*map(chr, seen), *(chr(256 + i) for i in range(len(unseen)))]


def write_words(folder: Path) -> int:
    """vocab.json and merges.txt; gives how many words there are. The start and the end are the last two."""
    letters = symbols()
    words = [*letters, *(f"{letter}</w>" for letter in letters), *(a + b for a, b in MERGES), START, END]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in MERGES))
    return len(words)


def tiny_clip(
    folder: Path, *, seed: int = 0, text: dict[str, Any] | None = None, vision: dict[str, Any] | None = None,
    pixels: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """A CLIP of two layers a tower in the layout of transformers. text, vision, pixels: other settings of the two
    towers and of the image processor."""
    with quietly():
        import torch
        from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor, CLIPTokenizerFast

        folder.mkdir(parents=True)
        words = write_words(folder)
        tokenizer = CLIPTokenizerFast(
            str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77, padding_side="right"
        )
        small = {"hidden_size": WIDTH, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
        config = CLIPConfig(
            text_config={**small, "vocab_size": words, "bos_token_id": words - 2, "eos_token_id": words - 1,
                         "pad_token_id": words - 1, **(text or {})},
            vision_config={**small, "image_size": SIDE, "patch_size": PATCH, **(vision or {})},
            projection_dim=DIMENSIONS,
        )  # fmt: skip
        torch.manual_seed(seed)
        model = CLIPModel(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():  # fresh norms and biases are ones and noughts, which hide mistakes
                parameter.add_(torch.randn_like(parameter) * 0.1)
        model.save_pretrained(folder)
        made = {"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}, **(pixels or {})}
        CLIPProcessor(CLIPImageProcessorPil(**made), tokenizer).save_pretrained(folder)
    for name in ("vocab.json", "merges.txt"):  # tokenizer.json has them now
        (folder / name).unlink()
    return folder


def by_sentence_transformers(plain: Path, folder: Path, *, legacy: bool = False) -> Path:
    """The same, loaded and saved by sentence-transformers; legacy: through its older module for CLIP."""
    with quietly():
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import CLIPModel, Transformer

        module = CLIPModel(str(plain)) if legacy else Transformer(str(plain))
        SentenceTransformer(modules=[module], device="cpu").save_pretrained(str(folder))
    return folder


def as_the_hub_has_it(plain: Path, folder: Path) -> Path:
    """The same in the layout of the hub's sentence-transformers/clip-ViT-B-32, written years ago: all in 0_CLIPModel,
    sizes as single numbers, no tokenizer.json, special tokens with flags."""
    home = folder / "0_CLIPModel"
    home.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copyfile(plain / name, home / name)
    write_words(home)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True}
    special: dict[str, Any] = {
        "bos_token": {"content": START, **flags}, "eos_token": {"content": END, **flags},
        "unk_token": {"content": END, **flags}, "pad_token": END,
    }  # fmt: skip
    said = {name: {**token, "__type": "AddedToken"} if isinstance(token, dict) else token
            for name, token in special.items()}  # fmt: skip
    files: dict[str, Any] = {
        "modules.json": [{"idx": 0, "name": "0", "path": home.name, "type": "sentence_transformers.models.CLIPModel"}],
        "config_sentence_transformers.json": {"__version__": {"sentence_transformers": "2.0.0"}},
        f"{home.name}/special_tokens_map.json": special,
        f"{home.name}/tokenizer_config.json": {
            **said, "add_prefix_space": False, "errors": "replace", "do_lower_case": True, "model_max_length": 77,
            "special_tokens_map_file": "./special_tokens_map.json", "tokenizer_class": "CLIPTokenizer",
        },
        f"{home.name}/preprocessor_config.json": {
            "crop_size": SIDE, "do_center_crop": True, "do_normalize": True, "do_resize": True, "size": SIDE,
            "feature_extractor_type": "CLIPFeatureExtractor", "image_mean": MEAN, "image_std": DEVIATION,
            "resample": 3,
        },
    }  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def tiny_siglip(folder: Path) -> Path:
    """A model of texts and pictures that is no CLIP: SigLIP, from its configuration, in the layout of transformers."""
    with quietly():
        import torch
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
        from transformers import (
            PreTrainedTokenizerFast,
            SiglipConfig,
            SiglipImageProcessorPil,
            SiglipModel,
            SiglipProcessor,
        )

        letters = ["<pad>", "<end>", "<unk>", *"abcdefghijklmnopqrstuvwxyz:/.0123456789"]
        tokenizer = Tokenizer(models.WordLevel({letter: i for i, letter in enumerate(letters)}, unk_token="<unk>"))
        tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
        tokenizer.post_processor = processors.TemplateProcessing("$A <end>", None, [("<end>", 1)])
        small = {"hidden_size": WIDTH, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
        torch.manual_seed(0)
        config = SiglipConfig(
            text_config={**small, "vocab_size": len(letters), "max_position_embeddings": 16},
            vision_config={**small, "image_size": SIDE, "patch_size": PATCH},
        )
        SiglipModel(config).save_pretrained(folder)
        SiglipProcessor(
            SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE}),
            PreTrainedTokenizerFast(
                tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>", unk_token="<unk>", model_max_length=16
            ),
        ).save_pretrained(folder)
    return folder


def reference(folder: Path, given: Sequence[Any]) -> np.ndarray:
    """float32[len(given), d], unit length, by sentence-transformers alone, as its documentation says. given: texts, or
    Pictures."""
    with quietly():
        from PIL import Image
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        inputs = [
            Image.frombytes("RGB", (each.width, each.height), each.pixels)
            if isinstance(each, Picture)
            else {"text": each.encode("utf-8", "replace").decode()}
            for each in given
        ]
        return np.asarray(model.encode(inputs, normalize_embeddings=True, show_progress_bar=False))


@dataclass(frozen=True)
class Clips:
    """One tiny CLIP in every layout. plain: that of transformers. saved, legacy: of sentence-transformers, by today's
    module and by the older one. hub: that of the hub's own CLIPs."""

    plain: Path
    saved: Path
    legacy: Path
    hub: Path


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    """Built once a session (and worker): importing torch takes seconds."""
    for package, extra in (("PIL", "pictures"), ("sentence_transformers", "semantic")):
        if find_spec(package) is None:
            pytest.skip(f"the extra `{extra}` is not installed ({package})")
    folder = tmp_path_factory.mktemp("clips")
    plain = tiny_clip(folder / "plain")
    return Clips(
        plain,
        by_sentence_transformers(plain, folder / "saved"),
        by_sentence_transformers(plain, folder / "legacy", legacy=True),
        as_the_hub_has_it(plain, folder / "hub"),
    )
