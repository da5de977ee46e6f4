"""A tiny BERT for tests, as sentence-transformers writes it and, beside it, as a graph in ONNX."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np


def tiny_bert(
    folder: Path, *, pooling: str = "mean", dense: bool = False, seed: int = 0,
    prompts: dict[str, str] | None = None, include_prompt: bool = True,
) -> Path:  # fmt: skip
    """A random BERT of two layers in the layout of sentence-transformers, written without torch. Its own prefix for
    queries is "find: "."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    rng = np.random.default_rng(seed)
    width, inner, longest = 16, 32, 24
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "aeiou")]
    tensors: dict[str, np.ndarray] = {}

    def tensor(name: str, *shape: int) -> None:
        tensors[name] = rng.normal(scale=0.4, size=shape).astype(np.float32)

    for name, rows in (("word", len(words)), ("position", longest), ("token_type", 2)):
        tensor(f"embeddings.{name}_embeddings.weight", rows, width)
    norms = ["embeddings.LayerNorm"]
    for at in ("encoder.layer.0", "encoder.layer.1"):
        linear = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")}
        linear |= {"attention.output.dense": (width, width), "intermediate.dense": (inner, width)}
        linear |= {"output.dense": (width, inner)}
        for part, shape in linear.items():
            tensor(f"{at}.{part}.weight", *shape)
            tensor(f"{at}.{part}.bias", shape[0])
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    for name in norms:
        tensor(f"{name}.weight", width)
        tensor(f"{name}.bias", width)
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})

    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")

    stages = [("", "Transformer"), ("1_Pooling", "Pooling")] + [("2_Dense", "Dense")] * dense + [("9", "Normalize")]
    files: dict[str, Any] = {
        "config.json": {
            "model_type": "bert", "architectures": ["BertModel"], "hidden_size": width, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": inner, "hidden_act": "gelu", "vocab_size": len(words),
            "max_position_embeddings": longest, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0,
        },
        "modules.json": [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (path, kind) in enumerate(stages)
        ],
        "sentence_bert_config.json": {"max_seq_length": 20, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "find: "} if prompts is None else prompts},
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer", "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]",
            "sep_token": "[SEP]", "mask_token": "[MASK]", "do_lower_case": True, "model_max_length": 20,
        },
        "1_Pooling/config.json": {
            "word_embedding_dimension": width, "pooling_mode_cls_token": pooling == "cls",
            "pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_max_tokens": pooling == "max",
            "pooling_mode_mean_sqrt_len_tokens": False, "include_prompt": include_prompt,
        },
    }  # fmt: skip
    if dense:
        files["2_Dense/config.json"] = {
            "in_features": width, "out_features": 5, "bias": False,
            "activation_function": "torch.nn.modules.linear.Identity",
        }  # fmt: skip
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    if dense:
        save_file(
            {"linear.weight": rng.normal(size=(5, width)).astype(np.float32)}, folder / "2_Dense/model.safetensors"
        )
    return folder


# The same network as a graph. ONNX is protocol buffers: (number, wire type) before each field, lengths before
# messages. Written by hand, since the package onnx would be needed for nothing else.


def _varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _field(number: int, value: int | float | str | bytes) -> bytes:
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, array: np.ndarray) -> bytes:
    kind = {"f": 1, "i": 7}[array.dtype.kind]
    dims = b"".join(_field(1, size) for size in array.shape)
    return dims + _field(2, kind) + _field(8, name) + _field(9, array.tobytes())


def _value(name: str, kind: int, rank: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"{name}{i}")) for i in range(rank))
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


class Graph:
    """Collects nodes and constants; a node's output is named by its number."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(_tensor(name, np.ascontiguousarray(array)))
        return name

    def number(self, value: float) -> str:
        return self.constant(np.array(value, dtype=np.float32))

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: int | float | tuple[int, ...]) -> str:
        output = output or f"n{len(self.nodes)}"
        data = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, operator)
        for name, value in attributes.items():
            if isinstance(value, tuple):
                said = b"".join(_field(8, one) for one in value) + _field(20, 7)
            else:
                said = (
                    _field(2, value) + _field(20, 1) if isinstance(value, float) else _field(3, value) + _field(20, 2)
                )
            data += _field(5, _field(1, name) + said)
        self.nodes.append(data)
        return output

    def model(self, inputs: tuple[str, ...], output: str) -> bytes:
        graph = b"".join(_field(1, node) for node in self.nodes) + _field(2, "bert")
        graph += b"".join(_field(5, constant) for constant in self.constants)
        graph += b"".join(_field(11, _value(name, 7, 2)) for name in inputs) + _field(12, _value(output, 1, 3))
        return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 17))


def as_onnx(folder: Path, file: str = "model.onnx", *, keep: bool = False) -> Path:
    """Puts the network of a folder made by tiny_bert into a graph; its safetensors file goes unless `keep`."""
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_bytes())
    t, g = load_file(folder / "model.safetensors"), Graph()
    heads, width, eps = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    size = width // heads

    def linear(x: str, name: str) -> str:
        product = g.node("MatMul", x, g.constant(t[f"{name}.weight"].T))
        return g.node("Add", product, g.constant(t[f"{name}.bias"]))

    def norm(x: str, name: str) -> str:
        weight, bias = (g.constant(t[f"{name}.{part}"]) for part in ("weight", "bias"))
        return g.node("LayerNormalization", x, weight, bias, axis=-1, epsilon=float(eps))

    def table(name: str) -> str:
        return g.constant(t[f"embeddings.{name}_embeddings.weight"])

    length = g.node("Gather", g.node("Shape", "input_ids"), g.ints(1), axis=0)
    places = g.node("Slice", table("position"), g.ints(0), length, g.ints(0))
    x = g.node("Add", g.node("Gather", table("word"), "input_ids", axis=0), places)
    x = norm(g.node("Add", x, g.node("Gather", table("token_type"), "token_type_ids", axis=0)), "embeddings.LayerNorm")
    hidden = g.node("Sub", g.number(1), g.node("Cast", "attention_mask", to=1))
    hide = g.node("Unsqueeze", g.node("Mul", hidden, g.number(-1e9)), g.ints(1, 2))
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"

        def part(name: str, x: str = x, at: str = at, order: tuple[int, ...] = (0, 2, 1, 3)) -> str:
            split = g.node("Reshape", linear(x, f"{at}.attention.self.{name}"), g.ints(0, 0, heads, size))
            return g.node("Transpose", split, perm=order)

        scores = g.node("MatMul", part("query"), part("key", order=(0, 2, 3, 1)))
        scores = g.node("Add", g.node("Mul", scores, g.number(size**-0.5)), hide)
        mixed = g.node("MatMul", g.node("Softmax", scores, axis=-1), part("value"))
        mixed = g.node("Reshape", g.node("Transpose", mixed, perm=(0, 2, 1, 3)), g.ints(0, 0, width))
        x = norm(g.node("Add", x, linear(mixed, f"{at}.attention.output.dense")), f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        error = g.node("Add", g.node("Erf", g.node("Mul", inner, g.number(2**-0.5))), g.number(1))
        inner = g.node("Mul", g.node("Mul", inner, error), g.number(0.5))
        x = norm(g.node("Add", x, linear(inner, f"{at}.output.dense")), f"{at}.output.LayerNorm")
    g.node("Identity", x, output="last_hidden_state")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(g.model(("input_ids", "attention_mask", "token_type_ids"), "last_hidden_state"))
    if not keep:
        (folder / "model.safetensors").unlink()
    return folder
