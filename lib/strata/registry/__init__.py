"""The one stable table: every name a user may give, what it loads and what it is. Imports nothing of strata.

`--help`, the docs, "one of …" messages and a test of every row read it. A new layer, loader or encoder is
one file and one row.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from strata.registry.models import CROSS_ENCODERS as CROSS_ENCODERS
from strata.registry.models import DEFAULT_CROSS_ENCODER as DEFAULT_CROSS_ENCODER
from strata.registry.models import DEFAULT_ENCODER as DEFAULT_ENCODER
from strata.registry.models import DEFAULT_PICTURE_ENCODER as DEFAULT_PICTURE_ENCODER
from strata.registry.models import ENCODERS as ENCODERS
from strata.registry.models import PICTURE_ENCODERS as PICTURE_ENCODERS
from strata.registry.models import STAND_IN as STAND_IN
from strata.registry.rows import EncoderRow as EncoderRow
from strata.registry.rows import FetchRow as FetchRow
from strata.registry.rows import Row as Row
from strata.registry.sets import FETCH as FETCH

RETRIEVE = {
    "bm25": Row("strata.keyword.bm25:BM25", "keyword search, BM25 weights"),
    "tfidf": Row("strata.keyword.tfidf:TfIdf", "keyword search, TF-IDF weights"),
    "chunks": Row("strata.semantic.chunks:Chunks", "meaning, the best chunk of each document"),
    "document": Row("strata.semantic.document:Documents", "meaning, each document as a whole"),
    "similar": Row("strata.semantic.similar:Similar", "the neighbours of a document"),
    "clip": Row("strata.pictures.clip:Clip", "what a picture shows, held against each sentence"),
}
FUSE = {
    "rrf": Row("strata.hybrid.rrf:RRF", "reciprocal rank fusion: ranks only, no scores"),
    "weighted": Row("strata.hybrid.weighted:Weighted", "scores, min-max normalised, weighted by alpha"),
    "trust": Row("strata.hybrid.trust:Trust", "scores, the keyword side weighted by how much of the query it covers"),
}
ENHANCE = {
    "spell": Row("strata.enhance.spell:Spell", "misspelt words corrected"),
    "rewrite": Row("strata.enhance.rewrite:Rewrite", "filler dropped, what is meant kept"),
    "expand": Row("strata.enhance.expand:Expand", "related words added, as a second query beside the first"),
    "understand": Row(
        "strata.enhance.understand:Understand", "spelling, what is ruled out, sentences; nothing is added"
    ),
    "structure": Row("strata.enhance.structure:Structure", "genres, years, people, titles to be like or to leave out"),
    "vision": Row("strata.pictures.vision:Vision", "a picture put into words by a model that sees", needs="picture"),
}
RERANK = {
    "individual": Row("strata.rerank.individual:Individual", "a language model grades each candidate, 0 to 10"),
    "batch": Row("strata.rerank.batch:Batch", "a language model orders all candidates at once"),
    "cross_encoder": Row("strata.rerank.cross_encoder:CrossEncoder", "query and candidate read together"),
    "late_interaction": Row("strata.rerank.late_interaction:LateInteraction", "token vectors, MaxSim"),
}
ANSWER = {
    "rag": Row("strata.answer.modes:Rag", "an answer from the results"),
    "summarize": Row("strata.answer.modes:Summarize", "what the results say together"),
    "citations": Row("strata.answer.modes:Citations", "an answer in which every claim cites its source"),
    "question": Row("strata.answer.modes:Question", "a short answer to a question"),
}
SLOTS = {"enhance": ENHANCE, "retrieve": RETRIEVE, "fuse": FUSE, "rerank": RERANK, "answer": ANSWER}

METRICS = {
    "precision": Row("strata.evaluation.metrics:precision", "the share of the results that are relevant"),
    "recall": Row("strata.evaluation.metrics:recall", "the share of the relevant documents that are found"),
    "f1": Row("strata.evaluation.metrics:f1", "the harmonic mean of precision and recall"),
    "hit": Row("strata.evaluation.metrics:hit", "1 where anything relevant is found"),
    "mrr": Row("strata.evaluation.metrics:mrr", "1 / the rank of the first relevant document"),
    "map": Row("strata.evaluation.metrics:average_precision", "the mean of the precisions at each relevant document"),
    "ndcg": Row("strata.evaluation.metrics:ndcg", "grades, worth less the lower they stand; 1 is the best order"),
    "r_precision": Row("strata.evaluation.metrics:r_precision", "precision at as many places as are relevant"),
    "judged": Row("strata.evaluation.metrics:judged", "the share of the results that anybody has judged"),
}
"""Of one query's ranking; a table shows their means."""

PROVIDERS = {
    "groq": Row("strata.llm.groq:Groq", "Groq's models, with GROQ_API_KEY"),
    "gemini": Row("strata.llm.gemini:Gemini", "Google's Gemini, with GEMINI_API_KEY"),
    "openai": Row("strata.llm.openai:OpenAI", "any server like OpenAI's (Ollama, llama.cpp): STRATA_LLM_BASE_URL"),
    "replay": Row("strata.llm.replay:Replay", "recorded replies from a folder: STRATA_REPLAY"),
}
"""Language models; which of them --llm auto takes, llm/opening.py says."""

PRESETS = {
    "lessons": "the defaults of the lessons, as the commands' help gives them",
    "best": "what measurement shows to be best with no key and no network",
}

LOADERS = {
    "lessons": Row("strata.core.load.lessons:load", 'JSON: {"movies": [{"id", "title", "description"}]}, or a list'),
    "jsonl": Row("strata.core.load.jsonl:load", "JSON lines: one document a line"),
    "csv": Row("strata.core.load.csv:load", "CSV or TSV with a header line"),
    "beir": Row("strata.core.load.beir:load", "a folder with corpus.jsonl, queries.jsonl, qrels/*.tsv"),
}


def load(row: Row | FetchRow) -> Any:
    """What a row names; its module is imported now and not before."""
    module, _, attribute = row.target.partition(":")
    return getattr(import_module(module), attribute)


def for_words(table: dict[str, Row]) -> dict[str, Row]:
    """The rows of a table that a query of words alone is enough for."""
    return {name: row for name, row in table.items() if not row.needs}


def names(table: dict[str, Any]) -> str:
    """The names of a table for a message: "bm25, tfidf, chunks"."""
    return ", ".join(table)
