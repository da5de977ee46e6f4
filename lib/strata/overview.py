"""The layers, each with the command that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from strata import paths


@dataclass(frozen=True)
class LayerRow:
    layer: str
    about: str
    command: str


FIRST = 'hybrid_search_cli rrf-search "cute british bear marmalade" --limit 3'


def layers() -> tuple[LayerRow, ...]:
    """From the bottom up. Commands name paths as they are from here."""
    rocket = "data/images/rocket.jpg" if paths.clone() else quote(str(paths.data_dir() / "images" / "rocket.jpg"))
    return (
        LayerRow("catalogue", "documents with ids, titles, texts, fields", "data_cli show paddington"),
        LayerRow(
            "keyword", "an inverted index, TF-IDF, BM25", 'keyword_search_cli explain "cute british bear marmalade" 393'
        ),
        LayerRow("semantic", "texts as vectors, the nearest found", "semantic_search_cli search_chunked automobile"),
        LayerRow("hybrid", "both lists fused by rank", 'hybrid_search_cli trace "wizard school"'),
        LayerRow(
            "enhance", "the query improved", 'hybrid_search_cli rrf-search "pengiuns walking antartica" --enhance spell'
        ),
        LayerRow(
            "rerank",
            "the best looked at again",
            'hybrid_search_cli rrf-search "Vienna giant wheel" --rerank cross_encoder',
        ),
        LayerRow(
            "answer", "answers with checked citations", 'augmented_generation_cli citations "romantic comedy" --limit 3'
        ),
        LayerRow(
            "pictures",
            "a picture as the query",
            f"describe_image_cli --image {rocket} --show-prompt",
        ),
        LayerRow("evaluation", "every layer measured, every miss explained", "evaluation_cli --layers --limit 5"),
    )
