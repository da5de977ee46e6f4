"""Which folders bert_numpy.py runs: BERT's network in float32, and BERT's own way from text to tokens.

Sources: transformers' configuration of BERT; its BertTokenizer, which takes the vocabulary from tokenizer.json but how
letters are folded from tokenizer_config.json. Where the two files disagree, reading tokenizer.json alone would give
other tokens, and silently other vectors, than sentence-transformers gives.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AS_WRITTEN = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""Classes of tokenizers that take tokenizer.json as it stands."""


def header(file: Path) -> tuple[dict[str, Any], int]:
    """(name → dtype, shape, data_offsets; where the data begins) of a safetensors file. ValueError for any other.

    The format: eight bytes with the header's length, little-endian; the header, JSON; the data.
    """
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > file.stat().st_size:
            raise ValueError(f"{file.name} has no safetensors header")
        tensors: dict[str, Any] = json.loads(stream.read(length))
    tensors.pop("__metadata__", None)
    if max((entry["data_offsets"][1] for entry in tensors.values()), default=0) > file.stat().st_size - 8 - length:
        raise ValueError(f"{file.name} is cut short")
    return tensors, 8 + length


def plain_network(config: dict[str, Any], weights: Path) -> bool:
    """Whether config.json and the tensors are those of a BERT with nothing that bert_numpy.py lacks."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and all(entry["dtype"] == "F32" for entry in header(weights)[0].values())
    )


def plain_tokens(written: dict[str, Any], said: dict[str, Any]) -> bool:
    """Whether tokenizer.json alone (written) gives the tokens that it gives under tokenizer_config.json (said)."""
    kind = said.get("tokenizer_class")
    if kind in AS_WRITTEN:
        return True
    model, normalizer = written["model"], written.get("normalizer") or {}
    return (
        kind in (None, "BertTokenizer", "BertTokenizerFast")
        and model.get("type") == "WordPiece"
        and model.get("continuing_subword_prefix") == "##"
        and model.get("max_input_chars_per_word") == 100
        and (written.get("pre_tokenizer") or {}).get("type") == "BertPreTokenizer"
        and normalizer.get("type") == "BertNormalizer"
        and normalizer.get("clean_text") is True
        and normalizer.get("lowercase") == said.get("do_lower_case", True)
        and normalizer.get("strip_accents") == said.get("strip_accents")
        and normalizer.get("handle_chinese_chars") == said.get("tokenize_chinese_chars", True)
    )
