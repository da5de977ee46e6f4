"""What a folder of weights says of itself: the header of its tensors, and how its vectors are made.

Read from the layout that sentence-transformers writes: modules.json, config.json, sentence_bert_config.json,
1_Pooling/config.json, config_sentence_transformers.json. Nothing is loaded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from strata.errors import ArtefactError
from strata.registry import EncoderRow

WEIGHTS = "model.safetensors"
NEEDED = (WEIGHTS, "tokenizer.json", "config.json")
OWN = "own"
"""The pooling of a model that only sentence-transformers can run: no BERT, or neither mean nor CLS pooling."""


def header(file: Path) -> tuple[dict[str, Any], int]:
    """(name → dtype, shape, data_offsets; where the data begins) of a safetensors file.

    The format: eight bytes with the header's length, little-endian; the header, JSON; the data.
    """
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > file.stat().st_size:
            raise ValueError(f"{file.name} has no safetensors header")
        tensors: dict[str, Any] = json.loads(stream.read(length))
    tensors.pop("__metadata__", None)
    return tensors, 8 + length


def described(folder: Path, digest: str) -> EncoderRow:
    """A row for an unregistered model in a folder. ArtefactError where it is not in that layout or wants more."""
    try:
        config = _json(folder / "config.json")
        modules = _json(folder / "modules.json")
        stages = [(str(m["type"]).rpartition(".")[2], _json(folder / m["path"] / "config.json")) for m in modules]
        dimensions = int(config["hidden_size"])
        for _, settings in stages:
            dimensions = int(settings.get("out_features", dimensions))  # a dense layer after the pooling
        sentence = _json(folder / "sentence_bert_config.json")
        longest = int(config.get("max_position_embeddings", 512))
        prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
        if prompts.get("document") or prompts.get("passage"):
            raise ValueError("its documents want a prefix, which is not supported yet")
        return EncoderRow(
            help="a folder",
            hub="",
            package=("", ""),
            digest=digest,
            dimensions=dimensions,
            max_tokens=min(int(sentence.get("max_seq_length") or longest), longest),
            pooling=OWN if sentence.get("do_lower_case") else _pooling(config, stages, folder),
            query_prefix=str(prompts.get("query") or ""),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtefactError(
            f"the model in {folder} cannot be used ({type(error).__name__}: {error})",
            "name a folder with modules.json, config.json, tokenizer.json and model.safetensors",
        ) from error


def _pooling(config: dict[str, Any], stages: list[tuple[str, dict[str, Any]]], folder: Path) -> str:
    """ "mean" or "cls" for what bert_numpy.py can run, else OWN."""
    bert = (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
    )
    usual = [kind for kind, _ in stages if kind != "Normalize"] == ["Transformer", "Pooling"]
    if not bert or not usual or any(entry["dtype"] != "F32" for entry in header(folder / WEIGHTS)[0].values()):
        return OWN
    pooling = next(settings for kind, settings in stages if kind == "Pooling")
    chosen = [name.removeprefix("pooling_mode_") for name, on in pooling.items() if name.startswith("pooling_") and on]
    named = pooling.get("pooling_mode")  # newer releases write one name instead of a flag for each mode
    modes = [named] if isinstance(named, str) else chosen
    return {"mean_tokens": "mean", "mean": "mean", "cls_token": "cls", "cls": "cls"}.get(
        str(modes[0]) if len(modes) == 1 else OWN, OWN
    )


def _json(file: Path) -> Any:
    """A JSON file; an empty object where there is none, except for the list of its modules."""
    if not file.is_file() and file.name != "modules.json":
        return {}
    return json.loads(file.read_bytes())
