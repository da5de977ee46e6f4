"""What a folder with a cross-encoder says of itself: which runtime can run it, and how long its input may be.

Read from the layout that sentence-transformers and transformers write: config.json, tokenizer_config.json,
modules.json, and the names and shapes of the tensors. Nothing is loaded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from strata.encoders.folder import WEIGHTS, is_plain_bert, json_of, longest_input, modules_of, weights_file
from strata.encoders.plain import header
from strata.errors import ArtefactError
from strata.registry import EncoderRow

SUITABLE = "name one that was made for pairs, e.g. cross-encoder/ms-marco-MiniLM-L6-v2"
NETWORK = ("embeddings.LayerNorm.weight", "pooler.dense.weight", "classifier.weight", "classifier.bias")


def described_pairs(folder: Path, digest: str) -> EncoderRow:
    """A row for the model in a folder; ArtefactError where it is not in that layout, or no cross-encoder."""
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
        file = weights_file(folder)
        why = _unsuitable(folder, config)
        if why:
            raise ArtefactError(f"the model in {folder} {why}", SUITABLE)
        runtime = "onnx" if file != WEIGHTS else "numpy" if _numpy_runs(folder, config) else "torch"
        return EncoderRow(
            help="a folder",
            hub="",
            package=("", ""),
            digest=digest,
            dimensions=1,
            max_tokens=longest_input(folder, config, json_of(folder / "sentence_bert_config.json")),
            pooling="logit",
            file=file,
            runtime=runtime,
            extra="models" if runtime == "onnx" else "semantic",
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtefactError(
            f"the cross-encoder in {folder} cannot be used ({type(error).__name__}: {error})",
            "name a folder with config.json, tokenizer.json and model.safetensors",
        ) from error


def _unsuitable(folder: Path, config: dict[str, Any]) -> str:
    """Why this is no cross-encoder with one score; "" if it is one. An encoder loaded as one would be given a random
    classifier, and put anything first."""
    made_by = json_of(folder / "config_sentence_transformers.json").get("model_type")
    kinds = [str(name) for name in config.get("architectures") or ()]
    classifies = any(kind.endswith("ForSequenceClassification") for kind in kinds)
    if not classifies and made_by != "CrossEncoder":
        return f"is no cross-encoder: its config.json says {', '.join(kinds) or 'nothing of a classifier'}"
    labels = len(config["id2label"]) if "id2label" in config else int(config.get("num_labels", 2))
    return f"gives {labels} numbers a pair, where a reranker gives one" if classifies and labels != 1 else ""


def _numpy_runs(folder: Path, config: dict[str, Any]) -> bool:
    """Whether bert_pairs.py has all that this network has."""
    if not is_plain_bert(config, folder) or [kind for _, kind in modules_of(folder)] not in ([], ["Transformer"]):
        return False
    tensors = {name.removeprefix("bert."): entry["shape"] for name, entry in header(folder / WEIGHTS)[0].items()}
    return all(name in tensors for name in NETWORK) and tensors["classifier.weight"][0] == 1
