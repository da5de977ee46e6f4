"""Tiny cross-encoders for tests: a random BERT with a pooler and a classifier, as transformers writes it; a graph."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from tests.tiny_bert import Graph, tiny_bert


def tiny_cross_encoder(
    folder: Path, *, labels: int = 1, seed: int = 0, classifier: bool = True, kind: str = "bert", longest: int = 20
) -> Path:
    """classifier: whether there is one at all. kind: config.json's model_type. longest: tokens of a pair."""
    from safetensors.numpy import load_file, save_file

    tiny_bert(folder, seed=seed)
    rng = np.random.default_rng(seed + 100)
    tensors = {f"bert.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    width = tensors["bert.embeddings.LayerNorm.weight"].size
    if classifier:
        for name, shape in (("bert.pooler.dense", (width, width)), ("classifier", (labels, width))):
            tensors[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
            tensors[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    config: dict[str, Any] = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": kind,
        "architectures": ["BertForSequenceClassification" if classifier else "BertModel"],
        "id2label": {str(i): f"LABEL_{i}" for i in range(labels)},
        "label2id": {f"LABEL_{i}": i for i in range(labels)},
    }
    tokens = json.loads((folder / "tokenizer_config.json").read_text()) | {"model_max_length": longest}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens))
    for name in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        (folder / name).unlink()
    shutil.rmtree(folder / "1_Pooling")
    return folder


def pairs_graph(folder: Path, *, numbers: int = 1) -> Path:
    """A cross-encoder in ONNX: a pair's logit is the sum of a weight for each token of the text (of its segment, 1).
    numbers: how many such sums it gives."""
    tiny_cross_encoder(folder)
    rng = np.random.default_rng(7)
    vocabulary = len((folder / "vocab.txt").read_text().splitlines())
    g = Graph()
    weights = g.node("Gather", g.constant(rng.normal(size=(vocabulary, numbers)).astype(np.float32)), "input_ids")
    segment = g.node("Unsqueeze", g.node("Cast", "token_type_ids", to=1), g.ints(2))
    g.node("ReduceSum", g.node("Mul", weights, segment), g.ints(1), output="logits")
    (folder / "model.onnx").write_bytes(g.model(("input_ids", "token_type_ids"), "logits"))
    (folder / "model.safetensors").unlink()
    return folder
