"""What layers work with: the catalogue and the artefacts made from it, opened when first asked for.

A workspace never ranks. Layers leave notices and usage here (`note`, `spent`); `run` empties both into
the step it is recording, so that layers keep plain return types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from strata.settings import Settings
from strata.telling import Progress

if TYPE_CHECKING:
    from strata.core.corpus import Corpus
    from strata.encoders.memo import Remembering
    from strata.keyword.index import Index
    from strata.llm.opening import Choice
    from strata.llm.types import LanguageModel
    from strata.semantic.units import Unit
    from strata.semantic.vectors import Vectors

T = TypeVar("T")


class Workspace:
    """One catalogue with its artefacts.

    say: where a notice goes at once (the shell prints it to stderr). progress: called by long builds.
    opened: what has been opened so far, by fingerprint; calls: what was asked of a language model; for the run log.
    choice: which language model; None for none at all. stream: is given an answer's text as a model writes it.
    keep: pair scores and a model's replies are kept in the cache, so that the same work costs nothing a second time.
    enriched: entries that hold nothing to find are read with a premise (enrich/), where they have one.
    """

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
        choice: Choice | None = None,
        keep: bool = False,
        enriched: bool = False,
    ) -> None:
        self.settings = settings
        self.enriched = enriched
        self.keep = keep
        self._choice = choice
        self._say = say
        self._progress = progress
        self._notices: list[str] = []
        self._usage: dict[str, float] = {}
        self._facts: dict[str, Any] = {}
        self._made: dict[str, Any] = {}
        self.opened: dict[str, str] = {}
        self.calls: list[dict[str, Any]] = []
        self.stream: Callable[[str], None] | None = None
        self.encoder = cache(self._open_encoder)
        self.vectors = cache(self._open_vectors)

    def note(self, text: str) -> None:
        """A notice: shown at once, and kept for the step that is running."""
        self._notices.append(text)
        self._say(text)

    def spent(self, usage: Mapping[str, float]) -> None:
        """Add to what the running step used: milliseconds of its parts, tokens, calls."""
        for name, amount in usage.items():
            self._usage[name] = self._usage.get(name, 0.0) + amount

    def report(self, **facts: Any) -> None:
        """What the running step has to say of how it was done: by_rule, provider, model, a why for each result."""
        self._facts |= facts

    def drain(self) -> tuple[tuple[str, ...], dict[str, float], dict[str, Any]]:
        """The notices, usage and facts since the last drain."""
        notices, usage, facts = tuple(self._notices), self._usage, self._facts
        self._notices, self._usage, self._facts = [], {}, {}
        return notices, usage, facts

    def once(self, what: str, make: Callable[[], T]) -> T:
        """make(), or what it gave before. what: a name that only this call uses."""
        if what not in self._made:
            self._made[what] = make()
        found: T = self._made[what]
        return found

    @cached_property
    def model(self) -> LanguageModel | None:
        """The language model that was chosen; None where there is none, and layers go by rule."""
        if self._choice is None:
            return None
        from strata.llm.opening import open_model

        choice = self._choice
        if self.keep and choice.kept is None:
            choice = replace(choice, kept=self.settings.cache_dir / "replies")
        return open_model(self.settings, choice, self.note, self.calls.append)

    @cached_property
    def corpus(self) -> Corpus:
        if self.enriched:
            from strata.enrich.opening import open_enriched

            return open_enriched(self.settings, self.note)
        from strata.core.corpus import open_corpus

        return open_corpus(self.settings, self.note)

    @cached_property
    def index(self) -> Index:
        from strata.keyword.index import open_index

        index = open_index(self.corpus, self.settings.cache_dir, self.note)
        self.opened["keyword_index"] = index.path.name
        return index

    def _open_encoder(self, name: str) -> Remembering:
        from strata.encoders import open_encoder

        opened = open_encoder(name, self.settings, self.note)
        self.opened[f"encoder {name}"] = opened.fingerprint
        return opened

    def has_vectors(self, encoder: str, unit: Unit) -> bool:
        """Whether vectors are built already, so that using them costs nothing."""
        from strata.semantic.vectors import are_there

        return are_there(self.corpus, encoder, unit, self.settings, self.note)

    def _open_vectors(self, encoder: str, unit: Unit) -> Vectors:
        from strata.semantic.vectors import open_vectors

        vectors = open_vectors(self.corpus, encoder, unit, self.settings, self.note, self._progress)
        self.opened[f"{unit.kind} {encoder}"] = vectors.path.name
        return vectors
