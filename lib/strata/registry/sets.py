"""Public sets that can be fetched."""

from __future__ import annotations

from strata.registry.rows import FetchRow

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
