"""BM25 engines behind one shape, each used as its own README shows: built from texts, asked with texts.

`search` takes one query; `search_all` takes them all at once where the engine can, or one after another. Both give the
positions of the best K documents, as the engine returns them. `save` writes the index, for its size. Each works on one
thread. Call rounds.one_thread before importing this.

    strata         our index and layer
    bm25s          bm25s.tokenize for each query; numba back end, PyStemmer's Porter, its English stop words
    bm25s kept     the same with a Tokenizer that keeps its vocabulary, its other way
    tantivy        its en_stem tokenizer; queries through its lenient parser
    rank-bm25      BM25Okapi over lower-cased words split at blanks; no stemmer, no stop words
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

K, K1, B = 10, 1.5, 0.75


class Engine(Protocol):
    def __init__(self, texts: Sequence[str]) -> None: ...
    def search(self, query: str) -> Any: ...
    def search_all(self, queries: Sequence[str]) -> Any: ...
    def save(self, folder: Path) -> None: ...


class Strata:
    """Ours. Building writes the files that a search maps, so saving is copying them."""

    def __init__(self, texts: Sequence[str]) -> None:
        from strata.keyword.bm25 import BM25
        from strata.keyword.build import build
        from strata.keyword.index import Index
        from strata.storage import Artefact

        self._folder = tempfile.TemporaryDirectory(prefix="strata-bench-")
        place = Path(self._folder.name)
        self.index = Index(Artefact(place, build(texts, place)))
        self.layer = BM25(K1, B)

    def search(self, query: str) -> Any:
        return self.layer.search(self.index, self.index.query_terms(query), K)

    def search_all(self, queries: Sequence[str]) -> Any:
        return list(self.layer.search_many(self.index, [self.index.query_terms(query) for query in queries], K))

    def save(self, folder: Path) -> None:
        shutil.copytree(self._folder.name, folder, dirs_exist_ok=True)


class Bm25s:
    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s
        import Stemmer

        self._tokenize, self._how = bm25s.tokenize, {"stopwords": "en", "stemmer": Stemmer.Stemmer("porter")}
        self.scores = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
        self.scores.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._tokenize(texts, show_progress=False, **self._how)

    def search(self, query: str) -> Any:
        return self.search_all([query])

    def search_all(self, queries: Sequence[str]) -> Any:
        return self.scores.retrieve(self._tokens(list(queries)), k=K, show_progress=False, n_threads=0)

    def save(self, folder: Path) -> None:
        self.scores.save(folder)


class Bm25sKept(Bm25s):
    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s
        import Stemmer

        self._tokenizer = bm25s.tokenization.Tokenizer(stopwords="en", stemmer=Stemmer.Stemmer("porter"))
        self.scores = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
        corpus = self._tokenizer.tokenize(texts, update_vocab=True, show_progress=False)
        self.scores.index(corpus, show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._tokenizer.tokenize(texts, update_vocab=False, show_progress=False)


class Tantivy:
    def __init__(self, texts: Sequence[str]) -> None:
        import tantivy

        fields = tantivy.SchemaBuilder()
        fields.add_text_field("text", stored=False, tokenizer_name="en_stem")
        fields.add_unsigned_field("position", stored=True)
        self._folder = tempfile.TemporaryDirectory(prefix="strata-bench-")
        self.index = tantivy.Index(fields.build(), path=self._folder.name)
        writer = self.index.writer(heap_size=256_000_000, num_threads=1)
        for i, text in enumerate(texts):
            writer.add_document(tantivy.Document(text=text, position=i))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, query: str) -> Any:
        parsed, _ = self.index.parse_query_lenient(query, ["text"])
        return self.searcher.search(parsed, K, count=False).hits

    def search_all(self, queries: Sequence[str]) -> Any:
        return [self.search(query) for query in queries]

    def save(self, folder: Path) -> None:
        shutil.copytree(self._folder.name, folder, dirs_exist_ok=True)


class RankBm25:
    """It keeps no files: there is nothing to save."""

    def __init__(self, texts: Sequence[str]) -> None:
        from rank_bm25 import BM25Okapi

        self.scores = BM25Okapi([text.lower().split() for text in texts], k1=K1, b=B)

    def search(self, query: str) -> Any:
        import numpy as np

        return np.argsort(self.scores.get_scores(query.lower().split()))[::-1][:K]

    def search_all(self, queries: Sequence[str]) -> Any:
        return [self.search(query) for query in queries]

    def save(self, folder: Path) -> None:
        return


ENGINES: dict[str, type[Engine]] = {
    "strata": Strata,
    "bm25s": Bm25s,
    "bm25s kept": Bm25sKept,
    "tantivy": Tantivy,
    "rank-bm25": RankBm25,
}
PACKAGES = ("bm25s", "numba", "PyStemmer", "tantivy", "rank-bm25")
SLOW_FROM = 40_000
"""More documents than this are left out for rank-bm25: it keeps a Python dict a document and scores all of them."""


def fit(documents: int) -> list[str]:
    """The engines for a collection of this size."""
    return [name for name in ENGINES if name != "rank-bm25" or documents <= SLOW_FROM]
