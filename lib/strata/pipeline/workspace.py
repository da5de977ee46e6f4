"""What layers work with: the catalogue and the artefacts made from it, opened when first asked for.

A workspace never ranks. Layers leave notices and usage here (`note`, `spent`); `run` empties both into
the step it is recording, so that layers keep plain return types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from strata.settings import Settings

if TYPE_CHECKING:
    from strata.core.corpus import Corpus
    from strata.encoders import Encoder
    from strata.keyword.index import Index
    from strata.semantic.chunking import Chunking
    from strata.semantic.vectors import ChunkVectors, Progress


class Workspace:
    """One catalogue with its artefacts.

    say: where a notice goes at once (the shell prints it to stderr). progress: called by long builds.
    opened: what has been opened so far, by fingerprint; a run log holds it.
    """

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
    ) -> None:
        self.settings = settings
        self._say = say
        self._progress = progress
        self._notices: list[str] = []
        self._usage: dict[str, float] = {}
        self.opened: dict[str, str] = {}
        self.encoder = cache(self._open_encoder)
        self.chunk_vectors = cache(self._open_chunk_vectors)

    def note(self, text: str) -> None:
        """A notice: shown at once, and kept for the step that is running."""
        self._notices.append(text)
        self._say(text)

    def spent(self, usage: Mapping[str, float]) -> None:
        """Add to what the running step used: milliseconds of its parts, tokens, calls."""
        for name, amount in usage.items():
            self._usage[name] = self._usage.get(name, 0.0) + amount

    def drain(self) -> tuple[tuple[str, ...], dict[str, float]]:
        """The notices and usage since the last drain."""
        notices, usage = tuple(self._notices), self._usage
        self._notices, self._usage = [], {}
        return notices, usage

    @cached_property
    def corpus(self) -> Corpus:
        from strata.core.corpus import open_corpus

        return open_corpus(self.settings, self.note)

    @cached_property
    def index(self) -> Index:
        from strata.keyword.index import open_index

        index = open_index(self.corpus, self.settings.cache_dir, self.note)
        self.opened["keyword_index"] = index.path.name
        return index

    def _open_encoder(self, name: str) -> Encoder:
        from strata.encoders import open_encoder

        opened = open_encoder(name, self.settings, self.note)
        self.opened[f"encoder {name}"] = opened.fingerprint
        return opened

    def _open_chunk_vectors(self, encoder: str, chunking: Chunking) -> ChunkVectors:
        from strata.semantic.vectors import open_chunk_vectors

        vectors = open_chunk_vectors(self.corpus, encoder, chunking, self.settings, self.note, self._progress)
        self.opened[f"chunk_vectors {encoder}"] = vectors.path.name
        return vectors
