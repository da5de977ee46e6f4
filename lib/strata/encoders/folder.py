"""What a folder of weights says of itself: what it lacks, and how its vectors are made.

Read from the layout that sentence-transformers writes: modules.json, config.json, sentence_bert_config.json,
1_Pooling/config.json, config_sentence_transformers.json. Nothing is loaded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from strata.encoders.plain import header as header
from strata.encoders.plain import plain_network, plain_tokens
from strata.errors import ArtefactError
from strata.registry import EncoderRow

WEIGHTS = "model.safetensors"
ONNX = ("model.onnx", "onnx/model.onnx")
NEEDED = (WEIGHTS, "tokenizer.json", "config.json")
OWN = "own"
"""The pooling of a model that only sentence-transformers can run: no plain BERT, or neither mean nor CLS pooling."""
Prefixes = tuple[str, str]
"""What goes before a query, and before a document."""


def weights_file(folder: Path) -> str:
    """The file with the weights: tensors before a graph. WEIGHTS also where there is none."""
    return next((name for name in (WEIGHTS, *ONNX) if os.path.isfile(folder / name)), WEIGHTS)


def lacking(folder: Path, needed: tuple[str, ...] = ()) -> str:
    """What keeps this folder from being used, for a message; "" if nothing does, as far as names tell.

    needed: the files that must be there, where that is known; else it is read from the folder itself.
    """
    try:
        if not folder.is_dir():
            return "not there"
    except PermissionError:
        return "may not be read"
    wanted = [*(needed or (weights_file(folder), *NEEDED[1:], "modules.json"))]
    for path, kind in () if needed else modules_of(folder):
        if kind in ("Pooling", "Dense"):
            wanted.append(f"{path}/config.json")
        if kind == "Dense":
            wanted.append(f"{path}/{WEIGHTS}")
    missing = [name for name in wanted if not os.path.isfile(folder / name)]
    if not missing:
        return ""
    said = f"holds no {', '.join(missing)}"
    if WEIGHTS in missing and (folder / f"{WEIGHTS}.index.json").is_file():
        return f"{said}: tensors in several files are not supported"
    pickled = [file.name for file in folder.glob("pytorch_model*.bin")] if WEIGHTS in missing else []
    return f"{said}; {pickled[0]} is a pickle, which is not loaded" if pickled else said


def modules_of(folder: Path) -> Iterator[tuple[str, str]]:
    """(folder, kind) of each module; none where modules.json is not there or not understood: described() says so."""
    try:
        for module in json_of(folder / "modules.json"):
            yield str(module["path"]), str(module["type"]).rpartition(".")[2]
    except (OSError, ValueError, KeyError, TypeError):
        return


def files(folder: Path, row: EncoderRow) -> list[Path]:
    """Every file that can move a vector: those beside the weights and in the folders of its modules."""
    kinds = {".json", ".txt", ".model"} | ({".onnx", ".onnx_data"} if row.runtime == "onnx" else {".safetensors"})
    found = {*folder.iterdir(), *(folder / row.file).parent.iterdir()}
    for path, _ in modules_of(folder):
        found |= set((folder / path).rglob("*")) if path else set()
    return sorted(file for file in found if file.is_file() and file.suffix in kinds)


def described(folder: Path, digest: str, usual: Prefixes = ("", "")) -> EncoderRow:
    """A row for an unregistered model in a folder. ArtefactError where it is not in that layout or wants more.

    usual: the prefixes of a model that is known to want some, though its folder does not say so.
    """
    try:
        config = json_of(folder / "config.json")
        modules = json_of(folder / "modules.json")
        own = next((m["type"] for m in modules if not str(m["type"]).startswith("sentence_transformers.")), None)
        if own is not None:
            raise ValueError(f"its module {own} is code of its own, which is not run")
        stages = [(str(m["type"]).rpartition(".")[2], json_of(folder / m["path"] / "config.json")) for m in modules]
        sentence = json_of(folder / "sentence_bert_config.json")
        query, document = prefixes(folder, usual)
        pooling = OWN if sentence.get("do_lower_case") else _pooling(stages, prefixed=bool(query or document))
        file = weights_file(folder)
        if file != WEIGHTS and pooling == OWN:
            raise ValueError(f"{file} can be run with mean or CLS pooling only")
        if file == WEIGHTS and not is_plain_bert(config, folder):
            pooling = OWN
        return EncoderRow(
            help="a folder",
            hub="",
            package=("", ""),
            digest=digest,
            dimensions=_dimensions(config, stages),
            max_tokens=longest_input(folder, config, sentence),
            pooling=pooling,
            query_prefix=query,
            document_prefix=document,
            file=file,
            runtime="onnx" if file != WEIGHTS else "torch" if pooling == OWN else "numpy",
            extra="semantic" if file == WEIGHTS else "models",
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise ArtefactError(
            f"the model in {folder} cannot be used ({type(error).__name__}: {error})",
            "name a folder with modules.json, config.json, tokenizer.json and model.safetensors",
        ) from error


def prefixes(folder: Path, usual: Prefixes) -> Prefixes:
    """As sentence-transformers' encode_query and encode_document choose them; `usual` where none is written down."""
    prompts = json_of(folder / "config_sentence_transformers.json").get("prompts") or {}
    document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
    said = str(prompts.get("query") or ""), str(document)
    return said if any(said) else usual


def longest_input(folder: Path, config: dict[str, Any], sentence: dict[str, Any]) -> int:
    """Tokens: what sentence-transformers was told, else what the tokenizer was; no more than there are positions."""
    said = sentence.get("max_seq_length") or json_of(folder / "tokenizer_config.json").get("model_max_length")
    positions = int(config.get("max_position_embeddings", 512))
    return min(int(said or positions), positions)


def _dimensions(config: dict[str, Any], stages: list[tuple[str, dict[str, Any]]]) -> int:
    """Of what comes out: the network's width, once for each way of pooling, unless a dense layer follows."""
    width = next(int(config[name]) for name in ("hidden_size", "dim", "d_model") if name in config)
    for kind, settings in stages:
        if kind == "Pooling":
            width *= max(1, len(_modes(settings)))
        width = int(settings.get("out_features", width))
    return width


def is_plain_bert(config: dict[str, Any], folder: Path) -> bool:
    """Whether bert_numpy.py has all that this network has, and tokenizer.json all that its tokenizer does."""
    written, said = json_of(folder / "tokenizer.json"), json_of(folder / "tokenizer_config.json")
    return plain_network(config, folder / WEIGHTS) and plain_tokens(written, said)


def _pooling(stages: list[tuple[str, dict[str, Any]]], *, prefixed: bool) -> str:
    """ "mean" or "cls" where these are all that happens after the network, else OWN."""
    if [kind for kind, _ in stages if kind != "Normalize"] != ["Transformer", "Pooling"]:
        return OWN
    pooling = next(settings for kind, settings in stages if kind == "Pooling")
    if prefixed and pooling.get("include_prompt") is False:
        return OWN  # the prefix's own tokens are left out
    modes = _modes(pooling)
    return {"mean_tokens": "mean", "mean": "mean", "cls_token": "cls", "cls": "cls"}.get(
        modes[0] if len(modes) == 1 else OWN, OWN
    )


def _modes(pooling: dict[str, Any]) -> list[str]:
    """The ways of pooling that are on. Older releases write a flag for each, newer ones a name or a list of them."""
    named = pooling.get("pooling_mode")
    if named:
        return [named] if isinstance(named, str) else [str(name) for name in named]
    return [
        name.removeprefix("pooling_mode_") for name, on in pooling.items() if name.startswith("pooling_mode_") and on
    ]


def json_of(file: Path) -> Any:
    """A JSON file; an empty object where there is none, except for the list of its modules."""
    if not file.is_file() and file.name != "modules.json":
        return {}
    return json.loads(file.read_bytes())
